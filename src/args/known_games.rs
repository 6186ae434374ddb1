//! The games that a tree is to know.

use std::path::{Path, PathBuf};

use clap::Args;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::{MoveCounts, WrittenRule, WrittenRules};
use deepanalyze_games::{GameSet, SetIdentity};
use deepanalyze_runner::{ControlReceiver, CountError, CountSource, GamesUse};
use deepanalyze_store::KeptGameSet;

use super::games::{GameFilterArgs, place_of_games, set_place};
use crate::error::CliError;
use crate::games::{left_out_lines, open_set, unjudged_words};
use crate::printer::Printer;
use deepanalyze_view::count;

/// The games that a tree is to know.
#[derive(Debug, Args)]
#[command(next_help_heading = "Games")]
pub struct KnownGamesArgs {
    /// Count what people play: a set from `deepanalyze games add`, or a PGN file
    ///
    /// `show`, `explore` and the pages then show how often each move was played, `show --people` what a move scores
    /// against these players, and `audit` how many of their replies have an answer. The counts are kept in the
    /// database, so these commands do not need the set.
    #[arg(long, value_name = "SET")]
    games: Option<PathBuf>,
    /// Follow each move that is played in this share of a position's games, whatever it is worth: 5%, or 5%/20 for at
    /// least 20 games
    ///
    /// Where you do not say how many games, it is one in fifty of the set's (or of those that match the filter): 2 at
    /// least and 10 at most. 5%/- is only where White is to move (for a Black repertoire), -/5%/20 only where Black is.
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true)]
    played: Option<WrittenRules>,
    /// The rule of --played for White alone
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true, hide = true)]
    played_white: Option<WrittenRule>,
    /// The rule of --played for Black alone
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true, hide = true)]
    played_black: Option<WrittenRule>,
    #[command(flatten)]
    filter: GameFilterArgs,
}

impl KnownGamesArgs {
    /// Names the games that an analysis knows where the user names none and they are here.
    ///
    /// # Errors
    ///
    /// Where the folder of sets cannot be read.
    pub fn find(&mut self, known: &KeptGameSet) -> Result<(), CliError> {
        if self.games.is_none()
            && self.filter.filter().is_empty()
            && let Some((place, filter)) = place_of_games(known)?
        {
            (self.games, self.filter) = (Some(place), GameFilterArgs::of(filter));
        }
        Ok(())
    }

    /// The games, and how a tree follows them; `None` without a set. `printer` shows the progress
    /// of counting a PGN file, and the games that cannot be read.
    ///
    /// # Errors
    ///
    /// If the set cannot be used, options need a set and none is named, or `control` ends it.
    pub fn games(
        &self,
        control: &ControlReceiver,
        printer: &Printer,
    ) -> Result<Option<GamesUse>, CliError> {
        let WrittenRules { white, black } = self.played.unwrap_or_default();
        let (white, black) = (self.played_white.or(white), self.played_black.or(black));
        let named = self.games.as_deref();
        let Some((set, source)) = asked_set(named, &self.filter, control, printer)? else {
            let is_said = white.is_some() || black.is_some();
            return if is_said { Err(no_set()) } else { Ok(None) };
        };
        let rules = WrittenRules { white, black }.in_set(set.games);
        Ok(Some(GamesUse::new(set, rules, source)))
    }
}

/// The set that the user has named, and where it is looked up; none where no set is named. `printer` tells how counting a
/// PGN file goes, and which of its games cannot be read.
///
/// # Errors
///
/// Where the set cannot be used or no game of it passes the filter, a filter is given and no set, or `control` ends it.
pub fn asked_set(
    named: Option<&Path>,
    filter: &GameFilterArgs,
    control: &ControlReceiver,
    printer: &Printer,
) -> Result<Option<(KeptGameSet, LookedUp)>, CliError> {
    let filter = filter.filter();
    let Some(named) = named else {
        return if filter.is_empty() { Ok(None) } else { Err(no_set()) };
    };
    let place = set_place(named)?;
    let set = open_set(&place, &filter, control, printer)?.ok_or_else(CliError::interrupted)?;
    left_out_lines(&set).into_iter().for_each(|line| printer.line(line));
    let SetIdentity { name, digest, games, filter, .. } = set.identity().clone();
    if games == 0 {
        let all = count(set.info().games, "game");
        let what = format!("none of the {all} of {name} matches the filter: {filter}");
        return Err(CliError::missing(what).maybe_hint(unjudged_words(set.unjudged())));
    }
    Ok(Some((KeptGameSet { digest, name, filter, games }, LookedUp(set))))
}

fn no_set() -> CliError {
    CliError::usage("--played and the filters of games need --games")
        .hint("--games SET names a set from `deepanalyze games add`, or a PGN file")
}

/// A set in which positions are looked up.
#[derive(Debug)]
pub struct LookedUp(GameSet);

impl CountSource for LookedUp {
    fn counts(&mut self, position: &PositionKey) -> Result<MoveCounts, CountError> {
        let (games, counts) = self.0.counts(position)?;
        Ok(MoveCounts::new(counts).with_games(games))
    }
}
