//! A root and the engines as objects, as the page and scripts see them.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use shakmaty::Position;

use crate::events::{Object, milliseconds};
use crate::verdict::{LINE_PLIES, VerdictObject};
use deepanalyze_core::chess::{Score, fen_of};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{PlayedRule, PlayedRules};
use deepanalyze_engine::{EngineMessage, EngineState, EngineStates};
use deepanalyze_runner::{EntryState, RecheckProgress, RootEntry, Runner};
use deepanalyze_store::KeptGameSet;
use deepanalyze_view::{
    DepthReached, HumanObject, Line, NamedEngine, NamedMove, SettingsObject, Side, StageVerdict,
    Variant, are_computed, describe_root, describe_set, start_of, variant_of,
};

use super::RootMoment;
use super::facts::RootFacts;

/// A set of games that a tree knows, and the rules by which it follows played moves.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KnownGames"))]
pub struct KnownGamesObject<'a> {
    set: &'a str,
    games: u64,
    /// The selection of its counted games, in words; empty for all.
    filter: &'a str,
    /// All of them in words: `club, 1,234 games; people like maia-1500`.
    words: String,
    /// The nets that predict moves of people.
    #[serde(skip_serializing_if = "Option::is_none")]
    human: Option<HumanObject<'a>>,
    played: PlayedObject,
}

/// The moves followed because they are played: a share of the position's games, and how many games
/// at least (`5%/10`).
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlayedRules"))]
struct PlayedObject {
    /// Where White is to move.
    white: Option<String>,
    /// Where Black is to move.
    black: Option<String>,
}

impl<'a> KnownGamesObject<'a> {
    /// A set, and its rules.
    pub fn of(set: &'a KeptGameSet, rules: PlayedRules) -> KnownGamesObject<'a> {
        let KeptGameSet { name, filter, games, nets, .. } = set;
        let rule = |rule: Option<PlayedRule>| rule.map(|rule| rule.to_string());
        let played = PlayedObject { white: rule(rules.white), black: rule(rules.black) };
        let (words, human) = (describe_set(set), HumanObject::of(nets));
        KnownGamesObject { set: name, games: *games, filter, words, human, played }
    }
}

/// An analysis: a position with its trees.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Root"))]
pub struct RootObject<'a> {
    /// The number of its first stage's analysis; that of any stage is accepted.
    id: i64,
    /// The stage that speaks.
    analysis: i64,
    name: Option<&'a str>,
    /// The game and where it stands, in words.
    label: String,
    /// FEN.
    root: &'a str,
    /// The moves before it, in UCI notation.
    history: Vec<String>,
    /// FEN of the position where the history began, if not the initial one.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// Only if the history began as only Chess960 can; castling is then the king's move onto its
    /// rook.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
    /// The side to move; null if the moves are illegal.
    turn: Option<Side>,
    engine: NamedEngine<'a>,
    #[serde(flatten)]
    settings: SettingsObject,
    depth: DepthReached,
    /// The score of the verdict.
    value: Option<Score>,
    /// The line of the verdict.
    best: Vec<NamedMove>,
    /// Null if the tree has no move yet. `value` and `best` are its score and line.
    verdict: Option<VerdictObject>,
    /// Analysed positions.
    positions: u64,
    searches: u64,
    passes: u64,
    engine_time_ms: u64,
    /// Milliseconds since 1970, UTC.
    changed_at: i64,
    /// The shallowest engine depth first.
    stages: &'a [StageVerdict],
    /// Number of directives.
    directives: usize,
    /// True if the tree was grown with other directives.
    pending: bool,
    /// True if the server's engine can go on with it.
    own_engine: bool,
    /// True if its engine computes win, draw and loss from the score alone, as the built-in one
    /// does.
    computes_wdl: bool,
    /// The games that its tree knows.
    games: Option<KnownGamesObject<'a>>,
    /// True if the server can go on with it: it knows no games, or those that the server has.
    own_games: bool,
    /// True if it is in the archive.
    archived: bool,
    /// The newest whole game for which it was made, see /api/games.
    whole_game: Option<i64>,
    run: RunObject<'a>,
    /// Directives that a new analysis began with; only in the answer that adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    copied: Option<CopiedObject>,
}

