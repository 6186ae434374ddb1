//! The verdict as text for people: the words above and below the moves of a tree, and the moves of
//! one position, each with its best line.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Ending, Score, Value, fen_of, is_chess960};

use crate::log::text::newest_change;
use crate::tree::figures::figures_legend;
use crate::tree::layout::TreeReport;
use crate::tree::verdict_people::{NumberColumn, keep_what_fits, people_columns};
use crate::tree::walk::note_line;
use deepanalyze_view::{
    ANSWER, Left, ListedMove, PointOfView, Right, Shown, Verdict, advice, columns, count, cut,
    describe_breadth, describe_chess960, describe_closing, describe_drawn, describe_end,
    describe_holds, describe_known_games, describe_line_end, describe_note, describe_people,
    describe_profile, describe_size, describe_stages, describe_sureness, describe_table_move,
    describe_tables, fill, numbered_line, numbered_move, practical_chances, scored_move, seen,
    shorten, table_lines, wrap, write_field,
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// The columns of a detail's name.
const NAME_WIDTH: usize = 9;

/// Words before the moves to a position.
const AFTER: &str = "after ";

/// Writes the answer, its origin, and its subject.
pub fn write_head(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let told = report.told();
    writeln!(out, "{ANSWER}{}{ANSWER:#}", verdict(report, told.as_ref()))?;
    let whose = told.and_then(|told| told.describe(report.options.pov));
    for line in whose.iter().flat_map(|whose| wrap(whose, Some(width))) {
        writeln!(out, "{line}")?;
    }
    let node = report.start_node();
    let advised = match &report.people {
        Some(people) => advice(people, node, &report.start()),
        None => practical_chances(report.growth(), node, &report.start()),
    };
    for line in advised.iter().flat_map(|advised| wrap(advised, Some(width))) {
        writeln!(out, "{line}")?;
    }
    if Ending::of(&report.start()).is_some() {
        writeln!(out, "the game is over: there is nothing to analyse")?;
    } else if report.known(report.start_node()).is_some() {
        writeln!(out, "the tablebases know the result: there is nothing to search")?;
    } else {
        write_depth(report, width, out)?;
    }
    let game = &report.tree.game;
    let moves = [game.moves(), &report.line].concat();
    if moves.is_empty() {
        return Ok(());
    }
    let line = shorten(&numbered_line(game.start(), &moves), width.saturating_sub(AFTER.len()));
    writeln!(out, "{DIM}{AFTER}{line}{DIM:#}")
}

/// Writes the progress of the tree, and its profile.
fn write_depth(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let row = &report.tree.row;
    let settled = report.growth().settled().last().map(|last| last.depth);
    let depth = match settled {
        Some(settled) if settled >= row.target_depth => format!("depth {settled} complete"),
        Some(settled) => format!("depth {settled} of {} complete", row.target_depth),
        None => format!("no depth of {} complete yet", row.target_depth),
    };
    let mut told = format!("{depth} · {}", describe_profile(&row.profile));
    if let Some(stages) = describe_stages(&report.tree.stages, row.id.0) {
        told.push_str(&format!(" · {stages}"));
    }
    wrap(&told, Some(width)).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// True if a line behind the word is too long for a row.
fn is_cut(line: &str, width: usize) -> bool {
    AFTER.len() + columns(line) > width
}

/// The best move with its score, the root's score everywhere; or why there is none.
fn verdict(report: &TreeReport<'_>, told: Option<&Verdict>) -> String {
    let start = report.start();
    if let Some(end) = describe_end(&start) {
        return end;
    }
    if let Some(known) = report.known(report.start_node()) {
        let side = start.turn().fold_wb("White", "Black");
        return format!("{side} to move: {}", known.words());
    }
    let told = told.map(|told| (told.best(), told.choice.score(), told.choice.wdl));
    let best = || {
        let first = report.places.first().and_then(|place| Shown::of_place(place).next())?;
        Some((first.uci, Score::from(first.alpha()?), report.wdl(first)))
    };
    let Some((uci, score, wdl)) = told.or_else(best) else {
        return "no verdict yet".to_owned();
    };
    scored_move(&start, uci, score, wdl, report.options.pov)
}

/// A score with its side: `+0.33 for White`.
fn scored(value: impl Into<Score>, mover: Color, pov: PointOfView) -> String {
    format!("{} for {}", seen(value, mover, pov), pov.side(mover).fold_wb("White", "Black"))
}

/// Writes the details: changes of the verdict, the user's directives, and the numbers.
pub fn write_details(
    report: &TreeReport<'_>,
    width: usize,
    legend: &[&str],
    out: &mut dyn Write,
) -> io::Result<()> {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let pov = report.options.pov;
    let is_root = report.line.is_empty();
    let mut fields: Vec<(&str, String)> = Vec::new();
    // The course of a tree grown under other directives does not apply.
    let is_as_grown = is_root && !report.tree.is_pending();
    let change = is_as_grown.then(|| newest_change(report.tree, pov)).flatten();
    fields.extend(change.map(|change| ("change", change)));
    let drawn = report.drawn().map(|drawn| describe_drawn(&report.start(), &drawn, pov));
    fields.extend(drawn.map(|drawn| ("a draw", drawn)));
    let stability = report.stability.as_ref();
    let told = report.told();
    let holds = |found| describe_holds(game.root(), found, told.as_ref(), pov);
    fields.extend(stability.map(|found| ("holds", holds(found))));
    let sureness = told.as_ref().and_then(|told| describe_sureness(told, report.stays()));
    fields.extend(sureness.map(|sureness| ("chance", sureness)));
    let rechecks = report.tree.rechecks.iter().filter(|_| is_root);
    fields.extend(rechecks.map(|note| ("recheck", describe_note(game.root(), note, pov))));
    let value = report.value().filter(|_| !is_root);
    fields.extend(value.map(|value| ("at root", scored(value, game.root().turn(), pov))));
    fields.extend(report.tree.closing.as_ref().map(|closing| {
        let closing = describe_closing(game.root(), closing, row.profile.limit, pov);
        ("closing", closing + if is_root { "" } else { " at the root" })
    }));
    fields.extend(report.tree.describe_directives().map(|directed| ("directed", directed)));
    fields.extend(note_line(report.said(report.start_node())).map(|note| ("note", note)));
    fields.push(("root", fen_of(game.root())));
    fields.extend(is_chess960(game.start()).then(|| ("variant", describe_chess960(game.start()))));
    let history = numbered_line(game.start(), game.moves());
    fields.extend(is_cut(&history, width).then_some(("history", history)));
    let size = describe_size(growth.analysed(), growth.searches());
    let passes = count(growth.passes(), "pass");
    fields.push(("tree", format!("analysis {}: {size}, {passes}", row.id.0)));
    fields.push(("distance", describe_breadth(&row.settings)));
    fields.extend(row.settings.tables.map(|tables| ("tables", describe_tables(tables))));
    fields.extend(describe_known_games(row).map(|games| ("games", games)));
    fields.extend(
        report.people.as_ref().map(|people| ("people", describe_people(people, game.root()))),
    );
    fields.push(("scores", format!("in pawns, {}", pov.whose())));
    fields.extend(figures_legend(report).map(|legend| ("", legend)));
    fields.extend(legend.iter().map(|line| ("", (*line).to_owned())));
    writeln!(out)?;
    fields
        .iter()
        .try_for_each(|(name, value)| write_field(name, NAME_WIDTH, value, Some(width), out))
}

/// Words behind a move: `won (tables)` has its own parentheses.
pub fn in_parentheses(words: &str) -> String {
    if words.ends_with(')') { words.to_owned() } else { format!("({words})") }
}

/// Writes a line for each move of a root that tables know, the best first: its distance, the move
/// and the result for its side. Nothing elsewhere.
pub fn write_table_moves(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (root, moves) = (report.tree.game.root(), &report.tree.table_moves);
    let tables =
        report.tree.row.settings.tables.filter(|_| report.line.is_empty() && !moves.is_empty());
    let Some(tables) = tables else {
        return Ok(());
    };
    writeln!(out, "\n{DIM}    DTZ  move{DIM:#}")?;
    let rows = moves.iter().map(|m| {
        let dtz = m.dtz.map_or_else(|| "?".to_owned(), |dtz| dtz.to_string());
        let words = describe_table_move(tables, m).to_owned();
        [format!("{dtz:>7}"), numbered_move(root, m.uci), words]
    });
    let lines = table_lines([Right, Left, Left], rows);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The most rows for the line of the best move, of another candidate, and of any other.
const ROWS: [usize; 3] = [4, 2, 1];
/// The least columns of a line.
const LEAST_WIDTH: usize = 20;

/// Writes the verdict: the best move, then each move with its score, how much of the tree lies behind it,
/// and its best line. The width is in columns; the first moves are those of the position where printing
/// begins. Styles are ANSI; the caller strips them where they are not wanted.
pub fn write_verdict(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    write_head(report, width, out)?;
    write_table_moves(report, out)?;
    let table = VerdictTable::new(report, width);
    if table.rows.is_empty() {
        return write_details(report, width, &[], out);
    }
    table.write(out)?;
    let mut legend = Vec::new();
    if table.has_size() {
        legend.push("depth, positions: how far and how large the tree is behind a move");
    }
    legend.push("[…]: how the engine's own search goes on where the tree ends");
    if table.games.iter().any(|column| column.is("reach")) {
        legend.push(
            "expected: points in 100 against these players; reach: how many games come there",
        );
    } else if report.people.is_some() {
        legend.push("expected: points in 100 against these players");
    }
    write_details(report, width, &legend, out)?;
    let more = "more     --plies 4 or --all: the tree; --line \"MOVES\": what follows them";
    writeln!(out, "{DIM}{}{DIM:#}", cut(more, width))
}

/// The moves of a position.
struct VerdictTable {
    rows: Vec<VerdictRow>,
    /// The columns of the longest move.
    moves: usize,
    /// The columns from games.
    games: Vec<NumberColumn>,
    width: usize,
}

/// The columns of a score.
const SCORE_WIDTH: usize = 7 + 2;
/// The columns of the numbers of plies and positions, omitted on a narrow terminal.
const SIZE_WIDTH: usize = 5 + 2 + 9 + 2;
/// The least columns of a line beside those numbers.
const BESIDE_SIZE: usize = 30;

struct VerdictRow {
    score: String,
    name: String,
    plies: String,
    positions: String,
    line: String,
    note: Option<String>,
    style: Style,
    /// The most rows of its line.
    most: usize,
}

impl VerdictTable {
    fn new(report: &TreeReport<'_>, width: usize) -> VerdictTable {
        let start = report.start();
        let shown = report.first_moves();
        let best = report.best().map(|(uci, _)| uci);
        let mut games = people_columns(report, &shown);
        let rows = shown.into_iter().map(|shown| {
            let told = report.first.iter().find(|told| told.uci == shown.uci);
            let (kind, style) = match (Some(shown.uci) == best, shown.is_candidate()) {
                (true, _) => (0, BOLD),
                (_, true) => (1, Style::new()),
                (_, false) => (2, DIM),
            };
            let score = |value: Value| report.seen(value, start.turn()).to_string();
            VerdictRow {
                score: shown.alpha().map(score).unwrap_or_default(),
                name: numbered_move(&start, shown.uci),
                plies: told.map(|told| told.plies.to_string()).unwrap_or_default(),
                positions: told.map(|told| told.positions.to_string()).unwrap_or_default(),
                line: line_of(report, shown, told, &start),
                note: note_line(report.said(shown.node)),
                style,
                most: ROWS.get(kind).copied().unwrap_or(1),
            }
        });
        let rows: Vec<VerdictRow> = rows.collect();
        let moves = rows.iter().map(|row| columns(&row.name)).max().unwrap_or(0);
        let moves = moves.max("move".len());
        keep_what_fits(&mut games, width.saturating_sub(SCORE_WIDTH + moves + 2 + LEAST_WIDTH));
        VerdictTable { rows, moves, games, width }
    }

    /// True if there is room for the depth and size of the tree behind a move.
    fn has_size(&self) -> bool {
        let games: usize = self.games.iter().map(NumberColumn::width).sum();
        self.width >= SCORE_WIDTH + self.moves + 2 + games + SIZE_WIDTH + BESIDE_SIZE
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let moves = self.moves;
        let games: usize = self.games.iter().map(NumberColumn::width).sum();
        let (with_size, has_size) = (SCORE_WIDTH + moves + 2 + games + SIZE_WIDTH, self.has_size());
        let before = if has_size { with_size } else { with_size - SIZE_WIDTH };
        let size = if has_size { "depth  positions  " } else { "" };
        let headings: String = self.games.iter().map(NumberColumn::heading).collect();
        writeln!(out, "\n{DIM}  score  {:<moves$}  {headings}{size}best line{DIM:#}", "move")?;
        let room = self.width.saturating_sub(before).max(LEAST_WIDTH);
        for (at, row) in self.rows.iter().enumerate() {
            let games: String = self.games.iter().map(|column| column.cell(at)).collect();
            let VerdictRow { score, name, plies, positions, style, .. } = row;
            let lines = fill(&row.line, room, row.most);
            for (index, line) in lines.iter().enumerate() {
                let size =
                    if has_size { format!("{plies:>5}  {positions:>9}  ") } else { String::new() };
                let numbers = match index {
                    0 => format!("{score:>7}  {name:<moves$}  {games}{size}"),
                    _ => format!("{:before$}", ""),
                };
                writeln!(out, "{style}{}{style:#}", format!("{numbers}{line}").trim_end())?;
            }
            let room = self.width.saturating_sub(11).max(LEAST_WIDTH);
            for line in row.note.iter().flat_map(|note| wrap(note, Some(room))) {
                writeln!(out, "{:9}| {NOTE}{line}{NOTE:#}", "")?;
            }
        }
        Ok(())
    }
}

/// The closing search's score of a root move.
fn in_closing(report: &TreeReport<'_>, uci: UciMove, mover: Color) -> Option<String> {
    let closing = report.tree.closing.as_ref().filter(|_| report.line.is_empty())?;
    let mut chosen = std::iter::once(&closing.best).chain(&closing.others);
    let chosen = chosen.find(|chosen| chosen.named.uci == uci)?;
    Some(format!("closing search {}", report.seen(chosen.score, mover)))
}

/// The text behind a move: words, the tree's best line, and the engine's own.
fn line_of(
    report: &TreeReport<'_>,
    shown: Shown<'_>,
    told: Option<&ListedMove>,
    start: &Chess,
) -> String {
    let mut remarks = report.marks(shown);
    remarks.extend(in_closing(report, shown.uci, start.turn()));
    if let Some(idea) = shown.other_idea() {
        remarks.insert(0, format!("idea {}", report.seen(idea, start.turn())));
    }
    if shown.child.is_none()
        && let Some(eval) = shown.eval
    {
        remarks.push(format!("the engine's score: {}", report.seen(eval, start.turn())));
    }
    let mut words = Vec::new();
    if !remarks.is_empty() {
        words.push(format!("({})", remarks.join(", ")));
    }
    if let Some(told) = told {
        words.push(told.words_behind(start));
        words.extend(describe_line_end(told.line_end).map(in_parentheses));
        words.push(told.own_words(start));
    }
    words.retain(|words| !words.is_empty());
    words.join(" ")
}
