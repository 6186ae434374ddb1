//! What a kept tree tells: one model for each report, and its views: text, JSON, PGN, pages, pictures. And what users say
//! of it. Nothing here asks an engine.
#![deny(clippy::indexing_slicing)]

mod audit;
mod board;
mod compare;
mod directing;
mod game;
mod including;
mod json;
mod kept;
mod list;
mod log;
mod people;
mod recheck;
mod repertoire;
mod review;
mod sources;
mod stats;
mod tree;
mod verify;
mod words;

pub use audit::games::{GamesAudit, GapFound, Met, OwnLoss, games_audit};
pub use audit::pgn::write_audit_pgn;
pub use audit::text::{FindingWords, write_audit};
pub use audit::{Audited, audited, games_audited, write_audit_json};
pub use compare::text::write_comparison;
pub use compare::{ComparedRoot, ComparisonReport};
pub use directing::{
    DirectError, DirectedLine, LinesToPositions, apply_directives, line_in_tree, undo_all,
};
pub use game::judged::{Judgement, annotations, judge};
pub use game::pgn::{game_alone, write_annotated};
pub use game::{
    AnnotatedGame, GamePageData, JudgedPosition, annotated_games, event as event_of_game,
    title as title_of_game, write_game_html, write_games_json,
};
pub use including::{UNASKED, describe_elsewhere, include_skeleton, include_widest_gaps};
pub use json::{
    DepthReached, MoveWdl, NamedEngine, NamedMove, NamedTableMove, SettingsObject, plain_json,
    side_word, start_of, variant_of, write_json, write_json_array, write_plain_json,
};
pub use kept::chance::{Percent, Stays, StaysUntil, Trust, VerdictsSoFar};
pub use kept::closing::{Closing, ClosingAsked, ClosingMove, best_closing, describe_closing};
pub use kept::facts::first_facts;
pub use kept::figures::{Figures, are_computed};
pub use kept::following::{Followed, Follower, read_on};
pub use kept::found::found_at_root;
pub use kept::reading::KeptGrowth;
pub use kept::stages::{
    StageCourse, StageVerdict, Stages, describe_stays, is_believed, speaks, stage_courses,
};
pub use kept::told::{ChosenBy, ChosenMove, ToldVerdict, told_verdict};
pub use kept::verdict::{
    BestLine, BestLines, LatestVerdict, LinesTold, Prospect, continuation, latest_verdict,
    measured_prospects, node_row, prospects, root_value, whole_best_line,
};
pub use kept::{KeptRows, KeptTree, LiveTree, load, load_as_grown, load_growth};
pub use list::text::{write_analysis, write_list};
pub use list::{RootNotes, RootSummary, WithStages, write_list_json};
pub use log::text::{Log, write_log};
pub use log::{Cause, cause, changes, stages, write_log_json};
pub use people::coverage::{MoveCoverage, describe_coverage};
pub use people::left_out::describe_left_out;
pub use people::played::{MovePlayed, describe_expected, describe_share};
pub use people::words::advice;
pub use people::{ExpectedScores, Gap, People, PeopleAsked, SOUND, expected_of};
pub use recheck::TreeRecheck;
pub use recheck::note::{RecheckNote, Rechecked};
pub use recheck::words::{describe_note, describe_recheck, describe_rechecked};
pub use review::follow::EngineScores;
pub use review::games::{GamesOfPlayer, GamesRoom};
pub use review::json::write_review_json;
pub use review::page::write_review_page;
pub use review::pgn::write_review_pgn;
pub use review::player::{PlayerNames, names_and_games};
pub use review::text::write_review;
pub use review::{Review, ReviewAsked, ReviewError, review};
pub use sources::{ConflictObject, SourceObject, write_conflicts, write_sources};
pub use stats::Statistics;
pub use stats::text::write_stats;
pub use tree::drawn::{DrawnObject, describe_drawn, drawn_told};
pub use tree::holds::{StabilityObject, describe_holds, sentence_of_holds};
pub use tree::layout::{ReportStart, TreeReport};
pub use tree::shown::{MoveSaid, PositionMoves, Shown};
pub use tree::{CARDS, CLEAR, PeopleWanted, PrintError, PrintOptions, TreeFormat};
pub use verify::{VerifyFindings, verify};
pub use words::figures::{
    count, describe_depth, describe_nodes, describe_size, grouped, one_line, pawns, percent, size,
    span, time_ago, timestamp,
};
pub use words::fit::{Left, Right, cut, cut_name, hanging, table_lines, wrap};
pub use words::manner::{
    describe_copied, describe_directed, describe_directives, describe_directives_or,
    describe_distance, describe_games, describe_limit, describe_manner, describe_profile,
    describe_set, describe_table_move, describe_tables, describe_value, with_games, with_tables,
};
pub use words::roots::{
    describe_chess960, describe_root, known_tag, last_move, last_opening, name_of_game,
};
pub use words::{
    PointOfView, after, describe_end, describe_line_end, describe_wdl, name_of_line, numbered_line,
    numbered_move, seen,
};
