//! Results of searches of single moves: answers are kept before anything else happens.

use deepanalyze_core::search::{Answer, WorkerId};
use deepanalyze_engine::{EngineError, Event};
use deepanalyze_store::{Invalidated, NewMoveAnswer};

use crate::error::RunError;
use crate::feed::event::RunEvent;
use crate::recheck::moves::AskedMove;
use crate::work::RunWork;

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

fn take_event(
    work: &mut RunWork<'_>,
    event: Event,
    taken: &mut EventsTaken,
) -> Result<(), RunError> {
    match event {
        Event::Answered { ticket, answer, worker } => answered(work, ticket, (answer, worker))?,
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
    (answer, worker): (Answer, Option<WorkerId>),
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
