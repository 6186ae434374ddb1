//! Claims about a tree: each is true, false or unknown (docs/facts.md).
//!
//! [`Claim::read`] checks a written claim's moves, [`Judge`] answers it. True and false follow from the
//! tree alone; nothing is searched or guessed.

mod judge;

use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::uci::UciMove;

use crate::chess::{Game, GameError, read_move};

pub use judge::{Judge, Judged, Source, Unknown, bound, material};

/// A claim about the position that a line leads to, the root for an empty one. Its moves are words as
/// people write them, or, once read, moves in UCI notation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "claim", rename_all = "lowercase")]
#[serde(bound(deserialize = "M: Deserialize<'de>, Vec<M>: Words"))]
pub enum Claim<M> {
    /// The line is worth at least this much for White.
    Score {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// Centipawns for White.
        at_least: i64,
    },
    /// No move there is better than this one.
    Best {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// The move.
        #[serde(rename = "move")]
        uci: M,
    },
    /// A move is worse than the best one.
    Worse {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// The move.
        #[serde(rename = "move")]
        uci: M,
        /// By how many centipawns.
        by_at_least: i64,
    },
    /// The best play goes on with these moves.
    Line {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// The moves behind it.
        #[serde(deserialize_with = "words")]
        moves: Vec<M>,
    },
    /// The game is over there, or the position has been there before.
    Ends {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// How.
        by: EndBy,
    },
    /// A move is legal.
    Legal {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// The move, in any notation, legal or not.
        #[serde(rename = "move")]
        word: String,
    },
    /// A move captures.
    Captures {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// The move.
        #[serde(rename = "move")]
        uci: M,
    },
    /// The side to move is in check.
    Check {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
    },
    /// White's men less Black's.
    Material {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// In pawns: pawn 1, knight and bishop 3, rook 5, queen 9.
        is: i64,
    },
    /// People play a move in at least this share of the games.
    Played {
        /// The line.
        #[serde(default, alias = "line", deserialize_with = "words")]
        at: Vec<M>,
        /// The move.
        #[serde(rename = "move")]
        uci: M,
        /// Percent.
        at_least: u64,
    },
}

/// How a line may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndBy {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can ever mate.
    Material,
    /// The position was on the line before, or twice in the game before the root.
    Repetition,
}

/// Lists of moves that a text can be read as.
pub trait Words: Sized {
    /// The words of a text.
    fn of_text(text: &str) -> Self;
}

impl Words for Vec<String> {
    fn of_text(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }
}

/// Reads a list of moves, or a text with all of them (`"Nf6 d4"`).
fn words<'de, D: Deserializer<'de>, M: Deserialize<'de>>(from: D) -> Result<Vec<M>, D::Error>
where
    Vec<M>: Words,
{
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a list of moves, or a text with moves")]
    enum Written<M> {
        List(Vec<M>),
        Text(String),
    }
    Ok(match Written::deserialize(from)? {
        Written::List(list) => list,
        Written::Text(text) => Words::of_text(&text),
    })
}

impl<M> Claim<M> {
    /// The line that it is about.
    pub fn at(&self) -> &[M] {
        match self {
            Claim::Score { at, .. }
            | Claim::Best { at, .. }
            | Claim::Worse { at, .. }
            | Claim::Line { at, .. }
            | Claim::Ends { at, .. }
            | Claim::Legal { at, .. }
            | Claim::Captures { at, .. }
            | Claim::Check { at }
            | Claim::Material { at, .. }
            | Claim::Played { at, .. } => at,
        }
    }

    /// The claim with other moves in place of its own: the line's, a move, moves behind the line.
    fn with<N, E>(
        self,
        mut line: impl FnMut(Vec<M>) -> Result<Vec<N>, E>,
        mut one: impl FnMut(M) -> Result<N, E>,
        mut behind: impl FnMut(Vec<M>) -> Result<Vec<N>, E>,
    ) -> Result<Claim<N>, E> {
        Ok(match self {
            Claim::Score { at, at_least } => Claim::Score { at: line(at)?, at_least },
            Claim::Best { at, uci } => Claim::Best { at: line(at)?, uci: one(uci)? },
            Claim::Worse { at, uci, by_at_least } => {
                Claim::Worse { at: line(at)?, uci: one(uci)?, by_at_least }
            }
            Claim::Line { at, moves } => Claim::Line { at: line(at)?, moves: behind(moves)? },
            Claim::Ends { at, by } => Claim::Ends { at: line(at)?, by },
            Claim::Legal { at, word } => Claim::Legal { at: line(at)?, word },
            Claim::Captures { at, uci } => Claim::Captures { at: line(at)?, uci: one(uci)? },
            Claim::Check { at } => Claim::Check { at: line(at)? },
            Claim::Material { at, is } => Claim::Material { at: line(at)?, is },
            Claim::Played { at, uci, at_least } => {
                Claim::Played { at: line(at)?, uci: one(uci)?, at_least }
            }
        })
    }
}

/// Keys of an answer, which a claim may bring along.
const OF_ANSWERS: [&str; 3] = ["answer", "because", "words"];

impl Claim<String> {
    /// Reads a claim. Keys of an answer are left out.
    ///
    /// # Errors
    ///
    /// If it is none, or has keys that it does not know.
    pub fn from_json(claim: &serde_json::Value) -> Result<Claim<String>, serde_json::Error> {
        use serde::de::Error;
        let read: Claim<String> = Claim::deserialize(claim)?;
        let known = serde_json::to_value(&read)?;
        let is_known =
            |key: &str| known.get(key).is_some() || key == "line" || OF_ANSWERS.contains(&key);
        let mut keys = claim.as_object().into_iter().flat_map(serde_json::Map::keys);
        match keys.find(|key| !is_known(key)) {
            Some(key) => Err(serde_json::Error::custom(format!("unknown key {key:?}"))),
            None => Ok(read),
        }
    }

    /// Checks its moves, played from a root.
    ///
    /// # Errors
    ///
    /// [`GameError`] names the first word that is no move, or cannot be played. A claim that a move is legal may
    /// be wrong there.
    pub fn read(&self, root: &Game) -> Result<Claim<UciMove>, GameError> {
        let mut game = Game::from_position(root.root().clone());
        game.play_line(&self.at().join(" "))?;
        let position = game.root().clone();
        if let Claim::Legal { word, .. } = self {
            match read_move(&position, word) {
                Ok(_) | Err(GameError::Illegal { reason: "illegal", .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let behind = |words: Vec<String>| {
            let mut game = Game::from_position(position.clone());
            game.play_line(&words.join(" "))?;
            Ok(game.moves().to_vec())
        };
        let one = |word: String| read_move(&position, &word);
        self.clone().with(|_| Ok(game.moves().to_vec()), one, behind)
    }
}

impl Claim<UciMove> {
    /// The claim with its moves in UCI notation; a move that is claimed to be legal stays as it was written.
    pub fn in_words(&self) -> Claim<String> {
        let words = |moves: Vec<UciMove>| Ok(moves.iter().map(ToString::to_string).collect());
        let one = |uci: UciMove| Ok::<_, std::convert::Infallible>(uci.to_string());
        match self.clone().with(words, one, words) {
            Ok(claim) => claim,
        }
    }
}
