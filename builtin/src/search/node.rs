//! What is known of a node of the search, and what is expected of it.

use crate::board::Safety;
use crate::selective::Budgets;
use crate::table::Entry;

/// What a node is expected to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// On the principal variation: searched with an open window.
    Line,
    /// A move should cut.
    Cut,
    /// No move should.
    All,
}

/// How a node is to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Alpha and beta.
    pub window: (i32, i32),
    /// Depth left.
    pub depth: i32,
    /// Distance from the root.
    pub ply: usize,
    /// What may still be spent on nodes with few moves.
    pub budgets: Budgets,
    /// What it should be.
    pub kind: Kind,
    /// Whether the move that led here captured or promoted.
    pub tactical: bool,
}

/// What is known about a node once its moves are about to be tried.
pub(super) struct Known {
    pub safety: Safety,
    pub entry: Option<Entry>,
    pub evaluation: i32,
    pub improving: bool,
    pub budgets: Budgets,
    /// Whether the node costs depth.
    pub costs: bool,
}

impl Node {
    pub(super) fn is_line(&self) -> bool {
        self.kind == Kind::Line
    }

    /// What its children should be, after the first.
    pub(super) fn child_kind(&self) -> Kind {
        if self.kind == Kind::Cut { Kind::All } else { Kind::Cut }
    }
}
