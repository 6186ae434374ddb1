//! A game of a file with all its variations, as it is read.

use std::collections::HashMap;

use shakmaty::packed::PackedUciMove;

use crate::chess::PositionKey;

use super::written::{Chapter, Written, WrittenMove};

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
        (from, uci, to): (PositionKey, PackedUciMove, PositionKey),
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
