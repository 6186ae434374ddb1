//! Layout for every format: a stored tree, or the part of it below a line.

use hashbrown::HashMap;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Game, GameError, Opening, Score, Value, san_of};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{
    Child, DrawnBest, Graph, Growth, NodeId, PathSet, PathValues, Place, Stability, choices,
    places_by_lines,
};

use deepanalyze_store::Effort;

use crate::tree::as_written::AsWritten;
use crate::tree::figures::TreeFigures;
use crate::tree::transpositions::write_out;
use crate::tree::verdict_first::{chosen_by_closing, places_behind};
use crate::tree::{PrintOptions, TreeFormat};
use deepanalyze_view::{
    ListedMove, People, Shown, StageCourse, Stays, StoredTree, Verdict, after, describe_value,
    drawn_told, last_opening, name_of_line, seen,
};

/// A tree, or a part of it, laid out to be written.
#[derive(Debug)]
pub struct TreeReport<'a> {
    /// The tree.
    pub tree: &'a StoredTree,
    /// Selection and style of printing.
    pub options: PrintOptions<'a>,
    /// The moves from the root to the first printed position.
    pub line: Vec<UciMove>,
    /// The printed positions; the first is where printing begins. Empty if it is not analysed.
    pub places: Vec<Place>,
    /// The positions on the way there, the root first.
    pub path: Vec<NodeId>,
    /// How far the root's best move holds, if shown.
    pub stability: Option<Stability>,
    /// The user's notes by position.
    pub notes: HashMap<NodeId, &'a str>,
    /// The cost of each answer; only for EPD.
    pub efforts: Vec<Effort>,
    /// The first moves that count, with their lines, if shown.
    pub first: Vec<ListedMove>,
    /// The verdict's course; only on a page.
    pub courses: Vec<StageCourse>,
    /// The moves' values against people, if requested.
    pub people: Option<People<'a>>,
    /// The engine's win, draw and loss behind the printed moves, if the format shows them.
    pub figures: Option<TreeFigures>,
    /// Number of transpositions not written out for want of room.
    pub referred: usize,
    /// The moves in the user's files; only of a repertoire.
    pub written: AsWritten<'a>,
}

/// Start of printing: the line from the root, and the positions along it.
#[derive(Debug)]
pub struct ReportStart {
    line: Vec<UciMove>,
    path: Vec<NodeId>,
}

impl ReportStart {
    /// Behind a line in SAN or UCI notation.
    ///
    /// # Errors
    ///
    /// If a move of the line is illegal or leaves the tree.
    pub fn behind(tree: &StoredTree, line: &str) -> Result<ReportStart, LineError> {
        let mut game = Game::from_position(tree.game.root().clone());
        game.play_line(line)?;
        let path = nodes_along(tree, game.moves())?;
        Ok(ReportStart { line: game.moves().to_vec(), path })
    }

    /// True if it is the root.
    pub fn is_root(&self) -> bool {
        self.line.is_empty()
    }
}

