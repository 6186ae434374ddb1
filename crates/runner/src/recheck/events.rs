//! Running searches of single moves, for any tree, and their results: answers are kept before
//! anything else happens.

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, legal_uci};
use deepanalyze_core::search::{Answer, Limit, Search, WorkerId};
use deepanalyze_engine::{EngineError, Engines, Event};
use deepanalyze_store::{AnalysisId, Invalidated, NewMoveAnswer, ProfileId};

use crate::context::RunWork;
use crate::feed::event::RunEvent;
use crate::outcome::RunError;
use crate::under_way::next_ticket;

/// The results of searches.
#[derive(Debug, Default)]
pub struct EventsTaken {
    /// Moves at which engines have failed for good.
    pub failed: Vec<(AskedMove, EngineError)>,
    /// True if answers were invalidated: earlier reads are void.
    pub is_void: bool,
}

/// Takes an event and all behind it. Answers are durable when this returns, for any tree.
pub fn take_events(work: &mut RunWork<'_>, first: Event) -> Result<EventsTaken, RunError> {
    let (mut taken, mut result) = (EventsTaken::default(), Ok(()));
    let mut next = Some(first);
    while let Some(event) = next {
        // An error must not lose the answers behind it.
        result = result.and(take_event(work, event, &mut taken));
        next = work.engines.poll();
    }
    result.map(|()| taken)
}

/// Takes a single event.
pub fn take_event(
    work: &mut RunWork<'_>,
    event: Event,
    taken: &mut EventsTaken,
) -> Result<(), RunError> {
    match event {
        Event::Answered { ticket, answer, worker } => answered(work, ticket, answer, worker)?,
        Event::Failed { ticket, error } => match work.progress.moves.finish(ticket) {
            Some(asked) => taken.failed.push((asked, error)),
            None => drop(work.progress.under_way.finish(ticket)),
        },
        Event::Fault { ticket, error, attempt } => {
            let position = ticket.and_then(|ticket| work.progress.moves.position(ticket));
            let position = position.cloned();
            (work.tell)(RunEvent::Fault { error, attempt, position });
        }
        Event::Notice(notice) => (work.tell)(RunEvent::Notice(notice)),
        Event::Broken => return Err(RunError::EnginesGone),
        Event::Quarantined { worker, why } => {
            if let Some(Invalidated { answers: answers @ 1.., trees }) =
                work.store.invalidate(&worker, &why)?
            {
                taken.is_void = true;
                (work.tell)(RunEvent::Invalidated { answers, trees });
            }
        }
        Event::Started { .. }
        | Event::Iteration { .. }
        | Event::GivenWay { .. }
        | Event::Retracted { .. } => {}
    }
    Ok(())
}

/// Keeps an answer for a move, or for a position that a tree had left running.
fn answered(
    work: &mut RunWork<'_>,
    ticket: u64,
    answer: Answer,
    worker: Option<WorkerId>,
) -> Result<(), RunError> {
    let Some(AskedMove { profile, position, of, .. }) = work.progress.moves.finish(ticket) else {
        return Ok(work.keep_left_running(ticket, answer, worker)?);
    };
    let is_of_this_root = work.progress.rechecked == Some(of);
    work.progress.budget.spend(answer.nodes, is_of_this_root);
    work.progress.budget.work(answer.time);
    work.store.keep_moves(profile, &[NewMoveAnswer { position, answer, worker }])?;
    Ok(())
}

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
