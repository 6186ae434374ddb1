//! The table of roots, a line for each, and one root in several lines.

use std::collections::HashMap;
use std::io::{self, Write};

use anstyle::Style;
use shakmaty::uci::UciMove;
use shakmaty::{Color, Position};

use deepanalyze_core::chess::{DrawValue, Tables, Value, epd_of};
use deepanalyze_core::printable::printable;
use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisId, AnalysisRow, TreeSettings};

use super::{ListedRoot, RootSummary, folded, unfolded};
use deepanalyze_view::{
    GAP, Left, Line, PointOfView, Right, columns, cut, cut_name, describe_breadth, describe_depth,
    describe_distance, describe_draw, describe_known_games, describe_note, describe_profile,
    describe_size, describe_tables, grouped, hanging, numbered_line, numbered_move, seen, span,
    table_lines, time_ago, timestamp, with_games,
};

/// Room that the best line may claim before the name takes more.
const LINE_ROOM: usize = 14;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The cells of a line.
struct ListLine {
    name: String,
    /// Its distinction from other lines of the same root, in brackets. Without room behind the name
    /// it has a row below.
    apart: String,
    /// The best line.
    line: String,
    /// Number, score, engine, depth, and time of change: never cut.
    others: [String; 5],
}

/// Writes the roots at a time (milliseconds since 1970), in rows of at most this many columns; the
/// positions of one game share a line unless `every` is set.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_list(
    (roots, every): (&[RootSummary], bool),
    now: i64,
    (pov, width): (PointOfView, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let apart = differences(roots);
    let roots = if every { unfolded(roots) } else { folded(roots) };
    let apart =
        |listed: &ListedRoot<'_>| apart.get(&listed.root.row.id).cloned().unwrap_or_default();
    let listed = roots
        .iter()
        .map(|listed| (listed, apart(listed)))
        .map(|(listed, apart)| list_line(listed, apart, now, pov));
    let lines: Vec<ListLine> = std::iter::once(heading()).chain(listed).collect();
    let room = Room::of(&lines, width);
    let below: Vec<Option<String>> = lines.iter().map(|line| room.below(line)).collect();
    let cells = lines.into_iter().map(|line| room.cells(line));
    let alignments = [Right, Left, Right, Left, Left, Right, Left];
    let table = table_lines(alignments, cells);
    for (index, (line, below)) in table.iter().zip(below).enumerate() {
        match index {
            0 => writeln!(out, "{BOLD}{line}{BOLD:#}")?,
            _ => writeln!(out, "{line}")?,
        }
        let rows = below.iter().flat_map(|below| hanging(&room.indent, below, width));
        for row in rows {
            writeln!(out, "{row}")?;
        }
    }
    write_rechecks(&roots, pov, width, out)?;
    if roots.iter().any(|listed| listed.more > 0) {
        writeln!(out, "{DIM}--every: all positions of each game{DIM:#}")
    } else {
        Ok(())
    }
}

/// Below the table, a line for each recheck of a root in it.
fn write_rechecks(
    roots: &[ListedRoot<'_>],
    pov: PointOfView,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    for ListedRoot { root: listed, .. } in roots {
        let told = listed.game.iter().flat_map(|game| {
            listed.rechecks.iter().map(|note| describe_note(game.root(), note, pov))
        });
        for told in told {
            writeln!(out, "{}", cut(&format!("#{} rechecked by {told}", listed.row.id.0), width))?;
        }
    }
    Ok(())
}

fn heading() -> ListLine {
    let [name, apart, line] = ["name", "", "best line"].map(str::to_owned);
    let others = ["#", "score", "engine", "depth", "changed"].map(str::to_owned);
    ListLine { name, apart, line, others }
}

fn list_line(
    ListedRoot { root: listed, more }: &ListedRoot<'_>,
    mut apart: Vec<String>,
    now: i64,
    pov: PointOfView,
) -> ListLine {
    if *more > 0 {
        apart.push(format!("and {} more of this game", grouped(*more as u64)));
    }
    let second = listed.told.as_ref().and_then(|told| Some((told, told.second.as_ref()?)));
    if let Some((told, second)) = second.filter(|(_, second)| !second.agree) {
        let own = numbered_move(&told.choice.root, second.named.uci);
        apart.push(format!("{} would play {own}", second.engine));
    }
    let row = &listed.row;
    let line = listed.line.as_ref();
    let score = line.map(|Line { root, value, moves, .. }| {
        if moves.is_empty() {
            result(*value, root.turn()).to_owned()
        } else {
            seen(*value, root.turn(), pov).to_string()
        }
    });
    let depth = match row.settled_depth {
        Some(settled) if settled >= row.target_depth => settled.to_string(),
        Some(settled) => format!("{settled}/{}", row.target_depth),
        None => format!("-/{}", row.target_depth),
    };
    let age =
        if listed.is_growing { "growing".to_owned() } else { time_ago(listed.changed_at, now) };
    let (id, engine) = (format!("#{}", row.id.0), short_limit(row.profile.limit));
    ListLine {
        name: listed.called(),
        apart: if apart.is_empty() { String::new() } else { format!("({})", apart.join(", ")) },
        line: line.map(|line| numbered_line(&line.root, &line.moves)).unwrap_or_default(),
        others: [id, score.unwrap_or_default(), engine, depth, age],
    }
}

/// The result of a finished game, or of one that tablebases know.
fn result(value: Value, mover: Color) -> &'static str {
    // A draw may have a value for one side.
    match value {
        won if won >= Value::WON => mover.fold_wb("1-0", "0-1"),
        lost if lost <= -Value::WON => mover.fold_wb("0-1", "1-0"),
        _ => "½-½",
    }
}

