//! One tree, written to any [`std::io::Write`]: text for people, the other formats for programs, a web
//! page to walk in. What all formats share is in `report` and `words`.
#![deny(clippy::indexing_slicing)]

mod audit;
mod compare;
mod game;
mod html;
mod in_order;
mod list;
mod log;
mod pgn;
mod picture;
mod pov;
mod printed;
mod report;
mod stats;
mod tree;
mod words;

pub use audit::{Audited, FindingWords, write_audit, write_audit_json};
pub use compare::{Compared, write_comparison, write_comparison_json};
pub use game::{AnnotatedGame, JudgedPosition, write_games_json};
pub use html::{Beside, write_game_html, write_html};
pub use list::{write_analysis, write_list, write_list_json};
pub use log::{Log, write_log, write_log_json};
pub use pgn::{write_annotated, write_pgn};
pub use picture::{Drawing, write_dot, write_svg};
pub use pov::{PointOfView, seen};
pub use printed::{PrintError, PrintedTree, Printing, TreeFormat};
pub use report::{Beginning, LineError, MoveSaid, Report, value_of};
pub use stats::{TreeFacts, write_stats, write_stats_json};
pub use tree::{
    ClosingObject, StabilityObject, describe_holds, write_csv, write_epd, write_json,
    write_polyglot, write_text, write_verdict,
};
pub use words::changes::ChangeWords;
pub use words::fit::cut;
pub use words::{
    BreadthObject, EngineObject, StageObject, WordedTableMove, after, count, describe_breadth,
    describe_closing, describe_copied, describe_depth, describe_directives, describe_limit,
    describe_line_end, describe_manner, describe_pending, describe_profile, describe_root,
    describe_size, describe_stays, describe_table_move, describe_tables, describe_value, last_move,
    name_of_game, numbered_line, one_line, span, timestamp, with_tables,
};
