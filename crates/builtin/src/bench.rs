//! `engine bench`: a fixed set of positions to a fixed depth. The node count tells builds apart.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::board::Board;
use super::options::Options;
use super::search::{self, Memory, Silent, Task};
use super::time::{Limits, Signals};
use deepanalyze_core::chess::parse_fen;

/// Search depth of the bench.
pub const DEPTH: u32 = 11;

/// Openings, middlegames, endings and a few traps, from our own games and well-known tests.
const POSITIONS: [&str; 26] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1",
    "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1",
    "2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1",
    "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1",
    "2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1",
    "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
    "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - - 0 1",
    "8/pp4k1/2p5/2N1P3/2Pn4/P4P1R/1P1r4/1K6 b - - 0 41",
    "6k1/p4pp1/n3p3/P1p1N1np/6P1/6P1/8/1R4K1 b - - 0 40",
    "3k3r/p5p1/2pn1pP1/P2p3P/1p1P1N2/1P1b4/2PK4/R7 w - - 0 39",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "8/3k4/p6Q/pq6/3p4/1P6/P3p1P1/6K1 w - - 0 1",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
    "8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 1",
    "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1",
    "8/5k2/8/8/3R4/4K3/6p1/8 b - - 0 1",
];

/// Result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// Moves made: the same on every machine.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Searches the positions, each with cleared memory.
pub fn measure(depth: u32) -> Total {
    let options = Options::default();
    let mut memory = Memory::new(options.hash);
    let start = Instant::now();
    let mut nodes = 0;
    for position in POSITIONS.iter().filter_map(|fen| parse_fen(fen).ok()) {
        memory.clear();
        let task = Task {
            board: Board::new(&position),
            earlier: Vec::new(),
            limits: Limits { depth: Some(depth), ..Limits::default() },
        };
        let answer = search::think(&mut memory, &options, &task, &Signals::default(), &mut Silent);
        nodes += answer.nodes;
    }
    Total { nodes, time: start.elapsed() }
}

/// The node count of the bench. It changes with every change of search or evaluation, and stands in
/// the engine's name: answers of different builds are of different profiles.
pub const SIGNATURE: u64 = 675_493;

/// Runs the bench and prints nodes and nodes per second.
///
/// # Errors
///
/// If the output cannot be written.
pub fn run(mut out: impl Write) -> io::Result<()> {
    let total = measure(DEPTH);
    let nps = u128::from(total.nodes) * 1000 / total.time.as_millis().max(1);
    writeln!(out, "{} nodes {nps} nps", total.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_benchs_node_count() {
        assert_eq!(measure(DEPTH).nodes, SIGNATURE);
    }
}
