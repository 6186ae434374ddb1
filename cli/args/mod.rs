//! Arguments that several commands share.

pub mod chosen;
pub mod chosen_engine;
pub mod database;
pub mod engines;
pub mod fleet;
pub mod pov;
pub mod root;
pub mod side;
mod sourced;
pub mod sources;
pub mod tables;
pub mod tree;
mod workers_engine;
