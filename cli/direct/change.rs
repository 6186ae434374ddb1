//! Changing the directives of a root in the database, and saying what came of it.

use std::io::Write;
use std::process::ExitCode;

use crate::args::database::DbArgs;
use crate::error::CliError;
use deepanalyze_core::chess::Game;
use deepanalyze_core::directives::{Dates, Directives};
use deepanalyze_report::{describe_copied, describe_directives};
use deepanalyze_store::{Changed, Store, StoreError};

/// A root in a database.
#[derive(Debug, Clone, Copy)]
pub struct Root<'a> {
    pub game: &'a Game,
    pub db: &'a DbArgs,
}

/// What an action has come to.
struct Done {
    words: String,
    set: Directives,
    is_new: bool,
    /// Whether the tree becomes another one.
    changes_tree: bool,
}

/// Why nothing was changed.
enum Failed {
    Store(StoreError),
    Refused(CliError),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Failed {
        Failed::Store(error)
    }
}

impl From<Failed> for CliError {
    fn from(failed: Failed) -> CliError {
        match failed {
            Failed::Store(error) => error.into(),
            Failed::Refused(error) => error,
        }
    }
}

impl Root<'_> {
    /// Changes the directives, and prints what was done and who takes it over.
    pub fn tell<E: Into<CliError>>(
        &self,
        action: impl Fn(&mut Directives, &mut Dates) -> Result<String, E>,
    ) -> Result<ExitCode, CliError> {
        let path = self.db.path_to_grow()?;
        if !path.exists() {
            // What is refused makes no database.
            action(&mut Directives::default(), &mut Dates::default()).map_err(E::into)?;
        }
        let mut store = DbArgs::open_to_change(&path)?;
        let changed = store.change_dated(self.game, |set, dates| traced((set, dates), &action))?;
        let mut out = anstream::stdout().lock();
        self.write(&changed, &store, &mut out)?;
        Ok(ExitCode::SUCCESS)
    }

    fn write(
        &self,
        changed: &Changed<Done>,
        store: &Store,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let done = &changed.result;
        if let Some((plies, directives)) = changed.copied {
            writeln!(out, "{}", self.copied(plies, directives))?;
        }
        writeln!(out, "{}", done.words)?;
        if !done.is_new {
            return Ok(());
        }
        let all = match describe_directives(&done.set) {
            none if none.is_empty() => "no directives".to_owned(),
            some => some,
        };
        match done.changes_tree {
            true => writeln!(out, "now {all}; {}", self.who_takes_over(store)?)?,
            false => writeln!(out, "now {all}; the tree stays as it is")?,
        }
        Ok(())
    }

    /// That the root was new and began with so many directives of the game of so many moves.
    pub fn copied(&self, plies: usize, directives: usize) -> String {
        describe_copied(directives, self.game.moves().len() - plies)
    }

    /// Which run grows its tree under other directives.
    fn who_takes_over(&self, store: &Store) -> Result<&'static str, StoreError> {
        let rows = store.analyses_of(self.game)?;
        Ok(if rows.iter().any(|row| store.is_growing(row.id)) {
            "the running `grow` follows at once"
        } else if rows.is_empty() {
            "the next `grow` of this root begins with them"
        } else {
            "the next `grow` of this root follows"
        })
    }
}

fn traced<E: Into<CliError>>(
    (set, dates): (&mut Directives, &mut Dates),
    action: impl Fn(&mut Directives, &mut Dates) -> Result<String, E>,
) -> Result<Done, Failed> {
    let before = set.clone();
    let words = action(set, dates).map_err(|error| Failed::Refused(error.into()))?;
    let changes_tree = set.of_tree() != before.of_tree();
    Ok(Done { words, is_new: *set != before, changes_tree, set: set.clone() })
}
