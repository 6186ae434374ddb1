//! Database files: foreign ones, former schemas and versions, and after a power cut.

mod copy;
mod files;
mod former;
mod locked;
mod merge;
mod part;
mod power;
mod taking_back;
mod versions;
