//! A repertoire out of a PGN file: every move of every variation of every game behind a root.

use std::io::BufRead;

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use shakmaty::packed::PackedUciMove;
use shakmaty::{Chess, Move, Position};

use crate::chess::{GameText, Games, MoveListener, PgnError, PositionKey, epd_of, uci_of};

use crate::directives::refusal::{Refusal, refused};
use crate::directives::set::{Directive, Directives};
use crate::directives::written::{Chapter, GameTree, Writing, Written};

/// A root's moves in a file.
#[derive(Debug)]
pub struct Skeleton {
    /// Directives that the set lacks: moves to include by position and UCI text, then notes. A note
    /// replaces the position's note and begins with it.
    pub new: Vec<(PositionKey, Directive)>,
    /// Number of moves among them.
    pub new_moves: usize,
    /// Moves of the file at and behind the root, each once per position whatever line leads there.
    pub moves: usize,
    /// Positions these moves are played in or lead to, the root among them: each is analysed like a
    /// root, unless it is an end.
    pub positions: usize,
    /// Games in the file.
    pub games: usize,
    /// Games that pass through the root, in their main line or in a variation, or come in behind
    /// it.
    pub passing: usize,
    /// Games that come in behind it: to a position that other games have there, or one move behind
    /// the root.
    pub transposed: usize,
    /// Games that never come there, by number, with the players or the event where they have any.
    pub elsewhere: Vec<String>,
    /// The moves as the file has them: order, games and glyphs.
    pub written: Written,
    /// Errors of the games left out; these count nowhere else.
    pub bad: Vec<PgnError>,
}

/// Handling of games that cannot be read or played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadGames {
    /// The file is refused.
    Refuse,
    /// The game is left out.
    Skip,
}

/// An error that refuses the whole file.
#[derive(Debug, thiserror::Error)]
pub enum SkeletonError {
    /// A game cannot be read or played.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// Refused by section 6.
    #[error("game {number}, {epd}: {source}")]
    Refused {
        /// The game, from 1.
        number: usize,
        /// The position.
        epd: String,
        /// The reason.
        source: Refusal,
    },
    /// No game comes to the root.
    #[error("{} through the root", none_of(*.games))]
    Elsewhere {
        /// Games in the file.
        games: usize,
    },
    /// Too many to analyse.
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

/// As `1,000,000`.
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

    /// Reads a file's moves behind a root, beside the directives of a set; the file is read several
    /// times. Comments become notes of the positions that they stand behind, if wanted. A game that
    /// does not pass through the root is taken from where it comes to a position behind it. The
    /// games are not kept: memory holds each position and move once.
    ///
    /// # Errors
    ///
    /// [`SkeletonError`] at the first error, unless bad games are skipped: nothing of the file is
    /// taken then.
    pub fn read<R: BufRead>(
        open: impl Fn() -> R,
        root: &PositionKey,
        set: &Directives,
        with_notes: bool,
        bad_games: BadGames,
    ) -> Result<Skeleton, SkeletonError> {
        let mut gathering = Gathering::new(root, set, with_notes);
        let (mut games, mut bad) = (0, Vec::new());
        let mut texts = Games::new(open()).peekable();
        while let Some(game) = texts.next() {
            let game = game.map_err(PgnError::Io)?;
            if bad_games == BadGames::Skip
                && let Err(error) = game.check()
            {
                bad.push(game.wrong(error, texts.peek().is_none()));
                continue;
            }
            gathering.take(&game).map_err(|error| match error {
                SkeletonError::Pgn(error) => game.wrong(error, texts.peek().is_none()).into(),
                error => error,
            })?;
            games += 1;
        }
        if games == 0 {
            return Err(bad.pop().unwrap_or(PgnError::NotPgn).into());
        }
        gathering.take_transposed(&open)?;
        if gathering.passing == 0 {
            return Err(SkeletonError::Elsewhere { games });
        }
        Ok(Skeleton { bad, ..gathering.skeleton(games) })
    }
}

/// State while the games are played.
struct Gathering<'a> {
    root: PositionKey,
    /// Tells positions from the root without a key.
    root_position: Chess,
    set: &'a Directives,
    with_notes: bool,
    /// The game that is played.
    number: usize,
    /// The last game that passed through the root, or came in behind it.
    passed: usize,
    passing: usize,
    /// If games may come in behind the root, its moves by the position they lead to.
    near: Option<HashMap<PositionKey, Move>>,
    transposed: usize,
    /// Games that have come neither to the root nor behind it.
    elsewhere: Vec<(usize, Chapter)>,
    moves: HashSet<(PositionKey, PackedUciMove)>,
    positions: HashSet<PositionKey>,
    notes: HashMap<PositionKey, Vec<String>>,
    tree: GameTree,
    writing: Writing,
}

