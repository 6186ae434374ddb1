//! A search of the position behind one move, which no tree wants: as deep as its time allows, its answers
//! stored in the memo.

use std::time::{Duration, Instant};

use shakmaty::Chess;

use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{EngineError, Engines, Event, Wakeup};
use deepanalyze_store::{NewAnswer, Store};
use deepanalyze_view::{MoveSearch, Tree, Why};

use crate::control::ControlReceiver;
use crate::outcome::RunError;
use crate::recheck::deeper;
use crate::under_way::next_ticket;

/// A position to search, the first limit, and the end.
#[derive(Debug, Clone)]
pub struct PositionAsked {
    /// The position; the game goes on there.
    pub position: Chess,
    /// The limit of the first search; the next ones go deeper.
    pub first: Limit,
    /// The moment that ends it.
    pub until: Instant,
}

/// Why the search of a position ended.
#[derive(Debug)]
pub enum PositionEnd {
    /// Another search would take longer than what is left, or was cut off by the clock.
    Time,
    /// On request.
    Interrupted,
    /// The engine failed.
    Failed(EngineError),
}

/// A question about a move of a tree, for the engines.
#[derive(Debug, Clone, Copy)]
pub struct MoveQuestion<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// Its knowledge of the move.
    pub why: &'a Why,
    /// The first limit, if the user has set one; else that of the tree, or a lesser one that fits into the time.
    pub limit: Option<Limit>,
    /// The time.
    pub time: Duration,
    /// The moment that ends it.
    pub until: Instant,
    /// True to search deeper than before; else a search that the memo has is the answer.
    pub goes_deeper: bool,
}

impl MoveQuestion<'_> {
    /// The least limit of an answer.
    pub fn least(&self) -> Limit {
        self.limit.unwrap_or(self.tree.row.profile.limit)
    }
}

/// Searches the position behind a move; returns the deepest answer by this engine, and why the search ended.
///
/// # Errors
///
/// [`RunError`] if the database fails.
pub fn search_move(
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    question: MoveQuestion<'_>,
) -> Result<(Option<MoveSearch>, PositionEnd), RunError> {
    let MoveQuestion { tree, why, time, until, .. } = question;
    let profile = Profile { limit: question.least(), ..engines.profile().clone() };
    let before = why.kept_search(store, tree, &profile)?;
    if before.is_some() && !question.goes_deeper {
        return Ok((before, PositionEnd::Time));
    }
    let first = match &before {
        Some(before) => deeper(before.source.limit),
        None => {
            let near = store.kept_search(tree.row.profile_id, &why.position_before(), 0)?;
            let took = near.map(|near| near.time).filter(|_| question.limit.is_none());
            first_limit(profile.limit, took, time)
        }
    };
    let asked = PositionAsked { position: why.behind(), first, until };
    let (_, end) = search_position(store, engines, control, &asked)?;
    let least = Profile { limit: first.min(profile.limit), ..profile };
    Ok((why.kept_search(store, tree, &least)?, end))
}

/// The next deeper limit takes this many times as long, as a rule.
const LONGER: u32 = 2;

/// The first limit, if a search to `limit` took this long nearby: one that ends within half of the time.
pub fn first_limit(limit: Limit, took: Option<Duration>, time: Duration) -> Limit {
    let Some(took) = took.filter(|took| *took > time / 2) else { return limit };
    let part = took.as_secs_f64() / (time.as_secs_f64() / 2.0).max(0.001);
    match limit {
        // A ply more takes some two thirds longer.
        Limit::Depth(depth) => {
            let plies = (part.ln() / 1.65_f64.ln()).ceil().clamp(0.0, 255.0) as u32;
            Limit::Depth(depth.saturating_sub(plies).max(1))
        }
        Limit::Nodes(nodes) => Limit::Nodes(((nodes as f64 / part) as u64).max(1)),
    }
}

/// Searches a position with growing limits; returns the number of answers stored, and why it ended.
///
/// # Errors
///
/// [`RunError`] if the database fails.
pub fn search_position(
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    asked: &PositionAsked,
) -> Result<(u32, PositionEnd), RunError> {
    let (mut limit, mut stored) = (asked.first, 0);
    loop {
        let began = engines.now();
        let answer = match search(engines, control, asked, limit) {
            Ok(answer) => answer,
            Err(end) => return Ok((stored, end)),
        };
        let profile = Profile { limit, ..engines.profile().clone() };
        let profile = store.profile_id(&profile)?;
        let position = asked.position.clone();
        store
            .keep(profile, &[NewAnswer { position, excluded: Vec::new(), answer, worker: None }])?;
        stored += 1;
        let now = engines.now();
        let next = now + now.saturating_duration_since(began) * LONGER;
        limit = match limit {
            _ if next > asked.until => return Ok((stored, PositionEnd::Time)),
            Limit::Depth(depth @ ..255) => Limit::Depth(depth + 1),
            Limit::Depth(_) => return Ok((stored, PositionEnd::Time)),
            Limit::Nodes(nodes) => Limit::Nodes(nodes.saturating_mul(LONGER.into())),
        };
    }
}

/// One search; the clock or a request ends it without an answer.
fn search(
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    asked: &PositionAsked,
    limit: Limit,
) -> Result<Answer, PositionEnd> {
    let ticket = next_ticket();
    let search = Search { position: asked.position.clone(), excluded: Vec::new() };
    engines.submit(ticket, search, limit, false);
    let end = loop {
        if control.is_told_to_end() {
            break PositionEnd::Interrupted;
        }
        if engines.now() >= asked.until {
            break PositionEnd::Time;
        }
        match engines.wait(control.wake(), Some(asked.until)) {
            Wakeup::Event(Event::Answered { ticket: of, answer, .. }) if of == ticket => {
                return Ok(answer);
            }
            Wakeup::Event(Event::Failed { ticket: of, error }) if of == ticket => {
                return Err(PositionEnd::Failed(error));
            }
            Wakeup::Event(Event::Broken) => break PositionEnd::Interrupted,
            Wakeup::Event(_) | Wakeup::Control | Wakeup::Time => {}
        }
    };
    engines.abandon(ticket);
    Err(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_search_ends_within_half_of_the_time() {
        let (second, limit) = (Duration::from_secs(1), Limit::Depth(20));
        assert_eq!(first_limit(limit, None, second), limit, "nothing is known");
        assert_eq!(first_limit(limit, Some(second / 2), second), limit);
        assert_eq!(
            first_limit(limit, Some(second), second),
            Limit::Depth(18),
            "two plies: 2.7 times"
        );
        assert_eq!(first_limit(Limit::Depth(2), Some(second * 1000), second), Limit::Depth(1));
        let nodes = Limit::Nodes(1_000_000);
        assert_eq!(first_limit(nodes, Some(second * 5), second), Limit::Nodes(100_000));
    }
}
