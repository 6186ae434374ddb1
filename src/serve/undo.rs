//! What can be taken back of what was said of positions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shakmaty::uci::UciMove;

use crate::chess::{Game, epd_of};
use crate::directives::Directives;

/// Changes of a game that can be taken back.
const UNDONE: usize = 100;

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// What was done, in words.
    pub words: String,
    /// What was said before.
    pub before: Directives,
}

/// How often the directives of a game had changed before a change and after it. They are not neighbours where
/// somebody else came between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revisions {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// The changes of one game, the newest last: each was made where the one below it had led to.
#[derive(Debug, Default)]
struct Stack {
    changes: Vec<Undo>,
    /// How often the directives had changed after the newest: where that is another number now, somebody else
    /// has changed them.
    revision: u64,
}

/// Where a game began, and its moves: roots of one game share its directives.
type Key = (String, Vec<UciMove>);

/// The changes of each game. All copies are the same.
#[derive(Debug, Clone, Default)]
pub struct UndoStacks {
    stacks: Arc<Mutex<HashMap<Key, Stack>>>,
}

impl UndoStacks {
    /// Notes a change. What is older than a change of somebody else's can no longer be taken back.
    pub fn push(&self, game: &Game, undo: Undo, revisions: Revisions) {
        let mut stacks = self.stacks();
        let stack = stacks.entry(key(game)).or_default();
        if stack.revision != revisions.before {
            stack.changes.clear();
        }
        stack.revision = revisions.after;
        if revisions.after != revisions.before + 1 {
            return stack.changes.clear();
        }
        if stack.changes.len() >= UNDONE {
            stack.changes.remove(0);
        }
        stack.changes.push(undo);
    }

    /// The change that would be taken back, where the directives have changed so often.
    pub fn last(&self, game: &Game, revision: u64) -> Option<Undo> {
        let stacks = self.stacks();
        stacks.get(&key(game)).filter(|stack| stack.revision == revision)?.changes.last().cloned()
    }

    /// Forgets the newest change, which has been taken back.
    pub fn pop(&self, game: &Game, revisions: Revisions) {
        let mut stacks = self.stacks();
        let Some(stack) = stacks.get_mut(&key(game)) else {
            return;
        };
        stack.changes.pop();
        if stack.revision != revisions.before || revisions.after != revisions.before + 1 {
            stack.changes.clear();
        }
        stack.revision = revisions.after;
    }

    /// Forgets the changes of a game.
    pub fn forget(&self, game: &Game) {
        self.stacks().remove(&key(game));
    }

    fn stacks(&self) -> MutexGuard<'_, HashMap<Key, Stack>> {
        self.stacks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(game: &Game) -> Key {
    (epd_of(game.start()), game.moves().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        game
    }

    fn undo(words: &str) -> Undo {
        Undo { words: words.to_owned(), before: Directives::default() }
    }

    fn to(before: u64, after: u64) -> Revisions {
        Revisions { before, after }
    }

    fn last(stacks: &UndoStacks, revision: u64) -> Option<String> {
        stacks.last(&game("e4"), revision).map(|undo| undo.words)
    }

    #[test]
    fn changes_are_taken_back_the_newest_first() {
        let (stacks, e4) = (UndoStacks::default(), game("e4"));
        assert_eq!(last(&stacks, 0), None);
        stacks.push(&e4, undo("first"), to(0, 1));
        stacks.push(&e4, undo("second"), to(1, 2));
        assert_eq!(last(&stacks, 3), None, "somebody else came after");
        assert_eq!(stacks.last(&game("d4"), 2), None);
        assert_eq!(last(&stacks, 2).unwrap(), "second");
        stacks.pop(&e4, to(2, 3));
        assert_eq!(last(&stacks, 3).unwrap(), "first");
        stacks.pop(&e4, to(3, 4));
        assert_eq!(last(&stacks, 4), None);
    }

    #[test]
    fn what_is_older_than_somebody_else_s_change_is_not_taken_back() {
        let (stacks, e4) = (UndoStacks::default(), game("e4"));
        stacks.push(&e4, undo("first"), to(0, 1));
        stacks.push(&e4, undo("third"), to(2, 3));
        assert_eq!(last(&stacks, 3).unwrap(), "third");
        stacks.pop(&e4, to(3, 4));
        assert_eq!(last(&stacks, 4), None, "the second was another's");
        // Nor a change that somebody else came right before or after, unseen.
        stacks.push(&e4, undo("fifth"), to(4, 5));
        stacks.push(&e4, undo("sixth or seventh"), to(5, 7));
        assert_eq!(last(&stacks, 7), None);
        stacks.push(&e4, undo("eighth"), to(7, 8));
        stacks.push(&e4, undo("ninth"), to(8, 9));
        stacks.pop(&e4, to(9, 11));
        assert_eq!(last(&stacks, 11), None);
    }

    #[test]
    fn a_game_that_is_forgotten_has_nothing_to_take_back() {
        let (stacks, e4) = (UndoStacks::default(), game("e4"));
        stacks.push(&e4, undo("first"), to(0, 1));
        stacks.clone().forget(&e4);
        assert_eq!(last(&stacks, 1), None);
    }

    #[test]
    fn not_too_many_are_kept() {
        let (stacks, e4) = (UndoStacks::default(), game("e4"));
        (0..2 * UNDONE as u64).for_each(|n| stacks.push(&e4, undo("x"), to(n, n + 1)));
        assert_eq!(stacks.stacks()[&key(&e4)].changes.len(), UNDONE);
        assert!(last(&stacks, 2 * UNDONE as u64).is_some());
    }
}
