//! The memo of engine answers and the trees derived from it, in one SQLite file. The only room
//! that knows rusqlite.
//!
//! The schema is public: `migrations/` has it, with what each column means.
#![deny(clippy::indexing_slicing)]

mod agenda;
mod analyses;
mod annotated_games;
mod answers;
mod check;
mod check_lists;
mod check_rows;
mod closing;
mod copy;
mod directives;
mod error;
mod facts;
mod files;
mod games;
mod header;
mod incoming;
mod lock;
mod log;
mod memo;
mod merging;
mod move_answers;
mod names;
mod nodes;
mod open;
mod packing;
mod patience;
mod profiles;
mod rechecks;
mod repetitions;
mod schema;
mod settings;
mod sources;
mod stats;
mod trees;
mod verdicts;
mod write_answers;
mod writer;

pub use agenda::{AgendaRow, GrowsUntil, RootChanges};
pub use analyses::{AnalysisId, AnalysisKey, AnalysisKind, AnalysisRow, found_at};
pub use annotated_games::{AnnotatedGameRow, GameId, PositionOfGame};
pub use check_rows::{CheckedRows, LastPosition, PartOfRows};
pub use closing::{ClosingId, ClosingRow, ClosingShareRow, NewClosing, SecondLook};
pub use directives::{DatedDirective, DirectivesChanged, RootOrigin};
pub use error::StoreError;
pub use facts::NewFact;
pub use files::{DatabasePart, has_log, part_of};
pub use games::{GameSetId, HumanNet, HumanNets, KeptGameSet, KnownGames, USUAL_WEIGHT};
pub use incoming::{
    Incoming, IncomingAnswer, IncomingClosing, IncomingList, IncomingLists, IncomingPart,
    IncomingProfile, LeftOutCounts, WhyLeft, is_repeatable, is_within_reach,
};
pub use lock::GrowLock;
pub use log::hurry;
pub use memo::{KeptSearch, ListedAnswer, NewAnswer, PricedAnswer, now};
pub use merging::{
    ConflictRow, DirectivesJoined, Joined, ListCompared, MergeId, MergedRemoved, RootJoined,
    SourceId, SourceRow,
};
pub use move_answers::NewMoveAnswer;
pub use names::RootNote;
pub use nodes::KeptNode;
pub use open::Store;
pub use patience::Patience;
pub use profiles::ProfileId;
pub use rechecks::{RecheckRow, ValuedMove};
pub use settings::TreeSettings;
pub use sources::Invalidated;
pub use stats::{Cost, Effort, Origin, PlyCount, Sharing, Stretch, TableShare};
pub use trees::{NodeRow, PassRecord, PositionId};
pub use verdicts::{CoursePoint, DepthVerdict};
pub use writer::WriteTicket;
