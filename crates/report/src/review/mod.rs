//! Where a player's games leave the repertoire that a tree has for them.

pub mod follow;
pub mod games;
pub mod json;
pub mod page;
pub mod pgn;
pub mod player;
pub mod text;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{PositionKey, Value, WrittenGame};
use deepanalyze_store::StoreError;

use crate::repertoire::Repertoire;
use crate::review::follow::{EngineScores, departure, last_inside};
use deepanalyze_view::{NamedMove, Tree};

/// The cause of leaving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum LeftBy {
    /// The player, with a move outside the repertoire.
    Player,
    /// The opponent, with a move that the tree does not have.
    Opponent,
    /// The tree goes no further.
    End,
}

/// A move of the repertoire.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct RightMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its value for its mover, if known.
    pub value: Option<Value>,
}

/// A move compared with the best one, both for the mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// The move's.
    pub played: Value,
    /// The best one's.
    pub best: Value,
}

impl Compared {
    /// Centipawns that the move has lost, if any; else 0.
    pub fn cost(self) -> u32 {
        let cost = deepanalyze_core::directives::cost(self.played, self.best);
        u32::try_from(cost).unwrap_or(0)
    }
}

/// How a game left the repertoire.
#[derive(Debug, Clone)]
pub struct Departure {
    /// Moves of the game played before.
    pub ply: usize,
    /// The last position that the repertoire has, with the clocks of the game.
    pub position: Chess,
    /// The move played there.
    pub played: UciMove,
    /// The player's side.
    pub side: Color,
    /// The cause.
    pub by: LeftBy,
    /// The tree's comparison.
    pub by_tree: Option<Compared>,
    /// The engines' comparison.
    pub by_engine: Option<Compared>,
    /// The repertoire's moves there, the best first; for the opponent only the best one; empty if
    /// the tree ends.
    pub right: Vec<RightMove>,
    /// The first of them, and the tree's line behind it.
    pub line: Vec<UciMove>,
}

/// How far a game followed the repertoire.
#[derive(Debug, Clone)]
pub enum Course {
    /// It never reached it.
    Elsewhere,
    /// It was over before it left.
    Stayed,
    /// It left.
    Left(Box<Departure>),
}

impl Course {
    /// The departure.
    pub fn departure(&self) -> Option<&Departure> {
        if let Course::Left(departure) = self { Some(departure) } else { None }
    }
}

/// A game of the player.
#[derive(Debug)]
pub struct ReviewedGame {
    /// The game.
    pub written: WrittenGame,
    /// How far it followed the repertoire.
    pub course: Course,
}

/// A place where games left, by position and move.
#[derive(Debug)]
pub struct PlaceLeft<'a> {
    /// The number.
    pub games: usize,
    /// The first of them.
    pub first: &'a ReviewedGame,
    /// How it left.
    pub departure: &'a Departure,
}

/// A player's games beside a repertoire.
#[derive(Debug)]
pub struct Review<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The player of the games, or a side.
    pub player: Option<String>,
    /// Other names that may be the player's, with the number of their games.
    pub also: Vec<(String, u64)>,
    /// Own moves that lose more centipawns are not in the repertoire, unless included.
    pub sound: u32,
    /// The games, in the order of their file.
    pub games: Vec<ReviewedGame>,
    /// Number of positions of the repertoires needed: White's, Black's.
    pub positions: [Option<usize>; 2],
}

/// The player, and the repertoire's width.
#[derive(Debug, Clone)]
pub struct ReviewAsked {
    /// The player's name, if given.
    pub player: Option<String>,
    /// Other names that may be the player's, with the number of their games.
    pub also: Vec<(String, u64)>,
    /// Own moves that lose more centipawns are not in the repertoire, unless included.
    pub sound: u32,
}

