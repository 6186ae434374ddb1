//! Database files: foreign ones, older versions, and after a power cut.

mod copy;
mod files;
mod locked;
mod merge;
mod part;
mod power;
mod taking_back;
mod versions;
