//! Where a command's result goes: standard output or a file.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::error::CliError;

/// A place for a result.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// The file; standard output where there is none.
    pub path: Option<&'a PathBuf>,
    /// Whether the text has styles, which are for terminals only.
    pub styled: bool,
}

impl Output<'_> {
    /// Writes a result to its end. An error names the file.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let Some(path) = self.path else {
            return flushed(self.stdout(), write).map_err(not_printed);
        };
        let file = File::create(path).map_err(|error| not_written(path, &error))?;
        let file: Box<dyn Write> = match self.styled {
            true => Box::new(anstream::StripStream::new(file)),
            false => Box::new(file),
        };
        flushed(file, write).map_err(|error| not_written(path, &error))
    }

    fn stdout(&self) -> Box<dyn Write> {
        match self.styled {
            true => Box::new(anstream::AutoStream::auto(io::stdout())),
            false => Box::new(io::stdout()),
        }
    }

    /// Whether a person would see the result as it is written.
    pub fn is_terminal(&self) -> bool {
        self.path.is_none() && io::stdout().is_terminal()
    }

    /// The columns of the terminal that the result goes to.
    pub fn width(&self) -> Option<usize> {
        if !self.is_terminal() {
            return None;
        }
        let asked = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let told = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        asked.or_else(told).filter(|width| *width > 0)
    }
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
