//! What the user has said of a printed move and of the position behind it.

use crate::render::words::{describe_value, one_line};
use deepanalyze_core::chess::TableEnd;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Graph, NodeId};

use super::{Report, Shown};

/// What the user has said of a position, as the tree obeys it.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::render) struct Said<'a> {
    /// Its value in centipawns for White.
    pub value: Option<i32>,
    /// Whether nothing is asked there.
    pub stopped: bool,
    /// The user's text.
    pub note: Option<&'a str>,
}

/// What the user has said of a move and of the position behind it, notes apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MoveSaid {
    /// Whether it counts in its position.
    pub counts: bool,
    /// Whether it is included.
    pub is_included: bool,
    /// Whether it is excluded.
    pub is_excluded: bool,
    /// What the position is worth, in centipawns for White.
    pub value: Option<i32>,
    /// Whether nothing is asked there.
    pub stopped: bool,
}

impl MoveSaid {
    /// Each thing in words.
    pub fn words(self) -> Vec<String> {
        let mut words = Vec::new();
        if self.is_excluded {
            words.push("excluded".to_owned());
        }
        if self.is_included {
            let waits = !self.counts && !self.stopped;
            words.push(if waits { "included, not analysed yet" } else { "included" }.to_owned());
        }
        words.extend(self.value.map(|value| format!("your value: {}", describe_value(value))));
        if self.stopped {
            words.push("stopped here".to_owned());
        }
        words
    }
}

/// The user's value of a position in centipawns for White, as a tree obeys it.
pub fn value_of(graph: &Graph, node: NodeId) -> Option<i32> {
    let value = i32::from(graph.end(node).filter(|_| graph.is_valued(node))?.get());
    Some(graph.turn(node).fold_wb(value, -value))
}

impl<'a> Report<'a> {
    /// What the user has said of a position.
    pub(in crate::render) fn said(&self, node: NodeId) -> Said<'a> {
        let graph = self.growth().graph();
        let note = self.notes.get(&node).copied();
        Said { value: value_of(graph, node), stopped: graph.is_stopped(node), note }
    }

    /// How the game is over in a position: by the rules, by tables, or by the user's value.
    pub(in crate::render) fn end(&self, node: NodeId) -> Option<&'static str> {
        let graph = self.growth().graph();
        let by_rules = graph.ending(node).map(|ending| ending.name());
        let by_tables = || graph.known(node).map(|_| TableEnd::NAME);
        let by_rules = by_rules.or_else(by_tables);
        by_rules.or_else(|| graph.is_valued(node).then_some("value"))
    }

    /// What tables say of a position for the side to move there.
    pub(in crate::render) fn known(&self, node: NodeId) -> Option<TableEnd> {
        self.growth().graph().known(node)
    }

    /// What tables say of the position behind a move, in words, for the side that plays it.
    pub(in crate::render) fn known_words(&self, node: NodeId) -> Option<&'static str> {
        self.known(node).map(|known| known.turned().words())
    }

    /// What the user has said of a move and of the position behind it, in words, notes apart.
    pub(in crate::render) fn marks(&self, shown: Shown<'_>) -> Vec<String> {
        let said = self.said(shown.node());
        let counts = shown.child().is_some();
        let (is_included, is_excluded) = (shown.is_included(), shown.is_excluded());
        let Said { value, stopped, .. } = said;
        MoveSaid { counts, is_included, is_excluded, value, stopped }.words()
    }

    /// The directives that the tree was grown with, and the notes that its root has now.
    pub(in crate::render) fn directives(&self) -> Directives {
        let mut set = self.tree.directives.clone();
        for (key, said) in self.tree.said.positions() {
            said.note.iter().for_each(|note| {
                set.put(*key, deepanalyze_core::directives::Directive::Note(note.clone()));
            });
        }
        set
    }
}

/// A note on one line.
pub(in crate::render) fn note_line(said: Said<'_>) -> Option<String> {
    said.note.map(one_line).filter(|note| !note.is_empty())
}
