//! A duel as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, fen_of, san_of};

use crate::duel::arm::{SearchArm, TreeArm};
use crate::duel::judging::{CLAMP, centipawns, verdict};
use crate::duel::nodes::summary::{PositionOutcome, Summary};
use crate::duel::nodes::{JudgeAsked, NodesContest};
use crate::duel::report::nodes_text::{chose, name};
use crate::duel::report::{
    ArmEngineObject, BootstrapObject, DuelFacts, HeadObject, is_same_engine,
};
use crate::duel::run::Duel;
use crate::duel::statistics::Estimate;
use crate::duel::suite::SuitePosition;

/// Writes a duel as JSON.
pub fn write_duel_json(
    duel: &Duel<NodesContest>,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let contest = &duel.contest;
    let positions = contest.suite.entries.iter().zip(&duel.outcomes);
    let object = DuelObject {
        head: HeadObject::of(None, &contest.suite, &contest.player, facts),
        nodes: contest.nodes,
        judge: JudgeObject {
            engine: ArmEngineObject::of(&contest.judge),
            nodes: contest.judge_nodes,
            same_engine: is_same_engine(&contest.player, &contest.judge),
            first_choices: contest.asked != JudgeAsked::Arms,
            own_moves: contest.asked == JudgeAsked::OwnMoves,
        },
        margin: contest.counting.margin,
        clamp: CLAMP,
        bootstrap: BootstrapObject::seeded(contest.counting.seed),
        settings: (0..contest.settings.len()).filter_map(|index| setting(duel, index)).collect(),
        positions: positions.map(|(entry, outcome)| position(contest, entry, outcome)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

fn setting(duel: &Duel<NodesContest>, index: usize) -> Option<SettingObject> {
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

pub(super) fn estimate(estimate: Estimate) -> EstimateObject {
    EstimateObject { value: estimate.value, low: estimate.low, high: estimate.high }
}

fn position<'a>(
    contest: &NodesContest,
    entry: &'a SuitePosition,
    outcome: &'a PositionOutcome,
) -> NodesPositionObject<'a> {
    let (root, judged) = (&entry.position, &outcome.judged);
    let trees = contest.settings.iter().zip(&outcome.trees).enumerate();
    NodesPositionObject {
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
    contest: &NodesContest,
    entry: &SuitePosition,
    outcome: &PositionOutcome,
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
        searches: arm.searches,
        positions: arm.positions,
        passes: arm.passes,
        settled: arm.settled,
        closing: arm.closing.as_ref().map(|closing| search(&entry.position, closing)),
    }
}

pub(super) fn judgement(root: &Chess, uci: UciMove, score: Score) -> JudgedObject {
    JudgedObject {
        uci: uci.to_string(),
        san: san_of(root, uci),
        score,
        centipawns: centipawns(score),
    }
}

#[derive(Serialize)]
pub struct DuelObject<'a> {
    #[serde(flatten)]
    pub head: HeadObject<'a>,
    /// Of each arm.
    pub nodes: u64,
    pub judge: JudgeObject<'a>,
    pub margin: u32,
    pub clamp: i32,
    pub bootstrap: BootstrapObject,
    pub settings: Vec<SettingObject>,
    pub positions: Vec<NodesPositionObject<'a>>,
}

#[derive(Serialize)]
pub struct JudgeObject<'a> {
    #[serde(flatten)]
    pub engine: ArmEngineObject<'a>,
    pub nodes: u64,
    pub same_engine: bool,
    pub first_choices: bool,
    pub own_moves: bool,
}

#[derive(Serialize)]
pub struct EstimateObject {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Serialize)]
pub struct SettingObject {
    pub name: String,
    pub tree: String,
    pub positions: usize,
    pub agreed: usize,
    pub won: usize,
    pub drawn: usize,
    pub lost: usize,
    pub won_of_decided: Option<EstimateObject>,
    pub search_loss: Option<EstimateObject>,
    pub tree_loss: Option<EstimateObject>,
    pub difference: Option<EstimateObject>,
    pub tree_is_better: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_move_found: Option<FoundObject>,
    pub overrated: Option<OverratedObject>,
    pub first_choice: FirstChoiceObject,
    pub mean_nodes: NodesObject,
    pub idle_share: f64,
    pub mean_searches: f64,
    pub mean_positions: f64,
    pub mean_settled: f64,
}

#[derive(Serialize)]
pub struct FoundObject {
    pub search: usize,
    pub tree: usize,
}

#[derive(Serialize)]
pub struct OverratedObject {
    pub search: EstimateObject,
    pub tree: EstimateObject,
}

#[derive(Serialize)]
pub struct FirstChoiceObject {
    pub kept: usize,
    pub left_for_better: usize,
    pub left_for_even: usize,
    pub left_for_worse: usize,
    pub left_unjudged: usize,
}

#[derive(Serialize)]
pub struct NodesObject {
    pub search: f64,
    pub tree: f64,
    pub uncounted: f64,
}

#[derive(Serialize)]
pub struct NodesPositionObject<'a> {
    pub id: &'a str,
    pub line: usize,
    pub fen: String,
    pub search: SearchObject,
    pub trees: Vec<TreeObject>,
    pub judged: Vec<JudgedObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_move: Option<String>,
}

#[derive(Serialize)]
pub struct SearchObject {
    pub uci: String,
    pub san: String,
    pub eval: Score,
    pub nodes: u64,
}

#[derive(Serialize)]
pub struct TreeObject {
    pub setting: String,
    pub uci: String,
    pub san: String,
    pub score: Score,
    pub chosen_by: &'static str,
    pub result: Option<&'static str>,
    pub search_loss: Option<i32>,
    pub tree_loss: Option<i32>,
    pub first_choice: String,
    pub best: String,
    pub alpha: Score,
    pub nodes: u64,
    pub uncounted_nodes: u64,
    pub idle_nodes: u64,
    pub searches: u64,
    pub positions: u64,
    pub passes: u64,
    pub settled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<SearchObject>,
}

#[derive(Serialize)]
pub struct JudgedObject {
    pub uci: String,
    pub san: String,
    pub score: Score,
    pub centipawns: i32,
}
