//! What gets analysed: how broad the tree is, and what the user has said of positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use shakmaty::uci::UciMove;

use crate::chess::{DrawValue, PositionKey, TableEnd, Tables, Wdl};

use super::breadth::Breadth;
use super::graph::Wish;
use super::played::{CountFacts, Played};

/// What a tree is a function of beside its game and the engine's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// What a draw is worth.
    pub draw: DrawValue,
    /// What the user wants of positions, whatever line leads to them.
    pub wishes: Arc<Wishes>,
    /// Moves that are candidates whatever they are worth and whatever games say.
    pub played: Arc<Played>,
    /// What games say of positions, and which moves are candidates for it.
    pub counts: CountFacts,
    /// What tables say of positions.
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

    /// The moves of a position that are followed whatever they are worth: included ones, then played ones.
    pub fn followed_at(&self, key: &PositionKey) -> impl Iterator<Item = UciMove> + '_ {
        let included = self.wishes.get(key).map_or(&[][..], |wish| &wish.include);
        included.iter().copied().chain(self.played_at(key))
    }
}

/// What tables say of positions, as far as it has been looked up: a tree is a function of it, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableFacts {
    /// How far a tree goes by tables; none where it does not.
    pub tables: Option<Tables>,
    /// What was found in later rounds is not among them: the count is the store's.
    pub round: u64,
    known: Arc<HashMap<PositionKey, Option<Wdl>>>,
}

impl TableFacts {
    /// No facts yet, for a tree that goes by tables and knows those up to some round.
    pub fn new(tables: Tables, round: u64) -> TableFacts {
        TableFacts { tables: Some(tables), round, known: Arc::default() }
    }

    /// Takes a fact: a result for the side to move, or none where the tables do not have the position.
    pub fn learn(&mut self, key: PositionKey, result: Option<Wdl>) {
        Arc::make_mut(&mut self.known).insert(key, result);
    }

    /// What was found when a position was looked up; none where it was not.
    pub fn get(&self, key: &PositionKey) -> Option<Option<Wdl>> {
        self.known.get(key).copied()
    }

    /// The end that a position is by tables.
    pub fn end(&self, key: &PositionKey) -> Option<TableEnd> {
        let (tables, wdl) = (self.tables?, self.get(key)??);
        Some(TableEnd { wdl, value: tables.value(wdl) })
    }
}

/// What the user wants, by position.
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
