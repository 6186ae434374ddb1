//! Requests for a new root.

use serde::{Deserialize, Deserializer};

use crate::roots::RootFacts;
use crate::server::App;
use deepanalyze_core::chess::{DrawValue, Game, Heading, written_game};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Breadth, NoPlayedRule, PlayedRules, Widths, WrittenRules};
use deepanalyze_runner::{Amendment, Job, Schedule};
use deepanalyze_store::{GrowsUntil, KeptGameSet, RootOrigin, now};
use deepanalyze_view::{Percent, last_move, name_of_game, one_line};

use super::error::ApiError;

/// Options of a new root.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NewAnalysis"))]
#[serde(deny_unknown_fields)]
pub struct NewRootAsked {
    /// A FEN, startpos, or a starting position of Chess960 by its number (960:0 to 960:959).
    fen: Option<String>,
    /// Moves from there, in SAN or UCI notation.
    moves: Option<String>,
    /// In place of both: the position is one of a game, and begins with the directives of the
    /// nearest earlier position of that game that has any.
    pgn: Option<String>,
    /// The game's number in the PGN.
    #[cfg_attr(test, schemars(range(min = 1)))]
    game: Option<usize>,
    /// The position after this many plies of it.
    ply: Option<usize>,
    /// Its name.
    pub name: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    #[cfg_attr(test, schemars(with = "Option<TextOrNumber>"))]
    distance: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    #[cfg_attr(test, schemars(with = "Option<TextOrNumber>"))]
    distance_white: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    #[cfg_attr(test, schemars(with = "Option<TextOrNumber>"))]
    distance_black: Option<String>,
    #[cfg_attr(test, schemars(range(min = 1, max = MOST_ROOT_MOVES)))]
    root_moves: Option<u32>,
    /// The value of a draw, in centipawns for White.
    draw_value: Option<DrawValue>,
    /// True if its tree knows the games of the server; the default if the server has games.
    games: Option<bool>,
    /// Rules by which it follows played moves, in place of the server's.
    played: Option<Played>,
    #[cfg_attr(test, schemars(range(min = 1, max = DEEPEST)))]
    depth: Option<u32>,
    /// One analysis; without it and engine_nodes, stages.
    #[cfg_attr(test, schemars(range(min = 1, max = DEEPEST_ENGINE)))]
    engine_depth: Option<u32>,
    #[cfg_attr(test, schemars(range(min = 1)))]
    engine_nodes: Option<u64>,
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    weight: Option<u32>,
    /// It is paused then, in milliseconds since 1970.
    pause_at: Option<i64>,
    /// It is done when the best move is this likely to stay, in per cent. Known only of trees that grow in stages from engine
    /// depth 10.
    #[cfg_attr(test, schemars(range(min = 1, max = 96)))]
    until_stable: Option<u8>,
    /// True if it is to grow at once; the default.
    pub start: Option<bool>,
}

/// The played moves to follow: `5%` or `5%/20`.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlayedAsked"))]
#[serde(deny_unknown_fields)]
struct Played {
    /// Where White is to move.
    white: Option<String>,
    /// Where Black is to move.
    black: Option<String>,
}

impl Played {
    /// The rules in a set.
    fn rules(&self, set: &KeptGameSet) -> Result<PlayedRules, ApiError> {
        let rule = |side: &str, text: &Option<String>| {
            let rule = text.as_deref().map(str::parse).transpose();
            rule.map_err(|error: NoPlayedRule| {
                ApiError::malformed(format!("\"played\", \"{side}\": {error}"))
            })
        };
        let (white, black) = (rule("white", &self.white)?, rule("black", &self.black)?);
        Ok(set.rules(WrittenRules { white, black }))
    }
}

/// A distance may be written as a number, too.
fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let said = Option::<TextOrNumber>::deserialize(from)?;
    Ok(said.map(|said| match said {
        TextOrNumber::Text(text) => text,
        TextOrNumber::Number(number) => number.to_string(),
    }))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(u32),
}

