//! A game between two players, with adjudication.

use std::collections::HashMap;

use shakmaty::{Chess, Color, Outcome, Position};

use deepanalyze_core::chess::PositionKey;

use super::player::{LaneEngines, Player};
use crate::failure::LabFailure;

/// Adjudication of a win: the least score in centipawns, and its number of plies in a row.
const WON: (i32, u32) = (700, 4);
/// Adjudication of a draw: the greatest score in centipawns, its number of plies in a row, and the
/// ply of the game from which it counts.
const DRAWN: (i32, u32, usize) = (15, 8, 80);
/// A longer game is drawn; in plies.
const LONGEST: usize = 240;

/// A game's result for White: 1 won, 0 drawn, −1 lost.
pub fn play(
    opening: &Chess,
    white: &mut Player<'_>,
    black: &mut Player<'_>,
    nodes: u64,
    engines: &mut LaneEngines,
) -> Result<i64, LabFailure> {
    let mut position = opening.clone();
    let mut seen: HashMap<PositionKey, u32> = HashMap::new();
    let (mut winning, mut losing, mut even) = (0, 0, 0);
    for ply in 0..LONGEST {
        match position.outcome() {
            Outcome::Known(known) => {
                return Ok(known.winner().map_or(0, |winner| winner.fold_wb(1, -1)));
            }
            Outcome::Unknown => {}
        }
        let times = seen.entry(PositionKey::of(&position)).or_default();
        *times += 1;
        if *times == 3 || position.halfmoves() >= 100 {
            return Ok(0);
        }
        let (uci, value) = match position.turn() {
            Color::White => white.choose(&position, nodes, engines)?,
            Color::Black => black.choose(&position, nodes, engines)?,
        };
        if let Some(value) = value {
            let score = i32::from(value.get());
            let score = position.turn().fold_wb(score, -score);
            let (won, plies) = WON;
            winning = if score >= won { winning + 1 } else { 0 };
            losing = if score <= -won { losing + 1 } else { 0 };
            if winning.max(losing) >= plies {
                return Ok(if winning >= plies { 1 } else { -1 });
            }
            let (drawn, plies, after) = DRAWN;
            even = if score.abs() <= drawn { even + 1 } else { 0 };
            if even >= plies && ply >= after {
                return Ok(0);
            }
        }
        match uci.to_move(&position) {
            Ok(m) => position.play_unchecked(m),
            Err(_) => return Ok(position.turn().fold_wb(-1, 1)),
        }
    }
    Ok(0)
}
