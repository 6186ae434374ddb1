//! Engines as other processes: their output, their failures, many of them.

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
