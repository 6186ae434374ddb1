//! The moves as the page's script reads them, by place.

use std::io::{self, Write};

use hashbrown::HashMap;
use serde::Serialize;
use shakmaty::Chess;

use crate::chess::{Ending, Value, san_of};
use crate::render::in_order::write_in_order;
use crate::render::report::{Report, uci_of};
use crate::tree::{Child, NodeId};

use super::as_script;
use super::names::NameOfMove;

const CANDIDATE: u32 = 1;
const REPETITION: u32 = 2;
const TRANSPOSITION: u32 = 4;
const CHECKMATE: u32 = 8;
const STALEMATE: u32 = 16;
const INSUFFICIENT_MATERIAL: u32 = 32;
/// Analysed, but not among the printed plies.
const CUT: u32 = 64;

/// A move as a list, not an object: there are many.
struct Move {
    uci: String,
    san: String,
    rank: Option<usize>,
    eval: Option<Value>,
    idea: Value,
    alpha: Value,
    flags: u32,
    target: Option<usize>,
    opening: Option<usize>,
}

impl Serialize for Move {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (eval, idea, alpha) = (self.eval.map(Value::get), self.idea.get(), self.alpha.get());
        let target = self.target.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1);
        let Move { uci, san, rank, flags, .. } = self;
        match self.opening {
            None => (uci, san, rank, eval, idea, alpha, flags, target).serialize(to),
            Some(name) => (uci, san, rank, eval, idea, alpha, flags, target, name).serialize(to),
        }
    }
}

/// Writes the moves of all places, a list each.
///
/// # Errors
///
/// Where `out` cannot be written.
pub fn write_moves(report: &Report<'_>, names: &NameOfMove, out: &mut dyn Write) -> io::Result<()> {
    let place_of: HashMap<NodeId, usize> =
        report.places.iter().enumerate().map(|(index, place)| (place.node, index)).collect();
    let page = Page { report, names, place_of };
    write_in_order(0..report.places.len(), |place, out| page.write_place(*place, out), out)
}

/// What the moves are made of.
struct Page<'a> {
    report: &'a Report<'a>,
    names: &'a NameOfMove,
    place_of: HashMap<NodeId, usize>,
}

impl Page<'_> {
    fn write_place(&self, index: usize, out: &mut dyn Write) -> io::Result<()> {
        let Some(place) = self.report.places.get(index) else {
            return Ok(());
        };
        let position = self.report.position(place);
        let moves = place.moves.iter().enumerate().map(|(at, child)| {
            let opening = self.names.get(&(index, at)).copied();
            self.one_move(&position, child, opening)
        });
        let list = serde_json::to_string(&moves.collect::<Vec<Move>>())?;
        write!(out, "{}{}", if index == 0 { "" } else { "," }, as_script(&list))
    }

    fn one_move(&self, position: &Chess, child: &Child, opening: Option<usize>) -> Move {
        let uci = uci_of(child);
        let target = self.place_of.get(&child.edge.child).copied();
        Move {
            uci: uci.to_string(),
            san: san_of(position, uci),
            rank: child.rank,
            eval: child.eval(),
            idea: child.idea,
            alpha: child.alpha,
            flags: flags(self.report, child, target.is_some()),
            target,
            opening,
        }
    }
}

fn flags(report: &Report<'_>, child: &Child, printed: bool) -> u32 {
    let graph = report.growth().graph();
    let ending = match graph.ending(child.edge.child) {
        Some(Ending::Checkmate) => CHECKMATE,
        Some(Ending::Stalemate) => STALEMATE,
        Some(Ending::InsufficientMaterial) => INSUFFICIENT_MATERIAL,
        None => 0,
    };
    let cut = graph.is_analysed(child.edge.child) && !printed;
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    ending
        | flag(child.candidate, CANDIDATE)
        | flag(child.repetition, REPETITION)
        | flag(child.transposition, TRANSPOSITION)
        | flag(cut, CUT)
}
