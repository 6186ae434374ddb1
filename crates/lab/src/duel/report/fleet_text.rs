//! A duel of equal time for people: a line per position, then the worth of each number of engines.

use std::io::{self, Write};

use deepanalyze_core::chess::{Score, san_of};
use deepanalyze_core::search::Profile;

use crate::duel::fleet::arm::TimeShares;
use crate::duel::fleet::equal::{EqualSpeed, WorthSpeed};
use crate::duel::fleet::summary::{Arm, ArmCost, FleetRow, FleetSummary};
use crate::duel::fleet::{FleetContest, FleetOutcome, Measure, Other};
use crate::duel::judging::CLAMP;
use crate::duel::report::nodes_text::name;
use crate::duel::report::{
    DuelFacts, ID_WIDTH, akin, engine, is_same_engine, shortened, times, typed, write_head,
};
use crate::duel::run::Duel;
use crate::duel::statistics::Estimate;
use crate::duel::suite::SuitePosition;

/// Writes a duel of equal time as text.
pub fn write_fleet_duel(
    duel: &Duel<FleetContest>,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let contest = &duel.contest;
    write_header(contest, facts, out)?;
    writeln!(out, "{:ID_WIDTH$} {}", "position", columns(contest))?;
    for (entry, outcome) in contest.suite.entries.iter().zip(&duel.outcomes) {
        writeln!(out, "{}", position(contest, entry, outcome))?;
    }
    let summary = FleetSummary::of(contest, &duel.outcomes);
    writeln!(out, "\none search  {:>9}  {}", "nodes", measured(&contest.measure))?;
    for (speed, cost) in &summary.searches {
        let nodes = contest.nodes_at(*speed);
        writeln!(out, "{:>10}  {nodes:>9}  {}", format!("x{speed}"), of_arm(cost))?;
    }
    let mut engines = None;
    for row in &summary.rows {
        if engines.replace(row.engines) != Some(row.engines) {
            let root = f64::from(row.engines).sqrt();
            writeln!(out, "\n{} engines; their square root is {root:.1}", row.engines)?;
        }
        write_row(row, contest, &summary, out)?;
    }
    Ok(())
}

fn write_header(
    contest: &FleetContest,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(&contest.suite, &contest.player, facts, out)?;
    writeln!(out, "time      {} nodes of one engine; virtual, without overhead", contest.time)?;
    match &contest.measure {
        Measure::Solved => writeln!(out, "marks     + before a move that solves the position")?,
        Measure::Losses { judge, nodes, own } => write_judge(contest, judge, *nodes, *own, out)?,
    }
    for (index, setting) in contest.settings.iter().enumerate() {
        writeln!(out, "tree {:4} {setting}", name(index))?;
    }
    for other in &contest.others {
        match other {
            Other::Split => {
                writeln!(out, "split     the position's moves, shared out among the engines")?
            }
            Other::Threads => {
                writeln!(
                    out,
                    "threads   one engine with as many threads: not the same in every run"
                )?;
            }
        }
    }
    writeln!(out, "command   {}\n", typed(facts.command))
}

fn write_judge(
    contest: &FleetContest,
    judge: &Profile,
    nodes: u64,
    own: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let longest = contest.nodes_at(contest.speeds().last().copied().unwrap_or(1));
    let of_longest = times(nodes, longest);
    writeln!(
        out,
        "judge     {}, {nodes} nodes, {of_longest} times those of the longest search",
        engine(judge)
    )?;
    if is_same_engine(&contest.player, judge) {
        writeln!(out, "{}", akin(nodes, longest))?;
    }
    if own {
        writeln!(out, "          asked for its own move, too: losses are beside that")?;
    }
    let clamp = Score::Cp(CLAMP);
    writeln!(out, "          mates and scores beyond {clamp} count as {clamp}")?;
    writeln!(out, "marks     (centipawns) that a move loses, where it loses any")
}

/// The columns of a position.
fn columns(contest: &FleetContest) -> String {
    let speeds: Vec<String> = contest.speeds().iter().map(|speed| format!("x{speed}")).collect();
    let trees: Vec<String> = (0..contest.settings.len()).map(name).collect();
    let others: String =
        contest.others.iter().map(|other| format!(" {}", of_other(*other))).collect();
    let of_engines =
        contest.engines.iter().map(|engines| format!(" | {engines}: {}{others}", trees.join(" ")));
    format!("{}{}", speeds.join(" "), of_engines.collect::<String>())
}

