//! Moves that people play at a position by a net, after the moves before it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Game, fen_of};
use deepanalyze_human::Prediction;
use deepanalyze_view::{
    NamedMove, describe_root, describe_share, numbered_line, numbered_move, rounded,
    write_json as write,
};

use crate::args::human::HumanArgs;
use crate::error::CliError;

/// A move less likely than this is not told to people, from 0 to 1.
const LEAST: f64 = 0.005;

/// How likely the moves of a position are.
#[derive(Serialize)]
pub(super) struct Likely {
    /// The net's name.
    net: String,
    /// True if the net knows the moves before the position: a position alone has another answer.
    with_history: bool,
    /// All legal moves, the likeliest first.
    moves: Vec<LikelyMove>,
    /// How games of these players end from here, for the side to move.
    win: f64,
    draw: f64,
    loss: f64,
}

#[derive(Serialize)]
struct LikelyMove {
    #[serde(flatten)]
    named: NamedMove,
    /// From 0 to 1.
    share: f64,
}

/// The prediction alone, for programs.
#[derive(Serialize)]
struct LikelyObject<'a> {
    root: String,
    history: Vec<String>,
    #[serde(flatten)]
    human: &'a Likely,
}

impl Likely {
    /// At the root of a game; `None` if no net is named.
    ///
    /// # Errors
    ///
    /// If a net is named, but none for the side to move, or if the game is over.
    pub fn of(asked: &HumanArgs, game: &Game) -> Result<Option<Likely>, CliError> {
        if !asked.is_named() {
            return Ok(None);
        }
        let Some((net, prediction)) = asked.nets()?.after(game) else {
            let over = "no net predicts the move: the game is over, it is Chess960, or its side has no net";
            return Err(CliError::missing(over));
        };
        let Prediction { moves, win, draw, loss } = prediction;
        let share = |p: f32| rounded(f64::from(p));
        let likely =
            |(uci, p)| LikelyMove { named: NamedMove::of(game.root(), uci), share: share(p) };
        let is_start = *game.root() == Chess::default();
        Ok(Some(Likely {
            net,
            with_history: is_start || !game.moves().is_empty(),
            moves: moves.into_iter().map(likely).collect(),
            win: share(win),
            draw: share(draw),
            loss: share(loss),
        }))
    }
}

/// Writes the likely moves for people.
pub(super) fn write_text(likely: &Likely, game: &Game, out: &mut dyn Write) -> io::Result<()> {
    let place = match game.moves() {
        [] => describe_root(game),
        moves => numbered_line(game.start(), moves),
    };
    writeln!(out, "people like {}: {place}", likely.net)?;
    if !likely.with_history {
        writeln!(
            out,
            "for the position alone: with the moves before it (--moves) the answer is surer"
        )?;
    }
    writeln!(out)?;
    let told = likely.moves.iter().filter(|m| m.share >= LEAST);
    for LikelyMove { named, share } in told {
        let name = numbered_move(game.root(), named.uci);
        writeln!(out, "{name:<12} {:>4}", describe_share(*share))?;
    }
    let (white, black) = match game.root().turn() {
        Color::White => (likely.win, likely.loss),
        Color::Black => (likely.loss, likely.win),
    };
    let [white, draw, black] = [white, likely.draw, black].map(describe_share);
    writeln!(out, "\ntheir games end: White wins {white}, draws {draw}, Black wins {black}")
}

/// Writes the likely moves for programs.
pub(super) fn write_json(human: &Likely, game: &Game, out: &mut dyn Write) -> io::Result<()> {
    let history = game.moves().iter().map(ToString::to_string).collect();
    write(&LikelyObject { root: fen_of(game.root()), history, human }, out)
}
