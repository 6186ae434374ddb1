//! The options: what UCI may set, with the defaults that the seeds name.

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Mebibytes of transposition table.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// How many best lines to report.
    pub multi_pv: usize,
    /// Whether null move, reductions, razoring, futility and their kind are used. Without them the
    /// search is plain alpha-beta.
    pub speculation: bool,
    /// Whether tactical moves are followed beyond the depth.
    pub quiescence: bool,
    /// How many plies.
    pub quiescence_depth: i32,
    /// A node of at most so many legal moves may cost no depth.
    pub candidate_limit: usize,
    /// How many such nodes on a path.
    pub selective_depth: i32,
    /// How many nodes of one legal move on a path may cost no depth.
    pub forced_depth: i32,
    /// The aspiration window's width in centipawns.
    pub aspiration: i32,
    /// Milliseconds kept back for the way to and from the GUI.
    pub move_overhead: u64,
    /// Whether the book answers first.
    pub own_book: bool,
    /// The Polyglot book's path.
    pub book_file: String,
    /// Whether the book's heaviest move is played, not one drawn by weight.
    pub best_book_move: bool,
    /// The folders of tablebases, as a search path has them.
    pub syzygy_path: String,
    /// Whether castling is written onto the rook in every position, and not only where Chess960 needs it.
    pub chess960: bool,
    /// Whether win, draw and loss are told with every score.
    pub show_wdl: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash: 16,
            threads: 1,
            multi_pv: 1,
            speculation: true,
            quiescence: true,
            quiescence_depth: 2,
            candidate_limit: 3,
            selective_depth: 4,
            forced_depth: 10,
            aspiration: 30,
            move_overhead: 10,
            own_book: false,
            book_file: String::new(),
            best_book_move: false,
            syzygy_path: String::new(),
            chess960: false,
            show_wdl: false,
        }
    }
}
