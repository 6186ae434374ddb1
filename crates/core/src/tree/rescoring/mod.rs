//! A tree as a game that is valued again and again with other scores of its leaves, without growing it anew.
//!
//! A *leaf* is a listed move whose worth is the engine's own score. Ends, draws by rule and by
//! repetition, tablebase results, and the user's values stay as they are.

pub(super) mod game;
mod layout;
pub(super) mod rescored;
pub(super) mod valuation;
