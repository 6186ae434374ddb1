//! Writing what the user directs.

use std::path::Path;

use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::directives::Refusal;
use deepanalyze_explore::Change;
use deepanalyze_report::describe_copied;
use deepanalyze_store::{Patience, Store, StoreError};

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Section 6 of the algorithm.
    #[error("refused: {0}")]
    Refused(#[from] Refusal),
}

/// Changes the directives of a root, in a database that is opened for this alone; says what was done.
pub fn change(
    (path, patience): (&Path, Patience),
    game: &Game,
    asked: &Change,
) -> Result<String, ChangeError> {
    if !path.exists() {
        return Err(StoreError::Missing(path.to_owned()).into());
    }
    let mut store = Store::open_with(path, patience)?;
    let root = PositionKey::of(game.root());
    let changed = store.change_dated(game, |set, dates| {
        let before = set.clone();
        asked.apply(&root, set, dates)?;
        Ok::<_, ChangeError>((*set != before, set.of_tree() != before.of_tree()))
    })?;
    let (is_new, changes_tree) = changed.result;
    let mut words = match (is_new, changes_tree) {
        (false, _) => "nothing has changed: it was so already".to_owned(),
        (true, false) => asked.words.clone(),
        (true, true) => format!("{}; `grow` follows", asked.words),
    };
    if let Some((plies, count)) = changed.copied {
        let copied = describe_copied(count, game.moves().len().saturating_sub(plies));
        words.push_str(&format!("; {copied}"));
    }
    Ok(words)
}
