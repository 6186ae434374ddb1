//! The included moves as the user's file has them: order, games and glyphs; and a game of a file
//! with all its variations, as it is read.

use std::collections::HashMap;

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use crate::chess::PositionKey;

/// A game of a file from which moves were included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chapter {
    /// The value of its tag `Event`; empty without it, or if it is `?`.
    pub event: String,
    /// Its tag `White`, likewise.
    pub white: String,
    /// Its tag `Black`, likewise.
    pub black: String,
}

impl Chapter {
    /// Its event, or its players; `None` if it has neither.
    pub fn name(&self) -> Option<String> {
        let Chapter { event, white, black } = self;
        match (event.is_empty(), white.is_empty() && black.is_empty()) {
            (false, _) => Some(event.clone()),
            (true, false) if black.is_empty() => Some(white.clone()),
            (true, false) if white.is_empty() => Some(black.clone()),
            (true, false) => Some(format!("{white} - {black}")),
            (true, true) => None,
        }
    }
}

/// An included move as the file has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenMove {
    /// Its place among all moves: those of earlier games first, the main line of a game before its variations.
    pub number: u32,
    /// The chapter in which it stands first.
    pub chapter: u32,
    /// Its numeric glyphs, in their order.
    pub glyphs: Vec<u8>,
    /// True if the file comes by it to the position behind it: by the first line that goes on from
    /// there, or the first that ends there.
    pub leads: bool,
}

/// A root's included moves as files have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    chapters: Vec<Chapter>,
    moves: HashMap<(PositionKey, PackedUciMove), WrittenMove>,
}

impl Written {
    /// Of stored moves.
    pub fn new(
        chapters: Vec<Chapter>,
        moves: impl IntoIterator<Item = (PositionKey, UciMove, WrittenMove)>,
    ) -> Written {
        let moves = moves.into_iter();
        let moves = moves.map(|(key, uci, written)| ((key, PackedUciMove::pack(uci)), written));
        Written { chapters, moves: moves.collect() }
    }

    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The games, in their order.
    pub fn chapters(&self) -> &[Chapter] {
        &self.chapters
    }

    /// A chapter by its number.
    pub fn chapter(&self, number: u32) -> Option<&Chapter> {
        self.chapters.get(usize::try_from(number).ok()?)
    }

    /// A move of a position; `None` if no file has it.
    pub fn of(&self, key: &PositionKey, uci: UciMove) -> Option<&WrittenMove> {
        self.moves.get(&(*key, PackedUciMove::pack(uci)))
    }

    /// All moves, in the order in which they are written.
    pub fn moves(&self) -> Vec<(PositionKey, UciMove, &WrittenMove)> {
        let moves = self.moves.iter().map(|((key, uci), written)| (*key, uci.unpack(), written));
        let mut moves: Vec<_> = moves.collect();
        moves.sort_by_key(|(.., written)| written.number);
        moves
    }

    /// Adds another file's moves behind these. A move that is there keeps its place, and gets the
    /// glyphs it lacks; a position keeps the move that leads to it.
    pub fn add(&mut self, other: &Written) {
        let mut next = self.moves.values().map(|written| written.number + 1).max().unwrap_or(0);
        let mut chapters: HashMap<u32, u32> = HashMap::new();
        let led: std::collections::HashSet<PositionKey> =
            self.moves().into_iter().filter(|(.., m)| m.leads).filter_map(behind).collect();
        for (key, uci, written) in other.moves() {
            let at = (key, PackedUciMove::pack(uci));
            if let Some(there) = self.moves.get_mut(&at) {
                let new = written.glyphs.iter().filter(|glyph| !there.glyphs.contains(glyph));
                let new: Vec<u8> = new.copied().collect();
                there.glyphs.extend(new);
                continue;
            }
            let chapter = *chapters
                .entry(written.chapter)
                .or_insert_with(|| self.chapter_like(other.chapter(written.chapter)));
            let is_led = behind((key, uci, written)).is_some_and(|after| led.contains(&after));
            let leads = written.leads && !is_led;
            let glyphs = written.glyphs.clone();
            self.moves.insert(at, WrittenMove { number: next, chapter, glyphs, leads });
            next += 1;
        }
    }

