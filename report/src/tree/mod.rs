//! A tree in any of the formats, with all that the format wants from the database.

mod csv;
mod drawing;
mod epd;
mod head;
pub mod holds;
pub mod html;
mod in_order;
pub mod json;
pub mod layout;
pub mod movetext;
pub mod pgn;
mod polyglot;
mod references;
pub mod shown;
mod svg;
pub mod text;
mod verdict;

use std::io::{self, Write};
use std::panic::resume_unwind;

use serde::Deserialize;
use shakmaty::Color;

use deepanalyze_core::tree::{Layout, NodeId, Stability, stability};
use deepanalyze_store::{Effort, Store, StoreError};

use crate::kept::stages::{StageCourse, stage_courses};
use crate::kept::tree::KeptTree;
use crate::kept::verdict::{Prospect, measured_prospects, prospects};
use crate::tree::csv::write_csv;
use crate::tree::drawing::{Drawing, write_dot};
use crate::tree::epd::write_epd;
use crate::tree::html::{Beside, write_html};
use crate::tree::json::write_tree_json;
use crate::tree::layout::{Beginning, LineError, Report};
use crate::tree::pgn::write_pgn;
use crate::tree::polyglot::{included_and_left_out, write_polyglot};
use crate::tree::svg::write_svg;
use crate::tree::text::write_text;
use crate::tree::verdict::write_verdict;
use crate::words::moves::PointOfView;

/// What a picture shows where nothing else is asked for.
const PICTURE_PLIES: u32 = 3;
const PICTURE_MOVES: usize = 4;

/// What a tree is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// Variations with comments.
    Pgn,
    /// One row per move.
    Csv,
    /// One line per analysed position.
    Epd,
    /// An opening book.
    #[serde(rename = "book")]
    Polyglot,
    /// A picture for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// A web page.
    Html,
}

impl TreeFormat {
    /// Every format, in the order in which people read of them.
    pub const ALL: [TreeFormat; 9] = [
        TreeFormat::Text,
        TreeFormat::Json,
        TreeFormat::Pgn,
        TreeFormat::Csv,
        TreeFormat::Epd,
        TreeFormat::Polyglot,
        TreeFormat::Dot,
        TreeFormat::Svg,
        TreeFormat::Html,
    ];

    /// Its name on a command line, and what it is for.
    pub fn described(self) -> (&'static str, &'static str) {
        match self {
            TreeFormat::Text => ("text", "For people"),
            TreeFormat::Json => ("json", "For programs"),
            TreeFormat::Pgn => ("pgn", "For chess programs: variations with comments"),
            TreeFormat::Csv => ("csv", "For spreadsheets: one row per move"),
            TreeFormat::Epd => ("epd", "For test suites: one line per analysed position"),
            TreeFormat::Polyglot => ("polyglot", "An opening book for chess programs"),
            TreeFormat::Dot => ("dot", "A picture of the first plies, for Graphviz"),
            TreeFormat::Svg => ("svg", "A picture of the first plies"),
            TreeFormat::Html => {
                ("html", "A web page with board, tree and plots; opens from disk in any browser")
            }
        }
    }

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
        }
    }
}

/// What of a tree is printed, and how.
#[derive(Debug, Clone, Copy)]
pub struct Printing<'a> {
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
    /// In a book: how many centipawns a move may lose.
    pub max_loss: Option<u32>,
    /// Whose repertoire it is to be.
    pub side: Option<Color>,
    /// Whose side scores take.
    pub pov: PointOfView,
}

/// Why nothing can be printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The line.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A tree, or a part of it, ready to be written.
#[derive(Debug)]
pub struct PrintedTree<'a> {
    printing: Printing<'a>,
    report: Report<'a>,
    /// What each answer cost; only for EPD.
    efforts: Vec<Effort>,
    /// What lies behind the first moves; only for people.
    prospects: Vec<Prospect>,
    /// How the verdict went; only on a page.
    courses: Vec<StageCourse>,
}

