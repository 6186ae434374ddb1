//! The UCI options, with the defaults that the seeds name.

/// All options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Mebibytes of transposition table.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Number of best lines to report.
    pub multi_pv: usize,
    /// Use null move, reductions, razoring, futility and their kind. Without them the search is
    /// plain alpha-beta.
    pub speculation: bool,
    /// Follow tactical moves beyond the depth.
    pub quiescence: bool,
    /// Plies of quiescence.
    pub quiescence_depth: i32,
    /// A node of at most this many legal moves may cost no depth.
    pub candidate_limit: usize,
    /// Number of such nodes on a path.
    pub selective_depth: i32,
    /// Number of nodes of one legal move on a path that may cost no depth.
    pub forced_depth: i32,
    /// The aspiration window's width in centipawns.
    pub aspiration: i32,
    /// Milliseconds kept back for the way to and from the GUI.
    pub move_overhead: u64,
    /// Answer from the book first.
    pub own_book: bool,
    /// The Polyglot book's path.
    pub book_file: String,
    /// Play the book's heaviest move, not one drawn by weight.
    pub best_book_move: bool,
    /// Tablebase folders, as a search path.
    pub syzygy_path: String,
    /// Write castling onto the rook in every position, not only where Chess960 needs it.
    pub chess960: bool,
    /// Report win, draw and loss with every score.
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
