//! Results that each side can force in a circle, kept up to date as one position after the other
//! becomes a drawn end.
//!
//! A path through a circle makes its positions drawn ends one by one, and a visit follows very many
//! paths. Working the whole circle out for each would be quadratic: in rook endings with circles of
//! 1,000 positions it took nearly all of a pass. But little changes with one position more. If one
//! from which White gets more than a draw becomes a draw, Black's sweep stays as it was (White's
//! gain was never part of it), and in White's only positions that lean on the new end change. Each
//! settled position therefore keeps how far its value is from the move that leaves the circle: it
//! stands on moves that are nearer, so whether it still stands can be decided from the nearest on,
//! and ties cannot hold each other up in a ring.

use shakmaty::Color;

use crate::chess::Value;

use super::circle::Circle;
use super::gain::{Gain, Queue, Standing};
use crate::tree::work::{Spent, Work};

/// Steps to open a position, and to settle one.
const OPENED: u64 = 3;
const SETTLED: u64 = 3;

/// The standing of each position of a circle, with some positions as drawn ends.
#[derive(Debug)]
pub struct Standings<'a> {
    circle: &'a Circle,
    of: Vec<Standing>,
    /// Per position that is being settled, how many moves must still be settled before it is: one
    /// for the winner, all for the other side. 0 outside a sweep.
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
    /// Its standing from then on.
    pub fn after(&self) -> Standing {
        self.after
    }
}

