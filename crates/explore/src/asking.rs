//! A question about a move, of the tree or not: what is known, and a search of the position behind it.

use std::sync::Arc;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Ending;
use deepanalyze_store::Store;
use deepanalyze_view::{MoveSearch, Tree, Why};

use super::action::Mode;
use super::explorer::Explorer;

/// Searches the position behind a move; the error is for people.
pub type AskEngine = Arc<dyn Fn(&Tree, &Why) -> Result<Option<MoveSearch>, String> + Send + Sync>;

/// A move that the user has asked about.
#[derive(Debug)]
pub struct AskedMove {
    line: Vec<UciMove>,
    uci: UciMove,
    /// The tree's knowledge of it, once it was looked up.
    pub why: Option<Why>,
    /// True while an engine searches.
    pub is_searching: bool,
    /// Why there is no answer.
    pub failed: Option<String>,
    /// True once an engine was asked.
    is_tried: bool,
}

/// The move and the line before it.
pub type MovePlace = (Vec<UciMove>, UciMove);

impl Explorer {
    /// Asks about the selected move, or, where there is none, the one that led here.
    pub(super) fn ask(&mut self) {
        let line = self.here.line.clone();
        let place = match (self.choice(), line.split_last()) {
            (Some(choice), _) => (line.clone(), choice.uci),
            (None, Some((last, before))) => (before.to_vec(), *last),
            (None, None) => return self.tell(self.why_no_move()),
        };
        self.mode = Mode::Why;
        if self.asked_place().as_ref() != Some(&place) {
            let (line, uci) = place;
            let (why, is_searching, failed, is_tried) = (None, false, None, false);
            self.asked = Some(AskedMove { line, uci, why, is_searching, failed, is_tried });
        }
    }

    /// True if the tree does not have the position, and the game goes on there.
    pub(super) fn is_beyond(&self) -> bool {
        let line = &self.here.line;
        self.tree.walk(line).len() <= line.len() && Ending::of(&self.here.position).is_none()
    }

    /// Looks up a new question; returns the tree and its knowledge if an engine is to search. The window shows an
    /// error of the database.
    pub fn look_at_question(&mut self, store: &Store) -> Option<(Arc<Tree>, Why)> {
        let asked =
            self.asked.as_mut().filter(|asked| asked.why.is_none() && asked.failed.is_none())?;
        let tree = &self.tree;
        let why = Why::of(store, tree, &asked.line, asked.uci);
        let why = match why {
            Ok(why) => why,
            Err(error) => {
                asked.failed = Some(error.to_string());
                return None;
            }
        };
        let wants_search = why.wants_search() && !std::mem::replace(&mut asked.is_tried, true);
        asked.is_searching |= wants_search;
        asked.why = Some(why.clone());
        wants_search.then(|| (Arc::clone(tree), why))
    }

    /// The place of the move asked about.
    pub fn asked_place(&self) -> Option<MovePlace> {
        self.asked.as_ref().map(|asked| (asked.line.clone(), asked.uci))
    }

    /// The tree has changed: its knowledge is looked up again.
    pub(super) fn renew_question(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.why = None;
        }
    }

    /// Takes an engine's answer; one to an older question goes.
    pub fn take_search(&mut self, place: &MovePlace, found: Result<Option<MoveSearch>, String>) {
        if self.asked_place().as_ref() != Some(place) {
            return;
        }
        let Some(asked) = &mut self.asked else { return };
        asked.is_searching = false;
        match found {
            Ok(None) => asked.failed = Some("no answer in two seconds".to_owned()),
            Ok(found) => asked.why = asked.why.take().map(|why| why.with_search(found)),
            Err(error) => asked.failed = Some(error),
        }
    }
}
