//! Positions of the nodes.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::chess::PositionKey;

use super::graph::NodeId;

/// The positions of a tree by node, and their nodes by position.
#[derive(Debug, Clone, Default)]
pub struct Positions {
    keys: Vec<PositionKey>,
    nodes: HashTable<u32>,
    /// Nodes added since a mark.
    tried: Option<HashTable<u32>>,
    hasher: DefaultHashBuilder,
}

/// A key's hash, to be worked out once.
#[derive(Debug, Clone, Copy)]
pub struct Hash(u64);

impl Positions {
    /// The hash of a key.
    pub fn hash(&self, key: &PositionKey) -> Hash {
        Hash(self.hasher.hash_one(key))
    }

    /// The position of a node.
    pub fn key(&self, node: NodeId) -> &PositionKey {
        &self.keys[node.index()]
    }

    /// The node of a position, if it has one.
    pub fn find(&self, key: &PositionKey, Hash(hash): Hash) -> Option<NodeId> {
        let same = |node: &u32| self.keys[*node as usize] == *key;
        let tried = self.tried.as_ref().and_then(|tried| tried.find(hash, same));
        let found = self.nodes.find(hash, same).or(tried);
        found.map(|node| NodeId::from_index(*node as usize))
    }

    /// Makes room for this many positions at once: a table that grows step by step rehashes all
    /// each time.
    pub fn reserve(&mut self, count: usize) {
        let keys = &self.keys;
        self.nodes.reserve(count, |node| self.hasher.hash_one(keys[*node as usize]));
    }

    /// Takes the position of the next node. The table grows by a quarter: doubling would leave up to
    /// half of a large tree's memory empty.
    pub fn push(&mut self, key: PositionKey, Hash(hash): Hash) {
        let node = self.keys.len() as u32;
        if self.keys.len() == self.keys.capacity() {
            self.keys.reserve_exact(self.keys.len() / 4 + 16);
        }
        self.keys.push(key);
        let keys = &self.keys;
        let nodes = self.tried.as_mut().unwrap_or(&mut self.nodes);
        nodes.insert_unique(hash, node, |node| self.hasher.hash_one(keys[*node as usize]));
    }

    /// Marks the present state for [`Positions::undo`].
    pub fn mark(&mut self) {
        self.tried = Some(HashTable::new());
    }

    /// Undoes the additions since the mark: this many nodes are left.
    pub fn undo(&mut self, nodes: usize) {
        if self.tried.take().is_some() {
            self.keys.truncate(nodes);
        }
    }
}
