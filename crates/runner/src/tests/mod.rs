//! Whole runs, and several side by side, with made-up engines in virtual time.

pub mod bench;
pub mod made_up;
mod rivals;
mod simulation;
mod virtual_time;
