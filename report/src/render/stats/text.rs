//! What a database and a tree have cost and take, as text for people.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;

use crate::analysis::{KeptTree, MemoUse, Statistics};
use crate::render::words::figures::{bar, grouped, in_hours, per, percent, size};
use crate::render::words::{span, timestamp};
use crate::render::{PointOfView, describe_profile};
use deepanalyze_core::tree::{CircleFound, Disagreement, disagreements, largest_circles};

use super::finds::{write_circles, write_disagreements};

const DIM: Style = Style::new().dimmed();

/// Columns of the longest bar.
const BAR: u64 = 30;

/// What is remarkable in one tree.
#[derive(Debug)]
pub struct TreeFacts<'a> {
    /// The tree.
    pub tree: &'a KeptTree,
    /// Its largest circles.
    pub circles: Vec<CircleFound>,
    /// Where it contradicts the engine most.
    pub disagreements: Vec<Disagreement>,
}

impl<'a> TreeFacts<'a> {
    /// So many of each.
    pub fn of(tree: &'a KeptTree, count: usize) -> TreeFacts<'a> {
        let graph = tree.growth.graph();
        let circles = largest_circles(graph, |node| tree.growth.ply(node), count);
        let disagreements = disagreements(graph, tree.growth.values(), count);
        TreeFacts { tree, circles, disagreements }
    }
}

/// Writes statistics, and where there is one tree what is remarkable in it.
pub fn write_stats(
    stats: &Statistics,
    database: &str,
    facts: Option<&TreeFacts<'_>>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(stats, database, facts, out)?;
    write_over_time(stats, out)?;
    write_ranks(stats, out)?;
    write_plies(stats, out)?;
    write_shares(stats, out)?;
    if let Some(facts) = facts {
        write_circles(facts, out)?;
        write_disagreements(facts, pov, out)?;
    } else if stats.analyses > 0 {
        let hint = "--analysis ID: of one tree, with its circles and its finds against the engine";
        writeln!(out, "\n{DIM}{hint}{DIM:#}")?;
    }
    Ok(())
}

fn write_header(
    stats: &Statistics,
    database: &str,
    facts: Option<&TreeFacts<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut field = |name: &str, value: &str| writeln!(out, "{DIM}{name:<10}{DIM:#}{value}");
    field("database", database)?;
    match facts {
        Some(facts) => {
            let row = &facts.tree.row;
            field("analysis", &format!("{}  {}", row.id.0, row.root))?;
            field("engine", &describe_profile(&row.profile))?;
        }
        None => field("analyses", &stats.analyses.to_string())?,
    }
    let cost = &stats.cost;
    field("searches", &grouped(cost.searches))?;
    let rate = |count, unit, of: &str| match cost.time_ms {
        0 => String::new(),
        time => format!(", {} {of}", grouped(per(count, time, unit))),
    };
    let time = span(cost.time_ms);
    let per_hour = rate(cost.searches, 3_600_000, "searches per hour of one");
    field("time", &format!("{time} of engines{per_hour}"))?;
    let per_second = rate(cost.nodes, 1000, "per second");
    field("nodes", &format!("{}{per_second}", grouped(cost.nodes)))?;
    let [first, second] = memo_words(&stats.memo);
    field("memo", &first)?;
    field("", &second)
}

fn memo_words(memo: &MemoUse) -> [String; 2] {
    match memo {
        MemoUse::One(origin) => [
            format!(
                "{} of its answers ({}) were there before it was begun",
                grouped(origin.before),
                percent(origin.before, origin.admitted)
            ),
            format!(
                "{} ({}) are in another analysis' tree, too",
                grouped(origin.shared),
                percent(origin.shared, origin.admitted)
            ),
        ],
        MemoUse::All(sharing) => {
            let spared = sharing.admitted.saturating_sub(sharing.used);
            let idle = sharing.stored.saturating_sub(sharing.used);
            [
                format!(
                    "trees hold {} answers; the memo spared {} searches ({})",
                    grouped(sharing.admitted),
                    grouped(spared),
                    percent(spared, sharing.admitted)
                ),
                format!(
                    "{} stored answers ({}) are in no tree",
                    grouped(idle),
                    percent(idle, sharing.stored)
                ),
            ]
        }
    }
}

fn write_over_time(stats: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if stats.over_time.is_empty() {
        return Ok(());
    }
    let name = stats.unit.name;
    let heading = format!("by {name} (UTC)");
    writeln!(out, "\n{DIM}{heading:<20} searches   per hour  engine time{DIM:#}")?;
    let most = stats.over_time.iter().map(|stretch| stretch.cost.searches).max();
    for stretch in &stats.over_time {
        let cost = &stretch.cost;
        let when = timestamp(stretch.from).replace('T', " ");
        let per_hour = per(cost.searches, stats.unit.ms.unsigned_abs(), 3_600_000);
        let time = Duration::from_secs(cost.time_ms.saturating_add(500) / 1000);
        row(
            out,
            &format!(
                "{:<19} {:>9}  {:>9}  {:>11}",
                when.get(..16).unwrap_or(&when),
                grouped(cost.searches),
                grouped(per_hour),
                in_hours(time)
            ),
            &bar(cost.searches, most, 24),
        )?;
    }
    Ok(())
}

fn write_ranks(stats: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if stats.by_rank.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{DIM}rank  searches{DIM:#}")?;
    let most = stats.by_rank.iter().map(|(_, searches)| *searches).max();
    for (rank, searches) in &stats.by_rank {
        let numbers = format!("{rank:>4} {:>9}", grouped(*searches));
        row(out, &numbers, &bar(*searches, most, BAR))?;
    }
    Ok(())
}

fn write_plies(stats: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if stats.by_ply.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{DIM} ply  searches  positions{DIM:#}")?;
    let most = stats.by_ply.iter().map(|ply| ply.searches).max();
    for ply in &stats.by_ply {
        let (searches, positions) = (grouped(ply.searches), grouped(ply.positions));
        let numbers = format!("{:>4} {searches:>9} {positions:>10}", ply.ply);
        row(out, &numbers, &bar(ply.searches, most, BAR))?;
    }
    Ok(())
}

fn write_shares(stats: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    let log = match stats.log_bytes {
        0 => String::new(),
        bytes => format!(", {} of log", size(bytes)),
    };
    writeln!(out, "\n{DIM}the file takes {}{log}{DIM:#}", size(stats.file_bytes))?;
    let most = stats.shares.iter().map(|share| share.bytes).max();
    let sum = stats.shares.iter().map(|share| share.bytes).sum();
    // A user's own tables may have any name.
    for share in &stats.shares {
        let name: String = share.table.chars().filter(|c| !c.is_control()).collect();
        let percent = percent(share.bytes, sum);
        let numbers = format!("{name:<14} {:>9} {percent:>5}", size(share.bytes));
        row(out, &numbers, &bar(share.bytes, most, BAR))?;
    }
    Ok(())
}

fn row(out: &mut dyn Write, numbers: &str, bar: &str) -> io::Result<()> {
    match bar {
        "" => writeln!(out, "{numbers}"),
        bar => writeln!(out, "{numbers}  {bar}"),
    }
}
