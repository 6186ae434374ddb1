//! Undo of directives: each change by its number, and nothing but its own effect.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use shakmaty::uci::UciMove;

use crate::events::milliseconds;
use deepanalyze_core::chess::{Game, PositionKey, epd_of};
use deepanalyze_core::directives::{Directive, Directives};

/// Undoable changes of a game.
const UNDONE: usize = 100;

/// A change that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoableChange {
    /// Its number, for undoing it.
    pub number: u64,
    /// Its description.
    pub words: String,
    /// Directives removed.
    gone: Vec<(PositionKey, Directive)>,
    /// Directives added.
    new: Vec<(PositionKey, Directive)>,
}

/// Something else was directed there since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overtaken;

impl UndoableChange {
    /// Undoes its own effect and nothing else, at a root.
    ///
    /// # Errors
    ///
    /// [`Overtaken`] if a directive it added is gone, or one it removed conflicts with the present
    /// ones; discard the set then.
    pub fn undo(&self, set: &mut Directives, root: &PositionKey) -> Result<(), Overtaken> {
        for (key, directive) in &self.new {
            if !set.has(key, directive) {
                return Err(Overtaken);
            }
            set.undo(key, directive);
        }
        for (key, directive) in &self.gone {
            if is_taken(set, key, directive) {
                return Err(Overtaken);
            }
            let position = key.position();
            set.add(root, &position, directive.clone()).map_err(|_| Overtaken)?;
        }
        Ok(())
    }
}

/// True if the place of a directive is taken.
fn is_taken(set: &Directives, key: &PositionKey, directive: &Directive) -> bool {
    let Some(said) = set.at(key) else {
        return false;
    };
    match directive {
        Directive::Value(_) | Directive::Stop => said.value.is_some() || said.stop,
        Directive::Note(_) => said.note.is_some(),
        Directive::Exclude(_) | Directive::Include(_) => set.has(key, directive),
    }
}

/// The start of a game, and its moves: roots of one game share its directives.
type GameKey = (String, Vec<UciMove>);

#[derive(Debug)]
struct Changes {
    /// Undoable changes, the newest last.
    of: HashMap<GameKey, VecDeque<UndoableChange>>,
    /// The number of the newest.
    last: u64,
}

impl Default for Changes {
    /// Numbers go on from the time in milliseconds: none is of a change of the server before, which
    /// an open page may want to undo. Such a number is exact in JavaScript.
    fn default() -> Changes {
        Changes { of: HashMap::new(), last: milliseconds(SystemTime::now()).unsigned_abs() }
    }
}

/// The changes of each game.
#[derive(Debug, Default)]
pub struct UndoStacks {
    changes: Mutex<Changes>,
}

impl UndoStacks {
    /// Adds a change from one set to another, and returns its number; `None` if both are equal.
    pub fn push(
        &self,
        game: &Game,
        words: &str,
        before: &Directives,
        after: &Directives,
    ) -> Option<u64> {
        let gone: Vec<_> = before.without(after).collect();
        let new: Vec<_> = after.without(before).collect();
        if gone.is_empty() && new.is_empty() {
            return None;
        }
        let mut changes = self.lock();
        changes.last += 1;
        let number = changes.last;
        let of_game = changes.of.entry(key(game)).or_default();
        if of_game.len() >= UNDONE {
            of_game.pop_front();
        }
        of_game.push_back(UndoableChange { number, words: words.to_owned(), gone, new });
        Some(number)
    }

    /// The change with a number, or the newest; `None` if it was undone, or never existed.
    pub fn find(&self, game: &Game, number: Option<u64>) -> Option<UndoableChange> {
        let changes = self.lock();
        let of_game = changes.of.get(&key(game))?;
        let found = match number {
            Some(number) => of_game.iter().find(|change| change.number == number),
            None => of_game.back(),
        };
        found.cloned()
    }

    /// Forgets a change: it was undone, or no longer can be.
    pub fn discard(&self, game: &Game, number: u64) {
        if let Some(of_game) = self.lock().of.get_mut(&key(game)) {
            of_game.retain(|change| change.number != number);
        }
    }

    /// Forgets the changes of a game.
    pub fn forget(&self, game: &Game) {
        self.lock().of.remove(&key(game));
    }