impl<'a> Standings<'a> {
    /// The standings without any drawn end.
    pub fn new(circle: &'a Circle) -> Standings<'a> {
        let (of, awaited) = (vec![Standing::DRAWN; circle.len()], vec![0; circle.len()]);
        let mut standings = Standings { circle, of, awaited };
        let places: Vec<u32> = (0..circle.len() as u32).collect();
        for winner in Color::ALL {
            // Unlimited work is done to its end.
            let _ = standings.sweep(&places, winner, &mut { Work::UNLIMITED });
        }
        standings
    }

    /// Standings worked out before, without any drawn end.
    pub fn known(circle: &'a Circle, of: &[Standing]) -> Standings<'a> {
        Standings { circle, of: of.to_vec(), awaited: vec![0; circle.len()] }
    }

    /// The standings worked out.
    pub fn into_known(self) -> Box<[Standing]> {
        self.of.into_boxed_slice()
    }

    /// The value of a position for its side to move.
    pub fn value(&self, place: u32) -> Value {
        self.of[place as usize].value(self.circle.turn(place), self.circle.draw())
    }

    /// Makes a position a drawn end; returns the changes, by place.
    ///
    /// # Errors
    ///
    /// [`Spent`] if that is too much work: the standings are of no use then.
    pub fn draw(&mut self, place: u32, work: &mut Work) -> Result<Vec<Change>, Spent> {
        let Some((winner, _)) = self.of[place as usize].lead() else {
            return Ok(Vec::new());
        };
        let mut changes = self.topple(place, winner, work)?;
        let toppled: Vec<u32> = changes[1..].iter().map(|change| change.place).collect();
        self.sweep(&toppled, winner, work)?;
        for change in &mut changes {
            change.after = self.of[change.place as usize];
        }
        changes.retain(|change| change.before != change.after);
        changes.sort_unstable_by_key(|change| change.place);
        Ok(changes)
    }

    /// Redoes changes that were undone.
    pub fn redo(&mut self, changes: &[Change]) {
        for change in changes {
            self.of[change.place as usize] = change.after;
        }
    }

    /// Undoes changes.
    pub fn undo(&mut self, changes: &[Change]) {
        for change in changes {
            self.of[change.place as usize] = change.before;
        }
    }

    /// The settled gain of a winner; None if the position is open or the other side's.
    fn gain(&self, place: u32, winner: Color) -> Option<Gain> {
        self.of[place as usize].gain(winner)
    }

    /// A winner's gain by each move of a position, None by some: the mover's best one out of the
    /// circle, and those inside.
    fn gains(&self, place: u32, winner: Color) -> impl Iterator<Item = Option<Gain>> + '_ {
        let inside = self.circle.children(place).iter();
        let inside = inside.map(move |child| self.gain(*child, winner).map(Gain::after_move));
        std::iter::once(self.circle.exit(place).gain(winner)).chain(inside)
    }

    /// Opens a position and all that may have leant on it, the position itself first. The other side's
    /// positions need all their moves settled: they fall with any of them, to be settled anew.
    fn topple(&mut self, place: u32, winner: Color, work: &mut Work) -> Result<Vec<Change>, Spent> {
        let (mut toppled, mut falling, mut leaning) = (Vec::new(), vec![place], Queue::default());
        loop {
            while let Some(next) = falling.pop() {
                let Some(gain) = self.gain(next, winner) else { continue };
                work.spend(OPENED)?;
                let before = std::mem::replace(&mut self.of[next as usize], Standing::DRAWN);
                toppled.push(Change { place: next, before, after: Standing::DRAWN });
                for parent in self.circle.parents(next) {
                    let Some(own) = self.gain(*parent, winner) else { continue };
                    if self.circle.turn(*parent) != winner {
                        falling.push(*parent);
                    } else if own == gain.after_move() {
                        leaning.push(Some(own), *parent);
                    }
                }
            }
            work.spend(1)?;
            match leaning.pop() {
                Some((_, next)) if self.stands(next, winner) => {}
                Some((_, next)) => falling.push(next),
                None => return Ok(toppled),
            }
        }
    }

    /// True if a winner's position has its gain from a move that still has it.
    fn stands(&self, place: u32, winner: Color) -> bool {
        let own = self.gain(place, winner);
        own.is_some() && self.gains(place, winner).any(|gain| gain == own)
    }

    /// Settles open positions in which one side gets more than a draw, greatest gains first. A
    /// drawn end is never among them, so positions that await it are never settled.
    fn sweep(&mut self, places: &[u32], winner: Color, work: &mut Work) -> Result<(), Spent> {
        work.spend(places.len() as u64)?;
        let mut settled = Queue::default();
        for place in places.iter().filter(|place| self.of[**place as usize] == Standing::DRAWN) {
            let own = self.circle.turn(*place) == winner;
            let open = || self.gains(*place, winner).filter(Option::is_none).count();
            let awaited = if own { 1 } else { open() as u32 };
            self.awaited[*place as usize] = awaited;
            if own || awaited == 0 {
                settled.push(self.gain_of_moves(*place, winner), *place);
            }
        }
        while let Some((gain, place)) = settled.pop() {
            if self.of[place as usize] != Standing::DRAWN {
                continue;
            }
            work.spend(SETTLED)?;
            self.awaited[place as usize] = 0;
            self.of[place as usize] = Standing::new(winner, gain);
            for parent in self.circle.parents(place) {
                if self.circle.turn(*parent) == winner {
                    let awaits = self.awaited[*parent as usize] > 0;
                    settled.push(awaits.then(|| gain.after_move()), *parent);
                } else if self.last_awaited(*parent) {
                    settled.push(self.gain_of_moves(*parent, winner), *parent);
                }
            }
        }
        for place in places {
            self.awaited[*place as usize] = 0;
        }
        Ok(())
    }

    /// A winner's gain from a position's moves: the greatest if the position is the winner's, else
    /// the least, once all are settled.
    fn gain_of_moves(&self, place: u32, winner: Color) -> Option<Gain> {
        let gains = self.gains(place, winner);
        let is_own = self.circle.turn(place) == winner;
        if is_own { gains.max() } else { gains.min() }.flatten()
    }

    /// Counts a move as settled; true if it was the last one that the position awaited.
    fn last_awaited(&mut self, place: u32) -> bool {
        let awaited = &mut self.awaited[place as usize];
        let last = *awaited == 1;
        *awaited = awaited.saturating_sub(1);
        last
    }
}