/// The depth of a tree, in plies, and its moves at the root, as `grow` takes them.
pub(super) const DEEPEST: u32 = 10_000;
const MOST_ROOT_MOVES: u32 = 218;
const DEEPEST_ENGINE: u32 = 255;

impl NewRootAsked {
    /// The requested root; the server's defaults fill the gaps.
    ///
    /// # Errors
    ///
    /// If it makes no sense.
    pub fn job(&self, app: &App) -> Result<Job, ApiError> {
        let (game, heading) = self.game()?;
        let origin = match self.pgn {
            Some(_) => RootOrigin::WRITTEN_GAME,
            None => RootOrigin::Study,
        };
        Ok(Job { origin, ..self.job_of(game, &heading, app)? })
    }

    /// The part that applies to an existing analysis, too.
    pub fn amendment(&self) -> Amendment {
        Amendment { depth: self.depth, weight: self.weight, ..Amendment::default() }
    }

    /// The root for a known game, or for every position of one, with these settings.
    ///
    /// # Errors
    ///
    /// If it makes no sense.
    pub fn job_of(&self, game: Game, heading: &Heading, app: &App) -> Result<Job, ApiError> {
        let defaults = &app.defaults;
        let draw = self.draw_value.unwrap_or(defaults.draw);
        let (breadth, rules) =
            (self.breadth(&defaults.breadth)?, self.games(defaults.games.as_ref())?);
        let tree = app.agenda.tree(breadth, draw, rules)?;
        let depth = self.depth.map(depth).transpose()?.unwrap_or(defaults.depth);
        Ok(Job {
            name: name_of_game(heading, &game),
            origin: RootOrigin::WRITTEN_GAME,
            weight: self.weight.unwrap_or(1),
            ..Job::new(game, tree, self.schedule(defaults.schedule)?, depth)
        })
    }

    /// The end of its growth.
    ///
    /// # Errors
    ///
    /// If it makes no sense.
    pub fn until(&self) -> Result<GrowsUntil, ApiError> {
        until(self.pause_at, self.until_stable)
    }

    /// True if it names no position and no name: only settings.
    pub fn is_of_any(&self) -> bool {
        let of_one = [self.fen.is_some(), self.moves.is_some(), self.pgn.is_some()];
        let of_game = [self.game.is_some(), self.ply.is_some(), self.name.is_some()];
        !of_one.into_iter().chain(of_game).any(|is_said| is_said)
    }

    fn game(&self) -> Result<(Game, Heading), ApiError> {
        if let Some(pgn) = &self.pgn {
            if self.fen.is_some() || self.moves.is_some() {
                return Err(ApiError::malformed("\"pgn\" stands without \"fen\" and \"moves\""));
            }
            let number = self.game.unwrap_or(1);
            if number == 0 {
                return Err(ApiError::malformed("\"game\": the first game is 1"));
            }
            let written = written_game(pgn.as_bytes(), number, self.ply)?;
            return Ok((written.game, written.heading));
        }
        if self.game.is_some() || self.ply.is_some() {
            return Err(ApiError::malformed("\"game\" and \"ply\" go with \"pgn\""));
        }
        let mut game = Game::from_start(self.fen.as_deref().unwrap_or("startpos").trim())?;
        game.play_line(self.moves.as_deref().unwrap_or_default())?;
        Ok((game, Heading::default()))
    }

    fn breadth(&self, defaults: &Breadth) -> Result<Breadth, ApiError> {
        let read = |name: &str, text: &Option<String>| -> Result<Option<Widths>, ApiError> {
            let read = |text: &String| text.trim().parse();
            let widths = text.as_ref().map(read).transpose();
            widths.map_err(|error: deepanalyze_core::tree::WidthsError| {
                ApiError::malformed(format!("\"{name}\": {error}"))
            })
        };
        let both = read("distance", &self.distance)?;
        let white = read("distance_white", &self.distance_white)?.or_else(|| both.clone());
        let black = read("distance_black", &self.distance_black)?.or(both);
        let least = self.root_moves.unwrap_or(defaults.least);
        Ok(Breadth {
            white: white.unwrap_or_else(|| defaults.white.clone()),
            black: black.unwrap_or_else(|| defaults.black.clone()),
            least: within("root_moves", least, 1..=MOST_ROOT_MOVES)?,
        })
    }

