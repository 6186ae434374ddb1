//! Arguments that several commands share.

pub mod database;
pub mod engines;
pub mod games;
pub mod human;
pub mod report;
pub mod root;
pub mod times;
pub mod tree;
