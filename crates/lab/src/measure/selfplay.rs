//! Plays the built-in engine against itself and keeps quiet positions for the training of its net.
//!
//! A position is a record of 32 bytes in bullet's format: the men, a score and the game's result,
//! all seen from the side to move. The score is a mean of the search's there and later in the game
//! (TD(λ), R. Sutton 1988): later searches see one's oversights. Games begin with random good
//! moves; the same seed plays the same games.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use bulletformat::{BulletFormat, ChessBoard};
use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::search::{self, Memory, SearchResult, Silent, Task};
use deepanalyze_builtin::time::{Limits, Signals};
use shakmaty::{Chess, Color, Role};

use crate::failure::LabFailure;

/// Random plies at the beginning of a game; every other game has one more.
const OPENING: usize = 8;
/// The most a random move may lose against the best one, by a look one ply deep.
const GOOD: i32 = 80;
/// Openings beyond this are not played.
const LOPSIDED: i32 = 200;
/// Centipawns per unit of the logistic curve on which scores are averaged.
const CURVE: f64 = 240.0;
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
    /// Plies of each search, which is a plain one
    depth: u32,
    seed: u64,
    /// Where the positions go, in bullet's format
    positions: PathBuf,
    /// How much what comes later in a game counts in a position's score, from 0 to 1
    #[arg(long, default_value_t = 0.6)]
    later: f64,
}

