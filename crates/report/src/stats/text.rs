//! Costs and sizes of a database and a tree, as text for people.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;
use shakmaty::Position;

use deepanalyze_core::printable::printable;

use crate::stats::{MemoUse, OverTime, PlaceFound, Statistics, TreeFinds};
use deepanalyze_view::{
    Alignment, Left, PointOfView, Right, after, bar, describe_profile, grouped, hanging, head,
    in_hours, name_of_line, per, percent, seen, size, span, table_lines, timestamp, write_field,
};

const DIM: Style = Style::new().dimmed();

/// Columns of the longest bar.
const BAR: u64 = 30;
/// The columns of a field's name.
const NAME_WIDTH: usize = 10;
/// Columns of text without a terminal.
const WIDTH: usize = 80;

/// Writes statistics, no wider than the terminal, and if there is one tree its remarkable
/// positions.
pub fn write_stats(
    stats: &Statistics,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(stats, width, out)?;
    let width = width.unwrap_or(WIDTH);
    write_over_time(stats, width, out)?;
    write_counts(stats, width, out)?;
    write_shares(stats, width, out)?;
    if let Some(finds) = &stats.finds {
        write_circles(finds, width, out)?;
        write_contradictions(finds, pov, width, out)?;
    } else if stats.analyses > 0 {
        let hint = "--analysis ID: of one tree, with its circles and its finds against the engine";
        writeln!(out, "\n{DIM}{hint}{DIM:#}")?;
    }
    Ok(())
}

