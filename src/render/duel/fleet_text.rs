//! A duel of equal time for people: a line per position, then what each number of engines is worth.

use std::io::{self, Write};

use crate::chess::san_of;
use crate::duel::{
    ArmCost, Entry, EqualSpeed, Estimate, FleetContest, FleetDuel, FleetOutcome, FleetRow,
    FleetSummary, Measure, Shares, Speed,
};

use super::text::{DuelFacts, name};
use super::words::{engine, printable, shortened};

/// Writes a duel of equal time as text.
pub fn write_fleet_duel(
    duel: &FleetDuel,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let contest = &duel.contest;
    write_header(contest, facts, out)?;
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
            writeln!(out, "\n{} engines (square root {root:.1})", row.engines)?;
        }
        write_row(row, &summary, out)?;
    }
    Ok(())
}

fn write_header(
    contest: &FleetContest,
    facts: DuelFacts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let drawn = facts.seed.map(|seed| format!(" (drawn by seed {seed})")).unwrap_or_default();
    let (positions, file) = (contest.suite.entries.len(), printable(facts.file));
    writeln!(out, "positions {positions} of {file}{drawn}")?;
    for skipped in &contest.suite.skipped {
        writeln!(out, "left out  line {}: {}", skipped.line, printable(&skipped.why))?;
    }
    writeln!(out, "engine    {}", engine(&contest.player))?;
    writeln!(out, "time      {} nodes of one engine; virtual, without overhead", contest.time)?;
    if let Measure::Losses { judge, nodes, own } = &contest.measure {
        let own = if *own { ", asked for its own move, too" } else { "" };
        writeln!(out, "judge     {}, {nodes} nodes{own}", engine(judge))?;
    }
    for (index, setting) in contest.settings.iter().enumerate() {
        writeln!(out, "tree {:4} {setting}", name(index))?;
    }
    if contest.threads {
        writeln!(out, "threads   one engine with as many threads: not the same in every run")?;
    }
    writeln!(out, "command   {}\n", printable(&facts.command.join(" ")))
}

/// What each arm chose: + where it costs nothing.
fn position(contest: &FleetContest, entry: &Entry, outcome: &FleetOutcome) -> String {
    let mark = |uci| match (&contest.measure, outcome.cost(&contest.measure, entry, uci)) {
        (Measure::Solved, 0) => format!("{}+", san_of(&entry.position, uci)),
        (Measure::Solved, _) | (_, 0) => san_of(&entry.position, uci),
        (_, loss) => format!("{}({loss})", san_of(&entry.position, uci)),
    };
    let searches: Vec<String> = outcome.searches.iter().map(|arm| mark(arm.uci)).collect();
    let mut line = format!("{:28} {}", shortened(&entry.id), searches.join(" "));
    for (index, trees) in outcome.trees.iter().enumerate() {
        let trees = trees.iter().filter_map(|tree| outcome.move_of(tree)).map(mark);
        line += &format!(" | {}", trees.collect::<Vec<_>>().join(" "));
        let threads = outcome.threads.get(index).map(|arm| mark(arm.uci));
        line.extend(threads.map(|words| format!(" {words}")));
    }
    line
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

fn write_row(row: &FleetRow, summary: &FleetSummary, out: &mut dyn Write) -> io::Result<()> {
    let arm =
        row.setting.map_or_else(|| "threads".to_owned(), |index| format!("tree {}", name(index)));
    let worth = row.equal.map(|equal| format!("; worth {}", worth(equal))).unwrap_or_default();
    writeln!(out, "{arm:>10}  {}{worth}", of_arm(&row.cost))?;
    if row.setting.is_none() {
        return Ok(());
    }
    let Shares { used, unused, unfinished, idle } = row.shares;
    let whole = used + unused + unfinished + idle;
    let [used, unused, unfinished, idle] =
        [used, unused, unfinished, idle].map(|of| percent(of, whole));
    writeln!(
        out,
        "            time: {used:.1} % in the tree, {unused:.1} % unused, {unfinished:.1} % unfinished, {idle:.1} % idle; {:.1} answers a tree",
        mean(row.searches, summary.positions)
    )?;
    match row.stopped {
        0 => Ok(()),
        stopped => writeln!(out, "            no answer in time in {stopped} positions"),
    }
}

/// How many times as fast one engine must be: `3.1 (1.9 to more than 16)`.
fn worth(equal: EqualSpeed) -> String {
    let words = |speed| match speed {
        Speed::Less => "less than 1".to_owned(),
        Speed::At(speed) => format!("{speed:.1}"),
        Speed::More => "more than all".to_owned(),
    };
    let EqualSpeed { value, low, high } = equal;
    format!("{} ({} to {})", words(value), words(low), words(high))
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn mean(sum: u64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}
