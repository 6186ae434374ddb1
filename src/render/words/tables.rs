//! How far a tree goes by endgame tables, in words.

use crate::chess::{FiftyMoves, Tables};

/// `up to 5 men, the fifty-move rule counts (fide)`.
pub fn describe_tables(Tables { men, fifty }: Tables) -> String {
    let rule = match fifty {
        FiftyMoves::Fide => "the fifty-move rule counts (fide)",
        FiftyMoves::Iccf => "the fifty-move rule does not count (iccf)",
    };
    format!("up to {men} men, {rule}")
}
