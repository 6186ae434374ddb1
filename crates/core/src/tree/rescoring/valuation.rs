//! Values of all positions with some scores, and the moves they come from.

use std::cmp::Reverse;
use std::ops::Range;

use shakmaty::Color;

use crate::chess::Value;

use super::game::{GameGraph, Target};
use crate::tree::values::gain::Standing;
use crate::tree::values::standing::Standings;

/// Values with some scores of the leaves.
#[derive(Debug)]
pub struct Valuation<'a> {
    game: &'a GameGraph,
    scores: Vec<Value>,
    /// Per place, for its side to move.
    of: Vec<Value>,
    /// Per circle, the standing of its positions.
    standings: Vec<Box<[Standing]>>,
}

impl<'a> Valuation<'a> {
    /// Values a game. Linear in its moves, with a logarithm inside circles.
    pub fn new(game: &'a GameGraph, scores: Vec<Value>) -> Valuation<'a> {
        let of = vec![Value::EVEN; game.len()];
        let mut valuation = Valuation { game, scores, of, standings: Vec::new() };
        let mut next = 0;
        for (index, (places, _)) in game.circles().iter().enumerate() {
            valuation.value_singles(next..places.start);
            valuation.value_circle(index);
            next = places.end;
        }
        valuation.value_singles(next..game.len());
        valuation
    }

    fn value_singles(&mut self, places: Range<usize>) {
        for place in places {
            let greatest = self.game.moves(place).map(|m| self.worth(m)).max();
            self.of[place] = greatest.unwrap_or(Value::EVEN);
        }
    }

    fn value_circle(&mut self, index: usize) {
        let (places, circle) = &self.game.circles()[index];
        let leaving = |m: &usize| self.game.inside(places, *m).is_none();
        let exit = |place| {
            let moves = self.game.moves(place).filter(leaving);
            moves.map(|m| self.worth(m)).max().unwrap_or(Value::MIN)
        };
        let exits: Vec<Value> = places.clone().map(exit).collect();
        let mut circle = circle.clone();
        circle.set_exits(&exits);
        let standings = Standings::new(&circle);
        for (local, place) in places.clone().enumerate() {
            self.of[place] = standings.value(local as u32);
        }
        self.standings.push(standings.into_known());
    }

    /// The scores that it was made with.
    pub fn scores(&self) -> &[Value] {
        &self.scores
    }

    /// The value of a move for its mover.
    pub fn worth(&self, m: usize) -> Value {
        match self.game.target(m) {
            Target::Below(place) => self.of[place as usize].step(),
            Target::Fixed | Target::Leaf => self.scores[m],
        }
    }

    /// The value of a position for a side.
    pub fn value_for(&self, place: usize, side: Color) -> i32 {
        let value = i32::from(self.of[place].get());
        if self.game.turn(place) == side { value } else { -value }
    }

    /// The first of the moves of a place that are worth most.
    pub fn first_of_best(&self, place: usize) -> Option<usize> {
        self.game.moves(place).max_by_key(|m| (self.worth(*m), Reverse(*m)))
    }

    /// The move of a place that gets its value without ever turning in a circle; of several, the
    /// first.
    pub fn best_move(&self, place: usize) -> Option<usize> {
        let mover = self.game.turn(place);
        let circle = self.circle_at(place);
        let progress = |m: usize| {
            let (index, places) = circle.as_ref()?;
            let inside = self.game.inside(places, m)?;
            Some(self.standings[*index][inside as usize].for_side(mover))
        };
        // A way out of the circle is always one; inside, what is nearer to one stands higher.
        let key = |m: usize| (self.worth(m), progress(m).unwrap_or(i64::MAX), Reverse(m));
        self.game.moves(place).max_by_key(|m| key(*m))
    }

    /// The circle that a place is in: its number, and its places.
    fn circle_at(&self, place: usize) -> Option<(usize, Range<usize>)> {
        let circles = self.game.circles();
        let index = circles.partition_point(|(places, _)| places.end <= place);
        let (places, _) = circles.get(index)?;
        places.contains(&place).then(|| (index, places.clone()))
    }
}
