//! The flags of the scripted engine.

use std::path::PathBuf;

use crate::fault::Fault;

/// A UCI engine with synthetic answers, for tests.
#[derive(Debug, Clone, clap::Parser)]
pub struct Args {
    /// Name in `id name`; an empty one leaves the line out.
    #[arg(long, default_value = "Scripted 1")]
    pub name: String,
    /// Other seeds, other scores.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How far the moves of one position lie apart, centipawns.
    #[arg(long, default_value_t = 60)]
    pub spread: u32,
    /// How far the value of a position may lie from 0, centipawns.
    #[arg(long, default_value_t = 15)]
    pub noise: u32,
    /// The length of a search.
    #[arg(long, default_value_t = 0)]
    pub delay_ms: u64,
    /// Up to that much more, at random.
    #[arg(long, default_value_t = 0)]
    pub jitter_ms: u64,
    /// One line per `go` is appended here: EPD, limit, and the moves behind `searchmoves`,
    /// divided by tabs, behind a `|`.
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// Every line received is appended here, with `>` in front.
    #[arg(long)]
    pub transcript: Option<PathBuf>,
    /// One byte per start of a process is appended here; needed for `start=`.
    #[arg(long)]
    pub starts: Option<PathBuf>,
    /// Faults with their conditions: `die:every=20`, `hang:go=1,start=2`, `illegal:epd=...`.
    #[arg(long)]
    pub fault: Vec<Fault>,
    /// One line per fault of a search is appended here: kind, EPD, rank, divided by tabs, behind a
    /// `|`; needed for `most=`.
    #[arg(long)]
    pub struck: Option<PathBuf>,
    /// A search that is held waits until this file is there; without it, for ever.
    #[arg(long)]
    pub gate: Option<PathBuf>,
    /// Searches all legal moves, whatever `searchmoves` says.
    #[arg(long)]
    pub no_searchmoves: bool,
    /// Offers no `UCI_Chess960`.
    #[arg(long)]
    pub no_chess960: bool,
    /// The greatest `MultiPV`; 0 leaves the option out.
    #[arg(long, default_value_t = 500)]
    pub max_multipv: usize,
    /// With several lines, `bestmove` is the last of them.
    #[arg(long)]
    pub contradict: bool,
    /// Reports this many nodes whatever `go nodes` says.
    #[arg(long)]
    pub report_nodes: Option<u64>,
    /// Ends its lines as Windows does.
    #[arg(long)]
    pub crlf: bool,
    /// Writes promotions in upper case.
    #[arg(long)]
    pub upper_case: bool,
    /// Outlives `quit` and a closed input.
    #[arg(long)]
    pub stubborn: bool,
    /// Writes that many bytes to stderr with every answer.
    #[arg(long, default_value_t = 0)]
    pub stderr_bytes: usize,
    /// Says win, draw and loss with every exact score, where `UCI_ShowWDL` is set.
    #[arg(long)]
    pub wdl: bool,
    /// One more `option` line, as it is to be printed.
    #[arg(long)]
    pub option_line: Vec<String>,
}
