//! Answers to claims, from the tree and the rules.

use std::cmp::Reverse;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use super::{Claim, EndBy};
use crate::chess::{Ending, Game, PositionKey, Value, after, play, read_move};
use crate::tree::{Edge, Growth, LineEnd, NodeId, PathSet, PathValues, best_line_behind, line_end};

/// Reason why a claim is neither true nor false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The tree has not analysed the position behind this many moves of the line.
    Line(usize),
    /// The move has no score in the tree, and no answer bounds it.
    Unbounded,
    /// The move has no score in the tree, and its bound does not decide.
    Bounded,
    /// No games of the position are counted.
    NoGames,
}

/// Where a score comes from: an answer in the list of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    /// The position.
    pub position: NodeId,
    /// The answer's place in its list.
    pub rank: usize,
}

/// The answer to a claim, and what it rests on. Scores are for White.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// True, false, or unknown.
    pub answer: Option<bool>,
    /// The score of the line, or of the claimed move.
    pub score: Option<Value>,
    /// The greatest value that the claimed move can have for its side, where it has no score.
    pub bound: Option<Value>,
    /// The best move there, with its score.
    pub best: Option<(UciMove, Value)>,
    /// Of a line, how many of the claimed moves are the best ones.
    pub plies: usize,
    /// Games with the claimed move, and of all moves of the position.
    pub games: Option<(u64, u64)>,
    /// How likely the claimed move is played, from 0 to 1, where a net of human play was asked.
    pub likely: Option<f64>,
    /// White's men less Black's.
    pub material: Option<i64>,
    /// The reason, where it is unknown.
    pub unknown: Option<Unknown>,
    /// The answers of the engine that it rests on.
    pub sources: Vec<Source>,
}

impl Judged {
    fn plain(answer: bool) -> Judged {
        Judged { answer: Some(answer), ..Judged::default() }
    }

    fn unknown(why: Unknown) -> Judged {
        Judged { unknown: Some(why), ..Judged::default() }
    }
}

/// A line whose positions are all analysed.
struct Known {
    nodes: Vec<NodeId>,
    path: Option<PathSet>,
}

impl Known {
    fn last(&self) -> NodeId {
        self.nodes.last().copied().unwrap_or(NodeId::from_index(0))
    }
}

/// Answers claims about a tree.
pub struct Judge<'a> {
    growth: &'a Growth,
    root: &'a Chess,
    repeated: Vec<PositionKey>,
    paths: PathValues<'a>,
}

