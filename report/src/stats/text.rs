//! What a database and a tree have cost and take, as text for people.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;

use deepanalyze_core::chess::{epd_of, san_of};
use deepanalyze_core::tree::{CircleFound, Disagreement, disagreements, largest_circles};

use crate::kept::tree::KeptTree;
use crate::stats::{MemoUse, Statistics};
use crate::words::figures::{bar, grouped, in_hours, per, percent, size, span, timestamp};
use crate::words::manner::describe_profile;
use crate::words::moves::{PointOfView, after, numbered_line, seen};

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

/// Columns of the text.
const WIDTH: usize = 80;

/// Writes the largest circles.
pub fn write_circles(facts: &TreeFacts<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{DIM}the largest circles, each with its position nearest to the root{DIM:#}")?;
    if facts.circles.is_empty() {
        writeln!(out, "none: no position leads back to itself")?;
    }
    for circle in &facts.circles {
        let (line, epd) = place(facts, circle.nearest);
        let positions = format!("{:>6} positions  ", grouped(circle.positions as u64));
        write_wrapped(&positions, &line, out)?;
        writeln!(out, "{:18}{epd}", "")?;
    }
    Ok(())
}

/// Writes where tree and engine disagree most.
pub fn write_disagreements(
    facts: &TreeFacts<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\n{DIM}where the tree contradicts the engine most (pawns, {})\n  \
        engine      tree  after{DIM:#}",
        pov.whose()
    )?;
    if facts.disagreements.is_empty() {
        writeln!(out, "nowhere")?;
    }
    for found in &facts.disagreements {
        let (line, epd) = place(facts, found.node);
        let turn = facts.tree.growth.graph().turn(found.node);
        let score = |value| seen(value, turn, pov);
        let (engine, tree) = (score(found.engine.eval), score(found.idea));
        write_wrapped(&format!("{engine:>8}  {tree:>8}  "), &line, out)?;
        let position = after(facts.tree.game.root(), &facts.tree.growth.first_line(found.node));
        let name = |edge: deepanalyze_core::tree::Edge| san_of(&position, edge.uci.unpack());
        let (engine, tree) = (name(found.engine), name(found.tree));
        match engine == tree {
            true => writeln!(out, "{:20}both: {engine}", "")?,
            false => writeln!(out, "{:20}engine: {engine}, tree: {tree}", "")?,
        }
        writeln!(out, "{:20}{epd}", "")?;
    }
    Ok(())
}

/// How a position is reached, and the position.
fn place(facts: &TreeFacts<'_>, node: deepanalyze_core::tree::NodeId) -> (String, String) {
    let line = facts.tree.growth.first_line(node);
    let words = match line.is_empty() {
        true => "the root".to_owned(),
        false => numbered_line(facts.tree.game.root(), &line),
    };
    (words, epd_of(&facts.tree.growth.position(node)))
}

/// A text behind a heading, in as many lines as it takes.
fn write_wrapped(heading: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let indent = heading.chars().count();
    write!(out, "{heading}")?;
    let mut column = indent;
    for (index, word) in with_numbers(text).enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > WIDTH {
            write!(out, "\n{:indent$}", "")?;
            column = indent;
        } else if index > 0 {
            write!(out, " ")?;
            column += 1;
        }
        write!(out, "{word}")?;
        column += length;
    }
    writeln!(out)
}

/// The words of a line, each move with its number.
fn with_numbers(line: &str) -> impl Iterator<Item = String> + '_ {
    let mut words = line.split(' ');
    std::iter::from_fn(move || {
        let word = words.next()?;
        match word.ends_with('.') {
            true => Some(format!("{word} {}", words.next().unwrap_or_default())),
            false => Some(word.to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_wrapped_between_moves() {
        let line = (1..30).map(|n| format!("{n}. Nf3 Nc6")).collect::<Vec<_>>().join(" ");
        let mut out = Vec::new();
        write_wrapped("   3 positions  ", &line, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() > 3 && text.lines().all(|line| line.len() <= WIDTH));
        assert!(text.lines().skip(1).all(|line| line.starts_with(&" ".repeat(16))), "{text}");
        assert!(text.lines().all(|line| !line.ends_with('.')), "{text}");
        assert_eq!(text.split_whitespace().skip(2).collect::<Vec<_>>().join(" "), line);
    }
}
