//! Engines as other processes: what they print, how they fail, many of them.

#[path = "../support/mod.rs"]
mod support;

mod adapter;
mod alternatives;
mod faults;
mod last_words;
mod long;
mod mixed;
mod pool;
mod real;