impl<'a> Judge<'a> {
    /// Of a tree and the game up to its root.
    pub fn new(growth: &'a Growth, game: &'a Game) -> Judge<'a> {
        let paths = PathValues::new(growth.graph(), growth.values());
        Judge { growth, root: game.root(), repeated: game.repeated(), paths }
    }

    /// Answers a claim whose moves are legal.
    pub fn answer(&mut self, claim: &Claim<UciMove>) -> Judged {
        let position = after(self.root, claim.at());
        match claim {
            Claim::Score { at, at_least } => self.score(at, *at_least),
            Claim::Best { at, uci } => self.best(at, *uci),
            Claim::Worse { at, uci, by_at_least } => self.worse(at, *uci, *by_at_least),
            Claim::Line { at, moves } => self.line(at, moves),
            Claim::Ends { at, by } => Judged::plain(self.ends(at, &position, *by)),
            Claim::Legal { word, .. } => Judged::plain(read_move(&position, word).is_ok()),
            Claim::Captures { uci, .. } => {
                Judged::plain(uci.to_move(&position).is_ok_and(|m| m.is_capture()))
            }
            Claim::Check { .. } => Judged::plain(position.is_check()),
            Claim::Material { is, .. } => {
                let material = material(&position);
                Judged { material: Some(material), ..Judged::plain(material == *is) }
            }
            Claim::Played { uci, at_least, .. } => self.played(&position, *uci, *at_least),
        }
    }

    fn score(&mut self, at: &[UciMove], at_least: i64) -> Judged {
        let Some((last, before)) = at.split_last() else { return self.root_score(at_least) };
        let known = match self.known(before) {
            Ok(known) => known,
            Err(plies) => return Judged::unknown(Unknown::Line(plies)),
        };
        let turn = self.growth.graph().turn(known.last());
        if let Some((edge, alpha)) = self.counting(&known, *last) {
            let score = for_white(alpha, turn);
            return Judged {
                score: Some(score),
                sources: self.source(&known, &edge).into_iter().collect(),
                ..Judged::plain(i64::from(score.get()) >= at_least)
            };
        }
        let Some((bound, source)) = bound(self.growth, known.last(), *last) else {
            return Judged::unknown(Unknown::Unbounded);
        };
        let bound = for_white(bound, turn);
        let is_enough = i64::from(bound.get()) >= at_least;
        // A bound is the most for the mover: it denies much to White, and grants much to White where Black moves.
        let answer = match turn {
            Color::White if !is_enough => Some(false),
            Color::Black if is_enough => Some(true),
            _ => None,
        };
        let unknown = answer.is_none().then_some(Unknown::Bounded);
        Judged { answer, bound: Some(bound), unknown, sources: vec![source], ..Judged::default() }
    }

    /// The claim of the root itself: its moves' greatest alpha, or its value as an end.
    fn root_score(&mut self, at_least: i64) -> Judged {
        let root = self.growth.root();
        let turn = self.growth.graph().turn(root);
        let of = |value: Value, sources: Vec<Source>| {
            let score = for_white(value, turn);
            let answer = i64::from(score.get()) >= at_least;
            Judged { score: Some(score), sources, ..Judged::plain(answer) }
        };
        match (self.known(&[]), self.growth.graph().end(root)) {
            (Ok(known), _) => match self.ranked(&known).first().copied() {
                Some((edge, alpha)) => of(alpha, self.source(&known, &edge).into_iter().collect()),
                None => Judged::unknown(Unknown::Line(0)),
            },
            (Err(_), Some(end)) => of(end, Vec::new()),
            (Err(plies), None) => Judged::unknown(Unknown::Line(plies)),
        }
    }

    fn best(&mut self, at: &[UciMove], uci: UciMove) -> Judged {
        let (less, judged) = match self.compared(at, uci) {
            Ok(compared) => compared,
            Err(unknown) => return unknown,
        };
        match judged.bound {
            None => Judged { answer: Some(less <= 0), ..judged },
            Some(_) if less > 0 => Judged { answer: Some(false), ..judged },
            Some(_) => Judged { unknown: Some(Unknown::Bounded), ..judged },
        }
    }

    fn worse(&mut self, at: &[UciMove], uci: UciMove, by: i64) -> Judged {
        let (less, judged) = match self.compared(at, uci) {
            Ok(compared) => compared,
            Err(unknown) => return unknown,
        };
        match judged.bound {
            None => Judged { answer: Some(less >= by), ..judged },
            Some(_) if less >= by => Judged { answer: Some(true), ..judged },
            Some(_) => Judged { unknown: Some(Unknown::Bounded), ..judged },
        }
    }

    /// How much less a move is worth than the best one, in centipawns; at least, if it has a bound alone. Else the
    /// answer is unknown.
    fn compared(&mut self, at: &[UciMove], uci: UciMove) -> Result<(i64, Judged), Judged> {
        let known = self.known(at).map_err(|plies| Judged::unknown(Unknown::Line(plies)))?;
        let turn = self.growth.graph().turn(known.last());
        let best = self.ranked(&known).first().copied();
        let (best, most) = best.ok_or(Judged::unknown(Unknown::Line(at.len())))?;
        let less = |value: Value| i64::from(most.get()) - i64::from(value.get());
        let mut sources: Vec<Source> = self.source(&known, &best).into_iter().collect();
        let told = Some((best.uci.unpack(), for_white(most, turn)));
        let (value, source, judged) = if let Some((edge, alpha)) = self.counting(&known, uci) {
            let score = Some(for_white(alpha, turn));
            (alpha, self.source(&known, &edge), Judged { score, ..Judged::default() })
        } else if let Some((bound, source)) = bound(self.growth, known.last(), uci) {
            let told = Some(for_white(bound, turn));
            (bound, Some(source), Judged { bound: told, ..Judged::default() })
        } else {
            return Err(Judged { best: told, ..Judged::unknown(Unknown::Unbounded) });
        };
        sources.extend(source.filter(|source| !sources.contains(source)));
        Ok((less(value), Judged { best: told, sources, ..judged }))
    }

    fn line(&mut self, at: &[UciMove], moves: &[UciMove]) -> Judged {
        let mut line = at.to_vec();
        for (plies, uci) in moves.iter().enumerate() {
            let known = match self.known(&line) {
                Ok(known) => known,
                Err(of) => return Judged { plies, ..Judged::unknown(Unknown::Line(of)) },
            };
            let turn = self.growth.graph().turn(known.last());
            let Some((best, alpha)) = self.ranked(&known).first().copied() else {
                return Judged { plies, ..Judged::unknown(Unknown::Line(line.len())) };
            };
            if best.uci.unpack() != *uci {
                let told = Some((best.uci.unpack(), for_white(alpha, turn)));
                let sources = self.source(&known, &best).into_iter().collect();
                return Judged { plies, best: told, sources, ..Judged::plain(false) };
            }
            line.push(*uci);
        }
        Judged { plies: moves.len(), ..Judged::plain(true) }
    }

    fn ends(&self, at: &[UciMove], position: &Chess, by: EndBy) -> bool {
        let ending = Ending::of(position);
        match by {
            EndBy::Checkmate => ending == Some(Ending::Checkmate),
            EndBy::Stalemate => ending == Some(Ending::Stalemate),
            EndBy::Material => position.is_insufficient_material(),
            EndBy::Repetition => {
                let key = PositionKey::of(position);
                let mut before = self.root.clone();
                let came_before = at.iter().any(|uci| {
                    let is_here = PositionKey::of(&before) == key;
                    play(&mut before, *uci);
                    is_here
                });
                came_before || !at.is_empty() && self.repeated.contains(&key)
            }
        }
    }

    fn played(&self, position: &Chess, uci: UciMove, percent: u64) -> Judged {
        let counts = self.growth.counts().get(&PositionKey::of(position));
        let Some(counts) = counts.filter(|counts| !counts.is_empty()) else {
            return Judged::unknown(Unknown::NoGames);
        };
        let likely = counts.share(uci).filter(|_| counts.weight() > 0);
        let games = (counts.of(uci), counts.games());
        Judged { games: Some(games), likely, ..Judged::plain(counts.has_share(uci, percent)) }
    }

    /// The nodes of a line that is known; else the number of its moves behind which the tree ends.
    fn known(&mut self, line: &[UciMove]) -> Result<Known, usize> {
        let graph = self.growth.graph();
        let root = self.growth.root();
        let is_open = |node| graph.is_analysed(node) && graph.end(node).is_none();
        if !is_open(root) {
            return Err(0);
        }
        let mut known = Known { nodes: vec![root], path: self.paths.extend(None, root) };
        for (plies, uci) in line.iter().enumerate() {
            let mut moves = graph.moves(known.last()).iter();
            let edge = moves.find(|edge| edge.uci.unpack() == *uci).ok_or(plies + 1)?;
            if !is_open(edge.child) || self.paths.repeats(edge.child, known.path) {
                return Err(plies + 1);
            }
            known.path = self.paths.extend(known.path, edge.child);
            known.nodes.push(edge.child);
        }
        Ok(known)
    }

    /// The moves that count by alpha, greatest first.
    fn ranked(&mut self, known: &Known) -> Vec<(Edge, Value)> {
        let edges = self.growth.graph().moves(known.last()).iter();
        let mut ranked: Vec<(Edge, Value)> =
            edges.map(|edge| (*edge, self.paths.alpha(edge, known.path))).collect();
        ranked.sort_by_key(|(_, alpha)| Reverse(*alpha));
        ranked
    }

    fn counting(&mut self, known: &Known, uci: UciMove) -> Option<(Edge, Value)> {
        let mut moves = self.growth.graph().moves(known.last()).iter();
        let edge = moves.find(|edge| edge.uci.unpack() == uci)?;
        Some((*edge, self.paths.alpha(edge, known.path)))
    }

    /// The answer that the value of a move comes from; `None` where the rules, tables or the user say it.
    fn source(&mut self, known: &Known, edge: &Edge) -> Option<Source> {
        let graph = self.growth.graph();
        let behind = best_line_behind(graph, &mut self.paths, edge.child, known.path, usize::MAX);
        let line = [vec![edge.uci.unpack()], behind].concat();
        match line_end(graph, self.growth.values(), &known.nodes, &line) {
            LineEnd::Tree { position, rank } => Some(Source { position, rank }),
            _ => None,
        }
    }
}

/// The bound of a move that no answer of a position lists and no directive there names: the score of the last
/// listed move, for the mover.
pub fn bound(growth: &Growth, node: NodeId, uci: UciMove) -> Option<(Value, Source)> {
    let list = growth.graph().list(node);
    let (last, before) = list.split_last()?;
    if list.iter().any(|edge| edge.uci.unpack() == uci) {
        return None;
    }
    let wish = growth.wishes().get(&PositionKey::of(&growth.position(node)));
    let is_named =
        wish.is_some_and(|wish| wish.exclude.contains(&uci) || wish.include.contains(&uci));
    (!is_named).then_some((last.eval, Source { position: node, rank: before.len() }))
}

fn for_white(value: Value, turn: Color) -> Value {
    if turn.is_white() { value } else { -value }
}

/// White's men less Black's: pawn 1, knight and bishop 3, rook 5, queen 9.
pub fn material(position: &Chess) -> i64 {
    let count = |color| {
        let men = position.board().material_side(color);
        let points =
            [(men.pawn, 1), (men.knight, 3), (men.bishop, 3), (men.rook, 5), (men.queen, 9)];
        points.into_iter().map(|(men, points)| i64::from(men) * points).sum::<i64>()
    };
    count(Color::White) - count(Color::Black)
}
