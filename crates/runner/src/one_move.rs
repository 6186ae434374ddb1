//! A search of the position behind one move, which no tree wants: as deep as its time allows, its answers
//! stored in the memo.

use std::time::{Duration, Instant};

use shakmaty::Chess;

use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{Engines, Event, Wakeup};
use deepanalyze_store::{NewAnswer, Store};
use deepanalyze_view::{MoveSearch, Tree, Why};

use crate::control::ControlReceiver;
use crate::outcome::RunError;
use crate::recheck::deeper;
use crate::under_way::next_ticket;

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
#[derive(Debug, PartialEq, Eq)]
pub enum PositionEnd {
    /// Another search would take longer than what is left, or was cut off by the clock.
    Time,
    /// On request.
    Interrupted,
    /// The engine failed, in words.
    Failed(String),
}

/// The next deeper limit takes this many times as long, as a rule.
const LONGER: u32 = 2;

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
    let MoveQuestion { tree, why, limit, time, until, goes_deeper } = question;
    let Some(wanted) = why.search_limit() else { return Ok((None, PositionEnd::Time)) };
    let least = limit.unwrap_or(wanted);
    let of = |limit: Limit| Profile { limit, ..engines.profile().clone() };
    let (lowest, least) = (of(lowest(least)), of(least));
    let before = match goes_deeper {
        // However deep: the next one is deeper.
        true => why.kept_search_by(store, tree, &lowest)?,
        false => why.kept_search_by(store, tree, &least)?,
    };
    let first = match &before {
        Some(_) if !goes_deeper => return Ok((before, PositionEnd::Time)),
        Some(before) => deeper(before.source.limit),
        None if goes_deeper && why.has_searched_line() => deeper(tree.row.profile.limit),
        None if limit.is_some() => least.limit,
        // More time than usual is enough for the tree's own limit.
        None if time > Why::SEARCH_TIME => tree.row.profile.limit,
        None => wanted,
    };
    let asked = PositionAsked { position: why.behind(), first, until };
    let (_, end) = search_position(store, engines, control, &asked)?;
    Ok((why.kept_search_by(store, tree, &lowest)?, end))
}

/// The lowest limit of the same kind.
fn lowest(limit: Limit) -> Limit {
    match limit {
        Limit::Depth(_) => Limit::Depth(1),
        Limit::Nodes(_) => Limit::Nodes(1),
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
                return Err(PositionEnd::Failed(error.to_string()));
            }
            Wakeup::Event(Event::Broken) => {
                return Err(PositionEnd::Failed("the engine's thread has ended".to_owned()));
            }
            Wakeup::Event(_) | Wakeup::Control | Wakeup::Time => {}
        }
    };
    engines.abandon(ticket);
    Err(end)
}
