//! Database files: foreign ones, older versions, and after a power cut.

mod copy;
mod files;
mod locked;
mod merge;
mod part;
mod power;
mod undoing_merges;
mod versions;
