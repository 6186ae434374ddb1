//! A duel as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duels::{
    Asked, CLAMP, Duel, Entry, Estimate, NodesContest, PositionOutcome, SearchArm, Summary,
    TreeArm, centipawns, verdict,
};
use deepanalyze_core::chess::{Score, fen_of, san_of};

use super::head::{BootstrapObject, DuelFacts, EngineObject, HeadObject};
use super::objects::{
    DuelObject, EstimateObject, FirstChoiceObject, FoundObject, JudgeObject, JudgedObject,
    NodesObject, OverratedObject, PositionObject, SearchObject, SettingObject, TreeObject,
};
use super::text::{chose, name};
use super::words::is_same_engine;

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
            engine: EngineObject::of(&contest.judge),
            nodes: contest.judge_nodes,
            same_engine: is_same_engine(&contest.player, &contest.judge),
            first_choices: contest.asked != Asked::Arms,
            own_moves: contest.asked == Asked::OwnMoves,
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
    entry: &'a Entry,
    outcome: &'a PositionOutcome,
) -> PositionObject<'a> {
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
    contest: &NodesContest,
    entry: &Entry,
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
        rehearsal_nodes: arm.rehearsal_nodes,
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
