//! A tree in any of the formats, with all that the format wants from the database.

pub(crate) mod anki;
mod as_written;
mod conditional;
mod csv;
mod drawing;
mod epd;
mod figures;
pub mod html;
mod json;
pub mod layout;
pub mod movetext;
#[cfg(test)]
mod people_tests;
pub mod pgn;
pub mod polyglot;
mod references;
mod study;
pub mod svg;
mod text;
mod transpositions;
mod verdict;
mod verdict_first;
mod verdict_people;
pub mod walk;

use std::io::{self, Write};

use serde::Deserialize;
use shakmaty::Color;

use deepanalyze_core::tree::{Layout, Stability, stability};
use deepanalyze_store::{Store, StoreError};

use crate::tree::anki::{cards_left_out, losing_cards, write_anki};
use crate::tree::conditional::write_conditional;
use crate::tree::csv::write_csv;
use crate::tree::drawing::{Drawing, write_dot};
use crate::tree::epd::write_epd;
use crate::tree::figures::TreeFigures;
use crate::tree::html::write_html;
use crate::tree::json::write_tree_json;
use crate::tree::layout::{LineError, ReportStart, TreeReport};
use crate::tree::pgn::write_pgn;
use crate::tree::polyglot::{included_and_left_out, write_polyglot};
use crate::tree::study::{chapters_left_out, write_study};
use crate::tree::svg::write_svg;
use crate::tree::text::write_text;
use crate::tree::verdict::write_verdict;
use deepanalyze_view::{
    LinePosition, ListedMove, People, PeopleAsked, PointOfView, StoredTree, join, stage_courses,
};

/// Why nothing can be printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The line.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tree has no games.
    #[error("analysis {0} was grown without games and nets, so it cannot say what people play")]
    NoGames(i64),
}

impl<'a> TreeReport<'a> {
    /// Lays out what is to be printed, with all that the format wants from the database.
    ///
    /// # Errors
    ///
    /// [`PrintError`] where the line leaves the tree, or the database fails.
    pub fn read(
        store: &Store,
        tree: &'a StoredTree,
        options: PrintOptions<'a>,
    ) -> Result<TreeReport<'a>, PrintError> {
        let beginning = ReportStart::behind(tree, options.line)?;
        let people = people_told(tree, &options)?;
        let is_root = beginning.is_root();
        // In a large tree each of the two takes its time.
        let (report, first, figures, stability) = std::thread::scope(|scope| {
            let stability = scope.spawn(|| stability_told(tree, options.format, is_root));
            let report = TreeReport::new(tree, beginning, options);
            let first = report.first_told(store);
            let figures = report.figures_told(store);
            (report, first, figures, join(stability))
        });
        let mut report =
            TreeReport { first: first?, figures: figures?, stability, people, ..report };
        match options.format {
            TreeFormat::Epd => report.efforts = store.efforts(tree.row.id)?,
            TreeFormat::Html => report.courses = stage_courses(store, &tree.stages)?,
            _ => {}
        }
        Ok(report)
    }

    /// The first moves that count, with what lies behind them, where the format tells it.
    fn first_told(&self, store: &Store) -> Result<Vec<ListedMove>, StoreError> {
        let format = self.options.format;
        // A repertoire is the tree's alone.
        let is_told = [TreeFormat::Text, TreeFormat::Html].contains(&format)
            || format == TreeFormat::Pgn && self.options.side.is_none();
        if !is_told {
            return Ok(Vec::new());
        }
        let mut first = LinePosition::at(self.tree, &self.line);
        first.look_on(store, self.tree)?;
        if format == TreeFormat::Text {
            first.measure(self.tree);
        }
        Ok(first.moves.into_iter().filter(|m| m.alpha.is_some()).collect())
    }

    /// How games end behind the moves as told by the engine, where the format tells it.
    fn figures_told(&self, store: &Store) -> Result<Option<TreeFigures>, StoreError> {
        let telling = [
            TreeFormat::Text,
            TreeFormat::Json,
            TreeFormat::Pgn,
            TreeFormat::Csv,
            TreeFormat::Html,
        ];
        let is_told = telling.contains(&self.options.format);
        let figures = is_told.then(|| TreeFigures::read(store, self)).transpose()?;
        Ok(figures.filter(TreeFigures::are_said))
    }

    /// Included moves left out of the book because they lose more than is allowed.
    pub fn included_and_left_out(&self) -> Vec<String> {
        match self.options {
            PrintOptions { format: TreeFormat::Polyglot, max_loss: Some(most), .. } => {
                included_and_left_out(self, most)
            }
            _ => Vec::new(),
        }
    }

    /// Moves on cards that lose more than is allowed, with numbers and values.
    pub fn losing_cards(&self) -> Vec<String> {
        match self.options {
            PrintOptions { format: TreeFormat::Anki, max_loss, .. } => {
                losing_cards(self, max_loss.unwrap_or(CARD_LOSS))
            }
            _ => Vec::new(),
        }
    }

    /// The parts left out for want of room, or because they were not asked for, in words; `None` if
    /// it is complete.
    pub fn left_out(&self) -> Option<String> {
        match self.options.format {
            TreeFormat::Anki => cards_left_out(self),
            TreeFormat::Study => chapters_left_out(self),
            TreeFormat::Pgn => self.not_written_out(),
            _ => None,
        }
    }

    /// Writes it; `width` is the number of columns of text for people.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        match self.options.format {
            TreeFormat::Text if self.options.shows_tree() => write_text(self, width, out),
            TreeFormat::Text => write_verdict(self, width, out),
            TreeFormat::Json => write_tree_json(self, out),
            TreeFormat::Pgn => write_pgn(self, out),
            TreeFormat::Csv => write_csv(self, out),
            TreeFormat::Epd => write_epd(self, out),
            TreeFormat::Polyglot => write_polyglot(self, out),
            TreeFormat::Dot => write_dot(&Drawing::new(self), out),
            TreeFormat::Svg => write_svg(&Drawing::new(self), out),
            TreeFormat::Html => write_html(self, out),
            TreeFormat::Anki => write_anki(self, out),
            TreeFormat::Study => write_study(self, out),
            TreeFormat::Conditional => write_conditional(self, out),
        }
    }
}