/// Runs the command.
pub fn run(args: &SelfplayArgs) -> Result<(), LabFailure> {
    let mut random = XorShift(args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut player = Player::new(args.depth, args.later);
    let mut out = BufWriter::new(File::create(&args.positions)?);
    for _ in 0..args.games {
        let start = player.opening(&mut random);
        let positions = start.map_or_else(Vec::new, |start| player.play(start));
        BulletFormat::write_to_bin(&mut out, &positions)?;
    }
    Ok(())
}

/// White's points if a side has won.
fn won_by(color: Color) -> f32 {
    color.fold_wb(1.0, 0.0)
}

/// White's points of a draw.
const DRAWN: f32 = 0.5;

struct Player {
    memory: Memory,
    options: Options,
    depth: u32,
    later: f64,
}

/// A position of a game, the search's score of it and whether it is one to learn from.
struct Step {
    board: Board,
    /// For white, in centipawns.
    score: i32,
    calm: bool,
}

impl Player {
    /// A plain search: one that speculates is worse than the bare net below some thousand nodes.
    fn new(depth: u32, later: f64) -> Player {
        let options = Options { speculation: false, quiescence_depth: 4, ..Options::default() };
        Player { memory: Memory::new(8), options, depth, later }
    }

    /// A position after random good moves, unless the game is over there.
    fn opening(&mut self, random: &mut XorShift) -> Option<Board> {
        // Games are independent.
        self.memory.clear();
        let mut board = Board::new(&Chess::default());
        for _ in 0..OPENING + random.below(2) {
            board = self.random_move(&board, random)?;
        }
        (!board.legal_moves().is_empty()).then_some(board)
    }

    /// The position after one of the moves that look good.
    fn random_move(&mut self, board: &Board, random: &mut XorShift) -> Option<Board> {
        let mut look = |next: Board| -self.answer(&next, &[], 1).score;
        let after = board.legal_moves().into_iter().map(|m| board.play(m));
        let looks: Vec<(Board, i32)> = after.map(|next| (next.clone(), look(next))).collect();
        let best = looks.iter().map(|(_, score)| *score).max()?;
        let good: Vec<_> = looks.into_iter().filter(|(_, score)| *score >= best - GOOD).collect();
        let chosen = random.below(good.len());
        good.into_iter().nth(chosen).map(|(next, _)| next)
    }

    /// The quiet positions of a game; `None` if the opening is lopsided.
    fn play(&mut self, start: Board) -> Vec<ChessBoard> {
        let mut board = start;
        let mut earlier: Vec<u64> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let (mut decided, mut level) = (0, 0);
        let points = loop {
            if let Some(points) = over(&board, &earlier) {
                break points;
            }
            let answer = self.answer(&board, &earlier, self.depth);
            let score = board.turn().fold_wb(answer.score, -answer.score);
            if earlier.is_empty() && score.abs() > LOPSIDED {
                return Vec::new();
            }
            let quiet = !board.is_check() && !board.is_tactical(answer.best);
            let calm = quiet && score.abs() < 2 * DECIDED && board.halfmoves() < 60;
            decided = if score.abs() >= DECIDED { decided + 1 } else { 0 };
            level = if score.abs() <= 8 && earlier.len() > 70 { level + 1 } else { 0 };
            earlier.push(board.key());
            let next = board.play(answer.best);
            steps.push(Step { board, score, calm });
            board = next;
            if decided >= 4 {
                break won_by(Color::from_white(score > 0));
            }
            if level >= 10 || earlier.len() > LONGEST {
                break DRAWN;
            }
        };
        average(&mut steps, points, self.later);
        let calm = steps.iter().filter(|step| step.calm);
        calm.filter_map(|step| record(&step.board, step.score, points)).collect()
    }

    fn answer(&mut self, board: &Board, earlier: &[u64], depth: u32) -> SearchResult {
        let task = Task {
            board: board.clone(),
            earlier: earlier.to_vec(),
            limits: Limits { depth: Some(depth), ..Limits::default() },
        };
        search::think(&mut self.memory, &self.options, &task, &Signals::default(), &mut Silent)
    }
}

/// Brings the later scores of a game, and in the end its result, into the earlier ones, with this
/// weight.
fn average(steps: &mut [Step], points: f32, weight: f64) {
    let mut later = f64::from(points);
    for step in steps.iter_mut().rev() {
        let expected = 1.0 / (1.0 + (-f64::from(step.score) / CURVE).exp());
        later = (1.0 - weight) * expected + weight * later;
        // As far from a certain result as the greatest score that a game goes on with.
        let known = later.clamp(0.0005, 0.9995);
        step.score = (CURVE * (known / (1.0 - known)).ln()).round() as i32;
    }
}

/// The stored position; score and points are White's.
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

/// White's points, if the game is over.
fn over(board: &Board, earlier: &[u64]) -> Option<f32> {
    if board.legal_moves().is_empty() {
        let mated = board.is_check();
        return Some(if mated { won_by(!board.turn()) } else { DRAWN });
    }
    let repeated = earlier.iter().filter(|&&key| key == board.key()).count() >= 2;
    (repeated || board.is_dead() || board.halfmoves() >= 100).then_some(DRAWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn averaged(scores: &[i32], points: f32) -> Vec<i32> {
        let step = |&score: &i32| Step { board: Board::new(&Chess::default()), score, calm: true };
        let mut steps: Vec<Step> = scores.iter().map(step).collect();
        average(&mut steps, points, 0.6);
        steps.iter().map(|step| step.score).collect()
    }

    #[test]
    fn what_later_positions_say_comes_into_the_score() {
        assert_eq!(averaged(&[0, 0, 0], DRAWN), [0, 0, 0]);
        let blundered = averaged(&[50, 0, 0, 0, -500], won_by(Color::Black));
        assert!(blundered[0] > blundered[1] && blundered.windows(2).all(|two| two[0] > two[1]));
        assert!((-40..0).contains(&blundered[0]), "{blundered:?}");
        assert!(blundered[4] < -500, "{blundered:?}");
    }

    #[test]
    fn the_same_seed_plays_the_same_game() {
        let game = |seed| {
            let (mut player, mut random) = (Player::new(1, 0.6), XorShift(seed));
            player.opening(&mut random).map(|board| board.key())
        };
        assert_eq!(game(5), game(5));
        assert_ne!(game(5), game(7));
    }
}
