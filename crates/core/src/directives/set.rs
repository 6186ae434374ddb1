//! A set of directives by position.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{GivenValue, PositionKey, centipawns_in, uci_of};
use crate::tree::{Wish, Wishes};

use super::refusal::{Refusal, refused};
use super::written::Written;

/// A directive on a position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Directive {
    /// The move does not count and is not followed.
    Exclude(UciMove),
    /// The move is followed whatever its value, at no cost in plies.
    Include(UciMove),
    /// The position has this value, as an end has.
    Value(GivenValue),
    /// No search is asked there.
    Stop,
    /// A text; it changes no tree.
    Note(String),
}

impl Directive {
    /// Its kind in a word, as in files, rows and JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Directive::Exclude(_) => "exclude",
            Directive::Include(_) => "include",
            Directive::Value(_) => "value",
            Directive::Stop => "stop",
            Directive::Note(_) => "note",
        }
    }

    /// Its move, if it has one.
    pub fn uci(&self) -> Option<UciMove> {
        match self {
            Directive::Exclude(uci) | Directive::Include(uci) => Some(*uci),
            Directive::Value(_) | Directive::Stop | Directive::Note(_) => None,
        }
    }

    /// Its value, if it has one.
    pub fn value(&self) -> Option<GivenValue> {
        if let Directive::Value(given) = self { Some(*given) } else { None }
    }

    /// Its text, if it has one.
    pub fn note(&self) -> Option<&str> {
        if let Directive::Note(text) = self { Some(text) } else { None }
    }

    /// Writes castling as everywhere, however it was given.
    fn normalised(self, position: &Chess) -> Directive {
        let normal = |uci: UciMove| uci.to_move(position).map_or(uci, |m| uci_of(position, m));
        match self {
            Directive::Exclude(uci) => Directive::Exclude(normal(uci)),
            Directive::Include(uci) => Directive::Include(normal(uci)),
            other => other,
        }
    }
}

/// All directives on one position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Excluded moves, by UCI text.
    pub exclude: Vec<UciMove>,
    /// Included moves, by UCI text.
    pub include: Vec<UciMove>,
    /// The position's value.
    pub value: Option<GivenValue>,
    /// True if no search is asked there.
    pub stop: bool,
    /// The user's text.
    pub note: Option<String>,
}

impl Said {
    /// True if there are no directives.
    pub fn is_empty(&self) -> bool {
        *self == Said::default()
    }

    /// Each directive.
    pub fn each(&self) -> impl Iterator<Item = Directive> + '_ {
        let exclude = self.exclude.iter().map(|uci| Directive::Exclude(*uci));
        let include = self.include.iter().map(|uci| Directive::Include(*uci));
        let value = self.value.map(Directive::Value);
        let stop = self.stop.then_some(Directive::Stop);
        let note = self.note.clone().map(Directive::Note);
        exclude.chain(include).chain(value).chain(stop).chain(note)
    }

    /// Adds a directive without checking it.
    pub fn add(&mut self, directive: Directive) {
        match directive {
            Directive::Exclude(uci) => insert(&mut self.exclude, uci),
            Directive::Include(uci) => insert(&mut self.include, uci),
            Directive::Value(value) => self.value = Some(value),
            Directive::Stop => self.stop = true,
            Directive::Note(text) => self.note = Some(text),
        }
    }

    fn wish(&self) -> Wish {
        Wish {
            exclude: self.exclude.clone(),
            include: self.include.clone(),
            value: self.value,
            stop: self.stop,
        }
    }
}

/// The directives of a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directives {
    said: BTreeMap<PositionKey, Said>,
    /// The included moves as the files have them.
    written: Written,
}

impl Directives {
    /// A set of directives checked before.
    pub fn of(said: impl IntoIterator<Item = (PositionKey, Directive)>) -> Directives {
        let mut set = Directives::default();
        said.into_iter().for_each(|(key, directive)| set.put(key, directive));
        set
    }

