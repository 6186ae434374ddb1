//! A repertoire out of a PGN file: every move of every variation of every game behind a root.

use std::io::BufRead;

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use shakmaty::packed::PackedUciMove;
use shakmaty::{Chess, Move, Position};

use crate::chess::{Games, MoveListener, PgnError, PositionKey, epd_of, uci_of};

use crate::directives::refusal::{Refusal, refused};
use crate::directives::set::{Directive, Directives};

/// What a file says of a root.
#[derive(Debug)]
pub struct Skeleton {
    /// What the set has not said yet: moves to include by position and UCI text, then notes. A note
    /// takes the place of the position's note and begins with it.
    pub new: Vec<(PositionKey, Directive)>,
    /// How many of them are moves.
    pub new_moves: usize,
    /// How many moves of how many positions the file has at and behind the root, each once whatever
    /// line leads there.
    pub moves: usize,
    /// How many positions these moves are played in or lead to, the root among them: each is analysed
    /// like a root, unless it is an end.
    pub positions: usize,
    /// How many games the file has.
    pub games: usize,
    /// How many of them pass through the root, in their main line or in a variation.
    pub passing: usize,
    /// What is wrong with the games that were left out, which count nowhere else.
    pub bad: Vec<PgnError>,
}

/// What is done about a game that cannot be read or played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadGames {
    /// The file is refused.
    Refuse,
    /// It is left out.
    Skip,
}

/// Why a file was refused, whole.
#[derive(Debug, thiserror::Error)]
pub enum SkeletonError {
    /// It cannot be read or played.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// What section 6 refuses.
    #[error("game {number}, {epd}: {source}")]
    Refused {
        /// The game, from 1.
        number: usize,
        /// The position.
        epd: String,
        /// Why.
        source: Refusal,
    },
    /// It is about something else.
    #[error("{} through the root", none_of(*.games))]
    Elsewhere {
        /// How many games the file has.
        games: usize,
    },
    /// Nothing could analyse all that.
    #[error(
        "the games have more than {} moves behind the root, and each position is analysed like a root: \
         take fewer games, or a later root",
        grouped(Skeleton::GREATEST)
    )]
    TooMany,
}

fn none_of(games: usize) -> String {
    match games {
        1 => "the game does not pass".to_owned(),
        _ => format!("none of the {} games passes", grouped(games)),
    }
}

/// `1,000,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let comma = |(i, c): (usize, char)| {
        [(i > 0 && (digits.len() - i).is_multiple_of(3)).then_some(','), Some(c)]
    };
    digits.chars().enumerate().flat_map(comma).flatten().collect()
}

impl Skeleton {
    /// The greatest number of moves.
    pub const GREATEST: usize = 1_000_000;

    /// Reads what a file says of a root, beside what a set says already; comments become notes of the
    /// positions that they stand behind, where that is wanted. The games are not kept: memory holds
    /// each position and move once.
    ///
    /// # Errors
    ///
    /// [`SkeletonError`] at the first thing that is wrong, unless bad games are skipped: nothing of the file is taken
    /// then.
    pub fn read(
        file: impl BufRead,
        root: &PositionKey,
        set: &Directives,
        with_notes: bool,
        bad_games: BadGames,
    ) -> Result<Skeleton, SkeletonError> {
        let mut gathering = Gathering::new(root, set, with_notes);
        let (mut games, mut bad) = (0, Vec::new());
        let mut texts = Games::new(file).peekable();
        while let Some(game) = texts.next() {
            let game = game.map_err(PgnError::Io)?;
            if bad_games == BadGames::Skip
                && let Err(error) = game.check()
            {
                bad.push(game.wrong(error, texts.peek().is_none()));
                continue;
            }
            game.play(&mut gathering).map_err(|error| match error {
                SkeletonError::Pgn(error) => game.wrong(error, texts.peek().is_none()).into(),
                error => error,
            })?;
            games += 1;
        }
        if games == 0 {
            return Err(bad.pop().unwrap_or(PgnError::NotPgn).into());
        }
        if gathering.passing == 0 {
            return Err(SkeletonError::Elsewhere { games });
        }
        Ok(Skeleton { bad, ..gathering.skeleton(games) })
    }
}

/// What is gathered while the games are played.
struct Gathering<'a> {
    root: PositionKey,
    /// To see without a key that a position is not the root.
    root_position: Chess,
    set: &'a Directives,
    with_notes: bool,
    /// The game that is played.
    number: usize,
    /// The last game that passed through the root.
    passed: usize,
    passing: usize,
    moves: HashSet<(PositionKey, PackedUciMove)>,
    positions: HashSet<PositionKey>,
    notes: HashMap<PositionKey, Vec<String>>,
}

