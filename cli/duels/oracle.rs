//! What answers an arm's searches: engines and memo, or a test's own rules.

use deepanalyze_core::tree::IllegalMove;

pub use deepanalyze_core::search::{HashState, Question, Reply};

/// Answers searches: always the same reply to the same question.
pub trait Oracle {
    /// Why there is no answer.
    type Error: From<IllegalMove>;

    /// The next searches on a kept hash begin with an empty one.
    fn begin(&mut self);

    /// The answer to a search.
    fn ask(&mut self, question: Question<'_>) -> Result<Reply, Self::Error>;
}
