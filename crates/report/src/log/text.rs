//! The history of a verdict, as text for people: each depth, and its changes, in sentences.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Score, fen_of, san_of};

use crate::log::{AlphaChange, Cause, Headline, LoggedDepth, changes, headline, stages};
use deepanalyze_view::{
    ChosenBy, Closing, PointOfView, StoredTree, after, columns, cut, describe_breadth,
    describe_end, describe_profile, grouped, numbered_line, seen, stage_lines, timestamp,
    write_field,
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// Columns of text without a terminal.
const WIDTH: usize = 80;
/// Columns before a stage's score and line.
const INDENT: usize = 7;

/// The history of a verdict.
#[derive(Debug)]
pub struct Log<'a> {
    /// The tree.
    pub tree: &'a StoredTree,
    /// The root at each depth, depth 0 first.
    pub stages: &'a [LoggedDepth],
}

/// Writes the history for people, no wider than the terminal: each depth with its best line, then
/// the changes of each root move; with `passes`, every pass that changed the best move or its
/// alpha.
pub fn write_log(
    log: &Log<'_>,
    (pov, width): (PointOfView, Option<usize>),
    passes: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(log.tree, pov, width, out)?;
    let width = width.unwrap_or(WIDTH);
    let words = ChangeWords { root: log.tree.game.root(), stages: log.stages, pov };
    if let Some(end) = describe_end(words.root) {
        return writeln!(out, "\n{end}");
    }
    if log.stages.is_empty() {
        return writeln!(out, "\nno depth is complete yet");
    }
    write_stages(&words, width, out)?;
    write_closing(log.tree, &words, width, out)?;
    write_moves(&words, width, out)?;
    if passes {
        write_course(log.tree, &words, out)?;
    }
    Ok(())
}

fn write_header(
    tree: &StoredTree,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (row, game) = (&tree.row, &tree.game);
    let stages = stage_lines(&tree.stages, row.id.0, game.root().turn(), pov);
    let mut field = |name: &str, value: &str| write_field(name, 9, value, width, out);
    field("root", &fen_of(game.root()))?;
    if !game.moves().is_empty() {
        field("history", &numbered_line(game.start(), game.moves()))?;
    }
    field("engine", &describe_profile(&row.profile))?;
    for (index, line) in stages.iter().enumerate() {
        field(if index == 0 { "stages" } else { "" }, line)?;
    }
    field("distance", &describe_breadth(&row.settings))?;
    field("scores", &format!("in pawns, {}; * marks another best move", pov.whose()))
}

fn write_stages(words: &ChangeWords<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let heading = "depth  when (UTC)             passes   searches  positions";
    writeln!(out, "\n{DIM}{heading}{DIM:#}")?;
    for (index, stage) in words.stages.iter().enumerate() {
        let so_far = if stage.settled_at.is_some() { "" } else { "  so far" };
        writeln!(
            out,
            "{:>5}  {:<20} {:>7} {:>10} {:>10}{so_far}",
            stage.depth,
            timestamp(stage.at).replace(['T', 'Z'], " "),
            stage.passes,
            stage.searches,
            stage.positions,
        )?;
        let mark = if words.best_before(index).is_some() { '*' } else { ' ' };
        let value = stage.value.map_or("?".to_owned(), |value| words.score(value));
        let line = stage.moves.first().map_or(&[][..], |m| &m.line);
        let line = cut(&numbered_line(words.root, line), width.saturating_sub(INDENT + 4));
        writeln!(out, "{mark} {value:>7}  {BOLD}{line}{BOLD:#}")?;
    }
    Ok(())
}

/// The closing search behind the depths, and the choice between both. Writes nothing without one.
fn write_closing(
    tree: &StoredTree,
    words: &ChangeWords<'_>,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (Some(Closing { best, nodes, .. }), Some(told)) = (&tree.closing, tree.verdict()) else {
        return Ok(());
    };
    let counts = if told.by == ChosenBy::Closing { "counts" } else { "does not count" };
    writeln!(out, "closing search, {} nodes: {counts}", grouped(*nodes))?;
    let tree_best = words.stages.iter().rev().find_map(|stage| stage.moves.first());
    let is_other = tree_best.is_some_and(|own| own.named.uci != best.named.uci);
    let mark = if is_other { '*' } else { ' ' };
    let line = cut(&numbered_line(words.root, &best.line), width.saturating_sub(INDENT + 4));
    writeln!(out, "{mark} {:>7}  {BOLD}{line}{BOLD:#}", words.score(best.score))?;
    let (name, score) = (words.name(told.best()), words.score(told.choice.score()));
    let whose = told.describe(words.pov).map(|whose| format!(": {whose}"));
    let verdict = format!("{name} {score}{}", whose.unwrap_or_default());
    write_field("verdict", 9, &verdict, Some(width), out)
}

