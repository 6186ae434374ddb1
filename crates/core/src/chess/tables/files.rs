//! The files of Syzygy's tables.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::{fmt, io};

use hashbrown::HashSet;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem};
use shakmaty_syzygy::{Metric, ProbeError, SyzygyError, Tablebase};

use crate::chess::uci_of;

use super::TablesError;
use super::disk::{FewOpen, last_read};
use super::opened::{Name, Opened, left_out, table_paths};
use super::result::Wdl;

/// Plies without a capture or a pawn move after which a game is drawn.
const FIFTY_MOVES: i32 = 100;

/// A move of a position that tables know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableMove {
    /// The move.
    pub uci: UciMove,
    /// The result for its mover.
    pub wdl: Wdl,
    /// Plies to the next capture, pawn move or mate with perfect play, the move included: 1 for a
    /// capture or a pawn move; negative if the mover loses, 0 in a draw. Tables may round it up by
    /// one. None if the table with the distances is missing.
    pub dtz: Option<i32>,
}

/// Tables in some folders. A file is opened when it is needed; one that is damaged or cut short is
/// left out, and the same table of another folder is taken in its place. Of several, the folder
/// that is named first counts.
///
/// The result for a position does not depend on earlier look-ups, unless a file fails meanwhile.
pub struct TableFiles {
    men: u8,
    filesystem: Arc<dyn Filesystem>,
    /// Files that can be used.
    files: RwLock<Opened>,
    /// Messages about files that cannot be used.
    complaints: Mutex<Complaints>,
}

#[derive(Debug, Default)]
struct Complaints {
    new: Vec<String>,
    /// Unreadable files that were reported.
    unread: HashSet<PathBuf>,
}

impl fmt::Debug for TableFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableFiles").field("men", &self.men).finish_non_exhaustive()
    }
}

impl TableFiles {
    /// The tables in folders; none is opened yet.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read, or none of them has a table.
    pub fn find(folders: &[PathBuf]) -> Result<TableFiles, TablesError> {
        let mut paths = Vec::new();
        for folder in folders {
            paths.extend(table_paths(folder)?);
        }
        let disk = FewOpen::new(Arc::new(OsFilesystem::new()));
        let files = TableFiles::of(Arc::new(disk), paths);
        if files.men == 0 { Err(TablesError::Empty { paths: folders.to_vec() }) } else { Ok(files) }
    }

    /// These files, in a filesystem of their own.
    pub(super) fn of(filesystem: Arc<dyn Filesystem>, paths: Vec<PathBuf>) -> TableFiles {
        let (files, new) = Opened::new(&filesystem, paths);
        let men = files.used.keys().filter(|name| name.is_wdl).map(Name::men).max().unwrap_or(0);
        let complaints = Mutex::new(Complaints { new, ..Complaints::default() });
        TableFiles { men, filesystem, files: RwLock::new(files), complaints }
    }

    /// The largest number of men of any table, kings included.
    pub fn men(&self) -> u8 {
        self.men
    }

