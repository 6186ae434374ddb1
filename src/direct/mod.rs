//! `deepanalyze direct`: what the user says of positions of a root.

mod listing;
mod repertoire;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use shakmaty::Chess;

use deepanalyze_core::chess::{Game, GivenValue, PositionKey};
use deepanalyze_core::directives::{self, Change, Dates, Directives, parse_value, read_set};
use deepanalyze_core::reading::MIB;
use deepanalyze_store::RootOrigin;
use deepanalyze_view::{
    DirectError, DirectedLine, apply_directives, describe_copied, describe_directives_or,
    plain_json, undo_all,
};

use super::args::database::{ChosenArgs, DbArgs};
use super::args::root::{bytes_to, name_of};
use super::error::CliError;
use super::output::Output;
use crate::output::stdout;
use listing::DirectiveListArgs;
pub use listing::{SaidObject, words as describe_said};
use repertoire::{IncludeArgs, include_file, include_gaps};

/// Guide an analysis: exclude and include moves, give values, stop, take notes
///
/// Give and undo directives at any time, even while `grow` is running. The tree becomes what it would have been with
/// them from the start, and no known position is searched again. A directive applies to a position, whatever line
/// leads there, in the analyses of one root (--root, --moves, --pgn or --analysis, before the action). A later position of the
/// same game in a PGN file (--pgn) starts with a copy of them.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "ACTION",
    mut_arg("analysis", |arg| arg.help("Take the root of this analysis, by its number in `deepanalyze list`")))]
pub struct DirectArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    #[command(subcommand)]
    action: DirectAction,
}

#[derive(Debug, Subcommand)]
enum DirectAction {
    /// Leave a move out
    Exclude(LineArgs),
    /// Follow every move of a line, whatever it is worth
    ///
    /// Every position of the line is analysed as thoroughly as the first one. With --pgn, this goes for
    /// every game and variation of a file that passes through the root: the tree grows around your
    /// repertoire.
    Include(IncludeArgs),
    /// Give the position after a line a value; nothing is searched there
    Value {
        /// Moves from the root in SAN or UCI notation ("e4 e5 Nf3")
        line: String,
        /// Pawns for White ("+0.50"), "draw", or who wins: "white", "black"
        #[arg(value_name = "SCORE", value_parser = parse_value, allow_negative_numbers = true)]
        score: GivenValue,
    },
    /// Stop after a line: keep the engine's score of its last move and search no further
    Stop(LineArgs),
    /// Write a note on the position after a line; the tree does not change
    Note {
        /// Moves from the root in SAN or UCI notation ("e4 e5 Nf3"); empty: the root
        line: String,
        /// The text
        #[arg(allow_hyphen_values = true)]
        text: String,
    },
    /// Undo the directives on a line's last move and on the position after it
    ///
    /// Of a line that you have included, the moves before its last one go, too, where the same `include` brought
    /// them, back to the first one from which another included line goes on.
    Undo {
        /// Moves from the root in SAN or UCI notation ("e4 e5 Nf3"); empty: the root
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        line: Option<String>,
        /// Undo all directives of this root
        #[arg(long)]
        all: bool,
    },
    /// List the directives of the root, the oldest first
    List(DirectiveListArgs),
    /// Write the directives of the root to a file, for `apply`
    Export {
        /// Write to a file
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Replace all directives of the root by those of a file
    Apply {
        /// File from `export`; "-" reads standard input
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
struct LineArgs {
    /// Moves from the root in SAN or UCI notation ("e4 e5 Nf3")
    line: String,
}

/// Runs the command.
pub fn run(args: &DirectArgs) -> Result<ExitCode, CliError> {
    let DirectArgs { chosen, action } = args;
    let game = chosen.game()?;
    let root = DirectedRoot { game: &game, origin: chosen.root.origin(), db: &chosen.db };
    let start = game.root();
    let (line, change) = match action {
        DirectAction::Exclude(LineArgs { line }) => (line, Change::Exclude),
        DirectAction::Include(args) => match (&args.pgn, args.gaps, &args.line) {
            (Some(file), ..) => return include_file(args, file, &root),
            (_, Some(most), _) => return include_gaps(args, most, &root),
            (_, _, Some(line)) => (line, Change::Include),
            (None, None, None) => {
                let told = CliError::usage("include needs a line or --pgn FILE");
                return Err(told.hint(
                    "`direct include --pgn FILE` includes the lines of a file; before `include`, --pgn names the root",
                ));
            }
        },
        DirectAction::Value { line, score } => (line, Change::Value(*score)),
        DirectAction::Stop(LineArgs { line }) => (line, Change::Stop),
        DirectAction::Note { text, .. } if text.trim().is_empty() => {
            return Err(DirectError::EmptyNote.into());
        }
        DirectAction::Note { line, text } => (line, Change::Note(text.clone())),
        DirectAction::Undo { line: Some(line), .. } => (line, Change::Undo),
        DirectAction::Undo { line: None, .. } => return root.tell(|set, _| undo_all(set)),
        DirectAction::List(args) => return listing::list(args, &root),
        DirectAction::Export { output } => return export(&root, output.as_deref()),
        DirectAction::Apply { file } => {
            let new = DirectivesFile::read(file)?.set_of(start)?;
            return root.tell(|set, dates| {
                dates.set_apart();
                apply_directives(set, &new, &name_of(file))
            });
        }
    };
    let line = DirectedLine::read(start, line)?;
    root.tell(|set, dates| line.change(&change, set, dates))
}

/// The longest file of directives that is read, in bytes.
const LONGEST: u64 = 64 * MIB;

/// A file of directives.
pub struct DirectivesFile<'a> {
    path: &'a Path,
    text: String,
}

impl DirectivesFile<'_> {
    /// Reads the file; "-" is standard input.
    pub fn read(path: &Path) -> Result<DirectivesFile<'_>, CliError> {
        let text = String::from_utf8(bytes_to(path, LONGEST)?)
            .map_err(|_| CliError::usage(format!("{}: not in UTF-8", name_of(path))))?;
        Ok(DirectivesFile { path, text })
    }

