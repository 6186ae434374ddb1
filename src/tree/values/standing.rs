//! What each side can force in a circle, kept up to date as one position after the other becomes a
//! drawn end.
//!
//! A path through a circle makes its positions drawn ends one by one, and a visit follows very many
//! paths. To work the whole circle out for each would be quadratic: in rook endings with circles of
//! 1,000 positions it took nearly all of a pass. But little changes with one position more. Where
//! one from which White gets more than a draw becomes a draw, Black's sweep stays as it was (White's
//! gain was never part of it), and in White's only positions that lean on the new end change. Each
//! settled position therefore keeps how far its value is from the move that leaves the circle: it
//! stands on moves that are nearer, so whether it still stands can be decided from the nearest on,
//! and ties cannot hold each other up in a ring.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use shakmaty::Color;

use crate::chess::Value;

use super::circle::Circle;

/// What a position is worth, and how far from it that value comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// From White's side; a draw where neither side can force more.
    white: Value,
    /// Moves inside the circle on the winner's shortest and the loser's longest way out.
    moves: u32,
}

const OPEN: Standing = Standing { white: Value::DRAW, moves: 0 };

/// What a position is worth to a winner; the greater, the earlier its sweep settles it.
type Gain = (Value, Reverse<u32>);

/// The gain of a move from the gain in the position that it leads to: always less.
fn gain_of_move((value, Reverse(moves)): Gain) -> Gain {
    (value.ply_later(), Reverse(moves + 1))
}

/// The standing of each position of a circle, with some positions as drawn ends.
#[derive(Debug)]
pub struct Standings<'a> {
    circle: &'a Circle,
    of: Vec<Standing>,
    /// Per position that is being settled, how many moves must be settled before it is: one for
    /// the winner, all for the other side. 0 outside a sweep.
    awaited: Vec<u32>,
}

/// A position whose standing changed.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Its local number.
    pub place: u32,
    before: Standing,
    after: Standing,
}

impl Change {
    /// The value from then on, for the side to move.
    pub fn value(&self, turn: Color) -> Value {
        for_side(self.after.white, turn)
    }
}

fn for_side(white: Value, side: Color) -> Value {
    if side == Color::White { white } else { -white }
}

