//! Engines as other processes: their output, their failures, many of them.

mod adapter;
mod alternatives;
mod faults;
mod last_words;
mod long;
mod mixed;
mod pool;
mod real;
