//! The roots in a table, a line for each, no wider than the terminal.

use std::collections::HashMap;
use std::io::{self, Write};

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Tables, epd_of};
use deepanalyze_core::search::Limit;
use deepanalyze_store::AnalysisRow;

use crate::list::{ListedRoot, called};
use crate::words::figures::{describe_depth, describe_size, span, time_ago, timestamp};
use crate::words::fit::{cut, cut_name};
use crate::words::manner::{describe_profile, describe_tables};
use crate::words::moves::{PointOfView, numbered_line, seen};

/// The best line has so much room, if it wants it, before the name takes more.
const LINE_ROOM: usize = 14;
/// Settings are not cut to less: ` (Stoc…)`.
const LEAST_SETTINGS: usize = 8;
/// Blanks between two columns.
const GAP: &str = "  ";

/// What stands in a line.
struct Row {
    id: String,
    name: String,
    /// What tells it from other lines of the same root.
    apart: String,
    score: String,
    line: String,
    engine: String,
    depth: String,
    age: String,
}

/// How wide the columns are.
struct Columns {
    id: usize,
    name: usize,
    score: usize,
    line: usize,
    engine: usize,
    depth: usize,
}

/// Writes the roots at a time (milliseconds since 1970), in lines of at most so many columns.
///
/// # Errors
///
/// Those of `out`.
pub fn write_list(
    roots: &[ListedRoot],
    now: i64,
    (pov, width): (PointOfView, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows = vec![header()];
    let apart = differences(roots);
    rows.extend(roots.iter().zip(apart).map(|(root, apart)| row(root, apart, now, pov)));
    let columns = Columns::of(&rows, width);
    let bold = anstyle::Style::new().bold();
    for (index, row) in rows.iter().enumerate() {
        let line = columns.join(row);
        match index {
            0 => writeln!(out, "{bold}{line}{bold:#}")?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// ` (Stockfish 17, distance 10)` in so many columns; nothing where hardly anything of it would be left.
fn cut_settings(settings: &str, room: usize) -> String {
    if settings.chars().count() <= room {
        return settings.to_owned();
    }
    if room < LEAST_SETTINGS {
        return String::new();
    }
    let head: String = settings.chars().take(room - 2).collect();
    format!("{}…)", head.trim_end_matches([' ', ',']))
}

fn header() -> Row {
    let text = str::to_owned;
    Row {
        id: text("#"),
        name: text("name"),
        apart: String::new(),
        score: text("score"),
        line: text("best line"),
        engine: text("engine"),
        depth: text("depth"),
        age: text("changed"),
    }
}

fn row(listed: &ListedRoot, apart: String, now: i64, pov: PointOfView) -> Row {
    let row = &listed.row;
    let root = listed.game.as_ref().map(|game| game.root());
    let value = listed.verdict.value.zip(root);
    Row {
        id: format!("#{}", row.id.0),
        name: called(listed),
        apart: if apart.is_empty() { apart } else { format!(" ({apart})") },
        score: value
            .map_or_else(String::new, |(value, root)| seen(value, root.turn(), pov).to_string()),
        line: root.map_or_else(String::new, |root| numbered_line(root, &listed.verdict.line)),
        engine: short_limit(row.profile.limit),
        depth: match row.settled_depth {
            Some(settled) if settled >= row.target_depth => settled.to_string(),
            Some(settled) => format!("{settled}/{}", row.target_depth),
            None => format!("-/{}", row.target_depth),
        },
        age: match listed.is_growing {
            true => "growing".to_owned(),
            false => time_ago(listed.changed_at, now),
        },
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

impl Columns {
    /// Name and line share what the others leave.
    fn of(rows: &[Row], width: usize) -> Columns {
        let widest = |text: fn(&Row) -> &str| {
            rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0)
        };
        let [id, score] = [widest(|row| &row.id), widest(|row| &row.score)];
        let [engine, depth] = [widest(|row| &row.engine), widest(|row| &row.depth)];
        let whole_name = |row: &Row| row.name.chars().count() + row.apart.chars().count();
        let name = rows.iter().map(whole_name).max().unwrap_or(0);
        let line = widest(|row| &row.line);
        let taken = id + score + engine + depth + widest(|row| &row.age) + 6 * GAP.len();
        let room = width.saturating_sub(taken);
        let name = name.min(room.saturating_sub(line.min(LINE_ROOM)));
        Columns { id, name, score, line: line.min(room - name), engine, depth }
    }

    /// The name, and what tells the line from others of the same root. Where there is no room for both, the settings
    /// are cut first: the number tells the lines apart, too, and nothing else says which game it is.
    fn name(&self, row: &Row) -> String {
        let [name, apart] = [&row.name, &row.apart].map(|text| text.chars().count());
        let least = if self.name < 3 * LEAST_SETTINGS { 0 } else { apart.min(LEAST_SETTINGS) };
        let room = name.min(self.name - least);
        let left = self.name - room;
        format!("{}{}", cut_name(&row.name, room), cut_settings(&row.apart, left))
    }

    fn join(&self, row: &Row) -> String {
        let (name, line) = (self.name(row), cut(&row.line, self.line));
        let cells = [
            format!("{:>1$}", row.id, self.id),
            format!("{name:<0$}", self.name),
            format!("{:>1$}", row.score, self.score),
            format!("{line:<0$}", self.line),
            format!("{:1$}", row.engine, self.engine),
            format!("{:>1$}", row.depth, self.depth),
            row.age.clone(),
        ];
        cells.join(GAP)
    }
}

/// For each root what it alone has, or not all of its analyses have: the engine, some of its options, the
/// distance. Nothing for a root that is there once.
pub fn differences(roots: &[ListedRoot]) -> Vec<String> {
    let keys: Vec<Option<Key<'_>>> = roots.iter().map(key).collect();
    let mut alike: HashMap<&Key<'_>, Vec<Vec<String>>> = HashMap::new();
    for (root, key) in roots.iter().zip(&keys) {
        if let Some(key) = key {
            alike.entry(key).or_default().push(traits(root));
        }
    }
    let of_root = |(root, key): (&ListedRoot, &Option<Key<'_>>)| {
        let others = key.as_ref().and_then(|key| alike.get(key));
        let others = others.filter(|others| others.len() > 1)?;
        let in_all = |one: &String| others.iter().all(|other| other.contains(one));
        let own: Vec<String> = traits(root).into_iter().filter(|one| !in_all(one)).collect();
        Some(own.join(", "))
    };
    roots.iter().zip(&keys).map(|root| of_root(root).unwrap_or_default()).collect()
}

/// Where a game began, and its moves. The clocks of its start do not count.
type Key<'a> = (String, &'a [UciMove]);

/// None where the game cannot be played.
fn key(root: &ListedRoot) -> Option<Key<'_>> {
    Some((epd_of(root.game.as_ref()?.start()), &root.row.history))
}

/// The limit has a column of its own.
fn traits(root: &ListedRoot) -> Vec<String> {
    let profile = &root.row.profile;
    let options = profile.described_options().into_iter();
    let options = options.map(|(name, value)| format!("{name}={value}"));
    let engine = std::iter::once(profile.engine.clone());
    let tables =
        root.row.tables.map(|Tables { men, fifty }| format!("tables of {men} men, {fifty}"));
    engine.chain(options).chain([format!("distance {}", root.row.breadth)]).chain(tables).collect()
}

/// Writes an analysis with the name of its root, what engines have spent on its tree, and what is directed.
///
/// # Errors
///
/// Those of `out`.
pub fn write_analysis(
    row: &AnalysisRow,
    name: Option<&str>,
    engine_time_ms: u64,
    directed: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}analysis {}{bold:#}  {}", row.id.0, row.root)?;
    if let Some(name) = name {
        writeln!(out, "  name      {name}")?;
    }
    if let Some(game) = row.game().filter(|game| !game.moves().is_empty()) {
        writeln!(out, "  history   {}", numbered_line(game.start(), game.moves()))?;
    }
    writeln!(out, "  engine    {}", describe_profile(&row.profile))?;
    let settled = describe_depth(row.settled_depth);
    if let Some(tables) = row.tables {
        writeln!(out, "  tables    {}", describe_tables(tables))?;
    }
    writeln!(out, "  distance  {}, depth {settled} settled of {}", row.breadth, row.target_depth)?;
    if let Some(directed) = directed {
        writeln!(out, "  directed  {directed}")?;
    }
    writeln!(
        out,
        "  tree      {}, engine time {}",
        describe_size(row.positions, row.searches),
        span(engine_time_ms)
    )?;
    writeln!(out, "  changed   {}", timestamp(row.changed_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_kept_and_the_settings_are_cut() {
        let named = |width: usize, name: &str, apart: &str| {
            let columns = Columns { id: 2, name: width, score: 5, line: 9, engine: 8, depth: 4 };
            let row = Row { name: name.to_owned(), apart: apart.to_owned(), ..header() };
            columns.name(&row)
        };
        let (game, apart) = ("Karpov – Kasparov, 1985", " (Stockfish 15.1, distance 10)");
        for (width, right) in [
            (53, "Karpov – Kasparov, 1985 (Stockfish 15.1, distance 10)"),
            (52, "Karpov – Kasparov, 1985 (Stockfish 15.1, distance…)"),
            (41, "Karpov – Kasparov, 1985 (Stockfish 15.1…)"),
            (33, "Karpov – Kasparov, 1985 (Stockf…)"),
            (31, "Karpov – Kasparov, 1985 (Stoc…)"),
            (26, "Karpov – Ka…, 1985 (Stoc…)"),
            (23, "Karpov – Kasparov, 1985"),
            (21, "Karpov – Kaspa…, 1985"),
            (0, ""),
        ] {
            let told = named(width, game, apart);
            assert_eq!(told, right, "{width} columns");
            assert!(told.chars().count() <= width, "{told}");
        }
        assert_eq!(named(20, game, ""), "Karpov – Kasp…, 1985", "nothing to tell apart");
    }
}
