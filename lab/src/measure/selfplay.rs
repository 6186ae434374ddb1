//! Plays the built-in engine against itself and writes down quiet positions for the tuner.
//!
//! `lab selfplay OPENINGS GAMES NODES SEED > positions.txt`; a line is `FEN;score;result`, score and
//! result for white. Openings come from a file of FENs, with a few random moves added.

use std::io::Write;
use std::path::PathBuf;

use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::moves::Move;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::search::{self, Memory, Silent, Task};
use deepanalyze_builtin::time::{Limits, Signals};
use deepanalyze_core::chess::{fen_of, uci_of};
use shakmaty::{Chess, Color, Position};

use crate::failure::LabFailure;

/// Scores beyond this end a game.
const DECIDED: i32 = 1500;

struct XorShift(u64);

impl XorShift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Play the built-in engine against itself, and print quiet positions for the tuner
#[derive(Debug, clap::Args)]
pub struct SelfplayArgs {
    /// A file of FENs
    openings: PathBuf,
    games: u64,
    /// Nodes of each search
    nodes: u64,
    seed: u64,
}

/// Runs the command.
pub fn run(args: &SelfplayArgs) -> Result<(), LabFailure> {
    let openings = std::fs::read_to_string(&args.openings)?;
    let openings: Vec<&str> = openings.lines().collect();
    let mut random = XorShift(args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut player = Player::new(args.nodes);
    let mut out = std::io::stdout().lock();
    for _ in 0..args.games {
        let opening = openings[random.below(openings.len())];
        let Some(start) = opening_position(opening, &mut random) else {
            continue;
        };
        player.play(start, &mut random, &mut out)?;
    }
    Ok(())
}

/// The opening with up to four random moves behind it.
fn opening_position(opening: &str, random: &mut XorShift) -> Option<Chess> {
    let fen = opening.split(';').next()?.trim();
    let mut position = deepanalyze_core::chess::parse_fen(fen).ok()?;
    for _ in 0..random.below(5) {
        let moves = position.legal_moves();
        let m = *moves.get(random.below(moves.len()))?;
        position.play_unchecked(m);
    }
    (!position.legal_moves().is_empty()).then_some(position)
}

struct Player {
    memory: Memory,
    options: Options,
    nodes: u64,
}

impl Player {
    fn new(nodes: u64) -> Player {
        Player { memory: Memory::new(8), options: Options::default(), nodes }
    }

    fn play(
        &mut self,
        start: Chess,
        random: &mut XorShift,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        self.memory.clear();
        let mut position = start;
        let mut earlier: Vec<u64> = Vec::new();
        let mut kept: Vec<(String, i32)> = Vec::new();
        let (mut decided, mut quiet) = (0, 0);
        let result = loop {
            let board = Board::new(&position);
            let white = position.turn() == Color::White;
            if let Some(result) = over(&position, &board, &earlier) {
                break result;
            }
            let answer = self.answer(&board, &earlier, random);
            let score = if white { answer.score } else { -answer.score };
            let calm = !board.is_check() && !board.is_tactical(answer.best);
            if calm && score.abs() < DECIDED && board.halfmoves() < 60 && earlier.len() > 1 {
                kept.push((fen_of(&position), score));
            }
            decided = if score.abs() >= DECIDED { decided + 1 } else { 0 };
            quiet = if score.abs() <= 8 && earlier.len() > 70 { quiet + 1 } else { 0 };
            if decided >= 4 {
                break if score > 0 { 1.0 } else { 0.0 };
            }
            if quiet >= 10 || earlier.len() > 300 {
                break 0.5;
            }
            earlier.push(board.key());
            if !advance(&mut position, answer.best) {
                break 0.5;
            }
        };
        for (fen, score) in kept {
            writeln!(out, "{fen};{score};{result}")?;
        }
        Ok(())
    }

    fn answer(
        &mut self,
        board: &Board,
        earlier: &[u64],
        random: &mut XorShift,
    ) -> search::SearchResult {
        let task = Task {
            board: board.clone(),
            earlier: earlier.to_vec(),
            limits: Limits {
                // A little noise, or the same openings give the same games.
                nodes: Some(self.nodes + random.below(self.nodes as usize / 4) as u64),
                ..Limits::default()
            },
        };
        let signals = Signals::default();
        search::think(&mut self.memory, &self.options, &task, &signals, &mut Silent)
    }
}

fn advance(position: &mut Chess, m: Move) -> bool {
    let Some(uci) = deepanalyze_core::chess::parse_uci(&m.to_string()) else {
        return false;
    };
    match uci.to_move(position) {
        Ok(m) => {
            debug_assert!(uci_of(position, m) == uci);
            position.play_unchecked(m);
            true
        }
        Err(_) => false,
    }
}

/// The result for white where the game is over.
fn over(position: &Chess, board: &Board, earlier: &[u64]) -> Option<f64> {
    if position.legal_moves().is_empty() {
        return Some(match (position.is_check(), position.turn()) {
            (false, _) => 0.5,
            (true, Color::White) => 0.0,
            (true, Color::Black) => 1.0,
        });
    }
    let repeated = earlier.iter().filter(|&&key| key == board.key()).count() >= 2;
    (repeated || board.is_dead() || board.halfmoves() >= 100).then_some(0.5)
}