/// Values against people, if asked for.
fn people_told<'a>(
    tree: &'a StoredTree,
    options: &PrintOptions<'_>,
) -> Result<Option<People<'a>>, PrintError> {
    let needs_games = options.people.is_some() || options.counts;
    if needs_games && tree.growth.counts().rules.is_none() {
        return Err(PrintError::NoGames(tree.row.id.0));
    }
    let mover = tree.growth.graph().turn(tree.growth.root());
    let asked = options
        .people
        .map(|PeopleWanted { side, sound }| PeopleAsked { side: side.unwrap_or(mover), sound });
    Ok(asked.map(|asked| People::of(&tree.growth, asked)))
}

/// How far the best move holds, where the format tells it: of the root alone.
fn stability_told(tree: &StoredTree, format: TreeFormat, is_root: bool) -> Option<Stability> {
    let is_told = [TreeFormat::Text, TreeFormat::Json, TreeFormat::Html].contains(&format);
    let growth = &tree.growth;
    let of_root = || stability(growth.graph(), growth.values(), growth.root());
    (is_told && is_root).then(of_root).flatten()
}

/// Help of the web page.
const PAGE: &str = "A web page with board, tree and plots; opens from disk in any browser";
/// Default size of a picture.
const PICTURE_PLIES: u32 = 3;
const PICTURE_MOVES: usize = 4;

/// Output format of a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum TreeFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// Variations with comments.
    Pgn,
    /// One row per move.
    Csv,
    /// One line per analysed position.
    Epd,
    /// An opening book; `book` is another name of it.
    #[serde(alias = "book")]
    Polyglot,
    /// A picture for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// A web page.
    Html,
    /// Flash cards.
    Anki,
    /// Chapters of a Lichess study.
    Study,
    /// Conditional moves for a correspondence server.
    Conditional,
}

impl TreeFormat {
    /// Every format with its name on a command line and what it is for, in the order in which people read of them.
    pub const ALL: [(&'static str, &'static str, TreeFormat); 12] = [
        ("text", "For people", TreeFormat::Text),
        ("json", "For programs", TreeFormat::Json),
        ("pgn", "For chess programs: variations with comments", TreeFormat::Pgn),
        ("csv", "For spreadsheets: one row per move", TreeFormat::Csv),
        ("epd", "For test suites: one line per analysed position", TreeFormat::Epd),
        ("polyglot", "An opening book for chess programs", TreeFormat::Polyglot),
        ("dot", "A picture of the first plies, for Graphviz", TreeFormat::Dot),
        ("svg", "A picture of the first plies", TreeFormat::Svg),
        ("html", PAGE, TreeFormat::Html),
        ("anki", "Flash cards for Anki: one side's moves to learn", TreeFormat::Anki),
        ("study", "Chapters for a Lichess study, as PGN", TreeFormat::Study),
        ("conditional", "Conditional moves for a correspondence server", TreeFormat::Conditional),
    ];

