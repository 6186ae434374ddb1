//! Conditional moves for a correspondence server: `if 26. h3 then h5`, as long as the answer is
//! clear.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{PositionKey, Value, san_of};
use deepanalyze_core::tree::{Child, NodeId, PathSet, PathValues, choices};

use crate::tree::layout::{TreeReport, uci_of};
use deepanalyze_view::{after, numbered_move};

/// Plies written by default: no server takes long lines.
const PLIES: u32 = 8;
/// The most lines that are written.
const MOST_LINES: usize = 1000;
/// Least share of the games for a likely reply.
const LIKELY: f64 = 0.05;

/// Writes, for each likely reply, the answer of the side while it is clear, one per line, and below
/// it, indented, the replies to that. If the side is to move, its own move comes first.
///
/// A reply is likely if it has a twentieth of the position's games, or, if none are known, if it is
/// within the distance or included. An answer is clear if every other move is worse by `clear`
/// centipawns: listed ones by their alphas, others by the last score of the list. An only legal
/// move is clear, a mate, and a single move that the user has included. If the verdict's line
/// reaches the position, it must have the same move.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_conditional(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut walk = Walk::new(report);
    let Some(begin) = walk.begin() else {
        return writeln!(out, "nothing to write: the position is not analysed");
    };
    if let Some((position, uci)) = &begin.own {
        writeln!(out, "play {}", numbered_move(position, *uci))?;
    }
    let steps = begin.stand.as_ref().map(|stand| walk.replies(stand));
    let (mut steps, mut lines) = (steps.unwrap_or_default(), 0);
    while let Some(step) = steps.pop() {
        let Some((answer, stand)) = walk.answered(&step) else {
            continue;
        };
        if lines == MOST_LINES {
            writeln!(out, "… and more: --plies takes fewer")?;
            break;
        }
        lines += 1;
        let (indent, reply) = (2 * step.stand.level, numbered_move(&step.position, step.uci));
        let position = after(&step.position, [&step.uci]);
        writeln!(out, "{:indent$}if {reply} then {}", "", san_of(&position, answer))?;
        if let Some(stand) = stand {
            steps.extend(walk.replies(&stand));
        }
    }
    match begin.stand {
        Some(_) if lines == 0 => writeln!(out, "no likely reply has a clear answer"),
        _ => Ok(()),
    }
}

/// A position on a line of the tree.
struct Stand {
    position: Chess,
    node: NodeId,
    /// The ply whose distance counts.
    visit_ply: u32,
    /// The path that ends with it.
    path: Option<PathSet>,
    /// The moves from the root.
    moves: Vec<UciMove>,
    /// The conditions that lead to it.
    level: usize,
}

/// A likely reply to examine.
struct Reply {
    position: Chess,
    uci: UciMove,
    /// Behind it.
    stand: Stand,
}

/// The start of the conditions, behind the side's own move, if it is to move.
struct Beginning {
    own: Option<(Chess, UciMove)>,
    /// `None` if the tree has nothing behind that move.
    stand: Option<Stand>,
}

struct Walk<'a> {
    report: &'a TreeReport<'a>,
    paths: PathValues<'a>,
    /// The verdict's line from the root.
    told: Vec<UciMove>,
    /// Lines end after this many moves from the root.
    most: usize,
}

