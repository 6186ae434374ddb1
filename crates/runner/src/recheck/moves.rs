//! Running searches of single moves, for any tree.

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, legal_uci};
use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::Engines;
use deepanalyze_store::{AnalysisId, ProfileId};

use crate::under_way::next_ticket;

/// A single move of a position for a profile to search.
#[derive(Debug, Clone)]
pub struct AskedMove {
    pub profile: ProfileId,
    pub position: Chess,
    pub uci: UciMove,
    /// The analysis that asked for it.
    pub of: AnalysisId,
}

type MoveKey = (ProfileId, PositionKey, UciMove);

impl AskedMove {
    fn key(&self) -> MoveKey {
        (self.profile, PositionKey::of(&self.position), self.uci)
    }
}

/// The moves under way; each has one search at most.
#[derive(Debug, Default)]
pub struct MovesUnderWay {
    searches: HashMap<u64, AskedMove>,
    tickets: HashMap<MoveKey, u64>,
}

impl MovesUnderWay {
    /// Gives the search of a move to the engines, on a cleared hash: all other moves of its
    /// position are left out.
    pub fn start(&mut self, engines: &mut dyn Engines, asked: AskedMove, limit: Limit) {
        let mut excluded = legal_uci(&asked.position);
        excluded.retain(|uci| *uci != asked.uci);
        let (ticket, position) = (next_ticket(), asked.position.clone());
        self.tickets.insert(asked.key(), ticket);
        self.searches.insert(ticket, asked);
        engines.submit(ticket, Search { position, excluded }, limit, false);
    }

    /// Ends a search.
    pub fn finish(&mut self, ticket: u64) -> Option<AskedMove> {
        let asked = self.searches.remove(&ticket)?;
        self.tickets.remove(&asked.key());
        Some(asked)
    }

    /// The position of a search.
    pub fn position(&self, ticket: u64) -> Option<&Chess> {
        self.searches.get(&ticket).map(|asked| &asked.position)
    }

    /// True if a move is being searched.
    pub fn has(&self, asked: &AskedMove) -> bool {
        self.tickets.contains_key(&asked.key())
    }

    /// Cancels all searches. An answer that is on its way may still come.
    pub fn abandon(&self, engines: &mut dyn Engines) {
        self.searches.keys().for_each(|ticket| engines.abandon(*ticket));
    }

    /// Forgets all of them.
    pub fn forget(&mut self) {
        self.searches.clear();
        self.tickets.clear();
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.searches.len()
    }
}