    /// Each directive, with its position.
    pub fn each(&self) -> impl Iterator<Item = (PositionKey, Directive)> + '_ {
        self.said.iter().flat_map(|(key, said)| said.each().map(|directive| (*key, directive)))
    }

    /// True if the set has the directive.
    pub fn has(&self, key: &PositionKey, directive: &Directive) -> bool {
        self.at(key).is_some_and(|said| said.each().any(|other| other == *directive))
    }

    /// Each directive that another set lacks, with its position.
    pub fn without<'a>(
        &'a self,
        other: &'a Directives,
    ) -> impl Iterator<Item = (PositionKey, Directive)> + 'a {
        self.each().filter(|(key, directive)| !other.has(key, directive))
    }

    /// The greatest value, in centipawns: a decided game.
    pub const DECIDED: i32 = 30_000;

    /// Directives on a position, if any.
    pub fn at(&self, key: &PositionKey) -> Option<&Said> {
        self.said.get(key)
    }

    /// All positions with directives, and these.
    pub fn positions(&self) -> impl Iterator<Item = (&PositionKey, &Said)> {
        self.said.iter()
    }

    /// Number of directives.
    pub fn len(&self) -> usize {
        self.each().count()
    }

    /// True if there are no directives.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// The included moves as the files have them: order, games and glyphs. Not a directive; it
    /// changes no tree.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// [`Self::written`], mutable.
    pub fn written_mut(&mut self) -> &mut Written {
        &mut self.written
    }

    /// Adds a directive. A new value or note replaces the old one.
    ///
    /// # Errors
    ///
    /// [`Refusal`] where section 6 refuses it at this root; the set is unchanged then.
    pub fn add(
        &mut self,
        root: &PositionKey,
        position: &Chess,
        directive: Directive,
    ) -> Result<(), Refusal> {
        let key = PositionKey::of(position);
        let said = self.said.get(&key).cloned().unwrap_or_default();
        let directive = directive.normalised(position);
        if let Some(reason) = refused(&said, *root == key, position, &directive) {
            return Err(reason);
        }
        self.put(key, directive);
        Ok(())
    }

    /// Adds a directive checked before: the store has kept it.
    pub fn put(&mut self, key: PositionKey, directive: Directive) {
        self.said.entry(key).or_default().add(directive);
    }

    /// Removes the directives on a move of a position; true if any.
    pub fn undo_move(&mut self, key: &PositionKey, uci: UciMove) -> bool {
        self.change(key, |said| {
            said.exclude.retain(|other| *other != uci);
            said.include.retain(|other| *other != uci);
        })
    }

    /// Removes the directives on a position itself: value, stop and note; true if any.
    pub fn undo_position(&mut self, key: &PositionKey) -> bool {
        self.change(key, |said| {
            (said.value, said.stop, said.note) = (None, false, None);
        })
    }

    /// Removes a directive; of a value or a note any. True if it was there.
    pub fn undo(&mut self, key: &PositionKey, directive: &Directive) -> bool {
        self.change(key, |said| match directive {
            Directive::Exclude(uci) => said.exclude.retain(|other| other != uci),
            Directive::Include(uci) => said.include.retain(|other| other != uci),
            Directive::Value(_) => said.value = None,
            Directive::Stop => said.stop = false,
            Directive::Note(_) => said.note = None,
        })
    }

    /// Number of included moves that no line of included moves from a root reaches.
    pub fn unreached(&self, root: &Chess) -> usize {
        let mut seen = BTreeSet::from([PositionKey::of(root)]);
        let (mut waiting, mut reached) = (vec![root.clone()], 0);
        while let Some(position) = waiting.pop() {
            let Some(said) = self.at(&PositionKey::of(&position)) else { continue };
            reached += said.include.len();
            for uci in &said.include {
                let Ok(m) = uci.to_move(&position) else { continue };
                let mut after = position.clone();
                after.play_unchecked(m);
                if seen.insert(PositionKey::of(&after)) {
                    waiting.push(after);
                }
            }
        }
        self.said.values().map(|said| said.include.len()).sum::<usize>() - reached
    }

    fn change(&mut self, key: &PositionKey, change: impl FnOnce(&mut Said)) -> bool {
        let Some(said) = self.said.get_mut(key) else {
            return false;
        };
        let before = said.clone();
        change(said);
        let changed = *said != before;
        if said.is_empty() {
            self.said.remove(key);
        }
        changed
    }

    /// Without the directives refused at a root, because the position is the root itself.
    #[must_use]
    pub fn for_root(mut self, root: &PositionKey) -> Directives {
        self.change(root, |said| (said.value, said.stop) = (None, false));
        self
    }

    /// Without notes and file order: the set a tree is grown with.
    #[must_use]
    pub fn of_tree(&self) -> Directives {
        let mut said = self.said.clone();
        said.values_mut().for_each(|said| said.note = None);
        said.retain(|_, said| !said.is_empty());
        Directives { said, ..Directives::default() }
    }

    /// The set as a tree takes it.
    pub fn wishes(&self) -> Arc<Wishes> {
        let wishes = self.said.iter().map(|(key, said)| (*key, said.wish()));
        Arc::new(wishes.filter(|(_, wish)| *wish != Wish::default()).collect())
    }
}

/// Keeps the order by UCI text, each once.
fn insert(moves: &mut Vec<UciMove>, uci: UciMove) {
    let text = uci.to_string();
    if let Err(place) = moves.binary_search_by_key(&text, ToString::to_string) {
        moves.insert(place, uci);
    }
}