    /// The directives in it, for a root.
    pub fn set_of(&self, root: &Chess) -> Result<Directives, CliError> {
        read_set(&self.text, &PositionKey::of(root))
            .map_err(|error| CliError::failure(&error).in_usage().about(&name_of(self.path)))
    }
}

fn export(root: &DirectedRoot<'_>, output: Option<&Path>) -> Result<ExitCode, CliError> {
    let store = root.db.open_to_read()?;
    let output = Output::to(output, &store)?;
    let set = directives::DirectivesFile::of(&store.directives(root.game)?);
    let text = serde_json::to_string_pretty(&set).map_err(std::io::Error::from)?;
    output.write(|out| writeln!(out, "{}", plain_json(&text)))
}

/// A root in a database.
#[derive(Debug, Clone, Copy)]
struct DirectedRoot<'a> {
    game: &'a Game,
    origin: RootOrigin,
    db: &'a DbArgs,
}

impl DirectedRoot<'_> {
    /// Changes the directives, and prints what was done and who takes it over.
    fn tell<E: Into<CliError>>(
        &self,
        action: impl Fn(&mut Directives, &mut Dates) -> Result<String, E>,
    ) -> Result<ExitCode, CliError> {
        let path = self.db.path_to_grow()?;
        if !path.exists() {
            // A refused action creates no database.
            action(&mut Directives::default(), &mut Dates::default()).map_err(E::into)?;
        }
        let mut store = DbArgs::open_to_change(&path)?;
        let action = |set: &mut Directives, dates: &mut Dates| action(set, dates).map_err(E::into);
        let changed = store.begin_directed::<_, CliError>(self.game, self.origin, action)?;
        let mut out = stdout();
        if let Some((plies, directives)) = changed.copied {
            writeln!(out, "{}", self.copied(plies, directives))?;
        }
        writeln!(out, "{}", changed.result)?;
        if changed.after == changed.before {
            return Ok(ExitCode::SUCCESS);
        }
        let all = describe_directives_or(&changed.after, "no directives");
        let follows = match changed.affected.iter().any(|id| store.is_growing(*id)) {
            true => "the running `grow` applies it at once",
            false if changed.changes_tree() => {
                "this counts at once; the next `grow` searches what is missing"
            }
            false => "the tree stays as it is",
        };
        writeln!(out, "now {all}; {follows}")?;
        Ok(ExitCode::SUCCESS)
    }

    /// Note that the root was new and has copied directives from an earlier position of its game.
    fn copied(&self, plies: usize, directives: usize) -> String {
        describe_copied(directives, self.game.moves().len() - plies)
    }
}
