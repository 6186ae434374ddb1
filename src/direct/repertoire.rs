//! `deepanalyze direct include --pgn`: a repertoire as the skeleton of a tree.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use shakmaty::Color;

use crate::args::report::{SIDES, one_of};
use crate::args::root::{bytes_of, name_of};
use crate::error::CliError;
use crate::manage::ask;
use crate::printer::tell;
use deepanalyze_core::chess::{PgnError, PositionKey};
use deepanalyze_core::directives::{BadGames, Directives, Skeleton, SkeletonError};
use deepanalyze_report::{
    UNASKED, audited, describe_elsewhere, games_audited, include_skeleton, include_widest_gaps,
};
use deepanalyze_store::{Store, StoreError};
use deepanalyze_view::{PeopleAsked, count, load_tree, one_line};

use super::DirectedRoot;

#[derive(Debug, Args)]
pub struct IncludeArgs {
    /// Moves from the root in SAN or UCI notation ("e4 e5 Nf3")
    #[arg(conflicts_with = "pgn")]
    pub line: Option<String>,
    /// Include every game and variation of a file that passes through the root; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Include the N replies of the counted games that have no answer, the likeliest first, with the tree's answers
    ///
    /// Needs an analysis of the root with --games, grown before. A reply that the tree does not have gets its answer
    /// with the next `grow`.
    #[arg(long, value_name = "N", conflicts_with_all = ["line", "pgn"], requires = "side",
        allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub gaps: Option<u16>,
    /// Side of the repertoire, for --gaps
    #[arg(long, value_parser = one_of(SIDES), requires = "gaps")]
    side: Option<Color>,
    /// Keep the file's comments as notes
    #[arg(long, requires = "pgn", conflicts_with = "line")]
    notes: bool,
    /// Leave out games that cannot be read or played, and name them; without this the file is refused
    #[arg(long, requires = "pgn", conflicts_with = "line")]
    skip_bad_games: bool,
    /// Take more than 1000 positions without asking
    #[arg(long, requires = "pgn", conflicts_with = "line")]
    yes: bool,
}

/// A file, and what its skeleton is besides a set.
struct Repertoire<'a> {
    name: String,
    pgn: Vec<u8>,
    root: PositionKey,
    args: &'a IncludeArgs,
}

/// Includes what a file has.
pub fn include_file(
    args: &IncludeArgs,
    file: &Path,
    root: &DirectedRoot<'_>,
) -> Result<ExitCode, CliError> {
    let repertoire = Repertoire {
        name: name_of(file),
        pgn: bytes_of(file)?,
        root: PositionKey::of(root.game.root()),
        args,
    };
    let seen = directives_now(root)?;
    let skeleton = repertoire.skeleton(&seen)?;
    repertoire.ask(&skeleton)?;
    let told = root.tell(|set, _| match *set == seen {
        true => repertoire.include(set, &skeleton),
        // Another process was faster.
        false => repertoire.include(set, &repertoire.skeleton(set)?),
    })?;
    if let Some(left_out) = describe_elsewhere(&skeleton) {
        anstream::eprintln!("note: {}: {}", repertoire.name, one_line(&left_out));
    }
    for error in &skeleton.bad {
        tell!("warning: {}: left out: {error}", repertoire.name);
    }
    Ok(told)
}

/// Includes the widest gaps of a side's repertoire, by the analysis with games that was grown last.
pub fn include_gaps(
    args: &IncludeArgs,
    most: u16,
    root: &DirectedRoot<'_>,
) -> Result<ExitCode, CliError> {
    let store = root.db.open_to_read()?;
    let known = store.analyses_of(root.game)?.into_iter().find(|row| row.settings.games.is_some());
    let Some(row) = known else {
        return Err(CliError::missing("no analysis of this position knows games")
            .hint("`deepanalyze grow --games SET` makes one"));
    };
    let (tree, side) = (load_tree(&store, row.id)?, args.side.unwrap_or(Color::White));
    let audit = audited(&tree, side, 0);
    let (asked, most) = (PeopleAsked::of(side), usize::from(most));
    let games = games_audited(&tree, &audit, asked, most);
    let Some(games) =
        games.filter(|games| !games.gaps.is_empty() || games.met.iter().any(Option::is_some))
    else {
        return Err(CliError::missing("every reply of these games has an answer"));
    };
    drop(store);
    root.tell(|set, dates| {
        dates.set_apart();
        let told = include_widest_gaps(set, root.game.root(), &audit, &games, most)?;
        Ok::<_, CliError>(told.join("\n"))
    })
}

/// The directives that the change will begin with, unless others change them first.
fn directives_now(root: &DirectedRoot<'_>) -> Result<Directives, CliError> {
    match Store::open_to_read(&root.db.path()?) {
        Ok(store) => Ok(store.directives_to_begin_with(root.game, root.origin)?.0),
        Err(StoreError::Missing(_) | StoreError::Empty(_)) => Ok(Directives::default()),
        Err(error) => Err(error.into()),
    }
}

impl Repertoire<'_> {
    fn skeleton(&self, set: &Directives) -> Result<Skeleton, CliError> {
        let bad = if self.args.skip_bad_games { BadGames::Skip } else { BadGames::Refuse };
        Skeleton::read(|| &self.pgn[..], &self.root, set, self.args.notes, bad).map_err(|error| {
            let told = CliError::failure(&error).about(&self.name);
            let is_of_one_game =
                matches!(&error, SkeletonError::Pgn(error) if !matches!(error, PgnError::Io(_)));
            let skip = "--skip-bad-games includes the others, and names those that are left out";
            let told = told
                .maybe_hint((is_of_one_game && bad == BadGames::Refuse).then(|| skip.to_owned()));
            if let SkeletonError::Refused { .. } = error { told } else { told.in_usage() }
        })
    }

    /// Lets the user think twice before a machine is busy for weeks.
    fn ask(&self, skeleton: &Skeleton) -> Result<(), CliError> {
        if skeleton.positions <= UNASKED || self.args.yes {
            return Ok(());
        }
        let positions = count(skeleton.positions as u64, "position");
        let many =
            format!("{}: {positions}, and each is analysed as thoroughly as the root", self.name);
        match ask(&format!("{many}. Include them?"))? {
            Some(true) => Ok(()),
            Some(false) => Err(CliError::missing("nothing included")),
            None => Err(CliError::missing(many).hint("--yes includes them")),
        }
    }

    fn include(&self, set: &mut Directives, skeleton: &Skeleton) -> Result<String, CliError> {
        Ok(include_skeleton(set, &self.root, &self.name, skeleton)?)
    }
}