    /// Takes the messages since the last call: files left out, or unreadable.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.lock_complaints().new)
    }

    fn lock_complaints(&self) -> MutexGuard<'_, Complaints> {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if there is a table of a position's men. Reads no file.
    pub fn has_table_of(&self, position: &Chess) -> bool {
        let name = Name::of_position(position);
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.used.contains_key(&name)
    }

    /// The result of a position for its side to move; None if the tables do not have it. Reads
    /// files.
    ///
    /// # Errors
    ///
    /// If an existing file cannot be read now: whether the tables have the position is unknown
    /// then.
    pub fn look_up(&self, position: &Chess) -> Result<Option<Wdl>, TablesError> {
        let found = self.probe(|tables| tables.probe_wdl_after_zeroing(position))?;
        Ok(found.map(Wdl::from))
    }

    /// [`TableFiles::look_up`] without read errors.
    pub fn wdl(&self, position: &Chess) -> Option<Wdl> {
        self.look_up(position).ok().flatten()
    }

    /// The legal moves of a position, the best first: by the result, then those that come to a
    /// capture, a pawn move or mate sooner, or later if they lose. A move that is no capture and no
    /// pawn move spends one of the fifty moves. None if the tables do not have all results, or a
    /// file cannot be read. Reads files.
    pub fn moves(&self, position: &Chess) -> Option<Vec<TableMove>> {
        let result = self.wdl(position)?;
        let moves = position.legal_moves();
        let moves = moves.iter().map(|m| self.table_move(position, *m));
        let mut moves = moves.collect::<Option<Vec<TableMove>>>()?;
        // Without distances, it is unknown which move keeps within the fifty moves; none is better
        // than the position.
        moves.iter_mut().for_each(|m| m.wdl = m.wdl.min(result));
        moves.sort_by_key(|m| (std::cmp::Reverse(m.wdl), m.dtz, m.uci.to_string()));
        Some(moves)
    }

    fn table_move(&self, position: &Chess, m: shakmaty::Move) -> Option<TableMove> {
        let mut after = position.clone();
        after.play_unchecked(m);
        let wdl = self.wdl(&after)?.turned();
        let dtz = if after.is_checkmate() {
            Some(1)
        } else if m.is_zeroing() {
            Some(i32::from(wdl.get().signum()))
        } else {
            let behind = self.probe(|tables| tables.probe_dtz(&after)).ok()?;
            behind.map(|dtz| (-dtz.ignore_rounding()).add_plies_saturating(1).0)
        };
        let is_late = dtz.is_some_and(|dtz| dtz.abs() > FIFTY_MOVES);
        let wdl = if is_late { wdl.late() } else { wdl };
        Some(TableMove { uci: uci_of(position, m), wdl, dtz })
    }

    /// Asks the tables, once more without each file that is damaged.
    fn probe<T>(
        &self,
        ask: impl Fn(&Tablebase<Chess>) -> Result<T, SyzygyError>,
    ) -> Result<Option<T>, TablesError> {
        let mut last = None;
        loop {
            let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
            // The reader's state is rebuilt when a file is left out.
            let asked = catch_unwind(AssertUnwindSafe(|| ask(&files.tables)));
            let (path, failure) = match asked {
                Ok(Ok(answer)) => return Ok(Some(answer)),
                Ok(Err(SyzygyError::ProbeFailed { metric, material, error })) => {
                    let name = Name::new(&material.to_string(), metric == Metric::Wdl);
                    (name.and_then(|name| files.used.get(&name).cloned()), Failure::of(*error))
                }
                Ok(Err(_)) => return Ok(None),
                Err(_) => (last_read(), Failure::Damage("it makes the reader fail".to_owned())),
            };
            drop(files);
            let Some(path) = path.filter(|path| last.as_ref() != Some(path)) else {
                return Ok(None);
            };
            match failure {
                Failure::Damage(why) => self.leave_out(&path, &why),
                Failure::Unread(source) => return Err(self.unread(path, source)),
            }
            last = Some(path);
        }
    }

    /// Reports, once, that a file could not be read.
    fn unread(&self, path: PathBuf, source: io::Error) -> TablesError {
        let error = TablesError::Unread { path: path.clone(), source };
        let mut complaints = self.lock_complaints();
        if complaints.unread.insert(path) {
            complaints.new.push(error.in_full());
        }
        error
    }

    /// Takes a file out, unless another thread has.
    fn leave_out(&self, path: &Path, why: &str) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let mut paths = std::mem::take(&mut files.paths);
        let usable = paths.len();
        paths.retain(|there| there != path);
        if paths.len() < usable {
            let (opened, more) = Opened::new(&self.filesystem, paths);
            *files = opened;
            self.lock_complaints().new.extend([left_out(path, why)].into_iter().chain(more));
        } else {
            files.paths = paths;
        }
    }
}

/// The fault of a file.
enum Failure {
    /// No such table, or no permission to read it.
    Damage(String),
    /// It could not be read; its contents are unknown.
    Unread(io::Error),
}

impl Failure {
    fn of(error: ProbeError) -> Failure {
        let why = match error {
            ProbeError::Read { error } if error.kind() != io::ErrorKind::PermissionDenied => {
                return Failure::Unread(error);
            }
            ProbeError::Read { error } => error.to_string(),
            ProbeError::Magic { .. } => "it is not a Syzygy tablebase".to_owned(),
            ProbeError::CorruptedTable { .. } => "it is damaged or cut short".to_owned(),
        };
        Failure::Damage(why)
    }
}

#[cfg(test)]
mod tests;
