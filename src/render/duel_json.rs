//! A duel as one JSON object. The format is public; `"format": 1` names it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Score, fen_of, san_of};
use crate::duel::{
    Asked, CLAMP, Contest, Duel, Entry, Estimate, Outcome, RESAMPLES, SearchArm, Summary, TreeArm,
    centipawns, verdict,
};
use crate::search::Profile;

use super::duel::{DuelFacts, chose, is_same_engine, name};

#[derive(Serialize)]
struct DuelObject<'a> {
    format: u32,
    program: &'a str,
    command: &'a [String],
    suite: SuiteObject<'a>,
    engine: EngineObject<'a>,
    /// Of each arm.
    nodes: u64,
    judge: JudgeObject<'a>,
    margin: u32,
    clamp: i32,
    bootstrap: BootstrapObject,
    settings: Vec<SettingObject>,
    positions: Vec<PositionObject<'a>>,
}

#[derive(Serialize)]
struct SuiteObject<'a> {
    file: &'a str,
    crc32: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    positions: usize,
    left_out: Vec<SkippedObject<'a>>,
}

#[derive(Serialize)]
struct SkippedObject<'a> {
    line: usize,
    why: &'a str,
}

#[derive(Serialize)]
struct EngineObject<'a> {
    name: &'a str,
    options: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct JudgeObject<'a> {
    #[serde(flatten)]
    engine: EngineObject<'a>,
    nodes: u64,
    same_engine: bool,
    first_choices: bool,
    own_moves: bool,
}

#[derive(Serialize)]
struct BootstrapObject {
    resamples: usize,
    seed: u64,
    confidence: f64,
}

#[derive(Serialize)]
struct EstimateObject {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct SettingObject {
    name: String,
    tree: String,
    positions: usize,
    agreed: usize,
    won: usize,
    drawn: usize,
    lost: usize,
    won_of_decided: Option<EstimateObject>,
    search_loss: Option<EstimateObject>,
    tree_loss: Option<EstimateObject>,
    difference: Option<EstimateObject>,
    tree_is_better: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judges_move_found: Option<FoundObject>,
    overrated: Option<OverratedObject>,
    first_choice: FirstChoiceObject,
    mean_nodes: NodesObject,
    idle_share: f64,
    mean_searches: f64,
    mean_positions: f64,
    mean_settled: f64,
}

#[derive(Serialize)]
struct FoundObject {
    search: usize,
    tree: usize,
}

#[derive(Serialize)]
struct OverratedObject {
    search: EstimateObject,
    tree: EstimateObject,
}

#[derive(Serialize)]
struct FirstChoiceObject {
    kept: usize,
    left_for_better: usize,
    left_for_even: usize,
    left_for_worse: usize,
    left_unjudged: usize,
}

#[derive(Serialize)]
struct NodesObject {
    search: f64,
    tree: f64,
    uncounted: f64,
}

#[derive(Serialize)]
struct PositionObject<'a> {
    id: &'a str,
    line: usize,
    fen: String,
    search: SearchObject,
    trees: Vec<TreeObject>,
    judged: Vec<JudgedObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judges_move: Option<String>,
}

#[derive(Serialize)]
struct SearchObject {
    uci: String,
    san: String,
    eval: Score,
    nodes: u64,
}

#[derive(Serialize)]
struct TreeObject {
    setting: String,
    uci: String,
    san: String,
    score: Score,
    chosen_by: &'static str,
    result: Option<&'static str>,
    search_loss: Option<i32>,
    tree_loss: Option<i32>,
    first_choice: String,
    best: String,
    alpha: Score,
    nodes: u64,
    uncounted_nodes: u64,
    idle_nodes: u64,
    rehearsal_nodes: u64,
    searches: u64,
    positions: u64,
    passes: u64,
    settled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closing: Option<SearchObject>,
}

#[derive(Serialize)]
struct JudgedObject {
    uci: String,
    san: String,
    score: Score,
    centipawns: i32,
}

