//! The selection of what is analysed: the tree's breadth, and the user's wishes.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use shakmaty::uci::UciMove;

use crate::chess::{DrawValue, PositionKey, TableEnd, Tables, Wdl};

use super::breadth::Breadth;
use super::graph::Wish;
use super::played::{CountFacts, Played};

/// Inputs of a tree besides its game and the engine's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Distances, and the least number of root moves.
    pub breadth: Breadth,
    /// The value of a draw.
    pub draw: DrawValue,
    /// The user's wishes for positions, whatever line leads to them.
    pub wishes: Arc<Wishes>,
    /// Moves that are candidates whatever their value and whatever games say.
    pub played: Arc<Played>,
    /// Game counts of positions, and rules for candidates by them.
    pub counts: CountFacts,
    /// Tablebase results of positions.
    pub facts: TableFacts,
}

impl Selection {
    /// The played moves of a position, by their UCI text, less those that the user has excluded or included there.
    pub fn played_at(&self, key: &PositionKey) -> Vec<UciMove> {
        let mut played = self.counts.played(key);
        if let Some(more) = self.played.get(key) {
            played.extend(more);
            played.sort_by_key(ToString::to_string);
            played.dedup();
        }
        if let Some(wish) = self.wishes.get(key) {
            played.retain(|uci| !wish.exclude.contains(uci) && !wish.include.contains(uci));
        }
        played
    }

    /// The moves of a position that are followed whatever their value: included ones, then played
    /// ones.
    pub fn followed_at(&self, key: &PositionKey) -> impl Iterator<Item = UciMove> + '_ {
        let included = self.wishes.get(key).map_or(&[][..], |wish| &wish.include);
        included.iter().copied().chain(self.played_at(key))
    }
}

/// Tablebase results of positions, as far as looked up: a tree is a function of them, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableFacts {
    /// The tree's use of tables; None if it uses none.
    pub tables: Option<Tables>,
    /// The last round of looking up, by the store's count, that the tree has taken into account.
    pub round: u64,
    known: Arc<HashMap<PositionKey, Option<Wdl>>>,
}

impl TableFacts {
    /// No facts yet, for a tree that uses tables and knows those up to some round.
    pub fn new(tables: Tables, round: u64) -> TableFacts {
        TableFacts { tables: Some(tables), round, known: Arc::default() }
    }

    /// Takes a fact: a result for the side to move, or None if the tables do not have the position.
    pub fn learn(&mut self, key: PositionKey, result: Option<Wdl>) {
        Arc::make_mut(&mut self.known).insert(key, result);
    }

    /// The result of looking up a position; None if it was not looked up.
    pub fn get(&self, key: &PositionKey) -> Option<Option<Wdl>> {
        self.known.get(key).copied()
    }

    /// The end that a position is by tables.
    pub fn end(&self, key: &PositionKey) -> Option<TableEnd> {
        let (tables, wdl) = (self.tables?, self.get(key)??);
        Some(TableEnd { wdl, value: tables.value(wdl) })
    }
}

/// The user's wishes, by position.
pub type Wishes = BTreeMap<PositionKey, Wish>;

impl From<Breadth> for Selection {
    fn from(breadth: Breadth) -> Selection {
        Selection {
            breadth,
            draw: DrawValue::default(),
            wishes: Arc::default(),
            played: Arc::default(),
            counts: CountFacts::default(),
            facts: TableFacts::default(),
        }
    }
}

/// A plain distance in centipawns, and no directives.
impl From<u32> for Selection {
    fn from(distance: u32) -> Selection {
        Breadth::from(distance).into()
    }
}