    fn games(
        &self,
        default: Option<&(PlayedRules, KeptGameSet)>,
    ) -> Result<Option<PlayedRules>, ApiError> {
        let set = default.map(|(_, set)| set.clone()).unwrap_or_default();
        let default = default.map(|(rules, _)| *rules);
        let said = self.played.as_ref().map(|played| played.rules(&set)).transpose()?;
        match self.games {
            Some(false) if said.is_some() => Err(ApiError::malformed("\"played\" needs \"games\"")),
            Some(false) => Ok(None),
            Some(true) => Ok(Some(said.or(default).unwrap_or_default())),
            None => Ok(said.or(default)),
        }
    }

    fn schedule(&self, default: Schedule) -> Result<Schedule, ApiError> {
        Ok(limit(self.engine_depth, self.engine_nodes)?.map_or(default, Schedule::Once))
    }
}

/// The limit of searches; `None` if none is given.
///
/// # Errors
///
/// If the limit is not valid, or both are given.
pub fn limit(depth: Option<u32>, nodes: Option<u64>) -> Result<Option<Limit>, ApiError> {
    if depth.is_some() && nodes.is_some() {
        return Err(ApiError::malformed("\"engine_depth\" and \"engine_nodes\": one of them"));
    }
    let depth = depth.map(|depth| within("engine_depth", depth, 1..=DEEPEST_ENGINE)).transpose()?;
    let most = i64::MAX.unsigned_abs();
    let nodes = nodes.map(|nodes| within("engine_nodes", nodes, 1..=most)).transpose()?;
    Ok(depth.map(Limit::Depth).or(nodes.map(Limit::Nodes)))
}

/// The end of a root's growth: a moment, in milliseconds since 1970, and a chance in per cent.
///
/// # Errors
///
/// If the moment is past, or the chance is not valid.
pub fn until(pause_at: Option<i64>, stable: Option<u8>) -> Result<GrowsUntil, ApiError> {
    if pause_at.is_some_and(|at| at <= now()) {
        return Err(ApiError::malformed("\"pause_at\" is past"));
    }
    let stable = stable.map(|chance| within("until_stable", chance, 1..=Percent::MOST));
    Ok(GrowsUntil { pause_at, stable: stable.transpose()? })
}

/// A number within bounds.
pub fn within<N: PartialOrd + std::fmt::Display>(
    name: &str,
    number: N,
    bounds: std::ops::RangeInclusive<N>,
) -> Result<N, ApiError> {
    if bounds.contains(&number) {
        return Ok(number);
    }
    let (least, most) = (bounds.start(), bounds.end());
    Err(ApiError::malformed(format!("\"{name}\": from {least} to {most}, not {number}")))
}

/// The depth of a tree; 0 means an unknown depth in the database.
///
/// # Errors
///
/// If the depth is not valid.
pub fn depth(depth: u32) -> Result<u32, ApiError> {
    within("depth", depth, 1..=DEEPEST)
}

/// A name on one line; `None` if nothing is left of it.
pub fn name_of(text: &str) -> Option<String> {
    Some(one_line(text)).filter(|name| !name.is_empty())
}

/// The name of a root whose game goes on: the game's name, with its new last move.
pub fn next_name(root: &RootFacts, game: &Game) -> Option<String> {
    let (name, before) = (root.listed.name.as_ref()?, root.listed.game.as_ref()?);
    let of_game = name.strip_suffix(&last_move(before))?;
    Some(format!("{of_game}{}", last_move(game)))
}
