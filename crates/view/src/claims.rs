//! Claims about a root's tree under the present directives, with their answers, what these rest on, and
//! the words for them (docs/facts.md).

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Game, GameError, Score, Value, read_move};
use deepanalyze_core::claims::{Claim, EndBy, Judge, Judged, Unknown};
use deepanalyze_store::{Store, StoreError};

use crate::json::NamedMove;
use crate::people::words::describe_share;
use crate::provenance::AnswerSource;
use crate::tree::Tree;
use crate::words::figures::{count, pawns};
use crate::words::{after, name_of_line, numbered_line, numbered_move};

/// A claim with its answer.
#[derive(Debug, Clone, Serialize)]
pub struct AnsweredClaim {
    /// The claim, its moves in UCI notation.
    #[serde(flatten)]
    pub claim: Claim<String>,
    /// True, false or unknown.
    pub answer: Truth,
    /// The scores and answers behind it.
    pub because: Because,
    /// In a sentence.
    pub words: String,
}

/// An answer to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// It follows from the tree.
    True,
    /// Its opposite follows from the tree.
    False,
    /// Neither does.
    Unknown,
}

/// Scores and answers behind a claim's answer. Scores are for White.
#[derive(Debug, Clone, Serialize)]
pub struct Because {
    /// The score of the line, or of the claimed move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The most that the claimed move can be worth for its side: no answer lists it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Score>,
    /// The best move there.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub best: Option<NamedMove>,
    /// Its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_score: Option<Score>,
    /// Games with the claimed move, and with all moves of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<(u64, u64)>,
    /// How likely the claimed move is played, from 0 to 1, where a net of human play was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likely: Option<f64>,
    /// White's men less Black's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<i64>,
    /// The engine's answers that the scores come from.
    pub answers: Vec<String>,
    /// Each of them with its engine, limit and nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<AnswerSource>,
}

/// A claim that cannot be answered, or a database that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// A move that is no move, or cannot be played.
    #[error(transparent)]
    Moves(#[from] GameError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Answers claims about a tree, one after the other.
pub struct ClaimReader<'a> {
    store: &'a Store,
    tree: &'a Tree,
    judge: Judge<'a>,
}

impl<'a> ClaimReader<'a> {
    /// Of a tree of this database.
    pub fn new(store: &'a Store, tree: &'a Tree) -> ClaimReader<'a> {
        ClaimReader { store, tree, judge: Judge::new(&tree.growth, &tree.game) }
    }

    /// Answers one.
    ///
    /// # Errors
    ///
    /// [`ClaimError`] names the word that is no move, or cannot be played.
    pub fn answer(&mut self, written: &Claim<String>) -> Result<AnsweredClaim, ClaimError> {
        let claim = written.read(&self.tree.game)?;
        let judged = self.judge.answer(&claim);
        let mut sources = Vec::new();
        for source in &judged.sources {
            sources.extend(AnswerSource::of_tree(self.store, self.tree, *source)?);
        }
        let position = after(self.tree.game.root(), claim.at());
        let line_of_best = match &claim {
            Claim::Line { moves, .. } => after(&position, moves.iter().take(judged.plies)),
            _ => position,
        };
        let because = Because {
            score: judged.score.map(Score::from),
            bound: judged.bound.map(Score::from),
            best: judged.best.map(|(uci, _)| NamedMove::of(&line_of_best, uci)),
            best_score: judged.best.map(|(_, value)| value.into()),
            games: judged.games,
            likely: judged.likely,
            material: judged.material,
            answers: sources.iter().map(|source| source.id.clone()).collect(),
            sources,
        };
        Ok(AnsweredClaim {
            answer: match judged.answer {
                Some(true) => Truth::True,
                Some(false) => Truth::False,
                None => Truth::Unknown,
            },
            words: describe(&self.tree.game, &claim, &judged) + &self.beside_verdict(&claim),
            claim: claim.in_words(),
            because,
        })
    }
}

