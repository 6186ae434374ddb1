//! The built-in engine, asked through the library.

mod driver;
mod search;
mod seeds;
mod uci;
