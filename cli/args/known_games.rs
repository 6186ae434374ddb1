//! The games that a tree is to know.

use std::path::{Path, PathBuf};

use clap::Args;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::{MoveCounts, PlayedRule, PlayedRules};
use deepanalyze_games::{GameSet, SetIdentity};
use deepanalyze_runner::{CountError, CountSource, GamesUse};
use deepanalyze_store::KeptGameSet;

use super::games::{GameFilterArgs, set_place};
use crate::error::CliError;
use crate::games::bad_lines;

/// The games that a tree is to know.
#[derive(Debug, Args)]
#[command(next_help_heading = "Games")]
pub struct KnownGamesArgs {
    /// Know what people play: a set from `deepanalyze games add`, or a PGN file
    ///
    /// `show`, `explore` and the pages then tell how often each move was played, `show --people` what a move is worth
    /// against those who play so, and `audit` how much of what they play has an answer. What was looked up is kept in the
    /// database: these need no set.
    #[arg(long, value_name = "SET")]
    games: Option<PathBuf>,
    /// Follow each move that is played in this share of a position's games, whatever it is worth: 5%, or 5%/20 for at
    /// least 20 games (10 unless you say so)
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true)]
    played: Option<PlayedRule>,
    /// The same where White is to move (for a Black repertoire)
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true)]
    played_white: Option<PlayedRule>,
    /// The same where Black is to move (for a White repertoire)
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true)]
    played_black: Option<PlayedRule>,
    #[command(flatten)]
    filter: GameFilterArgs,
}

impl KnownGamesArgs {
    /// The games, and how a tree follows them; none where no set is named. Games of a PGN file that cannot be read are
    /// told to `say`.
    ///
    /// # Errors
    ///
    /// Where the set cannot be used, or something is said of games and no set is named.
    pub fn games(&self, say: impl Fn(&str)) -> Result<Option<GamesUse>, CliError> {
        let rules = PlayedRules {
            white: self.played_white.or(self.played),
            black: self.played_black.or(self.played),
        };
        let Some((set, source)) = asked_set(self.games.as_deref(), &self.filter, say)? else {
            let is_said = rules != PlayedRules::default();
            return if is_said { Err(no_set()) } else { Ok(None) };
        };
        Ok(Some(GamesUse::new(set, rules, source)))
    }
}

/// The set that the user has named, and where it is looked up; none where no set is named. Games of a PGN file that cannot
/// be read are told to `say`.
///
/// # Errors
///
/// Where the set cannot be used, or a filter is given and no set.
pub fn asked_set(
    named: Option<&Path>,
    filter: &GameFilterArgs,
    say: impl Fn(&str),
) -> Result<Option<(KeptGameSet, LookedUp)>, CliError> {
    let filter = filter.filter();
    let Some(named) = named else {
        return if filter.is_empty() { Ok(None) } else { Err(no_set()) };
    };
    let set = GameSet::open(&set_place(named)?, &filter)?;
    let (bad, first) = set.left_out();
    bad_lines(bad, first).iter().for_each(|line| say(line));
    let SetIdentity { name, digest, games, filter, .. } = set.identity().clone();
    Ok(Some((KeptGameSet { digest, name, filter, games }, LookedUp(set))))
}

fn no_set() -> CliError {
    CliError::usage("what is played says nothing without games")
        .hint("--games SET names a set from `deepanalyze games add`, or a PGN file")
}

/// A set in which positions are looked up.
#[derive(Debug)]
pub struct LookedUp(GameSet);

impl CountSource for LookedUp {
    fn counts(&mut self, position: &PositionKey) -> Result<MoveCounts, CountError> {
        Ok(MoveCounts::new(self.0.counts(position)?))
    }
}
