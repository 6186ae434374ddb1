//! The read model of a root: its tree under the present directives, its moves, verdict, stages and
//! course, statistics of people's games, and the words for all of that.
//!
//! It reads the database and starts nothing: no engine, no thread that outlives a call. Begin with
//! [`load`]. Writers of formats are in `report`; only [`verify`] and growing runs read a tree as it
//! was grown ([`load_as_grown`]).
#![deny(clippy::indexing_slicing)]

mod best_line;
mod chance;
mod claims;
mod closing;
mod directing;
mod drawn;
mod facts;
mod figures;
mod following;
mod found;
mod holds;
mod in_order;
pub mod json;
#[cfg(any(test, feature = "testing"))]
mod made;
mod moves;
mod people;
mod position;
mod present;
mod provenance;
mod reading;
mod recheck;
mod second;
mod stages;
mod tree;
mod verdict;
mod verify;
mod why;
mod words;

pub use best_line::{
    Line, SHOWN_PLIES, best_line, best_lines, best_moves, node_row, root_value, stored_line,
};
pub use chance::{
    Percent, Stays, StaysUntil, Sureness, Trust, VerdictsSoFar, describe_sureness,
    describe_tree_chance,
};
pub use claims::{AnsweredClaim, Because, ClaimError, ClaimReader, Truth, describe_bound};
pub use closing::{
    Closing, ClosingAsked, ClosingMove, ClosingObject, best_closing, describe_closing,
};
pub use directing::{
    DirectError, DirectedLine, LinesToPositions, apply_directives, line_in_tree, undo_all,
};
pub use drawn::{DrawnObject, describe_drawn, drawn_told};
pub use facts::first_facts;
pub use figures::{Figures, are_computed, of_end};
pub use following::{Followed, Follower, read_on};
pub use found::found_at_root;
pub use holds::{StabilityObject, describe_holds, sentence_of_holds};
pub use in_order::{in_order, join, write_in_order};
pub use json::{
    AnalysisManner, DepthReached, EndOfLine, HumanObject, MoveWdl, NamedEngine, NamedMove,
    NamedTableMove, SettingsObject, Side, Variant, WordedTableMove, plain_json, start_of,
    variant_of, write_json, write_json_array, write_plain_json,
};
pub use moves::Shown;
pub use people::coverage::{
    MoveCoverage, Part, describe_coverage, describe_left_out, part_of_games,
};
pub use people::traps::deeper::{DeeperLook, DeeperSearches, Refuted};
pub use people::traps::{LIKELY, LOSES, Trap, TrapLimits, Traps, describe_loss, traps_of};
pub use people::words::{
    MovePlayed, advice, describe_expected, describe_people, describe_played, describe_share,
    games_told, practical_chances, rounded, share_told,
};
pub use people::{ExpectedScores, Gap, People, PeopleAsked, SOUND, expected_of, is_few};
pub use position::{LinePosition, ListedMove};
pub use present::settled_now;
pub use provenance::AnswerSource;
pub use reading::KeptGrowth;
pub use recheck::TreeRecheck;
pub use recheck::note::{RecheckNote, Rechecked};
pub use recheck::words::{describe_note, describe_recheck, describe_rechecked};
pub use second::{Second, SecondWord};
pub use stages::{
    StageCourse, StageVerdict, Stages, describe_stages, is_believed, is_one_alone, speaks,
    stage_courses, stage_lines,
};
pub use tree::{KeptRows, StoredTree, Tree, game_to, load, load_as_grown, load_growth, load_tree};
pub use verdict::{ANSWER, ChosenBy, Verdict, scored_move, told_verdict};
pub use verify::{VerifyFindings, verify};
pub use why::{MoveSearch, Standing, Why, WhyPly};
pub use words::figures::{
    bar, count, describe_depth, describe_nodes, describe_size, grouped, in_hours, one_line, pawns,
    per, percent, size, span, time_ago, timestamp,
};
pub use words::fit::{
    Alignment, GAP, Left, Right, columns, cut, cut_name, fill, hanging, head, rows, shorten,
    table_lines, wrap, write_field,
};
pub use words::manner::{
    describe_breadth, describe_copied, describe_directed, describe_directives,
    describe_directives_or, describe_distance, describe_draw, describe_games, describe_known_games,
    describe_limit, describe_manner, describe_nets, describe_profile, describe_set,
    describe_table_move, describe_tables, describe_value, with_games, with_tables,
};
pub use words::roots::{
    describe_chess960, describe_root, known_tag, last_move, last_opening, name_of_game,
};
pub use words::{
    PointOfView, after, describe_end, describe_line_end, describe_wdl, name_of_line, numbered,
    numbered_line, numbered_move, play, push_number, sans_of, seen,
};

/// Stored trees made of lists, for tests.
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    pub use crate::made::{closing_of, kept_of};
    pub use crate::people::testing::{
        GAMES, Kept, LISTS, before_the_bishop, bishops, counted, grown, kept,
    };
}
