//! The main line of a game, as the PGN reader tells it.

use std::ops::ControlFlow;

use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use shakmaty::{Chess, Outcome, Position};

use crate::chess::fen::fen_of;
use crate::chess::line::{Game, GameError, move_number};

use super::error::PgnError;
use super::tags::Heading;

/// Whether a `Variant` tag means the rules of chess.
pub(super) fn is_standard(variant: &str) -> bool {
    let standard = ["standard", "chess", "from position", "normal", ""];
    standard.contains(&variant.to_ascii_lowercase().as_str())
}

/// Takes the moves of a game and its tags, up to a ply.
pub(super) struct MainLine {
    /// The game's number in its file, from 1.
    number: usize,
    ply: usize,
    /// Whether there is a tag.
    pub(super) is_tagged: bool,
    /// Where the game begins, once that is known.
    pub(super) start: Chess,
}

type Played = Result<(Game, Heading), PgnError>;

impl MainLine {
    /// Of the game of a number, from 1.
    pub(super) fn new(number: usize, ply: usize) -> MainLine {
        MainLine { number, ply, is_tagged: false, start: Chess::default() }
    }
}

impl Visitor for MainLine {
    type Tags = Heading;
    type Movetext = (Game, Heading);
    type Output = Played;

    fn begin_tags(&mut self) -> ControlFlow<Played, Heading> {
        ControlFlow::Continue(Heading::default())
    }

    fn tag(
        &mut self,
        heading: &mut Heading,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Played> {
        self.is_tagged = true;
        let name = String::from_utf8_lossy(name).into_owned();
        heading.tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, heading: Heading) -> ControlFlow<Played, (Game, Heading)> {
        let number = self.number;
        if let Some(variant) = heading.last_tag("Variant")
            && !is_standard(variant)
        {
            let variant = variant.to_owned();
            return ControlFlow::Break(Err(PgnError::Variant { number, variant }));
        }
        match Game::from_start(heading.last_tag("FEN").unwrap_or("startpos")) {
            Ok(game) => {
                self.start = game.start().clone();
                ControlFlow::Continue((game, heading))
            }
            Err(source) => ControlFlow::Break(Err(PgnError::Game { number, source })),
        }
    }

    fn san(&mut self, played: &mut (Game, Heading), san_plus: SanPlus) -> ControlFlow<Played> {
        let (game, _) = played;
        if game.moves().len() >= self.ply {
            return ControlFlow::Continue(());
        }
        match san_plus.san.to_move(game.root()) {
            Ok(m) if game.root().is_legal(m) => {
                game.play(m);
                ControlFlow::Continue(())
            }
            _ => {
                let source = GameError::Illegal {
                    token: san_plus.to_string(),
                    number: move_number(game.root(), 0),
                    reason: "illegal",
                    fen: fen_of(game.root()),
                };
                ControlFlow::Break(Err(PgnError::Game { number: self.number, source }))
            }
        }
    }

    fn begin_variation(&mut self, _: &mut (Game, Heading)) -> ControlFlow<Played, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(
        &mut self,
        (_, heading): &mut (Game, Heading),
        outcome: Outcome,
    ) -> ControlFlow<Played> {
        heading.result = Some(outcome.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, played: (Game, Heading)) -> Played {
        Ok(played)
    }
}