/// Each arm's choice.
fn position(contest: &FleetContest, entry: &SuitePosition, outcome: &FleetOutcome) -> String {
    let mark = |uci| match (&contest.measure, outcome.cost(&contest.measure, entry, uci)) {
        (Measure::Solved, 0) => format!("+{}", san_of(&entry.position, uci)),
        (Measure::Solved, _) | (_, 0) => san_of(&entry.position, uci),
        (_, loss) => format!("{}({loss})", san_of(&entry.position, uci)),
    };
    let searches: Vec<String> = outcome.searches.iter().map(|arm| mark(arm.uci)).collect();
    let mut line = format!("{:ID_WIDTH$} {}", shortened(&entry.id), searches.join(" "));
    for (index, trees) in outcome.trees.iter().enumerate() {
        let trees = trees.iter().filter_map(|tree| outcome.move_of(tree)).map(mark);
        line += &format!(" | {}", trees.collect::<Vec<_>>().join(" "));
        let others = outcome.others.get(index).into_iter().flatten();
        line.extend(others.map(|arm| format!(" {}", mark(arm.uci))));
    }
    line
}

pub(super) fn of_other(other: Other) -> &'static str {
    match other {
        Other::Split => "split",
        Other::Threads => "threads",
    }
}

fn measured(measure: &Measure) -> &'static str {
    match measure {
        Measure::Solved => "solved",
        Measure::Losses { .. } => "loss (centipawns)",
    }
}

fn of_arm(cost: &ArmCost) -> String {
    let solved = cost.solved.map(|(count, Estimate { value, low, high })| {
        let [value, low, high] = [value, low, high].map(|share| 100.0 * share);
        format!("{count} ({value:.1} %, {low:.1} to {high:.1})")
    });
    let loss = || {
        let Estimate { value, low, high } = cost.loss?;
        Some(format!("{value:.2} ({low:.2} to {high:.2})"))
    };
    solved.or_else(loss).unwrap_or_default()
}

fn write_row(
    row: &FleetRow,
    contest: &FleetContest,
    summary: &FleetSummary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let measure = &contest.measure;
    let arm = match row.arm {
        Arm::Tree(index) => format!("tree {}", name(index)),
        Arm::Other(other) => of_other(other).to_owned(),
    };
    writeln!(out, "{arm:>10}  {}", of_arm(&row.cost))?;
    if let Some(equal) = row.equal {
        writeln!(out, "            worth {}", worth(equal))?;
    }
    let mut beside: Vec<String> = row
        .beside
        .iter()
        .map(|(speed, difference)| format!("x{speed} {}", more(measure, *difference, summary)))
        .collect();
    let others = row.beside_others.iter();
    beside.extend(
        others.map(|(other, of)| format!("{} {}", of_other(*other), more(measure, *of, summary))),
    );
    let what = match measure {
        Measure::Solved => "solved more than",
        Measure::Losses { .. } => "loses more than",
    };
    writeln!(out, "            {what}: {}", beside.join(", "))?;
    let Arm::Tree(_) = row.arm else { return Ok(()) };
    let TimeShares { used, unused, unfinished, closing, idle } = row.shares;
    let whole = used + unused + unfinished + closing + idle;
    let share = |of| format!("{:.1} %", percent(of, whole));
    let closing = match closing {
        0 => String::new(),
        closing => format!(", {} closing search", share(closing)),
    };
    writeln!(
        out,
        "            time: {} in the tree, {} unused, {} unfinished{closing}, {} idle; {:.1} answers a tree",
        share(used),
        share(unused),
        share(unfinished),
        share(idle),
        mean(row.searches, summary.positions)
    )?;
    match row.stopped {
        0 => Ok(()),
        stopped => writeln!(out, "            no answer in time in {stopped} positions"),
    }
}

/// How much more an arm solves, in positions, or loses, in centipawns, than another.
fn more(measure: &Measure, difference: Estimate, summary: &FleetSummary) -> String {
    let Estimate { value, low, high } = difference;
    match measure {
        // Unsolved ones cost 1.
        Measure::Solved => {
            let [value, low, high] =
                [value, high, low].map(|of| 0.0 - of * count(summary.positions));
            format!("{value:+.0} ({low:+.0} to {high:+.0})")
        }
        Measure::Losses { .. } => format!("{value:+.2} ({low:+.2} to {high:+.2})"),
    }
}

/// How many times as fast one engine must be: `one search x3.1 (x1.9 to more than all)`.
fn worth(equal: EqualSpeed) -> String {
    let words = |speed| match speed {
        WorthSpeed::Less => "less than x1".to_owned(),
        WorthSpeed::At(speed) => format!("x{speed:.1}"),
        WorthSpeed::More => "more than all".to_owned(),
    };
    let EqualSpeed { value, low, high } = equal;
    match value {
        Some(value) => format!("one search {} ({} to {})", words(value), words(low), words(high)),
        None => "not told: the searches do alike at all speeds".to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn mean(sum: u64, of: usize) -> f64 {
    if of == 0 { 0.0 } else { sum as f64 / count(of) }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn count(of: usize) -> f64 {
    of as f64
}
