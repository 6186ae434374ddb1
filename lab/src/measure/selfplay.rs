//! Plays the built-in engine against itself and keeps quiet positions for the training of its net.
//!
//! A position is a record of 32 bytes in bullet's format: the men, the search's score and the game's result, all seen
//! from the side to move. Games begin with random moves; the same seed plays the same games.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use bulletformat::{BulletFormat, ChessBoard};
use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::search::{self, Memory, SearchResult, Silent, Task};
use deepanalyze_builtin::time::{Limits, Signals};
use shakmaty::{Chess, Color, Position, Role};

use crate::failure::LabFailure;

/// Random plies at the beginning of a game; every other game has one more.
const OPENING: usize = 8;
/// Openings beyond this are not played.
const LOPSIDED: i32 = 400;
/// Four scores in a row beyond this end a game.
const DECIDED: i32 = 1200;
/// The most plies of a game.
const LONGEST: usize = 400;

struct XorShift(u64);

impl XorShift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Play the built-in engine against itself, and keep quiet positions to train its net with
#[derive(Debug, clap::Args)]
pub struct SelfplayArgs {
    games: u64,
    /// Nodes of each search, give or take an eighth
    nodes: u64,
    seed: u64,
    /// Where the positions go, in bullet's format
    positions: PathBuf,
}

/// Runs the command.
pub fn run(args: &SelfplayArgs) -> Result<(), LabFailure> {
    let mut random = XorShift(args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut player = Player::new(args.nodes);
    let mut out = BufWriter::new(File::create(&args.positions)?);
    for _ in 0..args.games {
        let start = opening(&mut random);
        let positions = player.play(start, &mut random);
        BulletFormat::write_to_bin(&mut out, &positions)?;
    }
    Ok(())
}

/// A position after random moves in which the game goes on.
fn opening(random: &mut XorShift) -> Chess {
    loop {
        let mut position = Chess::default();
        let plies = OPENING + random.below(2);
        let mut played = 0;
        while played < plies && !position.legal_moves().is_empty() {
            let moves = position.legal_moves();
            position.play_unchecked(moves[random.below(moves.len())]);
            played += 1;
        }
        if !position.legal_moves().is_empty() {
            return position;
        }
    }
}

/// White's points where a side has won.
fn won_by(color: Color) -> f32 {
    color.fold_wb(1.0, 0.0)
}

/// White's points of a draw.
const DRAWN: f32 = 0.5;

struct Player {
    memory: Memory,
    options: Options,
    nodes: u64,
}

impl Player {
    fn new(nodes: u64) -> Player {
        Player { memory: Memory::new(8), options: Options::default(), nodes }
    }

    /// The quiet positions of a game; none where the opening is lopsided.
    fn play(&mut self, start: Chess, random: &mut XorShift) -> Vec<ChessBoard> {
        self.memory.clear();
        let mut board = Board::new(&start);
        let mut earlier: Vec<u64> = Vec::new();
        let mut kept: Vec<(Board, i32)> = Vec::new();
        let (mut decided, mut level) = (0, 0);
        let points = loop {
            if let Some(points) = over(&board, &earlier) {
                break points;
            }
            let answer = self.answer(&board, &earlier, random);
            let score = board.turn().fold_wb(answer.score, -answer.score);
            if earlier.is_empty() && score.abs() > LOPSIDED {
                return Vec::new();
            }
            let calm = !board.is_check() && !board.is_tactical(answer.best);
            if calm && score.abs() < 2 * DECIDED && board.halfmoves() < 60 {
                kept.push((board.clone(), score));
            }
            decided = if score.abs() >= DECIDED { decided + 1 } else { 0 };
            level = if score.abs() <= 8 && earlier.len() > 70 { level + 1 } else { 0 };
            if decided >= 4 {
                break won_by(Color::from_white(score > 0));
            }
            if level >= 10 || earlier.len() > LONGEST {
                break DRAWN;
            }
            earlier.push(board.key());
            board = board.play(answer.best);
        };
        kept.iter().filter_map(|(board, score)| record(board, *score, points)).collect()
    }

    fn answer(&mut self, board: &Board, earlier: &[u64], random: &mut XorShift) -> SearchResult {
        // A little noise, or the same openings give the same games.
        let noise = random.below(self.nodes as usize / 4) as u64;
        let nodes = self.nodes - self.nodes / 8 + noise;
        let task = Task {
            board: board.clone(),
            earlier: earlier.to_vec(),
            limits: Limits { nodes: Some(nodes), ..Limits::default() },
        };
        search::think(&mut self.memory, &self.options, &task, &Signals::default(), &mut Silent)
    }
}

/// The position as it is kept; score and points are white's.
fn record(board: &Board, score: i32, points: f32) -> Option<ChessBoard> {
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
    let mut men = [0; 8];
    men[0] = board.by_color(Color::White).0;
    men[1] = board.by_color(Color::Black).0;
    for (slot, role) in men[2..].iter_mut().zip(roles) {
        *slot = board.by_role(role).0;
    }
    let turn = board.turn().fold_wb(0, 1);
    ChessBoard::from_raw(men, turn, i16::try_from(score).ok()?, points).ok()
}

/// White's points, where the game is over.
fn over(board: &Board, earlier: &[u64]) -> Option<f32> {
    if board.legal_moves().is_empty() {
        let mated = board.is_check();
        return Some(if mated { won_by(!board.turn()) } else { DRAWN });
    }
    let repeated = earlier.iter().filter(|&&key| key == board.key()).count() >= 2;
    (repeated || board.is_dead() || board.halfmoves() >= 100).then_some(DRAWN)
}
