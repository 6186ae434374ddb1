//! Small measurements, a subcommand each.

pub mod look_ahead_speed;
pub mod quiescence_paper;
pub mod search_overhead;
pub mod selfplay;
pub mod synthetic_database;
pub mod tune;