/// The present root moves, best first, each with its last change and its greatest, if another.
fn write_moves(words: &ChangeWords<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(last) = words.stages.iter().rev().find(|stage| !stage.moves.is_empty()) else {
        return Ok(());
    };
    writeln!(
        out,
        "\n{DIM}what changed the moves: the last change of each, and its greatest{DIM:#}"
    )?;
    for m in &last.moves {
        let name = words.name(m.named.uci);
        let (score, all) = (words.score(m.alpha), changes(words.stages, m.named.uci));
        let Some(newest) = all.last() else {
            let listed = words.stages.iter().find(|stage| stage.find(m.named.uci).is_some());
            let since = listed.map_or(0, |stage| stage.depth);
            writeln!(out, "{BOLD}{name:<10}{BOLD:#} {score} since depth {since}")?;
            continue;
        };
        write_change(words, m.named.uci, &name, newest, width, out)?;
        let size = |change: &AlphaChange| change.after.get().abs_diff(change.before.get());
        let greatest = all.iter().rev().max_by_key(|change| size(change));
        if let Some(greatest) = greatest.filter(|greatest| size(greatest) > size(newest)) {
            write_change(words, m.named.uci, "", greatest, width, out)?;
        }
    }
    Ok(())
}

fn write_change(
    words: &ChangeWords<'_>,
    uci: UciMove,
    name: &str,
    change: &AlphaChange,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values = words.values(change);
    let text = |fully| {
        let because = words.because(uci, change, fully);
        format!("{values} from depth {} to {}, {because}", change.since, change.depth)
    };
    let room = width.saturating_sub(columns(name).max(10) + 1);
    let full = text(true);
    let told = if columns(&full) <= room { full } else { cut(&text(false), room) };
    let (values, rest) = told.split_at(values.len().min(told.len()));
    writeln!(out, "{BOLD}{name:<10}{BOLD:#} {values}{NOTE}{rest}{NOTE:#}")
}

fn write_course(tree: &StoredTree, words: &ChangeWords<'_>, out: &mut dyn Write) -> io::Result<()> {
    let heading = " pass  when (UTC)           searches  positions    value  best";
    writeln!(out, "\n{DIM}{heading}{DIM:#}")?;
    let mut best = None;
    for point in &tree.course {
        let mark = if best.is_some_and(|best| best != point.best) { '*' } else { ' ' };
        best = Some(point.best);
        writeln!(
            out,
            "{:>5}  {:<20} {:>7} {:>10}  {:>7} {mark}{}",
            point.passes,
            timestamp(point.noted_at).replace(['T', 'Z'], " "),
            point.searches,
            point.positions,
            words.score(point.alpha),
            words.name(point.best),
        )?;
    }
    Ok(())
}

/// Columns for a sentence behind its field's name.
const SENTENCE_WIDTH: usize = 71;

/// Words changes of a root's verdict.
#[derive(Debug, Clone, Copy)]
struct ChangeWords<'a> {
    /// The root, with the clocks of the game.
    root: &'a Chess,
    /// The root at each depth.
    stages: &'a [LoggedDepth],
    /// Scores' point of view.
    pov: PointOfView,
}

/// The newest change of a tree's verdict, if any.
pub fn newest_change(tree: &StoredTree, pov: PointOfView) -> Option<String> {
    let stages = stages(tree);
    let words = ChangeWords { root: tree.game.root(), stages: &stages, pov };
    headline(&stages).map(|headline| words.headline(&headline))
}

