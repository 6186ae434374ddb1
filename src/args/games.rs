//! Sets of games: where one is, which of its games count, and those that a tree is to know.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use shakmaty::Color;

use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::tree::{MoveCounts, WrittenRule, WrittenRules};
use deepanalyze_games::{EXTENSION, Filter, GameSet, SetIdentity, SetInfo, Since, TimeControl};
use deepanalyze_runner::{ControlReceiver, CountError, CountSource, GamesUse};
use deepanalyze_store::{KeptGameSet, Store};
use deepanalyze_view::{Tree, count};

use crate::args::database::{data_file, files_in};
use crate::args::human::{AskedNets, HumanArgs};
use crate::args::report::{SIDES, one_of};
use crate::error::CliError;
use crate::games::{left_out_lines, listening, open_set, unjudged_words};
use crate::printer::Printer;

/// Filter of the games that count, the same for every command that takes a set.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which games count")]
pub struct GameFilterArgs {
    /// Count only games of this player; "Carlsen, Magnus" and "Magnus Carlsen" are one, an account is
    /// found by its exact name first
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Count only games in which the player has this side
    #[arg(long, value_name = "SIDE", requires = "player", value_parser = one_of(SIDES))]
    player_side: Option<Color>,
    /// Count only games in which both players have at least this rating
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..4096))]
    min_rating: Option<u32>,
    /// Count only games since a year, a month or a day: 2020, 2020-06, 2020-06-15
    #[arg(long, value_name = "DATE")]
    since: Option<Since>,
    /// Count only games this fast: bullet, blitz, rapid, classical, correspondence, or one time
    /// control, like 300+3 (or 5+3, in minutes)
    #[arg(long, value_name = "SPEED")]
    time_control: Option<TimeControl>,
    /// Count only games whose event has this in its name
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
}

impl GameFilterArgs {
    /// The options that ask for a filter.
    pub fn of(filter: Filter) -> GameFilterArgs {
        let Filter { player, player_side, min_rating, since, time_control, event } = filter;
        GameFilterArgs { player, player_side, min_rating, since, time_control, event }
    }

    /// The filter.
    pub fn filter(&self) -> Filter {
        let GameFilterArgs { player, player_side, min_rating, since, time_control, event } =
            self.clone();
        Filter { player, player_side, min_rating, since, time_control, event }
    }
}

/// The folder of the sets that have a name alone.
pub fn sets_folder() -> Result<PathBuf, CliError> {
    data_file("games", "a path, like ./club.games")
}

/// Where a set is that the user has named: by a path, or by a name alone, which is one of the data folder's, or a file that
/// is there where the folder has no such set.
pub fn set_place(named: &Path) -> Result<PathBuf, CliError> {
    if named.as_os_str().is_empty() {
        return Err(CliError::usage("the name of a set is empty"));
    }
    let ends = ["pgn", "gz", "bz2", "zst", EXTENSION];
    let is_known = |end: &OsStr| ends.iter().any(|known| end.eq_ignore_ascii_case(known));
    let is_file = named.extension().is_some_and(is_known);
    let is_path = is_file || named.components().count() > 1 || named.is_absolute();
    if is_path || named.as_os_str() == "-" || named.as_os_str() == "." {
        return Ok(named.to_owned());
    }
    let mut name = named.as_os_str().to_owned();
    name.push(".");
    name.push(EXTENSION);
    let place = sets_folder()?.join(name);
    // A file may be called as it likes.
    let is_file = !place.exists() && named.is_file();
    Ok(if is_file { named.to_owned() } else { place })
}

/// Where the games are of which an analysis knows what is played: a set of the data folder, or a set or file of that name here;
/// by their fingerprint, whatever the set is called by now. None where they are not here.
pub fn place_of_games(known: &KeptGameSet) -> Result<Option<(PathBuf, Filter)>, CliError> {
    let Some(filter) = Filter::of_words(&known.filter) else { return Ok(None) };
    if known.name.is_empty() {
        return Ok(None);
    }
    let named = PathBuf::from(&known.name);
    let mut places = all_sets()?;
    // The one of that name is asked first: to choose games of a large set takes a while.
    places.sort_by_key(|place| place.file_stem() != Some(named.as_os_str()));
    places.extend(
        [named.with_added_extension(EXTENSION), named].into_iter().filter(|place| place.is_file()),
    );
    let is_it = |place: &PathBuf| {
        let games = if filter.is_empty() && place.extension().is_some_and(|end| end == EXTENSION) {
            SetInfo::read(place).map(|set| set.digest)
        } else {
            GameSet::open(place, &filter).map(|set| set.identity().digest.clone())
        };
        games.is_ok_and(|digest| known.nets.digest_with(&digest) == known.digest)
    };
    Ok(places.into_iter().find(is_it).map(|place| (place, filter)))
}

/// All sets of the data folder, by name.
pub fn all_sets() -> Result<Vec<PathBuf>, CliError> {
    files_in(&sets_folder()?, &format!(".{EXTENSION}"))
}

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
    /// least and 10 at most; for a side with a net (--human), 1. 5%/- is only where White is to move (for a Black repertoire), -/5%/20 only where Black is.
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true)]
    played: Option<WrittenRules>,
    /// The rule of --played for White alone
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true, hide = true)]
    played_white: Option<WrittenRule>,
    /// The rule of --played for Black alone
    #[arg(long, value_name = "P%[/N]", allow_hyphen_values = true, hide = true)]
    played_black: Option<WrittenRule>,
    #[command(flatten)]
    human: HumanArgs,
    #[command(flatten)]
    filter: GameFilterArgs,
}

