//! Merging another database. It is surveyed first; some of its answers are searched again before
//! any counts; then all comes, part by part, and trees are grown from it without an engine.

mod checking;
mod growing;
mod leaves;
mod survey;
mod taking;

pub use checking::{CheckEnd, SearchedAgain, check_answers};
pub use growing::{Regrown, emptied_trees, grow_trees, half_regrown_trees, trees_to_grow};
pub use leaves::deciding_answers;
pub use survey::{AnswerDrawn, ProfileSurvey, Survey, SurveyAsked, survey};
pub use taking::{RootsTaken, Taken, take_answers, take_roots};
