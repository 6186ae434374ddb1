//! Writers: a tree as text, JSON, PGN, CSV, EPD, book, pictures and pages; lists, logs,
//! comparisons, audits, reviews and annotated games. `view` reads their data. Nothing here asks an
//! engine.
#![deny(clippy::indexing_slicing)]

mod audit;
mod board;
mod compare;
mod game;
mod including;
mod list;
mod log;
mod repertoire;
mod review;
mod sources;
mod stats;
mod traps;
mod tree;

pub use audit::games::{GamesAudit, GapFound, Met, OwnLoss, games_audit};
pub use audit::pgn::write_audit_pgn;
pub use audit::text::{FindingWords, write_audit};
pub use audit::{AuditForPrograms, Audited, audited, games_audited, write_audit_json};
pub use board::board;
pub use compare::text::write_comparison;
pub use compare::{ComparedRoot, ComparisonReport};
pub use game::judged::{Annotation, JudgedLine};
pub use game::pgn::{game_alone, write_annotated};
pub use game::summary::write_game_text;
pub use game::{
    AnnotatedGame, GameForPrograms, GamePageData, JudgedPosition, annotated_games, closing_weights,
    event as event_of_game, title as title_of_game, variations_begun, write_game_html,
    write_games_json,
};
pub use including::{UNASKED, describe_elsewhere, include_skeleton, include_widest_gaps};
pub use list::text::{write_analysis, write_list};
pub use list::{RootNotes, RootSummary, WithStages, write_list_json};
pub use log::text::{Log, write_log};
pub use log::{Cause, cause, changes, stages, write_log_json};
pub use review::follow::EngineScores;
pub use review::games::{GamesOfPlayer, GamesRoom};
pub use review::json::{ReviewForPrograms, write_review_json};
pub use review::page::write_review_page;
pub use review::pgn::write_review_pgn;
pub use review::player::{PlayerNames, names_and_games};
pub use review::text::write_review;
pub use review::{Review, ReviewAsked, review};
pub use sources::{ConflictObject, write_conflicts, write_sources};
pub use stats::Statistics;
pub use stats::text::write_stats;
pub use traps::{TrapsTold, write_trap_cards, write_traps, write_traps_json};
#[cfg(feature = "contract")]
pub use tree::html::{data::PageData, moves::PageMove};
pub use tree::layout::{ReportStart, TreeReport};
pub use tree::polyglot::{polyglot_key, polyglot_move};
pub use tree::{CARDS, CLEAR, PeopleWanted, PrintError, PrintOptions, TreeFormat};