impl KnownGamesArgs {
    /// Names the games and nets that an analysis knows where the user names none and they are here.
    ///
    /// # Errors
    ///
    /// Where the folder of sets or that of nets cannot be read.
    pub fn find(&mut self, known: &KeptGameSet) -> Result<(), CliError> {
        let names_games = self.games.is_some() || !self.filter.filter().is_empty();
        if names_games || self.human.is_named() {
            return Ok(());
        }
        let (Some(human), games) = (self.human.find(&known.nets)?, place_of_games(known)?) else {
            return Ok(());
        };
        if games.is_none() && !known.name.is_empty() {
            return Ok(());
        }
        self.human = human;
        if let Some((place, filter)) = games {
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
        let asked = asked_set(named, &self.filter, &self.human, control, printer)?;
        let Some((set, source)) = asked else {
            let is_said = white.is_some() || black.is_some();
            return if is_said { Err(no_set()) } else { Ok(None) };
        };
        let rules = set.rules(WrittenRules { white, black });
        Ok(Some(GamesUse::new(set, rules, source)))
    }
}

/// Games and nets to ask instead of those that an analysis knows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Games")]
pub struct OtherGamesArgs {
    /// Games to count instead of those of the analysis: a set from `deepanalyze games add`, or a PGN file
    #[arg(long, value_name = "SET")]
    games: Option<PathBuf>,
    #[command(flatten)]
    human: HumanArgs,
    #[command(flatten)]
    filter: GameFilterArgs,
}

impl OtherGamesArgs {
    /// Looks the positions of a tree up in the games and nets that are named, if any.
    ///
    /// # Errors
    ///
    /// If they cannot be used, or the user ends it.
    pub fn count(&self, tree: &mut Tree, store: &Store, printer: &Printer) -> Result<(), CliError> {
        let place = self.games.as_deref().map(set_place).transpose()?;
        self.count_until(tree, store, listening(place.as_deref())?.receiver(), printer)
    }

    /// [`OtherGamesArgs::count`] for a command that listens to signals itself.
    pub fn count_until(
        &self,
        tree: &mut Tree,
        store: &Store,
        control: &ControlReceiver,
        printer: &Printer,
    ) -> Result<(), CliError> {
        let named = self.games.as_deref();
        let asked = asked_set(named, &self.filter, &self.human, control, printer)?;
        let Some((set, mut source)) = asked else { return Ok(()) };
        if !set.nets.is_empty() {
            let positions = count(tree.growth.graph().analysed().count() as u64, "position");
            printer.line(format!("asking the net about {positions} ..."));
        }
        tree.count_in(store, set, |game| {
            if control.is_told_to_end() {
                Err(CliError::interrupted())
            } else {
                source.counts(game).map_err(|error| CliError::missing(error.to_string()))
            }
        })
    }
}

/// The set and the nets that the user has named, and where positions are looked up in them; none where none is named.
/// `printer` tells how counting a PGN file goes, and which of its games cannot be read.
///
/// # Errors
///
/// Where the set cannot be used or no game of it passes the filter, a filter is given and no set, or `control` ends it.
pub fn asked_set(
    named: Option<&Path>,
    filter: &GameFilterArgs,
    human: &HumanArgs,
    control: &ControlReceiver,
    printer: &Printer,
) -> Result<Option<(KeptGameSet, LookedUp)>, CliError> {
    let (filter, nets) = (filter.filter(), human.nets()?);
    let kept = nets.kept();
    let Some(named) = named else {
        if !filter.is_empty() {
            return Err(CliError::usage("the filters of games need --games")
                .hint("--games SET names a set from `deepanalyze games add`, or a PGN file"));
        }
        let set =
            KeptGameSet { digest: kept.digest_with(""), nets: kept, ..KeptGameSet::default() };
        return Ok((!set.nets.is_empty()).then_some((set, LookedUp { games: None, nets })));
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
    let digest = kept.digest_with(&digest);
    let kept = KeptGameSet { digest, name, filter, games, nets: kept };
    Ok(Some((kept, LookedUp { games: Some(set), nets })))
}

fn no_set() -> CliError {
    CliError::usage("--played needs --games or --human").hint(
        "--games SET names a set from `deepanalyze games add`, or a PGN file; --human NET a net of human play",
    )
}

/// Games and nets in which positions are looked up.
#[derive(Debug)]
pub struct LookedUp {
    games: Option<GameSet>,
    nets: AskedNets,
}

impl CountSource for LookedUp {
    fn counts(&mut self, game: &Game) -> Result<MoveCounts, CountError> {
        let counts = match &mut self.games {
            Some(set) => {
                let (games, counts) = set.counts(&PositionKey::of(game.root()))?;
                MoveCounts::new(counts).with_games(games)
            }
            None => MoveCounts::default(),
        };
        Ok(self.nets.with(game, counts))
    }
}
