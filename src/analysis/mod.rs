//! What a kept tree tells: reading it, its history, statistics and annotations, and growing it again
//! to verify it. Nothing here asks an engine.
#![deny(clippy::indexing_slicing)]

mod annotate;
mod audited;
mod best_line;
mod closing;
mod compare;
mod history;
mod kept_rows;
mod kept_tree;
mod prospects;
mod read_tree;
mod reading_on;
mod replay;
mod root_seen;
mod rows;
mod staged;
mod statistics;
mod verify;

pub use annotate::{Annotation, Better, Judgement, annotations, judge};
pub use audited::audited;
pub use best_line::BestLine;
pub(crate) use closing::rehearsed;
pub use closing::{Closing, closings};
pub use compare::{Comparison, Difference, compare};
pub use history::{
    AlphaChange, Cause, Headline, Stage, StageCourse, cause, changes, complete_verdicts, headline,
    stage_courses, stages,
};
pub use kept_rows::KeptRows;
pub use kept_tree::{KeptTree, load};
pub use prospects::{Prospect, continuation, measured_prospects, prospects};
pub use reading_on::read_on;
pub(crate) use rows::node_row;
pub use rows::root_value;
pub use staged::{StageVerdict, Stages, is_believed};
pub use statistics::{MemoUse, Statistics, Unit};
pub use verify::{Findings, verify};