    /// Its media type, and how the names of its files end.
    pub fn media_type(self) -> (&'static str, &'static str) {
        match self {
            TreeFormat::Text => ("text/plain; charset=utf-8", "txt"),
            TreeFormat::Json => ("application/json", "json"),
            TreeFormat::Pgn => ("application/vnd.chess-pgn", "pgn"),
            TreeFormat::Csv => ("text/csv; charset=utf-8", "csv"),
            TreeFormat::Epd => ("text/plain; charset=utf-8", "epd"),
            TreeFormat::Polyglot => ("application/octet-stream", "bin"),
            TreeFormat::Dot => ("text/vnd.graphviz; charset=utf-8", "dot"),
            TreeFormat::Svg => ("image/svg+xml", "svg"),
            TreeFormat::Html => ("text/html; charset=utf-8", "html"),
            TreeFormat::Anki => ("text/tab-separated-values; charset=utf-8", "txt"),
            TreeFormat::Study => ("application/vnd.chess-pgn", "pgn"),
            TreeFormat::Conditional => ("text/plain; charset=utf-8", "txt"),
        }
    }
}

/// The printed part of a tree, and its form.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrintOptions<'a> {
    /// The format.
    pub format: TreeFormat,
    /// How many plies; what the format has by itself where it is not said.
    pub plies: Option<u32>,
    /// All of it, whatever the format has by itself.
    pub all: bool,
    /// How many moves of each position; all, and in pictures four, where it is not said.
    pub moves: Option<usize>,
    /// Moves from the root to where printing begins, in SAN or UCI notation.
    pub line: &'a str,
    /// In a book: how many centipawns a move may lose; in flash cards: from how many on it is named.
    pub max_loss: Option<u32>,
    /// The side of the repertoire.
    pub side: Option<Color>,
    /// In flash cards: how many at most.
    pub cards: usize,
    /// In flash cards: whether the tree's own moves have cards, too, where others are included.
    pub all_moves: bool,
    /// In conditional moves: the answer's least lead over the next best move, in centipawns.
    pub clear: u32,
    /// In PGN: whether moves behind a transposition are written wherever a line comes to them.
    pub write_out: bool,
    /// Point of view of the scores.
    pub pov: PointOfView,
    /// Against whom the moves are scored, too; not at all where it is not said.
    pub people: Option<PeopleWanted>,
    /// In PGN: whether comments have games and shares.
    pub counts: bool,
    /// In text and JSON: whether the first moves are told by how seldom they are drawn.
    pub by_draws: bool,
}

/// Settings of values against people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeopleWanted {
    /// Side of the expected scores; by default the root's mover.
    pub side: Option<Color>,
    /// How many centipawns a move of that side may lose.
    pub sound: u32,
}

/// Default loss, in centipawns, above which the move of a card is named.
pub const CARD_LOSS: u32 = 100;
/// Default number of flash cards.
pub const CARDS: usize = 1000;
/// Default lead of a conditional move over the next best, in centipawns.
pub const CLEAR: u32 = 30;

impl PrintOptions<'_> {
    /// The defaults of a format.
    pub fn of(format: TreeFormat) -> PrintOptions<'static> {
        PrintOptions { format, cards: CARDS, clear: CLEAR, ..PrintOptions::default() }
    }

    /// The options for a root with this side to move: a format for one side is written for that
    /// one, unless another is named.
    pub fn for_root(self, mover: Color) -> Self {
        let is_for_one = [TreeFormat::Anki, TreeFormat::Conditional].contains(&self.format);
        PrintOptions { side: self.side.or(is_for_one.then_some(mover)), ..self }
    }

    /// True if text shows more than the verdict.
    pub fn shows_tree(&self) -> bool {
        self.all || self.plies.is_some()
    }

    /// How it is laid out.
    pub fn layout(&self) -> Layout {
        let best_line_first =
            [TreeFormat::Pgn, TreeFormat::Text, TreeFormat::Study].contains(&self.format);
        let layout =
            Layout { plies: self.plies, moves: self.moves, side: self.side, best_line_first };
        match self.format {
            TreeFormat::Text if !self.shows_tree() => Layout { plies: Some(1), ..layout },
            TreeFormat::Dot | TreeFormat::Svg if !self.all => Layout {
                plies: layout.plies.or(Some(PICTURE_PLIES)),
                moves: layout.moves.or(Some(PICTURE_MOVES)),
                ..layout
            },
            // Its positions are cut, their lines are not.
            TreeFormat::Epd => Layout { plies: None, ..layout },
            _ => layout,
        }
    }
}