impl<'a> TreeReport<'a> {
    /// Lays out a tree by itself.
    pub fn new(
        tree: &'a StoredTree,
        ReportStart { line, path }: ReportStart,
        options: PrintOptions<'a>,
    ) -> TreeReport<'a> {
        let (graph, breadth) = (tree.growth.graph(), tree.growth.breadth());
        let options = options.for_root(tree.game.root().turn());
        let layout = options.layout();
        let is_root =
            line.is_empty() && [TreeFormat::Anki, TreeFormat::Study].contains(&options.format);
        let told = if is_root { chosen_by_closing(tree, layout) } else { None };
        let told = told.and_then(|first| places_behind(&tree.growth, layout, first));
        let written = match layout.side {
            Some(_) => AsWritten::of(tree),
            None => AsWritten::default(),
        };
        let lines = written.lines();
        let values = tree.growth.values();
        let all = || places_by_lines(graph, values, &path, breadth, layout, &lines);
        let mut places = told.unwrap_or_else(all);
        let referred =
            if options.write_out { write_out(&tree.growth, &path, layout, &mut places) } else { 0 };
        let (notes, stability) = (notes(tree), None);
        let (efforts, first, courses) = (Vec::new(), Vec::new(), Vec::new());
        TreeReport {
            tree,
            options,
            line,
            places,
            path,
            stability,
            notes,
            efforts,
            first,
            courses,
            people: None,
            figures: None,
            referred,
            written,
        }
    }

    /// The expected score behind a move of the side asked about, if people are and the move counts.
    pub fn expected(&self, shown: Shown<'_>) -> Option<f64> {
        let people = self.people.as_ref()?;
        Some(people.of_move(shown.from, &shown.child?.edge))
    }

    /// The chance that a game reaches the position behind a move, if people are asked and the move
    /// counts.
    pub fn reach(&self, shown: Shown<'_>) -> Option<f64> {
        let people = self.people.as_ref().filter(|_| shown.child.is_some())?;
        Some(people.reach(shown.node))
    }

    /// Win, draw and loss behind a move for the side that plays it, if known.
    pub fn wdl(&self, shown: Shown<'_>) -> Option<WinDrawLoss> {
        self.figures.as_ref()?.of(shown)
    }

    /// A value or score from the reader's point of view.
    pub fn seen(&self, value: impl Into<Score>, mover: Color) -> Score {
        seen(value, mover, self.options.pov)
    }

    /// The tree.
    pub fn growth(&self) -> &'a Growth {
        &self.tree.growth
    }

    /// The position where printing begins, with the clocks of the game.
    pub fn start(&self) -> Chess {
        after(self.tree.game.root(), &self.line)
    }

    /// The node where printing begins.
    pub fn start_node(&self) -> NodeId {
        self.places.first().map_or_else(|| self.growth().root(), |place| place.node)
    }

    /// The position of a place. Its clocks do not count.
    pub fn position(&self, place: &Place) -> Chess {
        self.growth().position(place.node)
    }

    /// The chance that the verdict's move stays, if printing begins with the root and it is known.
    pub fn stays(&self) -> Option<Stays> {
        Stays::of_told(&self.told()?, self.tree.stays)
    }

    /// The verdict, if printing begins with the root.
    pub fn told(&self) -> Option<Verdict> {
        if self.line.is_empty() { self.tree.verdict() } else { None }
    }

    /// The moves where printing begins, in their order: by alpha, or if requested, those that lose
    /// at most the distance of the root, the least drawn first.
    pub fn first_moves(&self) -> Vec<Shown<'_>> {
        let moves = self.places.first().into_iter().flat_map(Shown::of_place);
        let mut moves: Vec<Shown<'_>> = moves.collect();
        if self.options.by_draws {
            let turn = self.growth().graph().turn(self.start_node());
            let distance = self.growth().breadth().distance(turn, 0);
            let best = moves.iter().find_map(|shown| shown.alpha());
            moves.retain(|m| best.zip(m.alpha()).is_some_and(|both| loses_at_most(distance, both)));
            // Moves without figures follow the others, in the order of their values.
            let draws = |m: &Shown<'_>| self.wdl(*m).map_or(u16::MAX, WinDrawLoss::draw);
            moves.sort_by_key(draws);
        }
        moves
    }

    /// How a draw is the best result where printing begins, if it is.
    pub fn drawn(&self) -> Option<DrawnBest> {
        drawn_told(self.growth(), &self.path, self.told().as_ref())
    }

    /// The root's alpha, for its side to move.
    pub fn value(&self) -> Option<Value> {
        deepanalyze_view::root_value(self.growth())
    }

    /// The best move where printing begins, with its alpha.
    pub fn best(&self) -> Option<(UciMove, Value)> {
        let best = self.places.first()?.moves.first()?;
        Some((uci_of(best), best.alpha))
    }

    /// The opening of the last named position, up to where printing begins.
    pub fn opening(&self) -> Option<Opening> {
        last_opening(&self.tree.game, &self.line)
    }

    /// The moves from the root to a place.
    pub fn moves_to(&self, place: usize) -> Vec<UciMove> {
        let mut moves = Vec::new();
        let mut at = self.places.get(place);
        while let Some((parent, child)) = at.and_then(|place| place.parent) {
            at = self.places.get(parent);
            moves.extend(at.and_then(|place| place.moves.get(child)).map(uci_of));
        }
        moves.reverse();
        [&self.line[..], &moves].concat()
    }
}

/// True if a value is at most a distance in centipawns behind the best one; never beside a mate.
fn loses_at_most(distance: u32, (best, value): (Value, Value)) -> bool {
    let loss = i64::from(best.get()) - i64::from(value.get());
    loss == 0 || !best.is_mate() && loss <= i64::from(distance)
}

/// The place of each printed position, by its node.
#[derive(Debug)]
pub struct PlaceOf(Vec<u32>);

/// No place.
const NONE: u32 = u32::MAX;

impl PlaceOf {
    /// The places of a report.
    pub fn new(report: &TreeReport<'_>) -> PlaceOf {
        let mut places = vec![NONE; report.growth().graph().len()];
        for (index, place) in report.places.iter().enumerate() {
            // Of several places of a position, the first one counts.
            if let Some(entry) = places.get_mut(place.node.index()).filter(|entry| **entry == NONE)
            {
                *entry = u32::try_from(index).unwrap_or(NONE);
            }
        }
        PlaceOf(places)
    }