/// Reads pawns for White with at most two decimals (`+0.50`), `draw`, `white` or `black`.
///
/// # Errors
///
/// A text with the accepted forms.
pub fn parse_value(text: &str) -> Result<GivenValue, String> {
    match text.trim() {
        "draw" => return Ok(GivenValue::Draw),
        "white" => return Ok(GivenValue::Centipawns(Directives::DECIDED)),
        "black" => return Ok(GivenValue::Centipawns(-Directives::DECIDED)),
        _ => {}
    }
    let centipawns = centipawns_in(text)
        .ok_or("write pawns for White, like +0.50 or -1.2; or draw, white or black (who wins)")?;
    let greatest = Directives::DECIDED / 100;
    if (centipawns / 100).abs() > greatest {
        return Err(format!("at most {greatest} pawns; a decided game is white or black"));
    }
    Ok(GivenValue::Centipawns(centipawns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;

    fn position(line: &str) -> Chess {
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        game.root().clone()
    }

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    fn root() -> PositionKey {
        PositionKey::of(&Chess::default())
    }

    #[test]
    fn directives_are_found_and_undone() {
        let mut set = Directives::default();
        let start = Chess::default();
        for text in ["g1f3", "d2d4", "g1f3"] {
            set.add(&root(), &start, Directive::Exclude(uci(text))).unwrap();
        }
        set.add(&root(), &start, Directive::Note("solid".to_owned())).unwrap();
        let said = set.at(&root()).unwrap();
        assert_eq!(said.exclude, [uci("d2d4"), uci("g1f3")]);
        assert_eq!(set.len(), 3);
        assert_eq!(set.of_tree().len(), 2);
        assert!(set.undo_move(&root(), uci("g1f3")) && set.undo_position(&root()));
        assert!(!set.undo_position(&root()), "there is nothing left of it");
        assert!(set.undo_move(&root(), uci("d2d4")) && set.is_empty());
    }

    #[test]
    fn moves_that_no_included_line_leads_to_are_counted() {
        let mut set = Directives::default();
        for (line, move_) in [("", "e2e4"), ("e4", "e7e5"), ("e4 e5", "g1f3"), ("d4", "d7d5")] {
            set.put(PositionKey::of(&position(line)), Directive::Include(uci(move_)));
        }
        assert_eq!(set.unreached(&Chess::default()), 1);
        set.undo_move(&PositionKey::of(&position("e4")), uci("e7e5"));
        assert_eq!(set.unreached(&Chess::default()), 2);
    }

    #[test]
    fn castling_is_one_move_however_it_is_written() {
        let position = crate::chess::parse_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let mut set = Directives::default();
        set.add(&root(), &position, Directive::Exclude(uci("e1h1"))).unwrap();
        let key = PositionKey::of(&position);
        assert_eq!(set.at(&key).unwrap().exclude, [uci("e1g1")]);
        let refused = set.add(&root(), &position, Directive::Include(uci("e1g1")));
        assert!(refused.is_err(), "it is excluded");
        assert!(set.undo_move(&key, uci("e1g1")));
    }

    #[test]
    fn a_value_of_0_is_no_draw() {
        let mut set = Directives::default();
        let (e4, key) = (position("e4"), PositionKey::of(&position("e4")));
        for given in [GivenValue::Draw, GivenValue::Centipawns(0)] {
            set.add(&root(), &e4, Directive::Value(given)).unwrap();
            assert_eq!(set.wishes().get(&key).unwrap().value, Some(given), "the last one counts");
        }
    }

    #[test]
    fn what_cannot_be_said_of_a_root_is_left_out_for_it() {
        let (e4, mut set) = (position("e4"), Directives::default());
        set.add(&root(), &e4, Directive::Stop).unwrap();
        set.add(&root(), &e4, Directive::Include(uci("e7e5"))).unwrap();
        let key = PositionKey::of(&e4);
        let said = set.for_root(&key).at(&key).cloned().unwrap();
        assert!(!said.stop && said.include == [uci("e7e5")]);
    }

    #[test]
    fn pawns_and_words_are_read() {
        for (text, value) in [
            ("+0.50", 50),
            ("0.5", 50),
            ("-0.07", -7),
            ("-1.2", -120),
            ("3", 300),
            ("-0", 0),
            ("300", 30_000),
            ("white", 30_000),
            (" black ", -30_000),
        ] {
            assert_eq!(parse_value(text), Ok(GivenValue::Centipawns(value)), "{text}");
        }
        assert_eq!(parse_value("draw"), Ok(GivenValue::Draw));
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write() {
        for text in [
            "", "+", "+abc", "1e9", ".5", "5.", "0.505", "0,5", "--1", "+-1", "#3", "½", "won",
            "1 2",
        ] {
            let error = parse_value(text).unwrap_err();
            assert!(error.contains("like +0.50"), "{text}: {error}");
        }
        for text in ["301", "-99999999999999999999"] {
            assert!(parse_value(text).unwrap_err().contains("at most 300 pawns"), "{text}");
        }
        // Just beyond: the set refuses it.
        assert_eq!(parse_value("300.01"), Ok(GivenValue::Centipawns(30_001)));
    }
}