impl ClaimReader<'_> {
    /// At the root, where the verdict is another move than the tree's best: claims are about the tree.
    fn beside_verdict(&self, claim: &Claim<UciMove>) -> String {
        let is_about_best = matches!(
            claim,
            Claim::Best { .. } | Claim::Worse { .. } | Claim::Line { .. } | Claim::Score { .. }
        );
        let told = if is_about_best && claim.at().is_empty() { self.tree.verdict() } else { None };
        let Some(told) = told.filter(|told| told.overruled().is_some()) else {
            return String::new();
        };
        let best = numbered_move(self.tree.game.root(), told.best());
        format!("; claims are about the tree: the verdict is {best}, chosen by the closing search")
    }
}

/// Why a claim is true, false or unknown.
fn describe(game: &Game, claim: &Claim<UciMove>, judged: &Judged) -> String {
    let (root, at) = (game.root(), claim.at());
    let position = after(root, at);
    if let Some(unknown) = judged.unknown {
        return describe_unknown(unknown, root, claim, judged);
    }
    match claim {
        Claim::Score { .. } => match (judged.score, judged.bound, at.split_last()) {
            (Some(score), ..) => format!("{} is worth {}", name_of_line(root, at), of_white(score)),
            (None, Some(bound), Some((last, before))) => {
                describe_bound(&after(root, before), *last, bound)
            }
            _ => String::new(),
        },
        Claim::Best { uci, .. } | Claim::Worse { uci, .. } => {
            describe_beside(&position, *uci, judged)
        }
        Claim::Line { moves, .. } => match judged.best {
            None if moves.is_empty() => "no move is claimed".to_owned(),
            None => format!("{} is the line of best moves", numbered_line(&position, moves)),
            Some((best, value)) => {
                let (played, claimed) = moves.split_at(judged.plies);
                let here = after(&position, played);
                let claimed = claimed.first().map(|uci| numbered_move(&here, *uci));
                format!(
                    "the best move is {} ({}), not {}",
                    numbered_move(&here, best),
                    of_white(value),
                    claimed.unwrap_or_default()
                )
            }
        },
        Claim::Ends { by, .. } => {
            let is = if judged.answer == Some(true) { "is" } else { "is not" };
            let what = match by {
                EndBy::Checkmate => "checkmate",
                EndBy::Stalemate => "stalemate",
                EndBy::Material => "drawn for want of material",
                EndBy::Repetition => "a position that was there before",
            };
            format!("{} {is} {what}", behind(root, at))
        }
        Claim::Legal { word, .. } => match read_move(&position, word) {
            Ok(uci) => format!("{} is legal", numbered_move(&position, uci)),
            Err(error) => error.to_string(),
        },
        Claim::Captures { uci, .. } => {
            let captures =
                if judged.answer == Some(true) { "captures" } else { "does not capture" };
            format!("{} {captures}", numbered_move(&position, *uci))
        }
        Claim::Check { .. } => {
            let side = side_of(position.turn());
            let is = if judged.answer == Some(true) { "is" } else { "is not" };
            format!("{}: {side} {is} in check", behind(root, at))
        }
        Claim::Material { .. } => {
            let ahead = judged.material.unwrap_or_default();
            let told = match ahead {
                0 => "material is even".to_owned(),
                ahead => {
                    let side = if ahead > 0 { "White" } else { "Black" };
                    let points = count(ahead.unsigned_abs(), "point");
                    format!("{side} is {points} ahead in material")
                }
            };
            format!("{}: {told}", behind(root, at))
        }
        Claim::Played { uci, .. } => {
            let (games, all) = judged.games.unwrap_or_default();
            let told = [
                (all > 0).then(|| format!("in {games} of {}", count(all, "game"))),
                judged.likely.map(|likely| format!("{} likely", describe_share(likely))),
            ];
            let told: Vec<String> = told.into_iter().flatten().collect();
            format!("{} {}", numbered_move(&position, *uci), told.join(", "))
        }
    }
}