impl<'a> PrintedTree<'a> {
    /// Lays out what is to be printed.
    ///
    /// # Errors
    ///
    /// [`PrintError`] where the line leaves the tree, or the database fails.
    pub fn read(
        store: &Store,
        tree: &'a KeptTree,
        printing: Printing<'a>,
    ) -> Result<PrintedTree<'a>, PrintError> {
        let efforts = match printing.format {
            TreeFormat::Epd => store.efforts(tree.row.id)?,
            _ => Vec::new(),
        };
        let beginning = Beginning::behind(tree, printing.line)?;
        let is_root = beginning.is_root();
        // In a large tree each of the two takes its time.
        let (mut report, prospects, stability) = std::thread::scope(|scope| {
            let stability = scope.spawn(|| printing.stability(tree, is_root));
            let report = Report::new(tree, beginning, printing.layout());
            let prospects = printing.prospects(store, tree, &report.path);
            (report, prospects, stability.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let prospects = prospects?;
        report.stability = stability;
        let courses = match printing.format {
            TreeFormat::Html => stage_courses(store, &tree.stages)?,
            _ => Vec::new(),
        };
        Ok(PrintedTree { printing, report, efforts, prospects, courses })
    }

    /// What the user has included and the book does not have, since it loses more than is allowed.
    pub fn included_and_left_out(&self) -> Vec<String> {
        let Printing { format: TreeFormat::Polyglot, max_loss: Some(max_loss), pov, .. } =
            self.printing
        else {
            return Vec::new();
        };
        included_and_left_out(&self.report, max_loss, pov)
    }

    /// Writes it; text for people in so many columns.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let PrintedTree { report, printing, prospects, .. } = self;
        let Printing { format, plies, pov, .. } = *printing;
        match format {
            TreeFormat::Text if printing.shows_tree() => {
                write_text(report, prospects, (pov, width), out)
            }
            TreeFormat::Text => write_verdict(report, prospects, (pov, width), out),
            TreeFormat::Json => write_tree_json(report, out),
            TreeFormat::Pgn => write_pgn(report, prospects, pov, out),
            TreeFormat::Csv => write_csv(report, out),
            TreeFormat::Epd => write_epd(report, plies, &self.efforts, out),
            TreeFormat::Polyglot => write_polyglot(report, printing.max_loss, out),
            TreeFormat::Dot => write_dot(&Drawing::new(report, pov), out),
            TreeFormat::Svg => write_svg(&Drawing::new(report, pov), out),
            TreeFormat::Html => {
                let beside = Beside { prospects, courses: &self.courses };
                write_html(report, beside, pov, out)
            }
        }
    }
}

impl Printing<'_> {
    /// Whether text is to have more than the verdict.
    fn shows_tree(&self) -> bool {
        self.all || self.plies.is_some()
    }

    /// What lies behind the first moves, where the format tells it.
    fn prospects(
        &self,
        store: &Store,
        tree: &KeptTree,
        path: &[NodeId],
    ) -> Result<Vec<Prospect>, StoreError> {
        let of = (tree.row.profile_id, &tree.growth);
        match self.format {
            TreeFormat::Text => measured_prospects(store, of, path),
            TreeFormat::Html => prospects(store, of, path),
            // A repertoire is the tree's alone.
            TreeFormat::Pgn if self.side.is_none() => prospects(store, of, path),
            _ => Ok(Vec::new()),
        }
    }

    /// How far the best move holds, where the format tells it: of the root alone.
    fn stability(&self, tree: &KeptTree, is_root: bool) -> Option<Stability> {
        let telling = [TreeFormat::Text, TreeFormat::Json, TreeFormat::Html];
        let is_told = telling.contains(&self.format);
        let growth = &tree.growth;
        (is_told && is_root)
            .then(|| stability(growth.graph(), growth.values(), growth.root()))
            .flatten()
    }

    fn layout(&self) -> Layout {
        let best_line_first = [TreeFormat::Pgn, TreeFormat::Text].contains(&self.format);
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
