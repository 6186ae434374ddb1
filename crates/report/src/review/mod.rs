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
use deepanalyze_core::tree::IllegalMove;
use deepanalyze_store::StoreError;

use crate::repertoire::Repertoire;
use crate::review::follow::{EngineScores, departure, last_inside};
use deepanalyze_view::Tree;

/// Who has left the repertoire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum LeftBy {
    /// The player, with a move that is none of the repertoire.
    Player,
    /// The opponent, with a move that the tree does not have.
    Opponent,
    /// Nobody: the tree goes no further.
    End,
}

/// A move and what it is worth for its mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorthMove {
    /// The move.
    pub uci: UciMove,
    /// Its value for its mover; none where nothing is known of it.
    pub value: Option<Value>,
}

/// What a move was worth beside the best one, both for the mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// The move's.
    pub played: Value,
    /// The best one's.
    pub best: Value,
}

impl Compared {
    /// Centipawns that the move has lost; 0 where it has lost nothing.
    pub fn cost(self) -> u32 {
        let cost = deepanalyze_core::directives::cost(self.played, self.best);
        u32::try_from(cost).unwrap_or(0)
    }
}

/// How a game left the repertoire.
#[derive(Debug, Clone)]
pub struct Departure {
    /// How many moves of the game were played before.
    pub ply: usize,
    /// The last position that the repertoire has, with the clocks of the game.
    pub position: Chess,
    /// The move that was played there.
    pub played: UciMove,
    /// The player's side.
    pub side: Color,
    /// Who has left it.
    pub by: LeftBy,
    /// What the tree says of that move.
    pub by_tree: Option<Compared>,
    /// What engines say of it.
    pub by_engine: Option<Compared>,
    /// The repertoire's moves there, the best first; of the opponent's the best one alone; none where the tree ends.
    pub right: Vec<WorthMove>,
    /// The first of them, and what the tree expects behind it.
    pub line: Vec<UciMove>,
}

/// How far a game went with the repertoire.
#[derive(Debug, Clone)]
pub enum Course {
    /// It never came to it.
    Elsewhere,
    /// It was over before it left.
    Stayed,
    /// It left.
    Left(Box<Departure>),
}

impl Course {
    /// How it left.
    pub fn departure(&self) -> Option<&Departure> {
        if let Course::Left(departure) = self { Some(departure) } else { None }
    }
}

/// A game of the player.
#[derive(Debug)]
pub struct ReviewedGame {
    /// The game.
    pub written: WrittenGame,
    /// How far it went with the repertoire.
    pub course: Course,
}

/// A place where games left, by position and move.
#[derive(Debug)]
pub struct PlaceLeft<'a> {
    /// How many did.
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
    /// Whose games they are: a name, or a side.
    pub player: Option<String>,
    /// Other names that may be the player's, with the number of their games.
    pub also: Vec<(String, u64)>,
    /// Own moves that lose more than so many centipawns are none of the repertoire, where none is included.
    pub sound: u32,
    /// The games, in the order of their file.
    pub games: Vec<ReviewedGame>,
    /// How many positions the repertoires have that were needed: White's, Black's.
    pub positions: [Option<usize>; 2],
}

/// Whose games are looked at, and by what.
#[derive(Debug, Clone)]
pub struct ReviewAsked {
    /// The player's name, where it was given.
    pub player: Option<String>,
    /// Other names that may be the player's, with the number of their games.
    pub also: Vec<(String, u64)>,
    /// Own moves that lose more than so many centipawns are none of the repertoire, where none is included.
    pub sound: u32,
}

/// Why there is no review.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A directive.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// Follows games, each with the player's side, through the repertoire of a tree. `engine` gives what an engine says of
/// a position behind a game, for the side to move.
///
/// # Errors
///
/// [`ReviewError`] where an included move is not legal, or `engine` fails.
pub fn review<'a>(
    tree: &'a Tree,
    games: Vec<(WrittenGame, Color)>,
    asked: ReviewAsked,
    engine: &EngineScores<'_>,
) -> Result<Review<'a>, ReviewError> {
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
    let departure = departure(repertoire, game, (ply, node), engine)?;
    Ok(departure.map_or(Course::Stayed, |departure| Course::Left(Box::new(departure))))
}

/// How many games there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// That never came to the repertoire.
    pub elsewhere: usize,
    /// That were over before they left.
    pub stayed: usize,
    /// That the player has left.
    pub by_player: usize,
    /// That the opponent has left.
    pub by_opponent: usize,
    /// That came to the tree's end.
    pub at_end: usize,
}

impl Review<'_> {
    /// How many games there are of each kind.
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

    /// The places where games left: those of most games first, then the player's own moves, what costs most, and
    /// what comes first in the file.
    pub fn places(&self) -> Vec<PlaceLeft<'_>> {
        let mut places: Vec<PlaceLeft<'_>> = Vec::new();
        let mut known: HashMap<_, usize> = HashMap::new();
        for first in &self.games {
            let Some(departure) = first.course.departure() else {
                continue;
            };
            // What follows the tree's end is no fault of anybody's.
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
    /// What the move has lost in centipawns, by the tree or else by an engine.
    pub fn lost(&self) -> Option<u32> {
        self.by_tree.or(self.by_engine).map(Compared::cost)
    }

    /// Whose turn it was.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }
}

#[cfg(test)]
mod tests;
