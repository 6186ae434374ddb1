//! A position at the end of a line with its moves, as every face shows it and the API answers it.
//!
//! [`LinePosition::at`] reads the tree. Costlier facts are looked up where a face shows them: the
//! engine's own lines ([`LinePosition::look_on`]), how much of the tree lies behind each move
//! ([`LinePosition::measure`]), and the moves' expected scores ([`LinePosition::expect`]).

use serde::{Serialize, Serializer};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{
    Ending, GivenValue, PositionKey, Score, TableEnd, Value, fen_of, playable, san_of,
};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{
    Layout, LineEnd, NodeId, aside, behind, line_end, moves_behind, places,
};
use deepanalyze_store::{Store, StoreError};

use crate::best_line::Line;
use crate::figures::Figures;
use crate::json::{EndOfLine, MoveWdl, NamedMove, WordedTableMove, text};
use crate::moves::Shown;
use crate::people::ExpectedScores;
use crate::tree::Tree;
use crate::verdict::Verdict;
use crate::words::{after, describe_line_end, numbered, numbered_line};

/// A position at the end of a line.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct LinePosition {
    /// The moves from the root.
    #[serde(skip)]
    pub line: Vec<UciMove>,
    /// The position, with the clocks of the game.
    #[serde(rename = "fen", serialize_with = "fen")]
    #[cfg_attr(feature = "contract", schemars(with = "String"))]
    pub position: Chess,
    /// The nodes along the line, as far as the tree has them.
    #[serde(skip)]
    path: Vec<NodeId>,
    /// The verdict, where this is the root.
    #[serde(skip)]
    pub told: Option<Verdict>,
    /// The best move: of the root its verdict, elsewhere the tree's; none where no move counts.
    #[serde(skip)]
    pub best: Option<Line>,
    /// The position's value by the tree: by its moves, else as an end, or by the engine's word of
    /// the move that led there; null where nothing is known.
    pub alpha: Option<Value>,
    /// True if it has moves that count.
    pub analysed: bool,
    /// Reason why the tree ends.
    pub end: Option<EndOfLine>,
    /// From -2 to 2 for the side to move, where tablebases know the position.
    pub wdl: Option<i8>,
    /// The result in words.
    pub known: Option<&'static str>,
    /// The user's note.
    pub note: Option<String>,
    /// The user's value for it.
    pub value: Option<GivenValue>,
    /// True if the user stops the tree here.
    pub stopped: bool,
    /// The moves that count by alpha, best first, ties by rank; then included ones that wait, and excluded ones. The API
    /// tells the move of a root's verdict first.
    pub moves: Vec<ListedMove>,
    /// The moves of a root that tablebases know, the best first.
    pub table_moves: Vec<WordedTableMove>,
    /// True if the engine's own lines behind the moves were looked up.
    #[serde(skip)]
    has_own: bool,
}