impl<'a> Walk<'a> {
    fn new(report: &'a TreeReport<'a>) -> Walk<'a> {
        let growth = report.growth();
        let paths = PathValues::new(growth.graph(), growth.values());
        let told = report.tree.verdict().map(|told| told.choice.moves).unwrap_or_default();
        let plies = report.options.plies.unwrap_or(PLIES);
        let plies = usize::try_from(plies).unwrap_or(usize::MAX);
        Walk { report, paths, told, most: report.line.len().saturating_add(plies) }
    }

    /// The position of the report, or if the side is to move there the one behind its move: the
    /// verdict's at the root, else the best one.
    fn begin(&mut self) -> Option<Beginning> {
        let (report, graph) = (self.report, self.report.growth().graph());
        let nodes = &report.path;
        let path = nodes.iter().fold(None, |path, node| self.paths.extend(path, *node));
        let included = nodes.windows(2).filter(|pair| leads_included(report, pair)).count();
        let ply = nodes.len().saturating_sub(1 + included);
        let stand = Stand {
            position: report.start(),
            node: *nodes.last()?,
            visit_ply: u32::try_from(ply).unwrap_or(u32::MAX),
            path,
            moves: report.line.clone(),
            level: 0,
        };
        if !graph.is_analysed(stand.node) {
            return None;
        }
        if report.options.side != Some(stand.position.turn()) {
            return Some(Beginning { own: None, stand: Some(stand) });
        }
        let own = self.own(&stand)?;
        let before = stand.position.clone();
        let uci = uci_of(&own);
        Some(Beginning { stand: self.behind(&stand, &own), own: Some((before, uci)) })
    }

    /// The side's move where printing begins.
    fn own(&mut self, stand: &Stand) -> Option<Child> {
        let mut moves = self.moves(stand);
        if moves.iter().any(|m| m.included) {
            moves.retain(|m| m.included);
        } else if let Some(told) = self.report.told() {
            let first = moves.iter().position(|m| uci_of(m) == told.best());
            moves.swap(0, first.unwrap_or(0));
        }
        moves.into_iter().next()
    }

    fn moves(&mut self, stand: &Stand) -> Vec<Child> {
        let breadth = self.report.growth().breadth();
        choices(&mut self.paths, breadth, stand.node, stand.visit_ply, stand.path)
    }

    /// The position behind a move, if the tree goes on there and the line has not come back.
    fn behind(&mut self, stand: &Stand, child: &Child) -> Option<Stand> {
        let is_analysed = self.report.growth().graph().is_analysed(child.edge.child);
        (!child.repetition && is_analysed).then(|| self.after(stand, child))
    }

    fn after(&mut self, stand: &Stand, child: &Child) -> Stand {
        let (node, uci) = (child.edge.child, uci_of(child));
        Stand {
            position: after(&stand.position, [&uci]),
            node,
            visit_ply: stand.visit_ply + u32::from(!child.included),
            path: self.paths.extend(stand.path, node),
            moves: [&stand.moves[..], &[uci]].concat(),
            level: stand.level,
        }
    }

    /// The likely replies in a position, the last one first.
    fn replies(&mut self, stand: &Stand) -> Vec<Reply> {
        if stand.moves.len().saturating_add(2) > self.most {
            return Vec::new();
        }
        let moves = self.moves(stand);
        let mut likely: Vec<&Child> = self.likely(stand, &moves);
        likely.retain(|m| !m.repetition);
        let reply = |m: &Child| Reply {
            position: stand.position.clone(),
            uci: uci_of(m),
            stand: self.after(stand, m),
        };
        likely.into_iter().rev().map(reply).collect()
    }

    /// By most games, or by strength.
    fn likely<'m>(&self, stand: &Stand, moves: &'m [Child]) -> Vec<&'m Child> {
        let counts = self.report.growth().counts().get(&PositionKey::of(&stand.position));
        let Some(counts) = counts.filter(|counts| !counts.is_empty()) else {
            return moves.iter().filter(|m| m.candidate || m.included).collect();
        };
        let played = counts.iter().map(|m| m.uci);
        let played = played.filter(|uci| counts.share(*uci).is_some_and(|share| share >= LIKELY));
        played.filter_map(|uci| moves.iter().find(|m| uci_of(m) == uci)).collect()
    }

    /// The answer to a reply, if it is clear, and the position behind it, if the tree goes on.
    fn answered(&mut self, reply: &Reply) -> Option<(UciMove, Option<Stand>)> {
        let stand = &reply.stand;
        let moves = self.moves(stand);
        let answer = self.clear(stand, &moves)?;
        let behind = self.behind(stand, answer);
        let behind = behind.map(|behind| Stand { level: behind.level + 1, ..behind });
        Some((uci_of(answer), behind))
    }

    /// The one move to play, if it is clear.
    fn clear<'m>(&self, stand: &Stand, moves: &'m [Child]) -> Option<&'m Child> {
        let graph = self.report.growth().graph();
        let included = graph.included(stand.node);
        let best = match included {
            [] => moves.first()?,
            [only] => return moves.iter().find(|m| m.edge.uci == only.uci),
            // The user has not decided.
            _ => return None,
        };
        let next = [self.unlisted(stand.node), moves.get(1).map(|m| m.alpha)];
        let next = next.into_iter().flatten().max();
        let least = next.map_or(i64::MIN, |next| i64::from(next.get()));
        let is_mate = best.alpha.is_mate() && best.alpha > Value::EVEN;
        let is_clear = is_mate || best.alpha.less(self.report.options.clear) >= least;
        let told = self.told.strip_prefix(&stand.moves[..]).and_then(|rest| rest.first());
        let agrees = told.is_none_or(|told| *told == uci_of(best));
        (is_clear && agrees).then_some(best)
    }

    /// The greatest value of an unlisted move; `None` if all legal moves are listed.
    fn unlisted(&self, node: NodeId) -> Option<Value> {
        let (graph, list) = (self.report.growth().graph(), self.report.growth().graph().list(node));
        (list.len() < graph.legal_moves(node))
            .then(|| list.last().map_or(Value::MAX, |last| last.eval))
    }
}

