//! What a kept tree tells: reading it, its history, statistics and annotations, and growing it again
//! to verify it. Nothing here asks an engine.
#![deny(clippy::indexing_slicing)]

mod annotate;
mod audited;
mod compare;
mod history;
mod kept;
mod regrown;
mod rows;
mod statistics;
mod verdict;

pub use annotate::{Annotation, Better, Judgement, annotations, judge};
pub use audited::audited;
pub use compare::{Comparison, Difference, compare};
pub use history::{
    AlphaChange, Cause, Headline, Stage, StageCourse, cause, changes, headline, stage_courses,
    stages,
};
pub use kept::{
    Closing, ClosingAnswer, ClosingAsked, ClosingMove, Followed, Follower, KeptRows, KeptTree,
    LiveTree, Percent, StageVerdict, Stages, Stays, Trust, VerdictsSoFar, closings, is_believed,
    load, read_on, speaks,
};
pub use kept::{first_facts, rehearsed};
pub use regrown::{Findings, verify};
pub use rows::root_value;
pub use rows::{node_row, whole_best_line};
pub use statistics::{MemoUse, Statistics, Unit};
pub use verdict::{
    BestLine, BestLines, LatestVerdict, LinesTold, ListedRoot, Prospect, RootNotes, WithStages,
    continuation, latest_verdict, measured_prospects, prospects,
};