    fn lock(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(game: &Game) -> GameKey {
    (epd_of(game.start()), game.moves().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::GivenValue;
    use shakmaty::Chess;

    fn game(moves: &str) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        game
    }

    fn root() -> PositionKey {
        PositionKey::of(&Chess::default())
    }

    /// A set with these directives on the position after 1. e4, which is not the root.
    fn set(said: &[Directive]) -> Directives {
        let mut set = Directives::default();
        let e4 = game("e4").root().clone();
        said.iter().for_each(|one| set.add(&root(), &e4, one.clone()).unwrap());
        set
    }

    fn exclude(uci: &str) -> Directive {
        Directive::Exclude(uci.parse().unwrap())
    }

    fn value(white: i32) -> Directive {
        Directive::Value(GivenValue::Centipawns(white))
    }

    fn note(text: &str) -> Directive {
        Directive::Note(text.to_owned())
    }

    /// The rest of the last set when the change from the first to the second is undone.
    fn undone(
        before: &[Directive],
        after: &[Directive],
        now: &[Directive],
    ) -> Result<Directives, Overtaken> {
        let undo = UndoStacks::default();
        undo.push(&game(""), "a change", &set(before), &set(after)).unwrap();
        let mut now = set(now);
        undo.find(&game(""), None).unwrap().undo(&mut now, &root()).map(|()| now)
    }

    #[test]
    fn change_is_undone_despite_later_directives() {
        let (d6, nf6) = (exclude("d7d6"), exclude("g8f6"));
        let both = [d6.clone(), nf6.clone()];
        assert_eq!(undone(&[], &both[..1], &both), Ok(set(&both[1..])));
        assert_eq!(undone(&both[..1], &both, &both), Ok(set(&both[..1])));
        assert_eq!(undone(&both, &both[..1], &[note("x")]), Ok(set(&[nf6, note("x")])));
        let (half, draw) = ([value(50)], [Directive::Value(GivenValue::Draw)]);
        let beside = |value: &[Directive]| [value, &both[..1]].concat();
        assert_eq!(
            undone(&half, &draw, &beside(&draw)),
            Ok(set(&beside(&half))),
            "the value that was there is there again"
        );
    }

    #[test]
    fn an_overtaken_change_is_not_undone() {
        let (d6, half, draw) = (exclude("d7d6"), value(50), Directive::Value(GivenValue::Draw));
        let follow = Directive::Include("d7d6".parse().unwrap());
        for (before, after, now) in [
            (vec![], vec![d6.clone()], vec![]),
            (vec![], vec![d6.clone()], vec![follow.clone()]),
            (vec![d6.clone()], vec![], vec![d6.clone()]),
            (vec![d6], vec![], vec![follow]),
            (vec![], vec![half.clone()], vec![draw.clone()]),
            (vec![half.clone()], vec![], vec![draw]),
            (vec![half], vec![], vec![Directive::Stop]),
            (vec![note("a")], vec![note("b")], vec![note("c")]),
        ] {
            assert_eq!(undone(&before, &after, &now), Err(Overtaken), "{after:?} {now:?}");
        }
    }

    #[test]
    fn changes_are_found_by_number_or_newest() {
        let (undo, e4) = (UndoStacks::default(), game("e4"));
        let sets: Vec<Directives> = ["a", "b", "c"].map(|text| set(&[note(text)])).into();
        let push =
            |words: &str, from: usize, to: usize| undo.push(&e4, words, &sets[from], &sets[to]);
        let words = |number| undo.find(&e4, number).map(|change| change.words);
        assert_eq!((push("nothing", 0, 0), words(None)), (None, None));
        let (first, second) = (push("first", 0, 1).unwrap(), push("second", 1, 2).unwrap());
        assert_eq!(words(Some(first)).as_deref(), Some("first"));
        assert_eq!(words(None).as_deref(), Some("second"));
        assert_eq!(undo.find(&game("d4"), None), None);
        undo.discard(&e4, second);
        assert_eq!((words(Some(second)), words(None)), (None, Some("first".to_owned())));
        undo.forget(&e4);
        assert_eq!(words(None), None);
    }

    #[test]
    fn no_number_is_that_of_a_change_before_the_start() {
        let began = milliseconds(SystemTime::now()).unsigned_abs();
        let number = UndoStacks::default().push(&game(""), "x", &set(&[]), &set(&[note("a")]));
        assert!(number.is_some_and(|number| began < number && number < 1 << 53), "{number:?}");
    }

    #[test]
    fn not_too_many_are_kept() {
        let (undo, e4) = (UndoStacks::default(), game("e4"));
        let (one, other) = (set(&[note("a")]), set(&[note("b")]));
        let numbers: Vec<u64> =
            (0..2 * UNDONE).map(|_| undo.push(&e4, "x", &one, &other).unwrap()).collect();
        let kept = numbers.iter().filter(|number| undo.find(&e4, Some(**number)).is_some());
        assert_eq!(kept.count(), UNDONE);
        assert_eq!(undo.find(&e4, None).map(|change| change.number), numbers.last().copied());
    }
}