impl<'a> Gathering<'a> {
    fn new(root: &PositionKey, set: &'a Directives, with_notes: bool) -> Gathering<'a> {
        Gathering {
            root: *root,
            root_position: root.position(),
            set,
            with_notes,
            number: 0,
            passed: 0,
            passing: 0,
            moves: HashSet::new(),
            positions: HashSet::from([*root]),
            notes: HashMap::new(),
        }
    }

    /// The key of the root, where a position is the root.
    fn arrive(&mut self, position: &Chess) -> Option<PositionKey> {
        let root = &self.root_position;
        let may_be = position.board() == root.board() && position.turn() == root.turn();
        if !may_be || PositionKey::of(position) != self.root {
            return None;
        }
        self.passing += usize::from(self.passed != self.number);
        self.passed = self.number;
        Some(self.root)
    }

    fn include(
        &mut self,
        key: PositionKey,
        at: &Chess,
        m: Move,
        after: PositionKey,
    ) -> Result<(), SkeletonError> {
        let uci = uci_of(at, m);
        if !self.moves.insert((key, PackedUciMove::pack(uci))) {
            return Ok(());
        }
        self.positions.insert(after);
        if self.moves.len() > Skeleton::GREATEST {
            return Err(SkeletonError::TooMany);
        }
        let reason = self.set.at(&key);
        let reason = reason.and_then(|said| refused(said, false, at, &Directive::Include(uci)));
        reason.map_or(Ok(()), |source| {
            Err(SkeletonError::Refused { number: self.number, epd: epd_of(at), source })
        })
    }

    fn skeleton(self, games: usize) -> Skeleton {
        let (moves, positions, passing) = (self.moves.len(), self.positions.len(), self.passing);
        let set = self.set;
        let said = |key: &PositionKey| set.at(key);
        let mut new: Vec<_> =
            self.moves.into_iter().map(|(key, uci)| (key, uci.unpack())).collect();
        new.retain(|(key, uci)| said(key).is_none_or(|said| !said.include.contains(uci)));
        new.sort_by_cached_key(|(key, uci)| (*key, uci.to_string()));
        let new_moves = new.len();
        let mut new: Vec<(PositionKey, Directive)> =
            new.into_iter().map(|(key, uci)| (key, Directive::Include(uci))).collect();
        let mut notes: Vec<(PositionKey, Directive)> = Vec::new();
        for (key, texts) in self.notes {
            let old = said(&key).and_then(|said| said.note.as_deref());
            let is_new = |text: &&str| old.is_none_or(|old| old.lines().all(|line| line != *text));
            let texts = texts.iter().map(String::as_str).filter(is_new);
            let note = old.into_iter().chain(texts).collect::<Vec<&str>>().join("\n");
            if old != Some(note.as_str()) {
                notes.push((key, Directive::Note(note)));
            }
        }
        notes.sort_by_key(|(key, _)| *key);
        new.extend(notes);
        Skeleton { new, new_moves, moves, positions, games, passing, bad: Vec::new() }
    }
}

impl MoveListener for Gathering<'_> {
    /// The position, where it is the root or behind it.
    type Along = Option<PositionKey>;
    type Error = SkeletonError;

    fn begin(&mut self, number: usize, start: &Chess) -> Option<PositionKey> {
        self.number = number;
        self.arrive(start)
    }

    fn play(
        &mut self,
        along: &Option<PositionKey>,
        at: &Chess,
        m: Move,
        after: &Chess,
    ) -> Result<Option<PositionKey>, SkeletonError> {
        let Some(key) = along else {
            return Ok(self.arrive(after));
        };
        let next = PositionKey::of(after);
        self.include(*key, at, m, next)?;
        Ok(Some(next))
    }

    fn comment(&mut self, along: &Option<PositionKey>, text: &str) {
        let Some(key) = along.filter(|_| self.with_notes) else {
            return;
        };
        let text = without_commands(text);
        if text.is_empty() {
            return;
        }
        match self.notes.entry(key) {
            Entry::Vacant(entry) => _ = entry.insert(vec![text]),
            Entry::Occupied(mut entry) if !entry.get().contains(&text) => {
                entry.get_mut().push(text);
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// A comment as people wrote it: without `[%eval 0.17]` and its like, and with single spaces.
fn without_commands(comment: &str) -> String {
    let (mut text, mut rest) = (String::new(), comment);
    while let Some((before, command)) = rest.split_once("[%") {
        text.push_str(before);
        rest = command.split_once(']').map_or("", |(_, behind)| behind);
    }
    text.push_str(rest);
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests;