    /// The place that has a position's moves.
    pub fn get(&self, node: NodeId) -> Option<usize> {
        let place = self.0.get(node.index()).copied().filter(|place| *place != NONE)?;
        usize::try_from(place).ok()
    }
}

/// The notes on positions in the tree.
fn notes(tree: &StoredTree) -> HashMap<NodeId, &str> {
    let noted =
        tree.directives.positions().filter_map(|(key, said)| Some((key, said.note.as_deref()?)));
    noted.filter_map(|(key, note)| Some((tree.growth.find(key)?, note))).collect()
}

/// The move of a child in UCI notation.
pub fn uci_of(child: &Child) -> UciMove {
    child.edge.uci.unpack()
}

/// A line that cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// A move is illegal.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The line leaves the tree.
    #[error("the tree has no {san} after {line}")]
    Leaves {
        /// The part of the line in the tree, in SAN.
        line: String,
        /// The move that is not in it.
        san: String,
    },
    /// The line continues with an excluded move.
    #[error("the user has excluded {san} after {line}")]
    Excluded {
        /// The line before the move, in SAN.
        line: String,
        /// The move.
        san: String,
    },
    /// The line ends in a position that is not analysed.
    #[error("the tree ends with {line}")]
    Ends {
        /// The line, in SAN.
        line: String,
    },
    /// The line reaches a position where the user ends the tree.
    #[error("the tree ends with {line}, which {what}")]
    EndsAsDirected {
        /// The line, in SAN.
        line: String,
        /// The user's directive there.
        what: String,
    },
}

/// The nodes along a line, the root first. Printing begins at the last one, which is analysed, or
/// the root.
pub fn nodes_along(tree: &StoredTree, moves: &[UciMove]) -> Result<Vec<NodeId>, LineError> {
    let nodes = tree.growth.walk(moves);
    let end = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
    let is_whole = nodes.len() > moves.len();
    if moves.is_empty() || is_whole && tree.growth.graph().is_analysed(end) {
        return Ok(nodes);
    }
    let (there, behind) = moves.split_at((nodes.len() - 1).min(moves.len()));
    Err(error_of(tree, end, there, behind.first().copied()))
}

/// The error of a line of which the tree has this part, with the node at its end, and the next
/// move.
fn error_of(tree: &StoredTree, end: NodeId, there: &[UciMove], next: Option<UciMove>) -> LineError {
    let (graph, root) = (tree.growth.graph(), tree.game.root());
    let line = name_of_line(root, there);
    if let Some(what) = what_ends(graph, end) {
        return LineError::EndsAsDirected { line, what };
    }
    let Some(uci) = next else {
        return LineError::Ends { line };
    };
    let san = san_of(&after(root, there), uci);
    if graph.excluded(end).contains(&PackedUciMove::pack(uci)) {
        LineError::Excluded { line, san }
    } else {
        LineError::Leaves { line, san }
    }
}

/// The directive that ends the tree in a position, if any.
fn what_ends(graph: &Graph, node: NodeId) -> Option<String> {
    let value = graph.given(node).map(|value| format!("has the value: {}", describe_value(value)));
    value.or_else(|| graph.is_stopped(node).then(|| "is stopped".to_owned()))
}

/// The best values of positions whose place lacks some of their moves.
#[derive(Debug, Default)]
pub struct Bests(HashMap<NodeId, Value>);

impl Bests {
    /// For a report's positions. If all moves are laid out, the first one of a place is the best.
    pub fn new(report: &TreeReport<'_>) -> Bests {
        if report.options.side.is_none() {
            return Bests::default();
        }
        let growth = report.growth();
        let mut paths = PathValues::new(growth.graph(), growth.values());
        // Including the beginning of printing, with which the path ends.
        let first = report.path.iter().fold(None, |path, node| paths.extend(path, *node));
        let mut all: Vec<Option<PathSet>> = Vec::with_capacity(report.places.len());
        let mut bests = HashMap::with_capacity(report.places.len());
        for place in &report.places {
            let before = place.parent.map(|(parent, _)| all.get(parent).copied().flatten());
            let path = before.map_or(first, |before| paths.extend(before, place.node));
            let moves = choices(&mut paths, growth.breadth(), place.node, place.visit_ply, path);
            bests.extend(moves.first().map(|best| (place.node, best.alpha)));
            all.push(path);
        }
        Bests(bests)
    }

    /// The best value at a place; `None` if none of its moves counts.
    pub fn at(&self, place: &deepanalyze_core::tree::Place) -> Option<Value> {
        let known = self.0.get(&place.node).copied();
        known.or_else(|| place.moves.first().map(|best| best.alpha))
    }
}
