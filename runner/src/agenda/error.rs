//! Why something cannot be done with the agenda.

use deepanalyze_core::chess::Ending;
use deepanalyze_core::search::Profile;
use deepanalyze_store::{AnalysisId, StoreError};

/// Why something cannot be done with the agenda.
#[derive(Debug, thiserror::Error)]
pub enum AgendaError {
    /// There is no such root.
    #[error("there is no analysis {}", .0.0)]
    Unknown(AnalysisId),
    /// The root's answers are another engine's, or one with other options.
    #[error("it is analysed with {}, and the engine here is {}", words(root), words(here))]
    OtherEngine {
        /// Whose answers the root's are.
        root: Box<Profile>,
        /// The engine that there is.
        here: Box<Profile>,
    },
    /// The root's tree goes by endgame tables of more men than there are here.
    #[error("its tree goes by endgame tables of {0} men, and there are none of so many here")]
    NoTables(u8),
    /// There is nothing to search.
    #[error("the game is over: {}", .0.name())]
    Over(Ending),
    /// The weight is none.
    #[error("a weight is a number from 1 to 100, not {0}")]
    Weight(u32),
    /// All runs are being ended.
    #[error("the runs are being ended")]
    Ending,
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The engine with its options; its limit is none of its own.
fn words(profile: &Profile) -> String {
    let options = profile.described_options().into_iter();
    let options: Vec<String> = options.map(|(name, value)| format!(", {name}={value}")).collect();
    profile.engine.clone() + &options.concat()
}