impl<'a> Standings<'a> {
    /// Without any drawn end.
    pub fn new(circle: &'a Circle) -> Standings<'a> {
        let (of, awaited) = (vec![OPEN; circle.len()], vec![0; circle.len()]);
        let mut standings = Standings { circle, of, awaited };
        let places: Vec<u32> = (0..circle.len() as u32).collect();
        standings.sweep(&places, Color::White);
        standings.sweep(&places, Color::Black);
        standings
    }

    /// As they were worked out before, without any drawn end.
    pub fn known(circle: &'a Circle, of: &[Standing]) -> Standings<'a> {
        Standings { circle, of: of.to_vec(), awaited: vec![0; circle.len()] }
    }

    /// What was worked out.
    pub fn into_known(self) -> Box<[Standing]> {
        self.of.into_boxed_slice()
    }

    /// The value of a position for its side to move.
    pub fn value(&self, place: u32) -> Value {
        for_side(self.of[place as usize].white, self.circle.turn(place))
    }

    /// Makes a position a drawn end; what changed with it, by place.
    pub fn draw(&mut self, place: u32) -> Vec<Change> {
        let white = self.of[place as usize].white;
        if white == Value::DRAW {
            return Vec::new();
        }
        let winner = if white > Value::DRAW { Color::White } else { Color::Black };
        let mut changes = self.topple(place, winner);
        let toppled: Vec<u32> = changes[1..].iter().map(|change| change.place).collect();
        self.sweep(&toppled, winner);
        for change in &mut changes {
            change.after = self.of[change.place as usize];
        }
        changes.retain(|change| change.before != change.after);
        changes.sort_unstable_by_key(|change| change.place);
        changes
    }

    /// Makes changes that were undone.
    pub fn redo(&mut self, changes: &[Change]) {
        for change in changes {
            self.of[change.place as usize] = change.after;
        }
    }

    /// Takes changes back.
    pub fn undo(&mut self, changes: &[Change]) {
        for change in changes {
            self.of[change.place as usize] = change.before;
        }
    }

    /// What a winner has settled; none where the position is open or the other side's.
    fn gain(&self, place: u32, winner: Color) -> Option<Gain> {
        let Standing { white, moves } = self.of[place as usize];
        let value = for_side(white, winner);
        (value > Value::DRAW).then_some((value, Reverse(moves)))
    }

    /// What a winner gains by the best move out of the circle.
    fn fixed_gain(&self, place: u32, winner: Color) -> Option<Gain> {
        let fixed = self.circle.fixed(place)?;
        let value = if self.circle.turn(place) == winner { fixed } else { -fixed };
        (value > Value::DRAW).then_some((value, Reverse(0)))
    }

    /// Opens a position and all that may have leant on it, the position itself first.
    fn topple(&mut self, place: u32, winner: Color) -> Vec<Change> {
        let mut toppled = Vec::new();
        let mut leaning = BinaryHeap::new();
        leaning.extend(self.gain(place, winner).map(|gain| (gain, place)));
        while let Some((gain, next)) = leaning.pop() {
            let before = self.of[next as usize];
            if before == OPEN || (next != place && self.stands(next, gain, winner)) {
                continue;
            }
            self.of[next as usize] = OPEN;
            toppled.push(Change { place: next, before, after: OPEN });
            for parent in self.circle.parents(next) {
                let Some(own) = self.gain(*parent, winner) else { continue };
                if self.circle.turn(*parent) != winner || own == gain_of_move(gain) {
                    leaning.push((own, *parent));
                }
            }
        }
        toppled
    }

    /// Whether a winner's position has its gain from a move that still has it. The other side's
    /// positions need all their moves settled: they fall with any of them, to be settled anew.
    fn stands(&self, place: u32, gain: Gain, winner: Color) -> bool {
        let has_gain = |child: &u32| self.gain(*child, winner).map(gain_of_move) == Some(gain);
        self.circle.turn(place) == winner
            && (self.fixed_gain(place, winner) == Some(gain)
                || self.circle.children(place).iter().any(has_gain))
    }

    /// Settles those of some open positions in which one side gets more than a draw, greatest gains
    /// first. A drawn end is never among them, so what awaits it is never settled.
    fn sweep(&mut self, places: &[u32], winner: Color) {
        let mut settled_moves = BinaryHeap::new();
        for place in places {
            let children = self.circle.children(*place);
            let moves = children.len() + usize::from(self.circle.fixed(*place).is_some());
            let own = self.circle.turn(*place) == winner;
            self.awaited[*place as usize] = if own { 1 } else { moves as u32 };
            let fixed = self.fixed_gain(*place, winner);
            let inner = children.iter().filter_map(|child| self.gain(*child, winner));
            let gains = fixed.into_iter().chain(inner.map(gain_of_move));
            settled_moves.extend(gains.map(|gain| (gain, *place)));
        }
        while let Some((gain, place)) = settled_moves.pop() {
            let awaited = &mut self.awaited[place as usize];
            if *awaited != 1 {
                *awaited = awaited.saturating_sub(1);
                continue;
            }
            *awaited = 0;
            let (value, Reverse(moves)) = gain;
            self.of[place as usize] = Standing { white: for_side(value, winner), moves };
            let parents = self.circle.parents(place).iter();
            let parents = parents.filter(|parent| self.awaited[**parent as usize] > 0);
            settled_moves.extend(parents.map(|parent| (gain_of_move(gain), *parent)));
        }
        for place in places {
            self.awaited[*place as usize] = 0;
        }
    }
}
