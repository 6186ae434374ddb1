//! Exports for players: cards to learn, chapters of a study, conditional moves.

pub mod anki;
pub mod conditional;
pub mod study;