/// Follows games, each with the player's side, through the repertoire of a tree. `engine` gives an
/// engine's score of the position after a game, for the side to move.
///
/// # Errors
///
/// [`StoreError`] if `engine` fails.
pub fn review<'a>(
    tree: &'a Tree,
    games: Vec<(WrittenGame, Color)>,
    asked: ReviewAsked,
    engine: &EngineScores<'_>,
) -> Result<Review<'a>, StoreError> {
    let growth = &tree.growth;
    let ReviewAsked { player, also, sound } = asked;
    let is_needed = |side: Color| games.iter().any(|(_, of)| *of == side);
    let of = |side| is_needed(side).then(|| Repertoire::new(growth, side, sound));
    let repertoires = [of(Color::White), of(Color::Black)];
    let positions = [0, 1].map(|side: usize| {
        repertoires.get(side).and_then(Option::as_ref).map(Repertoire::positions)
    });
    let [white, black] = &repertoires;
    let mut reviewed = Vec::with_capacity(games.len());
    for (written, side) in games {
        let course = match side.fold_wb(white, black) {
            Some(repertoire) => course(repertoire, &written, engine)?,
            None => Course::Elsewhere,
        };
        reviewed.push(ReviewedGame { written, course });
    }
    Ok(Review { tree, player, also, sound, games: reviewed, positions })
}

fn course(
    repertoire: &Repertoire<'_>,
    written: &WrittenGame,
    engine: &EngineScores<'_>,
) -> Result<Course, StoreError> {
    let game = &written.game;
    let Some((ply, node)) = last_inside(repertoire, game) else {
        return Ok(Course::Elsewhere);
    };
    let departure = departure(repertoire, game, ply, node, engine)?;
    Ok(departure.map_or(Course::Stayed, |departure| Course::Left(Box::new(departure))))
}

/// Number of games of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// Never in the repertoire.
    pub elsewhere: usize,
    /// Over before they left.
    pub stayed: usize,
    /// Left by the player.
    pub by_player: usize,
    /// Left by the opponent.
    pub by_opponent: usize,
    /// At the tree's end.
    pub at_end: usize,
}

impl Review<'_> {
    /// The number of games of each kind.
    pub fn counts(&self) -> ReviewCounts {
        let mut counts = ReviewCounts::default();
        for game in &self.games {
            let count = match &game.course {
                Course::Elsewhere => &mut counts.elsewhere,
                Course::Stayed => &mut counts.stayed,
                Course::Left(departure) => match departure.by {
                    LeftBy::Player => &mut counts.by_player,
                    LeftBy::Opponent => &mut counts.by_opponent,
                    LeftBy::End => &mut counts.at_end,
                },
            };
            *count += 1;
        }
        counts
    }

    /// The places where games left: by most games, then the player's own moves, the greatest cost,
    /// and the order of the file.
    pub fn places(&self) -> Vec<PlaceLeft<'_>> {
        let mut places: Vec<PlaceLeft<'_>> = Vec::new();
        let mut known: HashMap<_, usize> = HashMap::new();
        for first in &self.games {
            let Some(departure) = first.course.departure() else {
                continue;
            };
            // The move after the tree's end is no mistake.
            let played = Some(departure.played).filter(|_| departure.by != LeftBy::End);
            let key = (PositionKey::of(&departure.position), played);
            let place = *known.entry(key).or_insert(places.len());
            match places.get_mut(place) {
                Some(place) => place.games += 1,
                None => places.push(PlaceLeft { games: 1, first, departure }),
            }
        }
        places.sort_by_key(|place| {
            let lost = place.departure.lost().unwrap_or(0);
            (std::cmp::Reverse(place.games), place.departure.by, std::cmp::Reverse(lost))
        });
        places
    }
}

impl Departure {
    /// The move's loss in centipawns, by the tree or else by an engine.
    pub fn lost(&self) -> Option<u32> {
        self.by_tree.or(self.by_engine).map(Compared::cost)
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }
}

#[cfg(test)]
mod tests;