/// A position at or behind the root, and the move of the game that leads there; none where the game comes in.
#[derive(Debug, Clone, Copy)]
struct Here {
    key: PositionKey,
    by: Option<usize>,
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
            near: None,
            transposed: 0,
            elsewhere: Vec::new(),
            moves: HashSet::new(),
            positions: HashSet::from([*root]),
            notes: HashMap::new(),
            tree: GameTree::default(),
            writing: Writing::default(),
        }
    }

    /// Adds a game's moves at the root and behind it.
    fn take(&mut self, game: &GameText) -> Result<(), SkeletonError> {
        self.tree = GameTree::default();
        game.play(self)?;
        let (tree, chapter) = (std::mem::take(&mut self.tree), chapter_of(game));
        if self.passed != self.number {
            self.elsewhere.push((self.number, chapter));
        } else {
            self.writing.take(tree, chapter);
        }
        Ok(())
    }

    /// Adds the games that have not passed through the root from where they come in behind it,
    /// until no more do.
    fn take_transposed<R: BufRead>(&mut self, open: impl Fn() -> R) -> Result<(), SkeletonError> {
        let root = self.root_position.clone();
        let near = root.legal_moves().into_iter().map(|m| {
            let mut after = root.clone();
            after.play_unchecked(m);
            (PositionKey::of(&after), m)
        });
        self.near = Some(near.collect());
        loop {
            let wanted: HashSet<usize> =
                std::mem::take(&mut self.elsewhere).into_iter().map(|(number, _)| number).collect();
            if wanted.is_empty() {
                return Ok(());
            }
            for game in Games::new(open()) {
                let game = game.map_err(PgnError::Io)?;
                if wanted.contains(&game.number()) {
                    self.take(&game)?;
                }
            }
            if self.elsewhere.len() == wanted.len() {
                return Ok(());
            }
            self.transposed += wanted.len() - self.elsewhere.len();
        }
    }

    /// The position reached, if it is the root.
    fn arrive(&mut self, position: &Chess) -> Option<Here> {
        let root = &self.root_position;
        let may_be = position.board() == root.board() && position.turn() == root.turn();
        if !may_be || PositionKey::of(position) != self.root {
            return None;
        }
        self.pass();
        Some(Here { key: self.root, by: None })
    }

    /// The position where a game comes in behind the root, if so.
    fn come_in(&mut self, position: &Chess) -> Result<Option<Here>, SkeletonError> {
        let Some(near) = &self.near else { return Ok(None) };
        let key = PositionKey::of(position);
        if self.positions.contains(&key) {
            self.pass();
            return Ok(Some(Here { key, by: None }));
        }
        let Some(m) = near.get(&key).copied() else { return Ok(None) };
        self.pass();
        let (root, at) = (self.root, self.root_position.clone());
        self.follow(Here { key: root, by: None }, &at, m, key).map(Some)
    }

    fn pass(&mut self) {
        self.passing += usize::from(self.passed != self.number);
        self.passed = self.number;
    }

    /// Includes the game's next move; returns where it leads.
    fn follow(
        &mut self,
        here: Here,
        at: &Chess,
        m: Move,
        key: PositionKey,
    ) -> Result<Here, SkeletonError> {
        self.include(here.key, at, m, key)?;
        let uci = PackedUciMove::pack(uci_of(at, m));
        Ok(Here { key, by: Some(self.tree.add(here.by, here.key, uci, key)) })
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
        let written = self.writing.written(&self.root);
        let (transposed, bad) = (self.transposed, Vec::new());
        let elsewhere = self.elsewhere.iter().map(|(number, game)| game_name(*number, game));
        let elsewhere = elsewhere.collect();
        Skeleton {
            new,
            new_moves,
            moves,
            positions,
            games,
            passing,
            transposed,
            elsewhere,
            written,
            bad,
        }
    }
}

impl MoveListener for Gathering<'_> {
    /// The position, if it is the root or behind it.
    type Along = Option<Here>;
    type Error = SkeletonError;

    fn begin(&mut self, number: usize, start: &Chess) -> Option<Here> {
        self.number = number;
        self.arrive(start)
    }

    fn play(
        &mut self,
        along: &Option<Here>,
        at: &Chess,
        m: Move,
        after: &Chess,
    ) -> Result<Option<Here>, SkeletonError> {
        match along {
            Some(here) => self.follow(*here, at, m, PositionKey::of(after)).map(Some),
            None => match self.arrive(after) {
                Some(root) => Ok(Some(root)),
                None => self.come_in(after),
            },
        }
    }

    fn glyph(&mut self, along: &Option<Here>, glyph: u8) {
        if let Some(number) = along.and_then(|here| here.by) {
            self.tree.glyph(number, glyph);
        }
    }

    fn comment(&mut self, along: &Option<Here>, text: &str) {
        let Some(Here { key, .. }) = along.filter(|_| self.with_notes) else {
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

/// The names of a game.
fn chapter_of(game: &GameText) -> Chapter {
    let tag = |name: &str| {
        let value = game.tag(name).unwrap_or_default();
        let words = value.split_whitespace().collect::<Vec<&str>>().join(" ");
        if words == "?" || words == "-" { String::new() } else { words }
    };
    Chapter { event: tag("Event"), white: tag("White"), black: tag("Black") }
}

/// `game 3 (Smith - Lee)`.
fn game_name(number: usize, game: &Chapter) -> String {
    let players = Chapter { event: String::new(), ..game.clone() };
    match players.name().or_else(|| game.name()) {
        Some(name) => format!("game {number} ({name})"),
        None => format!("game {number}"),
    }
}

/// A comment without commands such as `[%eval 0.17]`, and with single spaces.
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