/// A move of a position, listed by the engine or included by the user.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PlacedMove"))]
pub struct ListedMove {
    /// The move.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "contract", schemars(with = "String"))]
    pub uci: UciMove,
    /// In SAN.
    pub san: String,
    /// Its node.
    #[serde(skip)]
    node: NodeId,
    /// Its rank in the engine's list; null where it is not there.
    pub rank: Option<usize>,
    /// The engine's score, for the mover; null where the engine has not listed it.
    pub eval: Option<Value>,
    /// Its value whatever the line, for the mover; null where it does not count.
    pub idea: Option<Value>,
    /// Its value after this line, for the mover; null where it does not count.
    pub alpha: Option<Value>,
    /// The score of a closing search of the root, if one of its engines has chosen it.
    pub closing: Option<Score>,
    /// True if it is the first or within the distance of the first.
    pub candidate: bool,
    /// True if the user has included it.
    pub included: bool,
    /// True if the user has excluded it.
    pub excluded: bool,
    /// True if it returns to a position of the line or of the game.
    pub repetition: bool,
    /// The tree's shortest line to its position, numbered, where that is another one than this.
    #[serde(skip)]
    pub transposition: Option<String>,
    /// True if the position behind it has moves that count.
    pub analysed: bool,
    /// Reason for the end behind it.
    pub end: Option<EndOfLine>,
    /// Where tablebases know the position behind it, their result from -2 to 2 for the side to move there; else wins, draws
    /// and losses in a thousand games at the end of the best line by the engine's word, for the side that plays the move;
    /// null where it has not said it.
    pub wdl: Option<MoveWdl>,
    /// By the engine's word at the line's end, whatever tablebases know.
    #[serde(skip)]
    pub said: Option<WinDrawLoss>,
    /// The tablebases' result in words, for its mover.
    pub known: Option<&'static str>,
    /// The user's value for the position behind it.
    pub value: Option<GivenValue>,
    /// True if the user stops the tree behind it.
    pub stopped: bool,
    /// The user's note on the position behind it.
    pub note: Option<String>,
    /// The directives on it and on the position behind it, in words, notes apart, and the trap.
    #[serde(skip)]
    pub marks: Vec<String>,
    /// The likeliest trap that it sets, in words.
    pub trap: Option<String>,
    /// Analysed positions behind it.
    pub positions: u64,
    /// Plies of the tree behind it.
    pub plies: u32,
    /// Begins with the move.
    pub line: Vec<NamedMove>,
    /// This many moves of the line are the tree's; those behind are the engine's own.
    pub in_tree: usize,
    /// The reason for the line's end, in words, if not plain.
    #[serde(serialize_with = "line_end_words")]
    #[cfg_attr(feature = "contract", schemars(with = "Option<String>"))]
    pub line_end: LineEnd,
    /// Number of games with it; null where games are not counted.
    pub games: Option<u64>,
    /// Their share of the games that came to the position, 0 to 1.
    pub share: Option<f64>,
    /// True if it is followed because it is played.
    pub played: bool,
    /// The expected score of the requested side, 0 to 1.
    pub expected: Option<f64>,
}

fn fen<S: Serializer>(position: &Chess, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&fen_of(position))
}

fn line_end_words<S: Serializer>(end: &LineEnd, to: S) -> Result<S::Ok, S::Error> {
    describe_line_end(*end).serialize(to)
}

impl LinePosition {
    /// The end of a line of moves from the root. One that leaves the tree ends in a position without moves.
    pub fn at(tree: &Tree, line: &[UciMove]) -> LinePosition {
        let (graph, path) = (tree.growth.graph(), tree.walk(line));
        let node = path.last().copied().filter(|_| path.len() == line.len() + 1);
        let position = after(tree.game.root(), line);
        let mut moves = node.map(|_| moves(tree, line, &path, &position)).unwrap_or_default();
        let told = if line.is_empty() { tree.verdict() } else { None };
        let heard = told.as_ref().filter(|told| told.other.is_some());
        if let Some(of) = heard.and(tree.closing.as_ref()) {
            for chosen in std::iter::once(&of.best).chain(&of.others) {
                let named = moves.iter_mut().filter(|m| m.uci == chosen.named.uci);
                named.for_each(|m| m.closing = Some(chosen.score));
            }
        }
        let came_before = |node| path.iter().filter(|other| **other == node).count() > 1;
        let repeated = node.filter(|node| came_before(*node) || graph.is_repeated(*node));
        let end = Ending::of(&position).map(EndOfLine::from);
        let end = end.or_else(|| EndOfLine::of(graph, node?));
        let alpha = moves.iter().find_map(|m| m.alpha);
        let known = node.and_then(|node| graph.known(node));
        let table_moves = if line.is_empty() { tree.table_moves.as_slice() } else { &[] };
        let table_moves = WordedTableMove::all(&position, tree.row.settings.tables, table_moves);
        let mut here = LinePosition {
            alpha: alpha.or_else(|| value_without_moves(tree, &path, line, node?)),
            analysed: node.is_some_and(|node| graph.is_analysed(node)),
            end: end.or(repeated.map(|_| EndOfLine::Repetition)),
            wdl: known.map(|known| known.wdl.get()),
            known: known.map(TableEnd::words),
            note: note(tree, &position),
            value: node.and_then(|node| graph.given(node)),
            stopped: node.is_some_and(|node| graph.is_stopped(node)),
            line: line.to_vec(),
            best: None,
            has_own: false,
            position,
            path,
            told,
            moves,
            table_moves,
        };
        here.choose();
        here
    }

