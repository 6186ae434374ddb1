//! Two analyses side by side, as text for people.

use std::io::{self, Write};

use anstyle::Style;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Value, fen_of};
use deepanalyze_store::AnalysisRow;

use crate::compare::{ComparedMove, ComparedRoot, ComparedTree, Difference};
use deepanalyze_view::{
    PointOfView, after, columns, count, cut, describe_depth, describe_manner, hanging,
    name_of_line, numbered_line, numbered_move, seen, shorten, timestamp,
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Names of the two analyses.
const NAMES: [&str; 2] = ["A", "B"];
/// The columns of two scores.
const SCORES_WIDTH: usize = 18;

/// Writes two analyses of a root, or of several roots. The width is in columns.
pub fn write_comparison(
    roots: &[ComparedRoot],
    pov: PointOfView,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = ComparePage { pov, width };
    match roots {
        [root] => page.root(root, out),
        roots => page.roots(roots, out),
    }
}

/// Its settings.
struct ComparePage {
    pov: PointOfView,
    width: usize,
}

impl ComparePage {
    /// One root: its moves, then the positions on which the trees differ most.
    fn root(&self, root: &ComparedRoot, out: &mut dyn Write) -> io::Result<()> {
        let ComparedRoot { game, a, b, common, agreed, differences, .. } = root;
        let start = game.root();
        writeln!(out, "{BOLD}{}{BOLD:#}", verdict(start, best(root)))?;
        for (name, ComparedTree { row, verdict, .. }) in NAMES.iter().zip(root.sides()) {
            self.side(name, &format!("#{}: {}", row.id.0, side(row)), out)?;
            let contradicted = verdict.iter().filter(|told| !told.agree());
            for told in contradicted {
                let score = seen(told.choice.value, start.turn(), self.pov);
                let best = numbered_move(start, told.best());
                let whose = told.describe(self.pov).unwrap_or_default();
                self.side(" ", &format!("{best} {score}: {whose}"), out)?;
            }
        }
        writeln!(out, "{DIM}root {}{DIM:#}", fen_of(start))?;
        if !game.moves().is_empty() {
            let line =
                shorten(&numbered_line(game.start(), game.moves()), self.width.saturating_sub(6));
            writeln!(out, "{DIM}after {line}{DIM:#}")?;
        }
        writeln!(out, "\n{DIM}      A        B  best lines, scores {}{DIM:#}", self.pov.whose())?;
        let is_same = |m: &ComparedMove, other: &ComparedMove| m.named == other.named;
        let own = a.moves.iter().map(|m| (Some(m), b.moves.iter().find(|other| is_same(m, other))));
        let others = b.moves.iter().filter(|m| a.moves.iter().all(|other| !is_same(m, other)));
        for moves in own.chain(others.map(|m| (None, Some(m)))) {
            self.moves(start, [moves.0, moves.1], out)?;
        }
        let common = count(*common, "position");
        writeln!(out, "\n{common} in both trees, the same best move in {agreed}")?;
        if !differences.is_empty() {
            writeln!(out, "{DIM}      A        B  the largest disagreements{DIM:#}")?;
        }
        differences.iter().try_for_each(|found| self.difference(start, found, out))
    }

    /// A root move: its score in both, and its lines if they differ.
    fn moves(
        &self,
        start: &Chess,
        moves: [Option<&ComparedMove>; 2],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let scores = moves.map(|m| m.map(|m| m.alpha));
        let line = |m: Option<&ComparedMove>| m.map(|m| numbered_line(start, &m.line));
        let [a, b] = moves.map(line);
        let lines = match (a, b) {
            (Some(a), Some(b)) if a == b => vec![a],
            (Some(a), Some(b)) => vec![format!("A {a}"), format!("B {b}")],
            (a, b) => a.or(b).into_iter().collect(),
        };
        let room = self.width.saturating_sub(SCORES_WIDTH);
        for (index, line) in lines.iter().enumerate() {
            let scores = if index == 0 { self.scores(scores, start) } else { String::new() };
            writeln!(out, "{scores:SCORES_WIDTH$}{}", cut(line, room))?;
        }
        Ok(())
    }

    fn difference(&self, start: &Chess, found: &Difference, out: &mut dyn Write) -> io::Result<()> {
        let position = after(start, &found.line);
        let Difference { a, b, .. } = found;
        let scores = self.scores([a, b].map(|choice| Some(choice.idea)), &position);
        let line = name_of_line(start, &found.line);
        let first = numbered_move(&position, a.best.uci);
        let best = if a.best == b.best {
            format!("both {first}")
        } else {
            format!("A {first}, B {}", b.best.san)
        };
        let scores = format!("{scores:SCORES_WIDTH$}");
        let lines = hanging(&scores, &format!("{line}: {best}"), self.width);
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Many roots: a row for each, the greatest difference first.
    fn roots(&self, roots: &[ComparedRoot], out: &mut dyn Write) -> io::Result<()> {
        let known: Vec<_> = roots.iter().filter(|root| root.size.is_some()).collect();
        let agreed = known.iter().filter(|root| is_same_move(root)).count();
        let compared = known.len();
        writeln!(out, "{BOLD}The same best move in {agreed} of {compared} roots{BOLD:#}")?;
        for (name, side) in roots.first().iter().flat_map(|root| NAMES.iter().zip(root.sides())) {
            self.side(name, &describe_manner(&side.row), out)?;
        }
        writeln!(
            out,
            "\n{DIM}      A        B  A            B            root; scores {}{DIM:#}",
            self.pov.whose()
        )?;
        let mut sorted = known;
        sorted.sort_by(|a, b| b.size.unwrap_or(0.0).total_cmp(&a.size.unwrap_or(0.0)));
        sorted.iter().try_for_each(|root| self.row(root, out))
    }

    fn row(&self, root: &ComparedRoot, out: &mut dyn Write) -> io::Result<()> {
        let start = root.game.root();
        let best = best(root);
        let scores = self.scores(root.sides().map(|side| side.value), start);
        let name = |best: Option<UciMove>| best.map(|uci| numbered_move(start, uci));
        let [a, b] = best.map(|best| name(best).unwrap_or_default());
        let [first, second] = root.sides().map(|side| side.row.id.0);
        let before = format!("{scores:SCORES_WIDTH$}{a:<12} {b:<12} #{first} #{second} ");
        let room = self.width.saturating_sub(columns(&before));
        let what = match (&root.name, root.game.moves()) {
            (Some(name), _) => cut(name, room),
            (None, []) => cut(&fen_of(start), room),
            (None, moves) => shorten(&numbered_line(root.game.start(), moves), room),
        };
        writeln!(out, "{before}{what}")
    }

    /// The two scores of a move or position for the side to move there.
    fn scores(&self, [a, b]: [Option<Value>; 2], position: &Chess) -> String {
        let score = |value: Option<Value>| match value {
            Some(value) => seen(value, position.turn(), self.pov).to_string(),
            None => "-".to_owned(),
        };
        format!("{:>7}  {:>7}", score(a), score(b))
    }

    fn side(&self, name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let lines = hanging(&format!("{name}  "), text, self.width);
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// The best move of each verdict on the root; `None` without an answer yet.
fn best(root: &ComparedRoot) -> [Option<UciMove>; 2] {
    root.sides().map(|side| side.verdict.as_ref().map(|told| told.best()))
}

fn is_same_move(root: &ComparedRoot) -> bool {
    let [a, b] = best(root);
    a == b
}

/// The choice of each.
fn verdict(start: &Chess, best: [Option<UciMove>; 2]) -> String {
    let name = |uci: UciMove| numbered_move(start, uci);
    match best {
        [Some(a), Some(b)] if a == b => format!("A and B agree: {}", name(a)),
        [Some(a), Some(b)] => format!("A takes {}, B {}", name(a), name(b)),
        [Some(a), None] => format!("A takes {}, B has no answer yet", name(a)),
        [None, Some(b)] => format!("A has no answer yet, B takes {}", name(b)),
        [None, None] => "neither has an answer".to_owned(),
    }
}

/// The profile of an analysis, and its progress.
fn side(row: &AnalysisRow) -> String {
    let settled = describe_depth(row.settled_depth);
    let changed = timestamp(row.changed_at);
    let day = changed.split('T').next().unwrap_or_default();
    format!("{}, depth {settled} of {}, {day}", describe_manner(row), row.target_depth)
}
