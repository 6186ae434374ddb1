//! What the `node` table holds of a tree, in little memory: a run keeps it to its end.

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::NodeId;
use deepanalyze_store::{NodeRow, PositionId};

/// No row.
const NONE: u32 = u32::MAX;

/// A row of `node`: 16 bytes.
#[derive(Debug, Clone, Copy)]
struct Row {
    position: PositionId,
    ply: u32,
    /// At most 218, or the position has more moves than a position can have.
    admitted: u16,
    idea: Value,
}

/// The rows of a tree's analysed positions, and which row of `position` each of them has.
///
/// Less than half of the positions of a tree are analysed, so the others take 4 bytes each.
#[derive(Debug, Clone, Default)]
pub struct KeptRows {
    /// Per node, the place of its row.
    places: Vec<u32>,
    rows: Vec<Row>,
}

impl KeptRows {
    /// The row of a node.
    pub fn get(&self, node: NodeId) -> Option<(PositionId, NodeRow)> {
        let place = usize::try_from(*self.places.get(node.index())?).ok()?;
        let Row { position, ply, admitted, idea } = *self.rows.get(place)?;
        Some((position, NodeRow { ply, admitted: admitted.into(), idea }))
    }

    /// Notes the row of a node.
    pub fn set(&mut self, node: NodeId, position: PositionId, row: NodeRow) {
        let NodeRow { ply, admitted, idea } = row;
        let admitted = u16::try_from(admitted).unwrap_or(u16::MAX);
        let row = Row { position, ply, admitted, idea };
        if self.places.len() <= node.index() {
            let missing = node.index() + 1 - self.places.len();
            reserve(&mut self.places, missing);
            self.places.resize(node.index() + 1, NONE);
        }
        let Some(place) = self.places.get_mut(node.index()) else {
            return;
        };
        match usize::try_from(*place).ok().and_then(|place| self.rows.get_mut(place)) {
            Some(there) => *there = row,
            None => {
                *place = u32::try_from(self.rows.len()).unwrap_or(NONE);
                reserve(&mut self.rows, 1);
                self.rows.push(row);
            }
        }
    }

    /// The analysed positions with their rows of `position`.
    pub fn positions(&self) -> impl Iterator<Item = (NodeId, PositionId)> + '_ {
        let nodes = (0..self.places.len()).map(NodeId::from_index);
        nodes.filter_map(|node| Some((node, self.get(node)?.0)))
    }
}

/// Makes room as tables of a tree do: doubling would leave up to half of the memory empty.
fn reserve<T>(table: &mut Vec<T>, more: usize) {
    if table.len() + more > table.capacity() {
        table.reserve_exact(more.max(table.len() / 4 + 16));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_sixteen_bytes() {
        assert_eq!(size_of::<Row>(), 16);
    }
}