    /// Its shown value, for its side to move: the verdict's score at the root, elsewhere the tree's
    /// value.
    pub fn worth(&self) -> Option<Value> {
        self.told.as_ref().map(|told| told.choice.value).or(self.alpha)
    }

    /// Looks up how the engine's own search goes on behind the line of each move, and how games end there by its word,
    /// where that was not done yet.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn look_on(&mut self, store: &Store, tree: &Tree) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.has_own, true) {
            return Ok(());
        }
        let whose = (tree.row.profile_id, &*tree.growth);
        let figures = Figures::new(store, whose)?;
        for m in self.moves.iter_mut().filter(|m| m.alpha.is_some()) {
            let line = NamedMove::ucis(&m.line);
            if let (LineEnd::Tree { position, rank }, Some(last)) = (m.line_end, line.last()) {
                let position = tree.growth.position(position);
                let own = store.continuation(tree.row.profile_id, &position, rank)?;
                let own = playable(&position, std::iter::once(*last).chain(own));
                let own = NamedMove::line(&position, &own);
                m.line.extend(own.into_iter().skip(1));
            }
            m.said = figures.of_line(&self.path, &line, m.line_end)?;
            m.wdl = m.wdl.or(m.said.map(MoveWdl::Said));
        }
        self.choose();
        Ok(())
    }

    /// Measures how much of the tree lies behind each move that counts, by a walk through all of it.
    pub fn measure(&mut self, tree: &Tree) {
        let mut counting: Vec<&mut ListedMove> =
            self.moves.iter_mut().filter(|m| m.alpha.is_some()).collect();
        let nodes: Vec<NodeId> = counting.iter().map(|m| m.node).collect();
        let measured = behind(tree.growth.graph(), &self.path, &nodes);
        for (m, behind) in counting.iter_mut().zip(measured) {
            (m.positions, m.plies) = (behind.positions, behind.plies);
        }
    }

    /// Sets the expected scores of the moves that count.
    pub fn expect(&mut self, tree: &Tree, people: &ExpectedScores) {
        let (graph, Some(node)) = (tree.growth.graph(), self.path.last()) else { return };
        for m in self.moves.iter_mut().filter(|m| m.alpha.is_some()) {
            let mut edges = graph.moves(*node).iter();
            let edge = edges.find(|edge| edge.uci.unpack() == m.uci);
            m.expected = edge.map(|edge| people.of_move(graph, *node, edge));
        }
    }

    /// Sets the best move, with its line as known by now.
    fn choose(&mut self) {
        let wdl = |uci| self.moves.iter().find(|m| m.uci == uci)?.wdl?.said();
        self.told = self.told.take().map(|told| told.with_trees_wdl(wdl));
        let told = self.told.as_ref().map(|told| told.choice.clone());
        self.best = told.or_else(|| self.moves.iter().find_map(|m| m.as_line(&self.position)));
    }
}

impl ListedMove {
    /// The best line of the tree, the move first.
    pub fn in_tree(&self) -> &[NamedMove] {
        self.line.get(..self.in_tree.max(1)).unwrap_or(&self.line)
    }

    /// The engine's own search behind that line.
    pub fn own(&self) -> &[NamedMove] {
        self.line.get(self.in_tree.max(1)..).unwrap_or_default()
    }

    /// The rest of the tree's line behind the move of a position, numbered.
    pub fn words_behind(&self, position: &Chess) -> String {
        words_of(position, self.in_tree(), 1)
    }

    /// The engine's own search, numbered and in brackets; empty without one.
    pub fn own_words(&self, position: &Chess) -> String {
        match words_of(position, &self.line, self.in_tree().len()) {
            own if own.is_empty() => own,
            own => format!("[{own}]"),
        }
    }

    /// Why nothing follows it, in words: the game is over behind it, tablebases know the result, or
    /// it repeats.
    pub fn ends(&self) -> Option<&'static str> {
        let end = self.end.filter(|end| *end != EndOfLine::Value).map(EndOfLine::name);
        self.known.or(end).or(self.repetition.then_some("repetition"))
    }

    /// The best line of the tree from a position, this move first; none if the move does not count.
    fn as_line(&self, position: &Chess) -> Option<Line> {
        Some(Line {
            root: position.clone(),
            moves: NamedMove::ucis(self.in_tree()),
            value: self.alpha?,
            wdl: self.wdl.and_then(MoveWdl::said),
        })
    }
}