/// `depth 14`, `70k nodes`.
fn short_limit(limit: Limit) -> String {
    match limit {
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Nodes(nodes) if nodes > 0 && nodes % 1_000_000 == 0 => {
            format!("{}M nodes", nodes / 1_000_000)
        }
        Limit::Nodes(nodes) if nodes > 0 && nodes % 1_000 == 0 => {
            format!("{}k nodes", nodes / 1_000)
        }
        Limit::Nodes(nodes) => format!("{nodes} nodes"),
    }
}

/// The columns of the name and of the best line, and the indent of a row below.
struct Room {
    name: usize,
    line: usize,
    indent: String,
}

impl Room {
    /// The others' rest of the width.
    fn of(lines: &[ListLine], width: usize) -> Room {
        let widest = |of: fn(&ListLine) -> usize| lines.iter().map(of).max().unwrap_or(0);
        let mut others = [0; 5];
        for line in lines {
            others
                .iter_mut()
                .zip(&line.others)
                .for_each(|(most, cell)| *most = columns(cell).max(*most));
        }
        let indent = " ".repeat(others.first().copied().unwrap_or(0) + usize::from(GAP));
        let others = others.iter().sum::<usize>() + 6 * usize::from(GAP);
        let name = widest(|line| columns(&line.name()));
        let line = widest(|line| columns(&line.line));
        let room = width.saturating_sub(others);
        let name = name.min(room.saturating_sub(line.min(LINE_ROOM)));
        Room { name, line: line.min(room - name), indent }
    }

    fn cells(&self, line: ListLine) -> [String; 7] {
        let name = match self.below(&line) {
            None => line.name(),
            Some(_) => cut_name(&line.name, self.name),
        };
        let name = cut_name(&name, self.name);
        let [id, score, engine, depth, age] = line.others;
        [id, name, score, cut(&line.line, self.line), engine, depth, age]
    }

    /// The distinction, if it has no room behind the name.
    fn below(&self, line: &ListLine) -> Option<String> {
        let has_room = line.apart.is_empty() || columns(&line.name()) <= self.name;
        (!has_room).then(|| line.apart.clone())
    }
}

impl ListLine {
    /// The name with its distinction.
    fn name(&self) -> String {
        format!("{} {}", self.name, self.apart).trim_end().to_owned()
    }
}

/// For each root the traits not shared by all of its analyses: the engine, some of its options, the
/// distance. No entry for a root listed once.
fn differences(roots: &[RootSummary]) -> HashMap<AnalysisId, Vec<String>> {
    let mut alike: HashMap<GameKey<'_>, Vec<(AnalysisId, Vec<String>)>> = HashMap::new();
    for root in roots {
        if let Some(key) = key(root) {
            alike.entry(key).or_default().push((root.row.id, traits(root)));
        }
    }
    let several = alike.into_values().filter(|alike| alike.len() > 1);
    let own = several.flat_map(|alike| {
        let in_all = |one: &String| alike.iter().all(|(_, other)| other.contains(one));
        let own = alike
            .iter()
            .map(|(id, traits)| (*id, traits.iter().filter(|one| !in_all(one)).cloned().collect()));
        own.collect::<Vec<_>>()
    });
    own.collect()
}

/// Where a game began, and its moves. The clocks of its start do not count.
type GameKey<'a> = (String, &'a [UciMove]);

/// `None` if the game cannot be played.
fn key(root: &RootSummary) -> Option<GameKey<'_>> {
    Some((epd_of(root.game.as_ref()?.start()), &root.row.history))
}

/// Without the limit's own column.
fn traits(root: &RootSummary) -> Vec<String> {
    let profile = &root.row.profile;
    let options = profile.described_options().into_iter();
    let options = options.map(|(name, value)| format!("{name}={value}"));
    let engine = std::iter::once(printable(&profile.engine).into_owned());
    let tables = root
        .row
        .settings
        .tables
        .map(|Tables { men, fifty }| format!("{men}-piece tablebases, {fifty}"));
    let TreeSettings { breadth, draw, .. } = &root.row.settings;
    let distance = describe_distance(breadth, DrawValue::default());
    let draw = describe_draw(*draw);
    let games = with_games(&root.row);
    let games = games.strip_prefix(", ").map(str::to_owned);
    engine.chain(options).chain([distance]).chain(draw).chain(tables).chain(games).collect()
}

/// Writes an analysis in several lines, with all that identifies it: the name of its root, engine
/// effort, and its directives.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_analysis(
    row: &AnalysisRow,
    name: Option<&str>,
    engine_time_ms: u64,
    directed: Option<&str>,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{BOLD}analysis {}{BOLD:#}  {}", row.id.0, row.root)?;
    let mut field = |name: &str, value: &str| {
        let lines = hanging(&format!("  {name:<10}"), value, width.unwrap_or(usize::MAX));
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    };
    name.map_or(Ok(()), |name| field("name", name))?;
    if let Some(game) = row.game().filter(|game| !game.moves().is_empty()) {
        field("history", &numbered_line(game.start(), game.moves()))?;
    }
    field("engine", &describe_profile(&row.profile))?;
    row.settings.tables.map_or(Ok(()), |tables| field("tables", &describe_tables(tables)))?;
    describe_known_games(row).map_or(Ok(()), |games| field("games", &games))?;
    let (settled, target) = (describe_depth(row.settled_depth), row.target_depth);
    let distance = describe_breadth(&row.settings);
    field("distance", &format!("{distance}, depth {settled} of {target} complete"))?;
    directed.map_or(Ok(()), |directed| field("directed", directed))?;
    let (size, time) = (describe_size(row.positions, row.searches), span(engine_time_ms));
    field("tree", &format!("{size}, engine time {time}"))?;
    field("changed", &timestamp(row.changed_at))
}