/// Writes a duel as JSON.
pub fn write_duel_json(duel: &Duel, facts: DuelFacts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let contest = &duel.contest;
    let positions = contest.suite.entries.iter().zip(&duel.outcomes);
    let object = DuelObject {
        format: 1,
        program: concat!("deepanalyze ", env!("CARGO_PKG_VERSION")),
        command: facts.command,
        suite: suite(contest, facts),
        engine: engine(&contest.player),
        nodes: contest.nodes,
        judge: JudgeObject {
            engine: engine(&contest.judge),
            nodes: contest.judge_nodes,
            same_engine: is_same_engine(contest),
            first_choices: contest.asked != Asked::Arms,
            own_moves: contest.asked == Asked::OwnMoves,
        },
        margin: contest.counting.margin,
        clamp: CLAMP,
        bootstrap: BootstrapObject {
            resamples: RESAMPLES,
            seed: contest.counting.seed,
            confidence: 0.95,
        },
        settings: (0..contest.settings.len()).filter_map(|index| setting(duel, index)).collect(),
        positions: positions.map(|(entry, outcome)| position(contest, entry, outcome)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

fn suite<'a>(contest: &'a Contest, facts: DuelFacts<'a>) -> SuiteObject<'a> {
    let left_out = contest.suite.skipped.iter();
    SuiteObject {
        file: facts.file,
        crc32: format!("{:08x}", facts.checksum),
        seed: facts.seed,
        positions: contest.suite.entries.len(),
        left_out: left_out.map(|skip| SkippedObject { line: skip.line, why: &skip.why }).collect(),
    }
}

fn engine(profile: &Profile) -> EngineObject<'_> {
    EngineObject { name: &profile.engine, options: &profile.options }
}

fn setting(duel: &Duel, index: usize) -> Option<SettingObject> {
    let tree = duel.contest.settings.get(index)?.to_string();
    let summary = Summary::of(&duel.outcomes, index, duel.contest.counting);
    let departures = summary.departures;
    Some(SettingObject {
        name: name(index),
        tree,
        positions: summary.positions,
        agreed: summary.agreed,
        won: summary.won,
        drawn: summary.drawn,
        lost: summary.lost,
        won_of_decided: summary.decided.map(estimate),
        search_loss: summary.search_loss.map(estimate),
        tree_loss: summary.tree_loss.map(estimate),
        difference: summary.difference.map(estimate),
        tree_is_better: summary.better(),
        judges_move_found: summary.found.map(|(search, tree)| FoundObject { search, tree }),
        overrated: summary.overrated.map(|(search, tree)| OverratedObject {
            search: estimate(search),
            tree: estimate(tree),
        }),
        first_choice: FirstChoiceObject {
            kept: departures.kept,
            left_for_better: departures.right,
            left_for_even: departures.even,
            left_for_worse: departures.wrong,
            left_unjudged: departures.unjudged,
        },
        mean_nodes: NodesObject {
            search: summary.search_nodes,
            tree: summary.tree_nodes,
            uncounted: summary.uncounted_nodes,
        },
        idle_share: summary.idle,
        mean_searches: summary.searches,
        mean_positions: summary.tree_positions,
        mean_settled: summary.settled,
    })
}

fn estimate(estimate: Estimate) -> EstimateObject {
    EstimateObject { value: estimate.value, low: estimate.low, high: estimate.high }
}

fn position<'a>(contest: &Contest, entry: &'a Entry, outcome: &'a Outcome) -> PositionObject<'a> {
    let (root, judged) = (&entry.position, &outcome.judged);
    let trees = contest.settings.iter().zip(&outcome.trees).enumerate();
    PositionObject {
        id: &entry.id,
        line: entry.line,
        fen: fen_of(root),
        search: search(root, &outcome.search),
        trees: trees.map(|(index, (_, arm))| tree(contest, entry, outcome, index, arm)).collect(),
        judged: judged.moves.iter().map(|(uci, score)| judgement(root, *uci, *score)).collect(),
        judges_move: judged.own.map(|uci| uci.to_string()),
    }
}

fn search(root: &Chess, arm: &SearchArm) -> SearchObject {
    SearchObject {
        uci: arm.uci.to_string(),
        san: san_of(root, arm.uci),
        eval: arm.score,
        nodes: arm.nodes,
    }
}

fn tree(
    contest: &Contest,
    entry: &Entry,
    outcome: &Outcome,
    index: usize,
    arm: &TreeArm,
) -> TreeObject {
    let (other, judged) = (outcome.search.uci, &outcome.judged);
    let losses = judged.losses(other, arm.uci);
    TreeObject {
        setting: name(index),
        uci: arm.uci.to_string(),
        san: san_of(&entry.position, arm.uci),
        score: arm.score,
        chosen_by: chose(arm),
        result: verdict(judged, other, arm.uci, contest.counting.margin).map(|v| v.name()),
        search_loss: losses.map(|(search, _)| search),
        tree_loss: losses.map(|(_, tree)| tree),
        first_choice: arm.first.to_string(),
        best: arm.best.to_string(),
        alpha: arm.alpha,
        nodes: arm.nodes,
        uncounted_nodes: arm.uncounted,
        idle_nodes: arm.idle_nodes,
        rehearsal_nodes: arm.rehearsal_nodes,
        searches: arm.searches,
        positions: arm.positions,
        passes: arm.passes,
        settled: arm.settled,
        closing: arm.closing.as_ref().map(|closing| search(&entry.position, closing)),
    }
}

fn judgement(root: &Chess, uci: UciMove, score: Score) -> JudgedObject {
    JudgedObject {
        uci: uci.to_string(),
        san: san_of(root, uci),
        score,
        centipawns: centipawns(score),
    }
}
