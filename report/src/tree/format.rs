//! What a tree can be written as, and what of it.

use serde::Deserialize;
use shakmaty::Color;

use deepanalyze_core::tree::Layout;

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
    /// In a book: how many centipawns a move may lose.
    pub max_loss: Option<u32>,
    /// Whose repertoire it is to be.
    pub side: Option<Color>,
    /// Whose side scores take.
    pub pov: PointOfView,
}

impl PrintOptions<'_> {
    /// What a format prints by itself.
    pub fn of(format: TreeFormat) -> PrintOptions<'static> {
        let (plies, moves, max_loss, side) = (None, None, None, None);
        let (all, line, pov) = (false, "", PointOfView::White);
        PrintOptions { format, plies, all, moves, line, max_loss, side, pov }
    }

    /// Whether text is to have more than the verdict.
    pub fn shows_tree(&self) -> bool {
        self.all || self.plies.is_some()
    }

    /// How it is laid out.
    pub fn layout(&self) -> Layout {
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
