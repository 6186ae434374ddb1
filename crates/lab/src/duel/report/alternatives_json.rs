//! A duel of alternatives as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, fen_of};

use crate::duel::alternatives::summary::{AlternativesSummary, Figures, ListRow};
use crate::duel::alternatives::tally::NEAR;
use crate::duel::alternatives::{AlternativesContest, AlternativesOutcome, MORE, RankedMoves};
use crate::duel::judging::CLAMP;
use crate::duel::report::nodes_json::{EstimateObject, JudgedObject, estimate, judgement};
use crate::duel::report::nodes_text::name;
use crate::duel::report::{
    ArmEngineObject, BootstrapObject, DuelFacts, HeadObject, is_same_engine,
};
use crate::duel::run::Duel;
use crate::duel::suite::SuitePosition;

#[derive(Serialize)]
struct AlternativesObject<'a> {
    #[serde(flatten)]
    head: HeadObject<'a>,
    /// Number of moves wanted.
    alternatives: usize,
    /// Of a tree of one engine, or of one of several in the time that all have.
    nodes: u64,
    fleet: &'a [u32],
    trees: Vec<String>,
    judge: ListJudgeObject<'a>,
    margin: u32,
    near: i32,
    clamp: i32,
    bootstrap: BootstrapObject,
    arms: Vec<ListArmObject>,
    positions: Vec<ListPositionObject<'a>>,
}

#[derive(Serialize)]
struct ListJudgeObject<'a> {
    #[serde(flatten)]
    engine: ArmEngineObject<'a>,
    nodes: u64,
    /// Moves of its own list, each of which is then searched alone.
    listed: usize,
    nodes_of_each: u64,
    same_engine: bool,
}

#[derive(Serialize)]
struct ListArmObject {
    /// The nodes of a search with `MultiPV`.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipv_nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    #[serde(flatten)]
    figures: FiguresObject,
    moves: usize,
    without_moves: usize,
    nodes: u64,
    answers: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    less: Vec<LessObject>,
}

/// Shares, and centipawns; null with nothing to count.
#[derive(Serialize)]
struct FiguresObject {
    listed: Option<EstimateObject>,
    error: Option<EstimateObject>,
    wrong_order: Option<EstimateObject>,
    wrong_order_of_all: Option<EstimateObject>,
    second_found: Option<EstimateObject>,
    near_missed: Option<EstimateObject>,
}

/// A tree's figures less a search's, of moves both list, position by position.
#[derive(Serialize)]
struct LessObject {
    multipv_nodes: u64,
    #[serde(flatten)]
    figures: FiguresObject,
}

#[derive(Serialize)]
struct ListPositionObject<'a> {
    id: &'a str,
    line: usize,
    fen: String,
    judged: Vec<JudgedObject>,
    /// In the order of the arms.
    lists: Vec<ListObject>,
}

#[derive(Serialize)]
struct ListObject {
    moves: Vec<JudgedObject>,
    nodes: u64,
    answers: u64,
}

/// Writes a duel of alternatives as JSON.
pub fn write_alternatives_duel_json(
    duel: &Duel<AlternativesContest>,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Duel { contest, outcomes } = duel;
    let summary = AlternativesSummary::of(contest, outcomes);
    let searches = summary.searches.iter().map(|(nodes, row)| arm(Some(*nodes), row));
    let positions = contest.suite.entries.iter().zip(outcomes);
    let object = AlternativesObject {
        head: HeadObject::of(Some("alternatives"), &contest.suite, &contest.player, facts),
        alternatives: contest.moves,
        nodes: contest.nodes,
        fleet: &contest.engines,
        trees: contest.settings.iter().map(ToString::to_string).collect(),
        judge: judge(contest),
        margin: contest.counting.margin,
        near: NEAR,
        clamp: CLAMP,
        bootstrap: BootstrapObject::seeded(contest.counting.seed),
        arms: searches.chain(summary.trees.iter().map(|row| arm(None, row))).collect(),
        positions: positions.map(|(entry, outcome)| position(entry, outcome)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

fn judge(contest: &AlternativesContest) -> ListJudgeObject<'_> {
    ListJudgeObject {
        engine: ArmEngineObject::of(&contest.judge),
        nodes: contest.judge_nodes,
        listed: contest.moves + MORE,
        nodes_of_each: contest.nodes_of_move(),
        same_engine: is_same_engine(&contest.player, &contest.judge),
    }
}

fn arm(multipv_nodes: Option<u64>, row: &ListRow) -> ListArmObject {
    let less = row.beside.iter().map(|beside| LessObject {
        multipv_nodes: beside.nodes,
        figures: figures(&beside.figures),
    });
    ListArmObject {
        multipv_nodes,
        engines: row.engines,
        tree: row.setting.map(name),
        figures: figures(&row.figures),
        moves: row.moves,
        without_moves: row.empty,
        nodes: row.nodes,
        answers: row.searches,
        less: less.collect(),
    }
}

fn figures(figures: &Figures) -> FiguresObject {
    FiguresObject {
        listed: figures.listed.map(estimate),
        error: figures.error.map(estimate),
        wrong_order: figures.wrong.map(estimate),
        wrong_order_of_all: figures.wrong_of_all.map(estimate),
        second_found: figures.second.map(estimate),
        near_missed: figures.missed.map(estimate),
    }
}

fn position<'a>(entry: &'a SuitePosition, outcome: &AlternativesOutcome) -> ListPositionObject<'a> {
    let root = &entry.position;
    let lists = outcome.searches.iter().chain(outcome.trees.iter().flatten());
    let list = |list: &RankedMoves| ListObject {
        moves: scored(root, &list.moves),
        nodes: list.nodes,
        answers: list.searches,
    };
    ListPositionObject {
        id: &entry.id,
        line: entry.line,
        fen: fen_of(root),
        judged: scored(root, &outcome.judged),
        lists: lists.map(list).collect(),
    }
}

fn scored(root: &Chess, moves: &[(UciMove, Score)]) -> Vec<JudgedObject> {
    moves.iter().map(|(uci, score)| judgement(root, *uci, *score)).collect()
}