/// The rest of a line behind some moves, numbered.
fn words_of(position: &Chess, line: &[NamedMove], behind: usize) -> String {
    let (before, rest) = line.split_at(behind.min(line.len()));
    let start = after(position, before.iter().map(|named| &named.uci));
    numbered(&start, rest.iter().map(|named| named.san.as_str()))
}

/// The moves of the position that a path ends with.
fn moves(tree: &Tree, line: &[UciMove], path: &[NodeId], position: &Chess) -> Vec<ListedMove> {
    let growth = &*tree.growth;
    let (graph, values) = (growth.graph(), growth.values());
    let Some(node) = path.last().copied() else { return Vec::new() };
    let layout = Layout { plies: Some(1), ..Layout::default() };
    let places = places(graph, values, path, growth.breadth(), layout);
    let counting = places.first().map(|place| &place.moves[..]).unwrap_or_default();
    let aside = aside(graph, node);
    let lines = moves_behind(graph, values, path);
    let listed = |shown: Shown<'_>| {
        let best = lines.iter().find(|best| shown.child.is_some() && best.uci == shown.uci);
        let best = best.map(|best| &best.line[..]);
        let known = graph.known(shown.node);
        let (played, trap) = (shown.played(growth), shown.trap(tree));
        let (end, repetition) = (EndOfLine::of(graph, shown.node), shown.is_repetition());
        let goes_on = end.is_none_or(|end| end == EndOfLine::Value) && !repetition;
        let leads_elsewhere = goes_on && shown.child.is_some() && graph.is_analysed(shown.node);
        let to_it = || [line, &[shown.uci]].concat();
        let first = leads_elsewhere.then(|| growth.first_line(shown.node));
        let first = first.filter(|first| *first != to_it());
        ListedMove {
            uci: shown.uci,
            san: san_of(position, shown.uci),
            node: shown.node,
            rank: shown.rank,
            eval: shown.eval,
            idea: shown.idea(),
            alpha: shown.alpha(),
            closing: None,
            candidate: shown.is_candidate(),
            included: shown.included,
            excluded: shown.excluded,
            repetition,
            transposition: first.map(|first| numbered_line(tree.game.root(), &first)),
            analysed: graph.is_analysed(shown.node),
            end,
            wdl: MoveWdl::of(known, None),
            said: None,
            known: known.map(|known| known.turned().words()),
            value: graph.given(shown.node),
            stopped: graph.is_stopped(shown.node),
            note: note(tree, &after(position, [&shown.uci])),
            marks: shown.marks(growth).into_iter().chain(trap.clone()).collect(),
            trap,
            positions: 0,
            plies: 0,
            line: NamedMove::line(position, best.unwrap_or(&[shown.uci])),
            in_tree: best.map_or(0, <[_]>::len),
            line_end: best.map_or(LineEnd::Elsewhere, |best| line_end(graph, values, path, best)),
            games: played.and_then(|played| played.games),
            share: played.and_then(|played| played.share),
            played: played.is_some_and(|played| played.is_followed),
            expected: None,
        }
    };
    Shown::each(node, counting, &aside).map(listed).collect()
}

/// The value of a position without moves that count, for its side to move: an end's value, or the
/// engine's word of the move that led there.
fn value_without_moves(
    tree: &Tree,
    path: &[NodeId],
    line: &[UciMove],
    node: NodeId,
) -> Option<Value> {
    let graph = tree.growth.graph();
    if let Some(end) = graph.end(node) {
        return Some(end);
    }
    let before = path.iter().rev().nth(1)?;
    let mut list = graph.list(*before).iter();
    list.find(|edge| Some(&edge.uci.unpack()) == line.last()).map(|edge| -edge.eval)
}

/// The root's note on a position.
fn note(tree: &Tree, position: &Chess) -> Option<String> {
    if tree.directives.is_empty() {
        return None;
    }
    tree.directives.at(&PositionKey::of(position))?.note.clone()
}
