//! A root and the engines as objects, as the page and scripts see them.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::events::{Object, milliseconds};
use crate::verdict::{LINE_PLIES, VerdictObject};
use deepanalyze_core::chess::{Score, fen_of};
use deepanalyze_core::tree::{PlayedRule, PlayedRules};
use deepanalyze_engine::{EngineState, EngineStates};
use deepanalyze_runner::{EntryState, RecheckProgress, RootEntry, Runner};
use deepanalyze_store::KeptGameSet;
use deepanalyze_view::{
    DepthReached, NamedEngine, NamedMove, SettingsObject, are_computed, describe_root, side_word,
    start_of, variant_of,
};

use super::RootMoment;
use super::facts::RootFacts;

/// The games that trees know.
#[derive(Debug, Serialize)]
pub struct KnownGamesObject<'a> {
    set: &'a str,
    games: u64,
    filter: &'a str,
    played: PlayedObject,
}

/// By which rules they follow them: of each side, as `5%/10`.
#[derive(Debug, Serialize)]
struct PlayedObject {
    white: Option<String>,
    black: Option<String>,
}

impl<'a> KnownGamesObject<'a> {
    /// A set, and how it is followed.
    pub fn of(set: &'a KeptGameSet, rules: PlayedRules) -> KnownGamesObject<'a> {
        let KeptGameSet { name, filter, games, .. } = set;
        let words = |rule: Option<PlayedRule>| rule.map(|rule| rule.to_string());
        let played = PlayedObject { white: words(rules.white), black: words(rules.black) };
        KnownGamesObject { set: name, games: *games, filter, played }
    }
}

/// A root as an object, as it is for this agenda.
pub(super) fn root_object(root: &RootMoment, agenda: &Runner) -> Object {
    let RootMoment { facts, entry, spent } = root;
    let (listed, row) = (&facts.listed, &facts.listed.row);
    let game = listed.game.as_ref();
    let settings = json!(SettingsObject::of(&row.settings));
    let games = row.game_set.as_ref().zip(row.settings.games);
    let own = json!({
        "id": facts.id.0,
        "analysis": row.id.0,
        "name": listed.name,
        "label": game.map_or_else(|| row.root.clone(), describe_root),
        "root": row.root,
        "history": row.history.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "turn": game.map(|game| side_word(game.root().turn())),
        "engine": NamedEngine::without_limit(&row.profile),
        "depth": DepthReached::of_row(row),
        "value": listed.verdict.value.map(Score::from),
        "best": game.map_or_else(Vec::new, |game| best(game.root(), &listed.verdict.line)),
        "verdict": game.zip(listed.told.as_ref()).map(|(game, told)| VerdictObject::of(game.root(), told)),
        "positions": row.positions,
        "searches": row.searches,
        "passes": row.passes,
        "engine_time_ms": spent,
        "changed_at": listed.changed_at,
        "stages": facts.stages,
        "directives": facts.directives,
        "pending": facts.pending,
        "own_engine": facts.is_of(agenda.profile()),
        "computes_wdl": are_computed(&row.profile),
        "games": games.map(|(set, known)| KnownGamesObject::of(set, known.rules)),
        "own_games": agenda.has_games(row).is_ok(),
        "archived": facts.is_archived,
        "whole_game": facts.games.first().filter(|_| facts.is_of_game).map(|game| game.0),
        "run": run_object(facts, entry.as_ref()),
    });
    let (Value::Object(mut object), Value::Object(settings)) = (own, settings) else {
        // Both are structs.
        return Object::new();
    };
    object.extend(settings);
    object.extend(game.and_then(start_of).map(|start| ("start".to_owned(), json!(start))));
    object.extend(game.and_then(variant_of).map(|name| ("variant".to_owned(), json!(name))));
    object
}

fn best(root: &Chess, line: &[UciMove]) -> Vec<NamedMove> {
    NamedMove::line(root, line.get(..LINE_PLIES).unwrap_or(line))
}

fn run_object(facts: &RootFacts, entry: Option<&RootEntry>) -> Value {
    let progress = entry.and_then(|entry| entry.snapshot.as_ref()).map(|seen| &seen.progress);
    let is_growing = entry.is_some_and(|entry| entry.state == EntryState::Growing);
    let live = progress.filter(|_| is_growing);
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let target = facts.listed.row.target_depth;
    json!({
        "state": state(facts, entry),
        "weight": entry.map_or(1, |entry| entry.weight),
        "place": entry.map(|entry| entry.place),
        "stages": entry.map_or(facts.stages.len() > 1, |entry| entry.stages),
        "limit": live.and_then(|progress| progress.limit),
        "depth": live.map(|progress| progress.depth),
        "target": entry.map_or(target, |entry| entry.depth),
        "waiting": live.map_or(0, |progress| progress.waiting),
        "busy": live.map_or(0, |progress| progress.busy),
        "searches": progress.map_or(0, |progress| progress.searches),
        "nodes": progress.map_or(0, |progress| progress.nodes),
        "elapsed_ms": progress.map_or(0, |progress| milliseconds(progress.elapsed)),
        "searches_per_second": live.map_or(0.0, |progress| tenths(progress.searches_per_second())),
        "message": entry.and_then(|entry| entry.state.message()),
        "pause_at": entry.and_then(|entry| entry.until.pause_at),
        "until_stable": entry.and_then(|entry| entry.until.stable),
        "closing": is_growing && is_closing(entry),
        "rechecking": entry.filter(|_| is_growing).and_then(rechecking),
    })
}

/// Whether a closing search is being made.
fn is_closing(entry: Option<&RootEntry>) -> bool {
    entry.and_then(|entry| entry.snapshot.as_ref()).is_some_and(|seen| seen.closing.is_some())
}

/// How many scores a recheck has asked again that is being made, of those that could be.
fn rechecking(entry: &RootEntry) -> Option<Value> {
    let RecheckProgress { asked, leaves, .. } = entry.snapshot.as_ref()?.recheck.as_ref()?;
    Some(json!({ "asked": asked, "leaves": leaves }))
}

fn state(facts: &RootFacts, entry: Option<&RootEntry>) -> &'static str {
    match entry.map(|entry| &entry.state) {
        Some(EntryState::Growing) => "growing",
        Some(EntryState::Elsewhere(_)) => "elsewhere",
        _ if facts.listed.is_growing && entry.is_none() => "elsewhere",
        Some(EntryState::Paused) => "paused",
        Some(EntryState::Done(_)) => "done",
        Some(EntryState::Failed(_)) => "failed",
        None => "idle",
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// The engines without their messages, as an object.
pub fn engines_object(states: &EngineStates, nodes_per_second: u64) -> Value {
    let engines: Vec<Value> = states.engines.iter().map(engine_object).collect();
    json!({
        "engines": engines,
        "up": states.up,
        "searches": states.searches,
        "nodes": states.nodes,
        "nodes_per_second": nodes_per_second,
        "faults": states.faults,
    })
}

fn engine_object(state: &EngineState) -> Value {
    let searching = state.searching.as_ref().map(|searching| {
        json!({
            "id": searching.run.0,
            "fen": fen_of(&searching.position),
            "excluded": searching.excluded,
            "limit": searching.limit,
            "since": milliseconds(searching.since),
        })
    });
    json!({ "number": state.number, "searching": searching })
}