/// This many directives were copied from the game this many plies before.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Copied"))]
pub struct CopiedObject {
    /// Directives.
    pub count: usize,
    /// Plies.
    pub plies: usize,
}

/// A root under this agenda.
pub(super) fn root_object<'a>(root: &'a RootMoment, agenda: &Runner) -> RootObject<'a> {
    let RootMoment { facts, entry, spent } = root;
    let (listed, row) = (&facts.listed, &facts.listed.row);
    let game = listed.game.as_ref();
    let games = row.game_set.as_ref().zip(row.settings.games);
    let line = listed.line.as_ref();
    RootObject {
        id: facts.id.0,
        analysis: row.id.0,
        name: listed.name.as_deref(),
        label: game.map_or_else(|| row.root.clone(), describe_root),
        root: &row.root,
        history: row.history.iter().map(ToString::to_string).collect(),
        start: game.and_then(start_of),
        variant: game.and_then(variant_of),
        turn: game.map(|game| game.root().turn().into()),
        engine: NamedEngine::without_limit(&row.profile),
        settings: SettingsObject::of(&row.settings),
        depth: DepthReached::of_row(row),
        value: line.map(Line::score),
        best: line.map_or_else(Vec::new, best),
        verdict: listed.told.as_ref().map(VerdictObject::of),
        positions: row.positions,
        searches: row.searches,
        passes: row.passes,
        engine_time_ms: *spent,
        changed_at: listed.changed_at,
        stages: &facts.stages,
        directives: facts.directives,
        pending: facts.pending,
        own_engine: facts.is_of(agenda.profile()),
        computes_wdl: are_computed(&row.profile),
        games: games.map(|(set, known)| KnownGamesObject::of(set, known.rules)),
        own_games: agenda.has_games(row).is_ok(),
        archived: facts.is_archived,
        whole_game: facts.games.first().filter(|_| facts.is_of_game).map(|game| game.0),
        run: run_object(facts, entry.as_ref()),
        copied: None,
    }
}

impl RootObject<'_> {
    /// Its keys and values.
    pub fn keys(&self) -> Object {
        json!(self).as_object().cloned().unwrap_or_default()
    }
}

fn best(line: &Line) -> Vec<NamedMove> {
    NamedMove::line(&line.root, line.plies(LINE_PLIES))
}

/// The run of an analysis.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Run"))]
struct RunObject<'a> {
    state: RunState,
    /// Its share of the engines' time.
    weight: u32,
    /// Its place on the agenda, from 0.
    place: Option<usize>,
    /// True if the engines search deeper from stage to stage.
    stages: bool,
    limit: Option<Limit>,
    /// The depth that is being completed.
    depth: Option<u32>,
    target: u32,
    /// Searches that wait for an engine.
    waiting: usize,
    /// Engines that search for it.
    busy: usize,
    searches: u64,
    nodes: u64,
    elapsed_ms: u64,
    searches_per_second: f64,
    /// Why it is done, has failed, or is grown elsewhere.
    message: Option<&'a str>,
    /// When it is paused, in milliseconds since 1970.
    pause_at: Option<i64>,
    /// The chance in per cent that the best move stays at which it is done.
    #[cfg_attr(test, schemars(range(min = 1, max = 96)))]
    until_stable: Option<u8>,
    /// True if a closing search is being made.
    closing: bool,
    /// A recheck that is being made.
    rechecking: Option<RecheckingObject>,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum RunState {
    Growing,
    Paused,
    Idle,
    Done,
    Failed,
    Elsewhere,
}

/// Number of scores a recheck has asked again, of those that can be.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Rechecking"))]
struct RecheckingObject {
    asked: u64,
    leaves: u64,
}

