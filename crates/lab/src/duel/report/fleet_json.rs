//! A duel of equal time as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, fen_of, san_of};
use deepanalyze_core::search::Limit;

use crate::duel::arm::SearchArm;
use crate::duel::fleet::arm::{FleetArm, TimeShares};
use crate::duel::fleet::equal::{EqualSpeed, WorthSpeed};
use crate::duel::fleet::summary::{Arm, ArmCost, FleetRow, FleetSummary};
use crate::duel::fleet::{FleetContest, FleetOutcome, Measure, Other};
use crate::duel::judging::CLAMP;
use crate::duel::report::fleet_text::of_other;
use crate::duel::report::nodes_json::{EstimateObject, JudgedObject, estimate, judgement};
use crate::duel::report::nodes_text::name;
use crate::duel::report::{
    ArmEngineObject, BootstrapObject, DuelFacts, HeadObject, is_same_engine,
};
use crate::duel::run::Duel;
use crate::duel::statistics::Estimate;
use crate::duel::suite::SuitePosition;

/// Writes a duel of equal time as JSON.
pub fn write_fleet_duel_json(
    duel: &Duel<FleetContest>,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let contest = &duel.contest;
    let summary = FleetSummary::of(contest, &duel.outcomes);
    let positions = contest.suite.entries.iter().zip(&duel.outcomes);
    let searches = summary.searches.iter().map(|(speed, of)| SearchesObject {
        speed: *speed,
        nodes: contest.nodes_at(*speed),
        cost: cost(of),
    });
    let object = FleetDuelObject {
        head: HeadObject::of(Some("equal time"), &contest.suite, &contest.player, facts),
        time: contest.time,
        fleet: &contest.engines,
        trees: contest.settings.iter().map(ToString::to_string).collect(),
        judge: judge(contest),
        bootstrap: BootstrapObject::seeded(contest.seed),
        searches: searches.collect(),
        arms: summary.rows.iter().map(arm).collect(),
        positions: positions.map(|(entry, outcome)| position(contest, entry, outcome)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

fn judge(contest: &FleetContest) -> Option<FleetJudgeObject<'_>> {
    match &contest.measure {
        Measure::Solved => None,
        Measure::Losses { judge, nodes, own } => Some(FleetJudgeObject {
            engine: ArmEngineObject::of(judge),
            nodes: *nodes,
            own_moves: *own,
            same_engine: is_same_engine(&contest.player, judge),
            clamp: CLAMP,
        }),
    }
}

fn cost(cost: &ArmCost) -> ArmCostObject {
    ArmCostObject {
        solved: cost.solved.map(|(count, _)| count),
        solved_share: cost.solved.map(|(_, share)| estimate(share)),
        loss: cost.loss.map(estimate),
    }
}

fn arm(row: &FleetRow) -> ArmObject {
    let tree = match row.arm {
        Arm::Tree(index) => Some(name(index)),
        Arm::Other(_) => None,
    };
    let beside = |wanted| row.beside_others.iter().find(|(other, _)| *other == wanted);
    let beside = |wanted| beside(wanted).map(|(_, of)| estimate(*of));
    let is_tree = tree.is_some();
    ArmObject {
        engines: row.engines,
        square_root: rounded(f64::from(row.engines).sqrt()),
        arm: match row.arm {
            Arm::Tree(_) => "tree",
            Arm::Other(other) => of_other(other),
        },
        tree,
        cost: cost(&row.cost),
        worth: row.equal.map(worth),
        difference: row.beside.iter().map(difference).collect(),
        difference_to_threads: beside(Other::Threads),
        difference_to_split: beside(Other::Split),
        shares: is_tree.then(|| shares(row.shares)),
        no_answer_in_time: is_tree.then_some(row.stopped),
        answers: is_tree.then_some(row.searches),
    }
}

fn difference((speed, of): &(u32, Estimate)) -> SpeedDifferenceObject {
    SpeedDifferenceObject { speed: *speed, difference: estimate(*of) }
}

fn worth(equal: EqualSpeed) -> WorthObject {
    let EqualSpeed { value, low, high } = equal;
    WorthObject { value: value.map(speed), low: speed(low), high: speed(high) }
}

fn speed(speed: WorthSpeed) -> SpeedObject {
    match speed {
        WorthSpeed::Less => SpeedObject::Outside("less than 1"),
        WorthSpeed::At(speed) => SpeedObject::At(rounded(speed)),
        WorthSpeed::More => SpeedObject::Outside("more than all"),
    }
}

/// To three decimals: logarithms may differ in their last bits from machine to machine.
fn rounded(number: f64) -> f64 {
    (1000.0 * number).round() / 1000.0
}

fn shares(shares: TimeShares) -> SharesObject {
    let TimeShares { used, unused, unfinished, closing, idle } = shares;
    SharesObject { used, unused, unfinished, closing, idle }
}

fn position<'a>(
    contest: &FleetContest,
    entry: &'a SuitePosition,
    outcome: &FleetOutcome,
) -> FleetPositionObject<'a> {
    let of_search = |arm: &SearchArm| ChosenObject {
        score: Some(arm.score),
        nodes: Some(arm.nodes),
        ..chosen(contest, entry, outcome, Some(arm.uci))
    };
    let searches = contest.speeds().into_iter().zip(&outcome.searches);
    let mut arms = Vec::new();
    for (index, engines) in contest.engines.iter().enumerate() {
        let trees = outcome.trees.get(index).into_iter().flatten().enumerate();
        arms.extend(trees.map(|(setting, arm)| ChosenObject {
            engines: Some(*engines),
            arm: Some("tree"),
            tree: Some(name(setting)),
            ..tree(chosen(contest, entry, outcome, outcome.move_of(arm)), arm)
        }));
        let others = contest.others.iter().zip(outcome.others.get(index).into_iter().flatten());
        arms.extend(others.map(|(other, arm)| ChosenObject {
            engines: Some(*engines),
            arm: Some(of_other(*other)),
            ..of_search(arm)
        }));
    }
    let judged = outcome.judged.moves.iter();
    FleetPositionObject {
        id: &entry.id,
        line: entry.line,
        fen: fen_of(&entry.position),
        searches: searches
            .map(|(speed, arm)| ChosenObject { speed: Some(speed), ..of_search(arm) })
            .collect(),
        arms,
        judged: judged.map(|(uci, score)| judgement(&entry.position, *uci, *score)).collect(),
        judges_move: outcome.judged.own.map(|uci| uci.to_string()),
    }
}

