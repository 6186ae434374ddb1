//! Move ordering memory: killers and histories.

use shakmaty::{Color, Role, Square};

use super::board::Board;
use super::moves::Move;

/// Greatest depth of the search stack.
pub const MAX_PLY: usize = 128;
/// Histories stay within this.
const LIMIT: i32 = 16_384;

/// A piece and its target square.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move before (the root, or a pass).
    pub const NONE: PieceTo = PieceTo(768);

    /// The step that a move makes.
    pub fn new(color: Color, role: Role, to: Square) -> PieceTo {
        PieceTo((color as u16 * 6 + role as u16 - 1) * 64 + to.to_u32() as u16)
    }

    /// The target square, if any.
    pub fn to(self) -> Option<Square> {
        (self != PieceTo::NONE).then(|| Square::new(u32::from(self.0 & 63)))
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }
}

const STEPS: usize = 769;

/// All histories of one search thread.
pub struct Histories {
    /// By colour, from and to.
    quiet: Vec<[[i16; 64]; 64]>,
    /// By step, and the step before.
    continued: Vec<[i16; STEPS]>,
    /// By colour and role, to, captured role.
    captures: Vec<[[i16; 6]; 64]>,
    /// Quiet answers to a step.
    answers: Vec<Move>,
    killers: Vec<[Move; 2]>,
}

impl Default for Histories {
    fn default() -> Histories {
        Histories {
            quiet: vec![[[0; 64]; 64]; 2],
            continued: vec![[0; STEPS]; STEPS],
            captures: vec![[[0; 6]; 64]; 12],
            answers: vec![Move::NONE; STEPS],
            killers: vec![[Move::NONE; 2]; MAX_PLY + 2],
        }
    }
}

/// Moves a history towards `bonus`, the less the nearer it is to the limit.
fn learn(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    let new = old + bonus - old * bonus.abs() / LIMIT;
    *value = new.clamp(-LIMIT, LIMIT) as i16;
}

impl Histories {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.quiet.fill([[0; 64]; 64]);
        self.continued.fill([0; STEPS]);
        self.captures.fill([[0; 6]; 64]);
        self.answers.fill(Move::NONE);
        self.clear_killers();
    }

    /// Clears the killers, before a new search.
    pub fn clear_killers(&mut self) {
        self.killers.fill([Move::NONE; 2]);
    }

    /// A new node's children begin without killers.
    pub fn clear_killers_at(&mut self, ply: usize) {
        self.killers[ply] = [Move::NONE; 2];
    }

    /// The killers of a ply.
    pub fn killers(&self, ply: usize) -> [Move; 2] {
        self.killers[ply]
    }

    /// The quiet move that last refuted a step.
    pub fn answer(&self, before: PieceTo) -> Move {
        self.answers[before.index()]
    }

    /// A quiet move's history.
    pub fn quiet(&self, board: &Board, m: Move, before: [PieceTo; 2]) -> i32 {
        let us = board.turn();
        let step = PieceTo::new(us, board.mover(m), m.to());
        let plain = self.quiet[us as usize][m.from().to_usize()][m.to().to_usize()];
        let continued = before.map(|b| i32::from(self.continued[b.index()][step.index()]));
        i32::from(plain) + continued[0] + continued[1]
    }

    /// A capture's history.
    pub fn capture(&self, board: &Board, m: Move) -> i32 {
        let (piece, to, captured) = Self::capture_place(board, m);
        i32::from(self.captures[piece][to][captured])
    }

    fn capture_place(board: &Board, m: Move) -> (usize, usize, usize) {
        let piece = board.turn() as usize * 6 + board.mover(m) as usize - 1;
        let captured = board.captured(m).map_or(5, |role| role as usize - 1);
        (piece, m.to().to_usize(), captured)
    }

    /// Rewards the quiet move that cut and punishes those tried before.
    pub fn reward_quiet(
        &mut self,
        board: &Board,
        best: Move,
        tried: &[Move],
        depth: i32,
        ply: usize,
        before: [PieceTo; 2],
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != best {
            *killers = [best, killers[0]];
        }
        self.answers[before[0].index()] = best;
        let bonus = bonus(depth);
        self.learn_quiet(board, best, bonus, before);
        for &m in tried {
            self.learn_quiet(board, m, -bonus, before);
        }
    }

    fn learn_quiet(&mut self, board: &Board, m: Move, bonus: i32, before: [PieceTo; 2]) {
        let us = board.turn();
        let step = PieceTo::new(us, board.mover(m), m.to());
        learn(&mut self.quiet[us as usize][m.from().to_usize()][m.to().to_usize()], bonus);
        for b in before {
            learn(&mut self.continued[b.index()][step.index()], bonus);
        }
    }

    /// Punishes the captures tried and rewards the one that cut.
    pub fn reward_capture(
        &mut self,
        board: &Board,
        best: Option<Move>,
        tried: &[Move],
        depth: i32,
    ) {
        let bonus = bonus(depth);
        if let Some(m) = best {
            let (piece, to, captured) = Self::capture_place(board, m);
            learn(&mut self.captures[piece][to][captured], bonus);
        }
        for &m in tried {
            let (piece, to, captured) = Self::capture_place(board, m);
            learn(&mut self.captures[piece][to][captured], -bonus);
        }
    }
}

fn bonus(depth: i32) -> i32 {
    (16 * depth * depth + 32 * depth).min(1600)
}