impl ChangeWords<'_> {
    /// A value or score of the root, or of one of its moves.
    fn score(&self, value: impl Into<Score>) -> String {
        let turn: Color = self.root.turn();
        seen(value, turn, self.pov).to_string()
    }

    /// A root move with its number: `1. e4`.
    fn name(&self, uci: UciMove) -> String {
        numbered_line(self.root, &[uci])
    }

    /// The newest change: `1. e4 +0.31 → +0.18 since depth 7, because 3... Qh4 instead of Nf6`.
    fn headline(&self, headline: &Headline) -> String {
        let told = self.tell(headline, true);
        if columns(&told) <= SENTENCE_WIDTH { told } else { self.tell(headline, false) }
    }

    fn tell(&self, headline: &Headline, fully: bool) -> String {
        match headline {
            Headline::Value(uci, change) => {
                let (values, because) = (self.values(change), self.because(*uci, change, fully));
                format!("{} {values} since depth {}, {because}", self.name(*uci), change.since)
            }
            Headline::Best { now, before, since, reason } => {
                let told = format!(
                    "{} instead of {} since depth {since}",
                    self.name(*now),
                    self.name(*before)
                );
                let Some((uci, change)) = reason else {
                    return told;
                };
                let whose =
                    if uci == now { String::new() } else { format!("{} ", self.name(*uci)) };
                let (values, because) = (self.values(change), self.because(*uci, change, fully));
                format!("{told}: {whose}{values}, {because}")
            }
        }
    }

    /// `+0.31 → +0.18`.
    fn values(&self, change: &AlphaChange) -> String {
        format!("{} → {}", self.score(change.before), self.score(change.after))
    }

    /// `because 3... Qh4`, or `by what follows 5... Nd7`; `fully` adds the replaced move.
    fn because(&self, uci: UciMove, change: &AlphaChange, fully: bool) -> String {
        let line = |depth| self.line(depth, uci);
        let (old, new) = (line(change.since), line(change.depth));
        match change.cause {
            Cause::Departs { ply, .. } => {
                let (_, old_move) = self.move_at(old, ply);
                let (new_move, _) = self.move_at(new, ply);
                if fully {
                    format!("because {new_move} instead of {old_move}")
                } else {
                    format!("because {new_move}")
                }
            }
            Cause::Follows { ply: 0, .. } => "by what follows it".to_owned(),
            Cause::Follows { ply, .. } => format!("by what follows {}", self.move_at(new, ply).0),
        }
    }

    /// The best line of a root move at a depth.
    fn line(&self, depth: u32, uci: UciMove) -> &[UciMove] {
        let stage = self.stages.iter().find(|stage| stage.depth == depth);
        stage.and_then(|stage| stage.find(uci)).map_or(&[], |m| &m.line)
    }

    /// A move of a line in SAN, with its number and without.
    fn move_at(&self, line: &[UciMove], ply: usize) -> (String, String) {
        let Some(uci) = line.get(ply) else {
            return (String::new(), String::new());
        };
        let position = after(self.root, line.iter().take(ply));
        (numbered_line(&position, &[*uci]), san_of(&position, *uci))
    }

    /// The former best move, if it differs from a stage's; stages of unknown moves are skipped.
    fn best_before(&self, index: usize) -> Option<UciMove> {
        let best = |stage: &LoggedDepth| stage.moves.first().map(|m| m.named.uci);
        let now = best(self.stages.get(index)?)?;
        let before = self.stages.iter().take(index).rev().find_map(best)?;
        (before != now).then_some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::LoggedMove;
    use crate::log::changes;
    use deepanalyze_core::chess::{Value, parse_fen};
    use deepanalyze_core::tree::RootMove;

    fn stage(depth: u32, moves: &[(i64, &str)]) -> LoggedDepth {
        let moves = moves.iter().enumerate().map(|(rank, (alpha, words))| {
            let alpha = Value::new(*alpha).unwrap();
            let line: Vec<UciMove> = words.split(' ').map(|uci| uci.parse().unwrap()).collect();
            let listed = Some((rank, alpha));
            let m = RootMove { uci: line[0], listed, idea: alpha, alpha, line };
            LoggedMove::of(&Chess::default(), m)
        });
        let (passes, searches, positions) = (1, 1, 1);
        let (settled_at, at, value) = (Some(0), 0, None);
        let moves = moves.collect();
        LoggedDepth { depth, settled_at, passes, searches, positions, at, value, moves }
    }

    #[test]
    fn changes_are_told_with_numbers_from_either_side() {
        // Black to move, move 12: numbers begin with dots.
        let root = parse_fen("4k3/7p/8/8/8/8/P7/4K3 b - - 0 12").unwrap();
        let stages = [
            stage(7, &[(31, "h7h5 a2a4 h5h4 a4a5"), (4, "h7h6")]),
            stage(8, &[(18, "h7h5 a2a4 e8d7 a4a5"), (4, "h7h6")]),
            stage(9, &[(19, "h7h6"), (17, "h7h5 a2a4 e8d7 a4a5 d7c7")]),
        ];
        let told = |count: usize, pov| {
            let stages = &stages[..count];
            let words = ChangeWords { root: &root, stages, pov };
            words.headline(&headline(stages).unwrap())
        };
        let mover = PointOfView::Mover;
        assert_eq!(
            told(2, mover),
            "12... h5 +0.31 → +0.18 since depth 7, because 13... Kd7 instead of h4"
        );
        assert_eq!(
            told(2, PointOfView::White),
            "12... h5 -0.31 → -0.18 since depth 7, because 13... Kd7 instead of h4"
        );
        assert_eq!(
            told(3, mover),
            "12... h6 instead of 12... h5 since depth 8: +0.04 → +0.19, by what follows it"
        );
        let words = ChangeWords { root: &root, stages: &stages, pov: mover };
        let h5 = changes(&stages, stages[0].moves[0].named.uci);
        assert_eq!(
            words.because(stages[0].moves[0].named.uci, &h5[1], true),
            "by what follows 14. a5"
        );
        assert_eq!(words.because(stages[0].moves[0].named.uci, &h5[0], false), "because 13... Kd7");
    }
}
