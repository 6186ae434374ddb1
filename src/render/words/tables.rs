//! How far a tree goes by endgame tables, in words.

use crate::chess::{FiftyMoves, Tables};
use crate::store::AnalysisRow;

use super::engine::describe_profile;

/// What is said behind an engine and its distance where a tree goes by tables: `, tables of 5 men (fide)`.
pub fn with_tables(tables: Option<Tables>) -> String {
    let words = tables.map(|Tables { men, fifty }| format!(", tables of {men} men ({fifty})"));
    words.unwrap_or_default()
}

/// How an analysis is made, in a few words: `Stockfish 17, engine depth 12, distance 30, tables of 5 men (fide)`.
pub fn describe_manner(row: &AnalysisRow) -> String {
    let (profile, tables) = (describe_profile(&row.profile), with_tables(row.tables));
    format!("{profile}, distance {}{tables}", row.breadth)
}

/// `up to 5 men, the fifty-move rule counts (fide)`.
pub fn describe_tables(Tables { men, fifty }: Tables) -> String {
    let rule = match fifty {
        FiftyMoves::Fide => "the fifty-move rule counts (fide)",
        FiftyMoves::Iccf => "the fifty-move rule does not count (iccf)",
    };
    format!("up to {men} men, {rule}")
}
