//! Times the quiescence paper's positions at depth 4 with quiescence depth 2, each search from
//! cleared memory: the plain search, which works like the paper's, and the full one.

use std::time::Instant;

use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::search::{self, Memory, Silent, Task};
use deepanalyze_builtin::time::{Limits, Signals};
use shakmaty::fen::Fen;

use crate::failure::LabFailure;

const POSITIONS: [&str; 14] = [
    "b3k3/1n5p/6p1/8/8/8/7P/1Q4K1 w - - 0 1",
    "4rkr1/1p1Rn1pp/p3p2B/4Qp2/8/8/PPq2PPP/3R2K1 w - - 0 1",
    "k7/3N4/BK6/8/8/8/8/8 w - - 0 1",
    "RK2QBNR/P3PPPP/b7/q7/8/4Pp2/p1p2p1p/rn1k3r b - - 0 1",
    "KR2Q2R/NPPn2BP/n5P1/3N1P2/q7/3p2p1/ppp1p2p/r1bk3r b - - 0 1",
    "1B6/3K3p/5p2/pp2pr2/N2k3q/1Q5p/2R2b2/5N2 w - - 0 1",
    "rnb1kbnr/pppppppp/8/4q3/5P2/8/PPPPP1PP/RNBQKBNR w KQkq - 0 1",
    "rn2kbnr/pppppppp/8/4q3/8/8/PPPP1PPP/RNBQKB1R w KQkq - 0 1",
    "2b1kbnr/prpppppp/q7/8/8/8/PPPP1PPP/RNBQKBNR w KQk - 0 1",
    "1nbqkbnr/pppppppp/3r4/8/8/8/PPP1PPPP/RNBQKBNR b KQk - 0 1",
    "k3r3/8/7b/8/8/4Q3/PP3P2/KP6 b - - 0 1",
    "rn1q1rk1/pp6/5p2/2bpP2b/2p2PbP/2p2NP1/2P2PR1/2BQKB1R w K - 0 1",
    "3q4/pk4pp/2p5/2Q2p2/2P1b3/1P4BP/2PrR1PK/8 w - - 0 1",
    "7k/2p3p1/3pPp1p/p1p4P/Pr2r3/1PR1R1P1/5PK1/8 w - - 0 1",
];

/// The paper's own program's time, in seconds.
const PAPER: f64 = 1500.0;

/// Runs the command.
pub fn run() -> Result<(), LabFailure> {
    let mut memory = Memory::new(16);
    for (name, speculation) in [("plain", false), ("full", true)] {
        let options = Options { speculation, ..Options::default() };
        let mut seconds = 0.0;
        let mut nodes = 0;
        for fen in POSITIONS {
            let task = Task {
                board: Board::from_setup(fen.parse::<Fen>()?.as_setup()),
                earlier: Vec::new(),
                limits: Limits { depth: Some(4), ..Limits::default() },
            };
            memory.clear();
            let start = Instant::now();
            let signals = Signals::default();
            nodes += search::think(&mut memory, &options, &task, &signals, &mut Silent).nodes;
            seconds += start.elapsed().as_secs_f64();
        }
        println!("{name}: {seconds:.4} s, {nodes} nodes, 1 : {:.0}", PAPER / seconds);
    }
    Ok(())
}
