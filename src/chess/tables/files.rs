//! The files of Syzygy's tables.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use shakmaty_syzygy::{Dtz, Metric, ProbeError, SyzygyError, Tablebase};

use super::result::Wdl;

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// A folder that cannot be read.
    #[error("cannot read the folder of tables {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing there.
    #[error("there are no Syzygy tables (*.rtbw) in {}", folders(paths))]
    Empty {
        /// The folders.
        paths: Vec<PathBuf>,
    },
}

fn folders(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(" and ")
}

/// A move of a position that tables know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableMove {
    /// The move.
    pub uci: UciMove,
    /// The result for its mover.
    pub wdl: Wdl,
    /// Plies to the next capture, pawn move or mate with perfect play, the move included; negative where the
    /// mover loses, 0 in a draw. Tables may round it up by one. None where the table with the distances
    /// is not there.
    pub dtz: Option<i32>,
}

/// Tables in some folders. A file is opened when it is needed; one that is damaged or cut short is left out.
///
/// What comes out for a position does not depend on what was looked up before, unless a file fails meanwhile.
#[derive(Debug)]
pub struct TableFiles {
    men: u8,
    /// Files that can be used.
    files: RwLock<Opened>,
    /// What is to be said of files that cannot.
    complaints: Mutex<Vec<String>>,
}

#[derive(Debug)]
struct Opened {
    paths: BTreeSet<PathBuf>,
    tables: Tablebase<Chess>,
}

impl TableFiles {
    /// The tables in folders; none is opened yet.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be read, or there is no table in any of them.
    pub fn find(folders: &[PathBuf]) -> Result<TableFiles, TablesError> {
        let (mut paths, mut complaints) = (BTreeSet::new(), Vec::new());
        let mut tables = Tablebase::new();
        for folder in folders {
            for path in table_paths(folder)? {
                match tables.add_file(&path) {
                    Ok(()) => _ = paths.insert(path),
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                    Err(error) => complaints.push(left_out(&path, &error.to_string())),
                }
            }
        }
        let largest = paths.iter().filter(|path| is_wdl(path)).map(|path| men_of(path)).max();
        let Some(men) = largest else {
            return Err(TablesError::Empty { paths: folders.to_vec() });
        };
        let files = RwLock::new(Opened { paths, tables });
        Ok(TableFiles { men, files, complaints: Mutex::new(complaints) })
    }

    /// The largest number of men of any table, kings included.
    pub fn men(&self) -> u8 {
        self.men
    }

    /// What is to be said of files that were left out since this was asked last.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut *self.complaints.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The result of a position for its side to move; none where the tables do not have it. Reads files.
    pub fn wdl(&self, position: &Chess) -> Option<Wdl> {
        self.probe(|tables| tables.probe_wdl_after_zeroing(position)).map(Wdl::from)
    }

    /// The legal moves of a position, the best first: by the result, then those that come to a capture, a pawn
    /// move or mate sooner, or later where they lose. None where the tables do not have all results. Reads files.
    pub fn moves(&self, position: &Chess) -> Option<Vec<TableMove>> {
        let moves = position.legal_moves();
        let of_move = |m: &shakmaty::Move| -> Option<TableMove> {
            let mut after = position.clone();
            after.play_unchecked(*m);
            let wdl = self.probe(|tables| tables.probe_wdl_after_zeroing(&after))?;
            let dtz = if after.is_checkmate() {
                Some(Dtz(1))
            } else if m.is_zeroing() {
                Some(Dtz::before_zeroing(-wdl))
            } else {
                let behind = self.probe(|tables| tables.probe_dtz(&after));
                behind.map(|dtz| (-dtz.ignore_rounding()).add_plies_saturating(1))
            };
            let (uci, wdl) = (m.to_uci(CastlingMode::Standard), Wdl::from(wdl).turned());
            Some(TableMove { uci, wdl, dtz: dtz.map(|dtz| dtz.0) })
        };
        let mut moves = moves.iter().map(of_move).collect::<Option<Vec<TableMove>>>()?;
        moves.sort_by_key(|m| (std::cmp::Reverse(m.wdl), m.dtz, m.uci.to_string()));
        Some(moves)
    }

    /// Asks the tables, once more without each file that fails.
    fn probe<T>(&self, ask: impl Fn(&Tablebase<Chess>) -> Result<T, SyzygyError>) -> Option<T> {
        loop {
            let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
            let error = match ask(&files.tables) {
                Ok(answer) => return Some(answer),
                Err(error) => error,
            };
            let usable = files.paths.len();
            drop(files);
            let SyzygyError::ProbeFailed { metric, material, error } = error else {
                return None;
            };
            if !self.leave_out(usable, (metric, &material.to_string()), &error) {
                return None;
            }
        }
    }

    /// Takes a file out, unless another thread has taken one out of so many that were usable; `false` where it is
    /// none of them.
    fn leave_out(
        &self,
        usable: usize,
        (metric, material): (Metric, &str),
        error: &ProbeError,
    ) -> bool {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        if files.paths.len() != usable {
            return true;
        }
        let found = files.paths.iter().find(|path| is_table(path, metric, material)).cloned();
        let Some(path) = found else {
            return false;
        };
        let why = match error {
            ProbeError::Read { error } => error.to_string(),
            ProbeError::Magic { .. } => "it is no such table".to_owned(),
            ProbeError::CorruptedTable { .. } => "it is damaged or cut short".to_owned(),
        };
        files.paths.remove(&path);
        files.tables = Tablebase::new();
        let Opened { paths, tables } = &mut *files;
        paths.retain(|path| tables.add_file(path).is_ok());
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        complaints.push(left_out(&path, &why));
        true
    }
}

/// What looks like a table in a folder, in the order of the names.
fn table_paths(folder: &Path) -> Result<Vec<PathBuf>, TablesError> {
    let failed = |source| TablesError::Folder { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let paths: Result<Vec<PathBuf>, io::Error> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| extension(path) == "rtbw" || extension(path) == "rtbz");
    paths.sort();
    Ok(paths)
}

fn left_out(path: &Path, why: &str) -> String {
    format!("the table {} is left out: {why}", path.display())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn is_wdl(path: &Path) -> bool {
    extension(path) == "rtbw"
}

/// How many men the positions of a file have: the letters of its name, but for the `v`.
fn men_of(path: &Path) -> u8 {
    u8::try_from(stem(path).len().saturating_sub(1)).unwrap_or(u8::MAX)
}

/// Whether a file is that of some material, whichever side is named first.
fn is_table(path: &Path, metric: Metric, material: &str) -> bool {
    let sides =
        |name: &str| name.split_once('v').map(|(one, two)| [one.to_owned(), two.to_owned()]);
    let (Some(of_file), Some(mut wanted)) = (sides(stem(path)), sides(material)) else {
        return false;
    };
    let same = of_file == wanted || {
        wanted.reverse();
        of_file == wanted
    };
    same && is_wdl(path) == (metric == Metric::Wdl)
}

#[cfg(test)]
mod tests;