fn tree(chosen: ChosenObject, arm: &FleetArm) -> ChosenObject {
    ChosenObject {
        score: arm.choice.map(|(_, score)| score),
        answers: Some(arm.searches),
        stage: arm.stage,
        positions: Some(arm.positions),
        passes: Some(arm.passes),
        settled: arm.settled,
        shares: Some(shares(arm.shares)),
        ..chosen
    }
}

fn chosen(
    contest: &FleetContest,
    entry: &SuitePosition,
    outcome: &FleetOutcome,
    uci: Option<UciMove>,
) -> ChosenObject {
    ChosenObject {
        speed: None,
        engines: None,
        arm: None,
        tree: None,
        uci: uci.map(|uci| uci.to_string()),
        san: uci.map(|uci| san_of(&entry.position, uci)),
        score: None,
        cost: uci.map(|uci| outcome.cost(&contest.measure, entry, uci)),
        nodes: None,
        answers: None,
        stage: None,
        positions: None,
        passes: None,
        settled: None,
        shares: None,
    }
}

#[derive(Serialize)]
pub struct FleetDuelObject<'a> {
    #[serde(flatten)]
    pub head: HeadObject<'a>,
    /// In nodes of one engine.
    pub time: u64,
    pub fleet: &'a [u32],
    pub trees: Vec<String>,
    pub judge: Option<FleetJudgeObject<'a>>,
    pub bootstrap: BootstrapObject,
    pub searches: Vec<SearchesObject>,
    pub arms: Vec<ArmObject>,
    pub positions: Vec<FleetPositionObject<'a>>,
}

#[derive(Serialize)]
pub struct FleetJudgeObject<'a> {
    #[serde(flatten)]
    pub engine: ArmEngineObject<'a>,
    pub nodes: u64,
    pub own_moves: bool,
    pub same_engine: bool,
    /// Larger scores, and mates, count as this many.
    pub clamp: i32,
}

#[derive(Serialize)]
pub struct SearchesObject {
    pub speed: u32,
    pub nodes: u64,
    #[serde(flatten)]
    pub cost: ArmCostObject,
}

#[derive(Serialize)]
pub struct ArmCostObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solved_share: Option<EstimateObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<EstimateObject>,
}

#[derive(Serialize)]
pub struct ArmObject {
    pub engines: u32,
    pub square_root: f64,
    /// `tree`, or `split` or `threads`.
    pub arm: &'static str,
    /// Null if it is no tree.
    pub tree: Option<String>,
    #[serde(flatten)]
    pub cost: ArmCostObject,
    pub worth: Option<WorthObject>,
    /// The mean cost less that of the searches, position by position.
    pub difference: Vec<SpeedDifferenceObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_to_threads: Option<EstimateObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_to_split: Option<EstimateObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<SharesObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_answer_in_time: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
}

#[derive(Serialize)]
pub struct SpeedDifferenceObject {
    pub speed: u32,
    #[serde(flatten)]
    pub difference: EstimateObject,
}

#[derive(Serialize)]
pub struct WorthObject {
    /// Null if nothing distinguishes speeds.
    pub value: Option<SpeedObject>,
    pub low: SpeedObject,
    pub high: SpeedObject,
}

/// A number, or `"less than 1"`, or `"more than all"`.
#[derive(Serialize)]
#[serde(untagged)]
pub enum SpeedObject {
    At(f64),
    Outside(&'static str),
}

#[derive(Serialize)]
pub struct SharesObject {
    pub used: u64,
    pub unused: u64,
    pub unfinished: u64,
    pub closing: u64,
    pub idle: u64,
}

#[derive(Serialize)]
pub struct FleetPositionObject<'a> {
    pub id: &'a str,
    pub line: usize,
    pub fen: String,
    pub searches: Vec<ChosenObject>,
    pub arms: Vec<ChosenObject>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<JudgedObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_move: Option<String>,
}

#[derive(Serialize)]
pub struct ChosenObject {
    /// Times as fast, or engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engines: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    pub uci: Option<String>,
    pub san: Option<String>,
    pub score: Option<Score>,
    /// 1 if the position is not solved, or centipawns.
    pub cost: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
    /// The engine depth of the stage that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<SharesObject>,
}
