//! Database files: foreign ones, old ones, and what a power cut leaves.

#[path = "../support/mod.rs"]
mod support;

mod copy;
mod files;
mod locked;
mod power;
mod upgrades;
mod versions;