fn describe_unknown(
    unknown: Unknown,
    root: &Chess,
    claim: &Claim<UciMove>,
    judged: &Judged,
) -> String {
    let line = match claim {
        Claim::Line { at, moves } => [&at[..], moves].concat(),
        other => other.at().to_vec(),
    };
    match unknown {
        Unknown::Line(0) => "the root is not analysed".to_owned(),
        Unknown::Line(plies) => {
            let line = line.get(..plies).unwrap_or(&line);
            format!("the tree does not go on behind {}", numbered_line(root, line))
        }
        Unknown::NoGames => format!("no games are counted {}", place(root, &line)),
        Unknown::Unbounded | Unknown::Bounded => {
            let (before, last) = match (claim, line.split_last()) {
                (Claim::Score { .. }, Some((last, before))) => (before, Some(*last)),
                (Claim::Best { uci, .. } | Claim::Worse { uci, .. }, _) => (&line[..], Some(*uci)),
                _ => (&line[..], None),
            };
            let position = after(root, before);
            let Some(last) = last else { return String::new() };
            match judged.bound {
                Some(bound) => {
                    let told = describe_bound(&position, last, bound);
                    let best = judged.best.map(|(best, value)| {
                        format!("; {} is worth {}", numbered_move(&position, best), of_white(value))
                    });
                    told + &best.unwrap_or_default()
                }
                None => format!("{} has no score here", numbered_move(&position, last)),
            }
        }
    }
}

/// A move beside the best one.
fn describe_beside(position: &Chess, uci: UciMove, judged: &Judged) -> String {
    let Some((best, most)) = judged.best else { return String::new() };
    let told = match (judged.score, judged.bound) {
        (Some(score), _) => {
            let less = loss(most, score, position.turn());
            match less {
                0 if best == uci => {
                    return format!(
                        "{} is the best move ({})",
                        numbered_move(position, best),
                        of_white(most)
                    );
                }
                0 => format!("{} is as good", numbered_move(position, uci)),
                less => format!(
                    "{} is worth {}, {} less",
                    numbered_move(position, uci),
                    of_white(score),
                    by(less)
                ),
            }
        }
        (None, Some(bound)) => describe_bound(position, uci, bound),
        (None, None) => return String::new(),
    };
    format!("the best move is {} ({}); {told}", numbered_move(position, best), of_white(most))
}

/// A sentence on a move that no answer lists; the bound is for White.
pub fn describe_bound(position: &Chess, uci: UciMove, bound: Value) -> String {
    let most = if position.turn().is_white() { "at most" } else { "at least" };
    format!(
        "no answer lists {}, so it is worth {most} {}",
        numbered_move(position, uci),
        of_white(bound)
    )
}

/// By how much a value for White is less than another for a side, in centipawns.
fn loss(most: Value, value: Value, turn: Color) -> i64 {
    let less = i64::from(most.get()) - i64::from(value.get());
    if turn.is_white() { less } else { -less }
}

/// A difference: pawns, or "a mate".
pub fn by(less: i64) -> String {
    match u32::try_from(less) {
        Ok(less) if less < 10_000 => pawns(less),
        _ => "decisively".to_owned(),
    }
}

fn of_white(value: Value) -> String {
    format!("{} for White", Score::from(value))
}

fn side_of(turn: Color) -> &'static str {
    turn.fold_wb("White", "Black")
}

fn place(root: &Chess, line: &[UciMove]) -> String {
    match line {
        [] => "at the root".to_owned(),
        line => format!("after {}", numbered_line(root, line)),
    }
}

/// The position behind a line, at the beginning of a sentence.
fn behind(root: &Chess, line: &[UciMove]) -> String {
    match line {
        [] => "the root".to_owned(),
        line => format!("the position after {}", numbered_line(root, line)),
    }
}
