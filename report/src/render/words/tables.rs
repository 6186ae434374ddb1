//! How far a tree goes by endgame tables, in words.

use serde::Serialize;
use shakmaty::Chess;

use deepanalyze_core::chess::{FiftyMoves, TableEnd, TableMove, Tables, san_of};
use deepanalyze_store::AnalysisRow;

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

/// What a move of a root that tables know comes to for the side that plays it, in words.
pub fn describe_table_move(tables: Tables, m: &TableMove) -> &'static str {
    TableEnd { wdl: m.wdl, value: tables.value(m.wdl) }.words()
}

/// A move of a root that tables know, as programs read it.
#[derive(Debug, Serialize)]
pub struct TableMoveObject {
    uci: String,
    san: String,
    /// From -2 to 2 for the side that plays it.
    wdl: i8,
    /// Plies to the next capture, pawn move or mate; null where the tables do not say.
    dtz: Option<i32>,
}

impl TableMoveObject {
    /// A move of a root.
    pub fn of(root: &Chess, TableMove { uci, wdl, dtz }: &TableMove) -> TableMoveObject {
        TableMoveObject { uci: uci.to_string(), san: san_of(root, *uci), wdl: wdl.get(), dtz: *dtz }
    }
}

/// The same with its words, as pages read it.
#[derive(Debug, Serialize)]
pub struct WordedTableMove {
    #[serde(flatten)]
    object: TableMoveObject,
    known: &'static str,
}

impl WordedTableMove {
    /// The moves of a root of a tree that goes by tables; none of another.
    pub fn all(root: &Chess, tables: Option<Tables>, moves: &[TableMove]) -> Vec<WordedTableMove> {
        let worded = |tables| {
            moves.iter().map(move |m| WordedTableMove {
                object: TableMoveObject::of(root, m),
                known: describe_table_move(tables, m),
            })
        };
        tables.into_iter().flat_map(worded).collect()
    }
}
