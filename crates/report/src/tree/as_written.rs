//! A repertoire as in the user's own files: the order of its moves, their glyphs, and their games.

use hashbrown::HashMap;
use shakmaty::packed::PackedUciMove;

use deepanalyze_core::directives::{Chapter, WrittenMove};
use deepanalyze_core::tree::{NodeId, Place, WrittenLines};

use crate::tree::layout::TreeReport;
use deepanalyze_view::{Shown, StoredTree};

/// The included moves of a tree from files.
#[derive(Debug, Default)]
pub struct AsWritten<'a> {
    moves: HashMap<(NodeId, PackedUciMove), &'a WrittenMove>,
}

impl<'a> AsWritten<'a> {
    /// A tree's moves that are included now.
    pub fn of(tree: &'a StoredTree) -> AsWritten<'a> {
        let (growth, mut moves) = (&tree.growth, HashMap::new());
        for (key, uci, written) in tree.directives.written().moves() {
            let (node, uci) = (growth.find(&key), PackedUciMove::pack(uci));
            let node = node.filter(|node| growth.graph().is_included(*node, uci));
            moves.extend(node.map(|node| ((node, uci), written)));
        }
        AsWritten { moves }
    }

    /// The files' lines to positions.
    pub fn lines(&self) -> WrittenLines {
        let leading = self.moves.iter().filter(|(_, written)| written.leads);
        leading.map(|(at, written)| (*at, written.number)).collect()
    }

    fn of_move(&self, shown: Shown<'_>) -> Option<&'a WrittenMove> {
        self.moves.get(&(shown.from, PackedUciMove::pack(shown.uci))).copied()
    }
}

impl TreeReport<'_> {
    /// The moves of a place in the order of the user's files; others follow by alpha.
    pub fn in_written_order<'p>(&self, place: &'p Place) -> Vec<Shown<'p>> {
        let mut shown: Vec<Shown<'p>> = Shown::of_place(place).collect();
        // Equal moves keep their order.
        shown.sort_by_key(|shown| {
            self.written.of_move(*shown).map_or(u32::MAX, |written| written.number)
        });
        shown
    }

    /// The user's glyphs of a move.
    pub fn glyphs(&self, shown: Shown<'_>) -> &[u8] {
        self.written.of_move(shown).map_or(&[], |written| &written.glyphs)
    }

    /// The number of each place's game in the user's files: the game of the move to it, or of the
    /// place before it; the first one where printing begins. `None` without a known file.
    pub fn chapters_of_places(&self) -> Vec<Option<u32>> {
        let known = Some(0).filter(|_| !self.written.moves.is_empty());
        let mut chapters: Vec<Option<u32>> = Vec::with_capacity(self.places.len());
        for place in &self.places {
            // Places follow those that lead to them.
            let before = place.parent.map(|(before, _)| chapters.get(before).copied().flatten());
            let own = place.parent.and_then(|(before, index)| {
                let before = self.places.get(before)?;
                let edge = &before.moves.get(index)?.edge;
                self.written.moves.get(&(before.node, edge.uci)).map(|written| written.chapter)
            });
            chapters.push(own.or(before.unwrap_or(known)));
        }
        chapters
    }

    /// A game of the user's files.
    pub fn chapter(&self, number: Option<u32>) -> Option<&Chapter> {
        self.tree.directives.written().chapter(number?)
    }

    /// The only game of the user's files; `None` if there are several.
    pub fn only_chapter(&self) -> Option<&Chapter> {
        let chapters = self.tree.directives.written().chapters();
        chapters.first().filter(|_| chapters.len() == 1 && !self.written.moves.is_empty())
    }
}
