//! Small measurements, a subcommand each.

pub mod books;
pub mod game_sets;
pub mod games;
pub mod human;
mod lanes;
pub mod look_ahead_speed;
pub mod quiescence_paper;
pub mod random_games;
pub mod recheck;
pub mod search_overhead;
pub mod selfplay;
pub mod synthetic_database;
