//! `deepanalyze direct include --pgn`: a repertoire as the skeleton of a tree.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::args::root::{bytes_of, name_of};
use crate::error::CliError;
use crate::manage::ask;
use crate::printer::tell;
use deepanalyze_core::chess::{PgnError, PositionKey};
use deepanalyze_core::directives::{BadGames, Directives, Skeleton, SkeletonError};
use deepanalyze_report::{UNASKED, count, describe_elsewhere, include_skeleton, one_line};
use deepanalyze_store::{Store, StoreError};

use super::DirectedRoot;

#[derive(Debug, Args)]
pub struct IncludeArgs {
    /// Moves from the root in SAN or UCI notation ("e4 e5 Nf3")
    #[arg(conflicts_with = "pgn")]
    pub line: Option<String>,
    /// Include every game and variation of a file that passes through the root; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
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

/// The directives that the change will begin with, unless others change them first.
fn directives_now(root: &DirectedRoot<'_>) -> Result<Directives, CliError> {
    match Store::open_to_read(&root.db.path()?) {
        Ok(store) => Ok(store.directives_to_begin_with(root.game)?.0),
        Err(StoreError::Missing(_) | StoreError::Empty(_)) => Ok(Directives::default()),
        Err(error) => Err(error.into()),
    }
}

impl Repertoire<'_> {
    fn skeleton(&self, set: &Directives) -> Result<Skeleton, CliError> {
        let bad = match self.args.skip_bad_games {
            true => BadGames::Skip,
            false => BadGames::Refuse,
        };
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
        Ok(include_skeleton(set, &self.root, (&self.name, skeleton))?)
    }
}