fn run_object<'a>(facts: &RootFacts, entry: Option<&'a RootEntry>) -> RunObject<'a> {
    let progress = entry.and_then(|entry| entry.snapshot.as_ref()).map(|seen| &seen.progress);
    let is_growing = entry.is_some_and(|entry| entry.state == EntryState::Growing);
    let live = progress.filter(|_| is_growing);
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let target = facts.listed.row.target_depth;
    RunObject {
        state: state(facts, entry),
        weight: entry.map_or(1, |entry| entry.weight),
        place: entry.map(|entry| entry.place),
        stages: entry.map_or(facts.stages.len() > 1, |entry| entry.stages),
        limit: live.and_then(|progress| progress.limit),
        depth: live.map(|progress| progress.depth),
        target: entry.map_or(target, |entry| entry.depth),
        waiting: live.map_or(0, |progress| progress.waiting),
        busy: live.map_or(0, |progress| progress.busy),
        searches: progress.map_or(0, |progress| progress.searches),
        nodes: progress.map_or(0, |progress| progress.nodes),
        elapsed_ms: progress.map_or(0, |progress| milliseconds(progress.elapsed)),
        searches_per_second: live.map_or(0.0, |progress| tenths(progress.searches_per_second())),
        message: entry.and_then(|entry| entry.state.message()),
        pause_at: entry.and_then(|entry| entry.until.pause_at),
        until_stable: entry.and_then(|entry| entry.until.stable),
        closing: is_growing && is_closing(entry),
        rechecking: entry.filter(|_| is_growing).and_then(rechecking),
    }
}

/// True if a closing search is being made.
fn is_closing(entry: Option<&RootEntry>) -> bool {
    entry.and_then(|entry| entry.snapshot.as_ref()).is_some_and(|seen| seen.closing.is_some())
}

fn rechecking(entry: &RootEntry) -> Option<RecheckingObject> {
    let RecheckProgress { asked, leaves, .. } = *entry.snapshot.as_ref()?.recheck.as_ref()?;
    Some(RecheckingObject { asked, leaves })
}

fn state(facts: &RootFacts, entry: Option<&RootEntry>) -> RunState {
    match entry.map(|entry| &entry.state) {
        Some(EntryState::Growing) => RunState::Growing,
        Some(EntryState::Elsewhere(_)) => RunState::Elsewhere,
        _ if facts.listed.is_growing && entry.is_none() => RunState::Elsewhere,
        Some(EntryState::Paused) => RunState::Paused,
        Some(EntryState::Done(_)) => RunState::Done,
        Some(EntryState::Failed(_)) => RunState::Failed,
        None => RunState::Idle,
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// The state of the engines.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "EngineStates"))]
pub struct EnginesObject {
    engines: Vec<EngineObject>,
    /// Engines that work or could be started.
    up: usize,
    searches: u64,
    nodes: u64,
    nodes_per_second: u64,
    faults: u64,
    /// The newest first; not in the stream of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<EngineMessageObject>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "EngineState"))]
struct EngineObject {
    number: usize,
    /// Null if it is idle.
    searching: Option<SearchingObject>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "EngineSearch"))]
struct SearchingObject {
    /// Its analysis on the agenda.
    id: i64,
    fen: String,
    /// This many moves are left out: they were answered before.
    excluded: usize,
    /// Null if the clock ends it: a closing search.
    limit: Option<Limit>,
    /// Milliseconds since 1970, UTC.
    since: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "EngineMessage"))]
struct EngineMessageObject {
    /// Milliseconds since 1970, UTC.
    at: i64,
    text: String,
}

impl EnginesObject {
    /// The engines without their messages.
    pub fn of(states: &EngineStates, nodes_per_second: u64) -> EnginesObject {
        EnginesObject {
            engines: states.engines.iter().map(engine_object).collect(),
            up: states.up,
            searches: states.searches,
            nodes: states.nodes,
            nodes_per_second,
            faults: states.faults,
            messages: None,
        }
    }

    /// With these messages.
    #[must_use]
    pub fn with_messages<'a>(self, all: impl IntoIterator<Item = &'a EngineMessage>) -> Self {
        let message = |EngineMessage { at, text }: &EngineMessage| EngineMessageObject {
            at: milliseconds(*at),
            text: text.clone(),
        };
        EnginesObject { messages: Some(all.into_iter().map(message).collect()), ..self }
    }
}

fn engine_object(state: &EngineState) -> EngineObject {
    let searching = state.searching.as_ref().map(|searching| SearchingObject {
        id: searching.run.0,
        fen: fen_of(&searching.position),
        excluded: searching.excluded,
        limit: searching.limit,
        since: milliseconds(searching.since),
    });
    EngineObject { number: state.number, searching }
}
