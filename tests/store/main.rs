//! Database files: foreign ones, those of former schemas and versions, and what a power cut leaves.

#[path = "../support/mod.rs"]
mod support;

mod copy;
mod files;
mod former;
mod locked;
mod merge;
mod part;
mod power;
mod taking_back;
mod versions;