    /// The number of a chapter with these names, added if missing.
    fn chapter_like(&mut self, chapter: Option<&Chapter>) -> u32 {
        let chapter = chapter.cloned().unwrap_or_default();
        let there = self.chapters.iter().position(|there| *there == chapter);
        let number = there.unwrap_or_else(|| {
            self.chapters.push(chapter);
            self.chapters.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }
}

/// The position behind a move.
fn behind((key, uci, _): (PositionKey, UciMove, &WrittenMove)) -> Option<PositionKey> {
    use shakmaty::Position;
    let mut position = key.position();
    let m = uci.to_move(&position).ok()?;
    position.play_unchecked(m);
    Some(PositionKey::of(&position))
}

/// A move of a game, from the root on.
#[derive(Debug)]
struct TreeMove {
    from: PositionKey,
    uci: PackedUciMove,
    to: PositionKey,
    glyphs: Vec<u8>,
    /// The moves behind it, the main one first.
    next: Vec<usize>,
}

/// The moves of the game that is read, from where it comes to the root or behind it.
#[derive(Debug, Default)]
pub struct GameTree {
    moves: Vec<TreeMove>,
    /// Moves played at the root.
    first: Vec<usize>,
}

impl GameTree {
    /// Adds a move behind another one or at the root: its number.
    pub fn add(
        &mut self,
        behind: Option<usize>,
        from: PositionKey,
        uci: PackedUciMove,
        to: PositionKey,
    ) -> usize {
        let number = self.moves.len();
        self.moves.push(TreeMove { from, uci, to, glyphs: Vec::new(), next: Vec::new() });
        match behind.and_then(|behind| self.moves.get_mut(behind)) {
            Some(before) => before.next.push(number),
            None => self.first.push(number),
        }
        number
    }

    /// Adds a glyph to a move.
    pub fn glyph(&mut self, number: usize, glyph: u8) {
        if let Some(m) = self.moves.get_mut(number).filter(|m| !m.glyphs.contains(&glyph)) {
            m.glyphs.push(glyph);
        }
    }

    /// True if the game has no move at or behind the root.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }
}

/// The games of a file merged, in order.
#[derive(Debug, Default)]
pub struct Writing {
    chapters: Vec<Chapter>,
    moves: HashMap<(PositionKey, PackedUciMove), WrittenMove>,
    /// The move by which the file reaches a position, and whether it goes on from there.
    ways: HashMap<PositionKey, ((PositionKey, PackedUciMove), bool)>,
    count: u32,
}

impl Writing {
    /// Adds a game: its main line first, then the variations, those of the last move in front.
    pub fn take(&mut self, game: GameTree, chapter: Chapter) {
        if game.is_empty() {
            return;
        }
        self.chapters.push(chapter);
        let chapter = u32::try_from(self.chapters.len() - 1).unwrap_or(u32::MAX);
        let mut waiting: Vec<usize> = game.first.iter().rev().copied().collect();
        while let Some(number) = waiting.pop() {
            let Some(m) = game.moves.get(number) else { continue };
            waiting.extend(m.next.iter().rev());
            let (at, goes_on) = ((m.from, m.uci), !m.next.is_empty());
            let written = self.moves.entry(at).or_insert_with(|| {
                self.count += 1;
                WrittenMove { number: self.count - 1, chapter, ..WrittenMove::default() }
            });
            let new: Vec<u8> =
                m.glyphs.iter().filter(|glyph| !written.glyphs.contains(glyph)).copied().collect();
            written.glyphs.extend(new);
            let way = self.ways.entry(m.to).or_insert((at, goes_on));
            if goes_on && !way.1 {
                *way = (at, true);
            }
        }
    }

    /// The merged moves. None leads to the root: it is there.
    pub fn written(mut self, root: &PositionKey) -> Written {
        self.ways.remove(root);
        for (at, _) in self.ways.into_values() {
            self.moves.entry(at).and_modify(|written| written.leads = true);
        }
        let moves = self.moves.into_iter();
        Written::new(self.chapters, moves.map(|((key, uci), written)| (key, uci.unpack(), written)))
    }
}