/// True if the second of two positions on a line is reached by an included move.
fn leads_included(report: &TreeReport<'_>, pair: &[NodeId]) -> bool {
    let (Some(from), Some(to)) = (pair.first(), pair.get(1)) else {
        return false;
    };
    report.growth().graph().included(*from).iter().any(|included| included.child == *to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::layout::ReportStart;
    use crate::tree::{PrintOptions, TreeFormat};
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::directives::Directives;
    use deepanalyze_core::tree::{
        Breadth, CountFacts, Lists, MoveCounts, PlayedRules, Selection, Wish, Wishes, grown_of,
    };
    use deepanalyze_view::StoredTree;
    use deepanalyze_view::testing::{closing_of, kept_of};
    use shakmaty::Color;
    use std::sync::Arc;

    /// Each answer of White's is better than the next by 50, but for 1... c5.
    const LISTS: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 20)]),
        ("e4", &[("e7e5", -30), ("c7c5", -35), ("e7e6", -70)]),
        ("e4 e5", &[("g1f3", 31), ("b1c3", -19)]),
        ("e4 c5", &[("g1f3", 35), ("b1c3", 30)]),
        ("e4 e6", &[("d2d4", 70), ("b1c3", 20)]),
        ("e4 e5 Nf3", &[("b8c6", -31), ("d7d6", -33)]),
        ("e4 e5 Nf3 Nc6", &[("f1b5", 31), ("b1c3", -19)]),
        ("e4 e5 Nf3 d6", &[("d2d4", 33), ("f1c4", -17)]),
        ("e4 e6 d4", &[("d7d5", -70)]),
        ("e4 e6 d4 d5", &[("b1c3", 70), ("a2a3", 0)]),
    ];

    fn conditions(growth: deepanalyze_core::tree::Growth, options: PrintOptions<'_>) -> String {
        let game = Game::from_start("startpos").unwrap();
        written(&kept_of(&game, growth, Directives::default()), options)
    }

    fn written(tree: &StoredTree, options: PrintOptions<'_>) -> String {
        let start = ReportStart::behind(tree, options.line).unwrap();
        let report = TreeReport::new(tree, start, options);
        let mut text = Vec::new();
        report.write(80, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn of(options: PrintOptions<'_>) -> String {
        let game = Game::from_start("startpos").unwrap();
        conditions(grown_of(&game, 20, LISTS), options)
    }

    fn options() -> PrintOptions<'static> {
        PrintOptions::of(TreeFormat::Conditional)
    }

    #[test]
    fn replies_within_the_distance_get_clear_answers() {
        let all = "play 1. e4\nif 1... e5 then Nf3\n  if 2... Nc6 then Bb5\n  if 2... d6 then d4\n";
        assert_eq!(of(options()), all);
        let two = "play 1. e4\nif 1... e5 then Nf3\n";
        assert_eq!(of(PrintOptions { plies: Some(3), ..options() }), two);
        // 2. Nf3 stands out by 50, 2... d6 3. d4 by 50, too.
        assert_eq!(
            of(PrintOptions { clear: 51, ..options() }),
            "play 1. e4\nno likely reply has a clear answer\n"
        );
        let wide = of(PrintOptions { clear: 5, ..options() });
        assert!(wide.contains("if 1... c5 then Nf3\n"), "{wide}");
    }

    #[test]
    fn a_move_that_ends_the_tree_stands_alone() {
        let game = Game::from_start("startpos").unwrap();
        let one: &Lists<'_> = &[("", &[("e2e4", 30)])];
        assert_eq!(conditions(grown_of(&game, 20, one), options()), "play 1. e4\n");
        let none = conditions(grown_of(&game, 20, &[]), options());
        assert_eq!(none, "nothing to write: the position is not analysed\n");
    }

    #[test]
    fn on_the_other_sides_turn_its_moves_come_first() {
        let below = of(PrintOptions { line: "e4 e5 Nf3", ..options() });
        assert_eq!(below, "if 2... Nc6 then Bb5\nif 2... d6 then d4\n");
        let black = of(PrintOptions { side: Some(Color::Black), ..options() });
        assert_eq!(black, "no likely reply has a clear answer\n");
    }

    #[test]
    fn a_differing_verdict_line_makes_answers_unclear() {
        let game = Game::from_start("startpos").unwrap();
        let mut tree = kept_of(&game, grown_of(&game, 20, LISTS), Directives::default());
        tree.tree.closing = Some(closing_of(&tree, "e4 e5 Nf3 Nc6 Nc3", 30));
        let right = "play 1. e4\nif 1... e5 then Nf3\n  if 2... d6 then d4\n";
        assert_eq!(written(&tree, options()), right);
        tree.tree.closing = Some(closing_of(&tree, "d4 d5", 40));
        assert_eq!(written(&tree, options()), "play 1. d4\n");
    }

    #[test]
    fn one_included_move_is_clear_and_several_are_not() {
        let game = Game::from_start("startpos").unwrap();
        for (include, right) in [
            (&["b1c3"][..], "play 1. e4\nif 1... e5 then Nc3\n"),
            (&["b1c3", "g1f3"], "play 1. e4\nno likely reply has a clear answer\n"),
        ] {
            let mut there = game.clone();
            there.play_line("e4 e5").unwrap();
            let include = include.iter().map(|uci| uci.parse().unwrap()).collect();
            let wish = Wish { include, ..Wish::default() };
            let wishes: Wishes = [(PositionKey::of(there.root()), wish)].into_iter().collect();
            let selection = Selection { wishes: Arc::new(wishes), ..Breadth::from(20).into() };
            assert_eq!(conditions(grown_of(&game, selection, LISTS), options()), right);
        }
    }

    #[test]
    fn with_games_played_replies_are_likely() {
        let game = Game::from_start("startpos").unwrap();
        let counts = CountFacts::new(PlayedRules::default());
        let selection = Selection { counts, ..Breadth::from(20).into() };
        let mut growth = grown_of(&game, selection, LISTS);
        let mut there = game.clone();
        there.play_line("e4").unwrap();
        let counts = [("e7e6", 60), ("e7e5", 38), ("d7d5", 2)];
        let counts = counts.map(|(uci, games)| (uci.parse().unwrap(), games));
        growth.learn_counts([(PositionKey::of(there.root()), MoveCounts::new(counts))]);
        let right = "play 1. e4\nif 1... e6 then d4\n  if 2... d5 then Nc3\nif 1... e5 then Nf3\n  \
            if 2... Nc6 then Bb5\n  if 2... d6 then d4\n";
        assert_eq!(conditions(growth, options()), right);
    }
}
