//! What players take along from a tree: cards to learn, chapters of a study, conditional moves.

pub mod anki;
pub mod conditional;
pub mod study;
