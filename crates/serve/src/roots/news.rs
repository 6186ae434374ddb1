//! News of a root, from two states of it. Pure.

use shakmaty::Position;
use shakmaty::uci::UciMove;

use crate::events::{NewsKind, NewsMessage};
use deepanalyze_core::chess::Value;
use deepanalyze_runner::{EntryState, RootEntry};
use deepanalyze_view::{PointOfView, count, describe_limit, numbered_line, seen};

use super::RootMoment;
use super::facts::RootFacts;

/// News between two moments, at a time (milliseconds since 1970).
pub(super) fn news(before: &RootMoment, now: &RootMoment, at: i64) -> Vec<NewsMessage> {
    let id = Some(now.facts.id.0);
    let told = [
        settled(&before.facts, &now.facts).map(|text| (NewsKind::Settled, text)),
        verdict(&before.facts, &now.facts).map(|text| (NewsKind::Verdict, text)),
        directed(&before.facts, &now.facts).map(|text| (NewsKind::Directed, text)),
        stage(before, now).map(|text| (NewsKind::Stage, text)),
        ended(before.entry.as_ref(), now.entry.as_ref()).map(|text| (NewsKind::Ended, text)),
    ];
    let told = told.into_iter().flatten();
    told.map(|(kind, text)| NewsMessage { id, at, kind, text }).collect()
}

fn settled(before: &RootFacts, now: &RootFacts) -> Option<String> {
    let (was, is) = (&before.listed.row, &now.listed.row);
    let depth =
        is.settled_depth.filter(|depth| was.settled_depth.is_none_or(|was| was < *depth))?;
    (was.id == is.id && was.regrown == is.regrown).then(|| {
        let verdict = best_of(now)
            .map_or(String::new(), |(best, value)| format!(": {}", valued(now, best, value)));
        format!("depth {depth} is complete{verdict}")
    })
}

fn verdict(before: &RootFacts, now: &RootFacts) -> Option<String> {
    let ((was, was_value), (is, is_value)) = (best_of(before)?, best_of(now)?);
    if was != is {
        let (was, is) = (valued(before, was, was_value), valued(now, is, is_value));
        return Some(format!("{was} → {is}"));
    }
    if was_value == is_value {
        return None;
    }
    Some(format!("{} → {}", valued(before, was, was_value), score(now, is_value)?))
}

fn best_of(facts: &RootFacts) -> Option<(UciMove, Value)> {
    let line = facts.listed.line.as_ref()?;
    Some((line.best()?, line.value))
}

/// `1. e4 +0.31`, for White.
fn valued(facts: &RootFacts, best: UciMove, value: Value) -> String {
    let root = facts.listed.game.as_ref().map(|game| game.root());
    let name = root.map_or_else(|| best.to_string(), |root| numbered_line(root, &[best]));
    score(facts, value).map_or(name.clone(), |score| format!("{name} {score}"))
}

fn score(facts: &RootFacts, value: Value) -> Option<String> {
    let turn = facts.listed.game.as_ref()?.root().turn();
    Some(seen(value, turn, PointOfView::White).to_string())
}

fn directed(before: &RootFacts, now: &RootFacts) -> Option<String> {
    if before.listed.row.fact_round < now.listed.row.fact_round {
        return (before.listed.row.regrown < now.listed.row.regrown)
            .then(|| "new tablebases cover positions of the tree: growing it again".to_owned());
    }
    if before.listed.row.found != now.listed.row.found {
        return Some("the tree follows what a closing search has found".to_owned());
    }
    if before.listed.row.regrown < now.listed.row.regrown {
        return Some("the tree follows the directives".to_owned());
    }
    (before.revision != now.revision)
        .then(|| format!("now {}", count(now.directives as u64, "directive")))
}

fn stage(before: &RootMoment, now: &RootMoment) -> Option<String> {
    let limit = |root: &RootMoment| root.entry.as_ref()?.snapshot.as_ref()?.progress.limit;
    let (was, is) = (limit(before), limit(now)?);
    let is_new = was.is_some_and(|was| was != is);
    is_new.then(|| format!("a new stage begins: {}", describe_limit(is)))
}

fn ended(before: Option<&RootEntry>, now: Option<&RootEntry>) -> Option<String> {
    let (was, is) = (&before?.state, &now?.state);
    let is_over = now.is_some_and(|now| now.until.pause_at.is_none())
        && before.is_some_and(|before| before.until.pause_at.is_some());
    let rests = is_over && *was == EntryState::Growing && *is == EntryState::Paused;
    let is_end = rests || matches!(is, EntryState::Done(_) | EntryState::Failed(_));
    (is_end && was != is).then(|| match is {
        EntryState::Paused => "paused: time limit reached".to_owned(),
        EntryState::Failed(why) => format!("failed: {why}"),
        _ => format!("done: {}", is.message().unwrap_or_default()),
    })
}
