//! Tables with undo: writes since a mark can be undone.
//!
//! Looking ahead grows the tree itself on with expected answers and then undoes everything. The
//! cost is that of the changes, whatever the size of the tree; a copy of a tree of a million
//! positions took a tenth of a second.

use hashbrown::HashMap;

use super::graph::NodeId;

/// A growing array that remembers, from [`Table::mark`] on, what its entries were.
#[derive(Debug, Clone)]
pub struct Table<T> {
    entries: Vec<T>,
    marked: Option<Marked<T>>,
}

/// State of a table at its mark.
#[derive(Debug, Clone)]
struct Marked<T> {
    len: usize,
    /// Entries that were overwritten, in the order in which that happened.
    before: Vec<(usize, T)>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { entries: Vec::new(), marked: None }
    }
}

impl<T: Clone> Table<T> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Entries that lie side by side.
    pub fn slice(&self, range: std::ops::Range<usize>) -> &[T] {
        &self.entries[range]
    }

    /// Appends an entry. The table grows by a quarter: doubling would leave up to half of a large
    /// tree's memory empty.
    pub fn push(&mut self, entry: T) {
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(self.entries.len() / 4 + 16);
        }
        self.entries.push(entry);
    }

    /// Appends the same entry up to a length.
    pub fn extend_to(&mut self, len: usize, entry: T) {
        while self.entries.len() < len {
            self.push(entry.clone());
        }
    }

    /// Overwrites an entry.
    pub fn set(&mut self, index: usize, entry: T) {
        let before = std::mem::replace(&mut self.entries[index], entry);
        if let Some(marked) = self.marked.as_mut().filter(|marked| index < marked.len) {
            marked.before.push((index, before));
        }
    }

    /// Overwrites an entry that is not read after an undo.
    pub fn set_unread(&mut self, index: usize, entry: T) {
        self.entries[index] = entry;
    }

    /// Marks the present state for [`Table::undo`].
    pub fn mark(&mut self) {
        self.marked = Some(Marked { len: self.entries.len(), before: Vec::new() });
    }

    /// Undoes the writes since [`Table::mark`].
    pub fn undo(&mut self) {
        let Some(Marked { len, before }) = self.marked.take() else {
            return;
        };
        self.entries.truncate(len);
        for (index, entry) in before.into_iter().rev() {
            self.entries[index] = entry;
        }
    }

    /// True if writes can be undone.
    pub fn is_marked(&self) -> bool {
        self.marked.is_some()
    }
}

/// Entries of few nodes with undo, as in a [`Table`].
#[derive(Debug, Clone)]
pub struct Sparse<T> {
    entries: HashMap<NodeId, T>,
    /// Since the mark: the entry before each change, the oldest first.
    before: Option<Vec<(NodeId, Option<T>)>>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Sparse<T> {
        Sparse { entries: HashMap::new(), before: None }
    }
}

impl<T: Clone> Sparse<T> {
    /// The entry of a node.
    pub fn get(&self, node: NodeId) -> Option<&T> {
        self.entries.get(&node)
    }

    /// Sets the entry of a node.
    pub fn set(&mut self, node: NodeId, entry: T) {
        let before = self.entries.insert(node, entry);
        if let Some(noted) = &mut self.before {
            noted.push((node, before));
        }
    }

    /// Marks the present state for [`Sparse::undo`].
    pub fn mark(&mut self) {
        self.before = Some(Vec::new());
    }

    /// Undoes the writes since [`Sparse::mark`].
    pub fn undo(&mut self) {
        for (node, before) in self.before.take().into_iter().flatten().rev() {
            match before {
                Some(entry) => _ = self.entries.insert(node, entry),
                None => _ = self.entries.remove(&node),
            }
        }
    }
}

impl<T> std::ops::Index<usize> for Table<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.entries[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_few_nodes_are_undone() {
        let node = NodeId::from_index;
        let mut sparse = Sparse::default();
        sparse.set(node(1), 'a');
        sparse.mark();
        sparse.set(node(1), 'b');
        sparse.set(node(1), 'c');
        sparse.set(node(2), 'd');
        assert_eq!((sparse.get(node(1)), sparse.get(node(2))), (Some(&'c'), Some(&'d')));
        sparse.undo();
        assert_eq!((sparse.get(node(1)), sparse.get(node(2))), (Some(&'a'), None));
    }

    #[test]
    fn writes_since_a_mark_are_undone() {
        let mut table = Table::default();
        table.extend_to(3, 7);
        table.set(1, 8);
        table.mark();
        table.set(1, 9);
        table.set(1, 10);
        table.push(11);
        table.set(3, 12);
        assert_eq!(table.slice(0..4), [7, 10, 7, 12]);
        table.undo();
        assert_eq!(table.slice(0..table.len()), [7, 8, 7]);
        table.set(0, 1);
        table.undo();
        assert_eq!(table.slice(0..3), [1, 8, 7], "nothing was marked any more");
    }
}
