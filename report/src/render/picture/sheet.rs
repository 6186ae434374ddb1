//! Where everything stands in a picture.

use super::drawing::{Drawing, Kind};

/// Around everything. Lengths are in pixels.
pub(super) const MARGIN: usize = 20;
const TITLE_HEIGHT: usize = 34;
const LEGEND_HEIGHT: usize = 34;
const ROW: usize = 34;
/// A box.
pub(super) const BOX_WIDTH: usize = 62;
pub(super) const BOX_HEIGHT: usize = 22;
/// From box to box: room for a move's name.
const GAP: usize = 124;
/// From a box to the vertical line that its moves branch off.
pub(super) const TRUNK: usize = 14;
/// Of the corner where a move leaves the trunk.
pub(super) const RADIUS: usize = 6;
/// How far a link to another place of the tree bulges to the right.
pub(super) const BULGE: usize = 46;
/// The width of a character of the title.
const LETTER: usize = 8;

/// Where everything stands.
pub(super) struct Sheet {
    /// The column of each box.
    levels: Vec<usize>,
    /// The row of each box.
    pub rows: Vec<usize>,
    /// The column and row of what each link leads to, or of the stub in its place.
    pub stubs: Vec<(usize, usize)>,
    pub width: usize,
    pub height: usize,
}

impl Sheet {
    /// A box stands in the row of its first move, so that the best line is straight; every other
    /// move begins a new row. Links come in the order of a depth-first walk.
    pub(super) fn of(drawing: &Drawing) -> Sheet {
        let mut rows = vec![0; drawing.boxes.len()];
        let mut begun = vec![false; drawing.boxes.len()];
        let (mut last, mut columns, mut stubs) = (0, 0, Vec::new());
        for link in &drawing.links {
            if begun.get(link.from).copied().unwrap_or(true) {
                last += 1;
            }
            if let Some(begun) = begun.get_mut(link.from) {
                *begun = true;
            }
            let column = drawing.boxes.get(link.from).map_or(0, |node| node.level) + 1;
            columns = columns.max(column);
            stubs.push((column, last));
            let to = link.to.filter(|_| link.kind == Kind::Tree);
            if let Some(row) = to.and_then(|to| rows.get_mut(to)) {
                *row = last;
            }
        }
        let text = drawing.title.chars().count().max(drawing.legend.chars().count()) * LETTER;
        let tree = left(columns) + BOX_WIDTH + BULGE;
        Sheet {
            levels: drawing.boxes.iter().map(|node| node.level).collect(),
            rows,
            stubs,
            width: (MARGIN + text).max(tree) + MARGIN,
            height: middle(last + 1) + LEGEND_HEIGHT,
        }
    }

    /// The right edge of a box.
    pub(super) fn right_of(&self, index: usize) -> usize {
        let column = self.levels.get(index).copied().unwrap_or(0);
        left(column) + BOX_WIDTH
    }
}

/// The left edge of a column's boxes.
pub(super) fn left(column: usize) -> usize {
    MARGIN + column * (BOX_WIDTH + GAP)
}

/// The middle of a row.
pub(super) fn middle(row: usize) -> usize {
    MARGIN + TITLE_HEIGHT + row * ROW + ROW / 2
}
