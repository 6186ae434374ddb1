//! Where a command's result goes: standard output or a file.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tempfile::NamedTempFile;

use deepanalyze_store::{DatabasePart, Store, part_of};
use deepanalyze_view::size;

use super::error::CliError;
use super::printable::PrintableWriter;
use crate::printer::tell;

/// The columns of text that no terminal limits.
pub const WIDTH: usize = 80;

/// A place for a result.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// The file; standard output where there is none.
    path: Option<&'a Path>,
    /// True if the text has styles, for terminals only.
    styled: bool,
    /// True for binary output.
    is_binary: bool,
}

/// Standard output for text without styles, whatever is in it.
pub fn stdout() -> PrintableWriter<io::Stdout> {
    PrintableWriter::new(io::stdout(), false)
}

impl<'a> Output<'a> {
    /// A file, or standard output. The files of the database that the result comes from are
    /// refused: call this before any work whose result would be lost.
    pub fn to(path: Option<&'a Path>, store: &Store) -> Result<Output<'a>, CliError> {
        if let Some(path) = path {
            refuse_database("--output", path, store.path())?;
        }
        Ok(Output { path, styled: false, is_binary: false })
    }

    /// Standard output.
    pub fn stdout() -> Output<'a> {
        Output { path: None, styled: false, is_binary: false }
    }

    /// Declares that the text has styles.
    pub fn styled(self, styled: bool) -> Output<'a> {
        Output { styled, ..self }
    }

    /// Declares binary output.
    pub fn binary(self, is_binary: bool) -> Output<'a> {
        Output { is_binary, ..self }
    }

    /// Writes a result to its end, and says so where it is a file; gives the exit code of a command that has no more to
    /// do. An error names the file.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<ExitCode, CliError> {
        let Some(path) = self.path else {
            let printed = flushed(self.stream(), write).map_err(not_printed);
            return printed.map(|()| ExitCode::SUCCESS);
        };
        let written = write_file(path, |file| {
            if self.styled {
                flushed(Box::new(PrintableWriter::new(stripped(file), true)), write)
            } else {
                flushed(Box::new(file), write)
            }
        });
        if let Some(bytes) = written.map_err(|error| not_written(path, &error))? {
            tell!("wrote {} ({})", path.display(), size(bytes));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn stream(&self) -> Box<dyn Write> {
        let stdout = io::stdout();
        let out: Box<dyn Write> = match anstream::AutoStream::choice(&stdout) {
            _ if self.is_binary => return Box::new(stdout),
            anstream::ColorChoice::Never if self.styled => stripped(stdout),
            _ if self.styled => Box::new(anstream::AutoStream::auto(stdout)),
            _ => Box::new(stdout),
        };
        Box::new(PrintableWriter::new(out, self.styled))
    }

    /// The columns of the terminal that the result goes to.
    pub fn width(&self) -> Option<usize> {
        if !is_terminal(self.path) {
            return None;
        }
        let asked = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let told = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        asked.or_else(told).filter(|width| *width > 0)
    }
}

/// Writes a file, whole or not at all where another one can take its place; gives its size then.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(File) -> io::Result<()>,
) -> io::Result<Option<u64>> {
    let Some(replacement) = Replacement::of(path) else {
        return write(File::create(path)?).map(|()| None);
    };
    write(replacement.file.reopen()?)?;
    replacement.persist().map(Some)
}

/// A file that replaces another at the end: a reader sees all of the old contents or all of the
/// new, and a failure half-way leaves the old.
pub struct Replacement {
    /// Where links lead.
    path: PathBuf,
    /// Beside it.
    file: NamedTempFile,
    permissions: Option<Permissions>,
}

impl Replacement {
    /// None where a file is written as it is: a pipe, a terminal, and where no other can be made beside it.
    pub fn of(path: &Path) -> Option<Replacement> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let there = path.metadata().ok();
        if there.as_ref().is_some_and(|there| !there.is_file() || there.permissions().readonly()) {
            return None;
        }
        let folder = path.parent()?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".deepanalyze-").suffix(".part");
        // As for any new file, the user's mask removes some of these permissions.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).ok()?;
        Some(Replacement { path, file, permissions: there.map(|there| there.permissions()) })
    }

    /// Path of the new contents.
    pub fn part(&self) -> &Path {
        self.file.path()
    }

    /// Takes the file's place; gives its size in bytes.
    pub fn persist(self) -> io::Result<u64> {
        let bytes = self.settled()?;
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(bytes)
    }

    /// Takes the place of no file; an error if one exists by now.
    pub fn persist_new(self) -> io::Result<u64> {
        let bytes = self.settled()?;
        self.file.persist_noclobber(&self.path).map_err(|error| error.error)?;
        Ok(bytes)
    }

    /// On the disk before it gets its name: a power cut leaves the old contents or the new.
    fn settled(&self) -> io::Result<u64> {
        let file = self.file.as_file();
        if let Some(permissions) = &self.permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()?;
        Ok(file.metadata()?.len())
    }
}

/// Takes styles away. What is left comes in pieces of some bytes: without the buffer each would be
/// a call of the system, 4 s of them in the text of a million searches.
fn stripped(out: impl Write + 'static) -> Box<dyn Write> {
    let out: Box<dyn Write> = Box::new(BufWriter::new(out));
    Box::new(anstream::StripStream::new(out))
}

/// Refuses a file that is one of a database's own, as what an option names.
pub fn refuse_database(option: &str, file: &Path, database: &Path) -> Result<(), CliError> {
    let what = match part_of(database, file) {
        Some(DatabasePart::Database) => "the database itself",
        Some(DatabasePart::Companion) => "a file of the database",
        None => return Ok(()),
    };
    Err(CliError::usage(format!("{option} names {what}")))
}

/// True if the result goes straight to a terminal.
pub fn is_terminal(path: Option<&Path>) -> bool {
    path.is_none() && io::stdout().is_terminal()
}

fn flushed(
    out: Box<dyn Write>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    write(&mut out)?;
    out.flush()
}

fn not_written(path: &Path, error: &io::Error) -> CliError {
    CliError::missing(format!("cannot write {}: {error}", path.display()))
}

/// A closed pipe is no error.
fn not_printed(error: io::Error) -> CliError {
    match error.kind() {
        io::ErrorKind::BrokenPipe => error.into(),
        _ => CliError::missing(format!("cannot write standard output: {error}")),
    }
}