fn write_header(stats: &Statistics, width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let mut field = |name: &str, value: &str| write_field(name, NAME_WIDTH, value, width, out);
    field("database", &stats.database)?;
    match &stats.finds {
        Some(TreeFinds { row, .. }) => {
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
    let per_hour = rate(cost.searches, 3_600_000, "searches per engine hour");
    field("time", &format!("{time} of engine time{per_hour}"))?;
    let per_second = rate(cost.nodes, 1000, "per second");
    field("nodes", &format!("{}{per_second}", grouped(cost.nodes)))?;
    let [first, second] = memo_words(&stats.memo);
    field("memo", &first)?;
    field("", &second)
}

fn memo_words(memo: &MemoUse) -> [String; 2] {
    let share = |part, whole| (grouped(part), percent(part, whole));
    match memo {
        MemoUse::One(origin) => {
            let (before, in_percent) = share(origin.before, origin.admitted);
            let (shared, of_all) = share(origin.shared, origin.admitted);
            [
                format!("{before} of its answers ({in_percent}) were there before it was begun"),
                format!("{shared} ({of_all}) are in another analysis' tree, too"),
            ]
        }
        MemoUse::All(sharing) => {
            let admitted = grouped(sharing.admitted);
            let spared = sharing.admitted.saturating_sub(sharing.used);
            let (spared, in_percent) = share(spared, sharing.admitted);
            let idle = sharing.stored.saturating_sub(sharing.used);
            let (idle, of_all) = share(idle, sharing.stored);
            [
                format!(
                    "trees hold {admitted} answers; the memo spared {spared} searches ({in_percent})"
                ),
                format!("{idle} stored answers ({of_all}) are in no tree"),
            ]
        }
    }
}

/// Writes a table with its heading, if it has a row.
fn write_table<const N: usize>(
    alignments: [Alignment; N],
    heading: [&str; N],
    rows: Vec<[String; N]>,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut lines = table_lines(alignments, [heading.map(str::to_owned)].into_iter().chain(rows));
    lines.iter_mut().take(1).for_each(|heading| *heading = format!("\n{DIM}{heading}{DIM:#}"));
    lines.iter().try_for_each(|line| writeln!(out, "{}", fitted(line, width)))
}

/// A row, its bar cut if too wide; a heading has styles and no bar.
fn fitted(line: &str, width: usize) -> &str {
    if line.starts_with('\n') { line } else { head(line, width).trim_end() }
}

fn write_over_time(stats: &Statistics, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let OverTime { unit_ms, unit, stretches } = &stats.over_time;
    let most = stretches.iter().map(|stretch| stretch.cost.searches).max();
    let row = |stretch: &deepanalyze_store::Stretch| {
        let (cost, when) = (&stretch.cost, timestamp(stretch.from).replace('T', " "));
        let per_hour = per(cost.searches, unit_ms.unsigned_abs(), 3_600_000);
        let time = Duration::from_secs(cost.time_ms.saturating_add(500) / 1000);
        [
            when.get(..16).unwrap_or(&when).to_owned(),
            grouped(cost.searches),
            grouped(per_hour),
            in_hours(time),
            bar(cost.searches, most, 24),
        ]
    };
    let when = format!("{:<19}", format!("by {unit} (UTC)"));
    let heading = [&when, "searches", " per hour", "engine time", ""];
    let rows = stretches.iter().map(row).collect();
    write_table([Left, Right, Right, Right, Left], heading, rows, width, out)
}

/// By rank, and by ply.
fn write_counts(stats: &Statistics, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let most = stats.by_rank.iter().map(|count| count.searches).max();
    let ranks = stats.by_rank.iter().map(|count| {
        let searches = count.searches;
        [count.rank.to_string(), grouped(searches), bar(searches, most, BAR)]
    });
    write_table([Right, Right, Left], ["rank", "searches", ""], ranks.collect(), width, out)?;
    let most = stats.by_ply.iter().map(|count| count.searches).max();
    let plies = stats.by_ply.iter().map(|count| {
        let (searches, positions) = (grouped(count.searches), grouped(count.positions));
        [count.ply.to_string(), searches, positions, bar(count.searches, most, BAR)]
    });
    let heading = [" ply", "searches", "positions", ""];
    write_table([Right, Right, Right, Left], heading, plies.collect(), width, out)
}

fn write_shares(stats: &Statistics, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let file = &stats.file;
    let log = match file.log_bytes {
        0 => String::new(),
        bytes => format!(", {} of log", size(bytes)),
    };
    writeln!(out, "\n{DIM}the file takes {}{log}{DIM:#}", size(file.bytes))?;
    let most = file.tables.iter().map(|share| share.bytes).max();
    let sum = file.tables.iter().map(|share| share.bytes).sum();
    let rows = file.tables.iter().map(|share| {
        // A user's own tables may have any name.
        let name = printable(&share.table).into_owned();
        [name, size(share.bytes), percent(share.bytes, sum), bar(share.bytes, most, BAR)]
    });
    let lines = table_lines([Left, Right, Right, Left], rows);
    lines.iter().try_for_each(|line| writeln!(out, "{}", fitted(line, width)))
}

fn write_circles(finds: &TreeFinds, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{DIM}the largest circles, each with its position nearest to the root{DIM:#}")?;
    if finds.circles.is_empty() {
        writeln!(out, "none: no position leads back to itself")?;
    }
    for circle in &finds.circles {
        let positions = format!("{:>6} positions  ", grouped(circle.positions as u64));
        write_place(finds, &positions, &circle.place, width, out)?;
        writeln!(out, "{:18}{}", "", circle.place.epd)?;
    }
    Ok(())
}

fn write_contradictions(
    finds: &TreeFinds,
    pov: PointOfView,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\n{DIM}where the tree contradicts the engine most (pawns, {})\n  \
        engine      tree  after{DIM:#}",
        pov.whose()
    )?;
    if finds.disagreements.is_empty() {
        writeln!(out, "nowhere")?;
    }
    for found in &finds.disagreements {
        let turn = after(finds.game.root(), &found.place.line).turn();
        let score = |value| seen(value, turn, pov).to_string();
        let scores = [&found.engine, &found.tree].map(|chosen| score(chosen.score));
        let scores = format!("{:>8}  {:>8}  ", scores[0], scores[1]);
        write_place(finds, &scores, &found.place, width, out)?;
        let (engine, tree) = (&found.engine.named.san, &found.tree.named.san);
        if engine == tree {
            writeln!(out, "{:20}both: {engine}", "")?
        } else {
            writeln!(out, "{:20}engine: {engine}, tree: {tree}", "")?
        }
        writeln!(out, "{:20}{}", "", found.place.epd)?;
    }
    Ok(())
}

/// The line to a position, behind numbers.
fn write_place(
    finds: &TreeFinds,
    numbers: &str,
    place: &PlaceFound,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let line = name_of_line(finds.game.root(), &place.line);
    hanging(numbers, &line, width).iter().try_for_each(|line| writeln!(out, "{line}"))
}
