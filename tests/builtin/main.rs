//! The built-in engine, asked through the library.

mod search;
mod seeds;
mod uci;
