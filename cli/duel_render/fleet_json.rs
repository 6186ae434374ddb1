//! A duel of equal time as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use shakmaty::uci::UciMove;

use crate::duels::{
    Arm, ArmCost, CLAMP, Duel, Entry, EqualSpeed, Estimate, FleetArm, FleetContest, FleetOutcome,
    FleetRow, FleetSummary, Measure, Other, SearchArm, Shares, Speed,
};
use deepanalyze_core::chess::{fen_of, san_of};

use super::fleet_objects::{
    ArmObject, ChosenObject, CostObject, DifferenceObject, FleetDuelObject, FleetJudgeObject,
    FleetPositionObject, SearchesObject, SharesObject, SpeedObject, WorthObject,
};
use super::fleet_text::of_other;
use super::head::{BootstrapObject, DuelFacts, EngineObject, HeadObject};
use super::json::{estimate, judgement};
use super::text::name;
use super::words::is_same_engine;

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
            engine: EngineObject::of(judge),
            nodes: *nodes,
            own_moves: *own,
            same_engine: is_same_engine(&contest.player, judge),
            clamp: CLAMP,
        }),
    }
}

fn cost(cost: &ArmCost) -> CostObject {
    CostObject {
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

fn difference((speed, of): &(u32, Estimate)) -> DifferenceObject {
    DifferenceObject { speed: *speed, difference: estimate(*of) }
}

fn worth(equal: EqualSpeed) -> WorthObject {
    let EqualSpeed { value, low, high } = equal;
    WorthObject { value: value.map(speed), low: speed(low), high: speed(high) }
}

fn speed(speed: Speed) -> SpeedObject {
    match speed {
        Speed::Less => SpeedObject::Outside("less than 1"),
        Speed::At(speed) => SpeedObject::At(rounded(speed)),
        Speed::More => SpeedObject::Outside("more than all"),
    }
}

/// To three decimals: logarithms may differ in their last bits from machine to machine.
fn rounded(number: f64) -> f64 {
    (1000.0 * number).round() / 1000.0
}

fn shares(shares: Shares) -> SharesObject {
    let Shares { used, unused, unfinished, closing, idle } = shares;
    SharesObject { used, unused, unfinished, closing, idle }
}

fn position<'a>(
    contest: &FleetContest,
    entry: &'a Entry,
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
    entry: &Entry,
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
