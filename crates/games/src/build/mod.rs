//! Makes a set: files are read and their games counted on all cores, sorted outside of memory, and
//! merged with the old set into a new file, which replaces it.

mod games;
mod positions;
mod read;
mod write;

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::error::GameSetError;
use crate::identity::SetInfo;
use crate::pgn::{BadGame, OtherVariants};
use crate::schema;

use read::read_all;
use write::{Target, write};

pub(crate) use games::{fingerprints_of, player_games};
pub(crate) use positions::fetch_apart;

/// Settings for counting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// Plies counted of each game; by default the set's number, or [`MAX_PLY`](crate::MAX_PLY).
    pub max_ply: Option<u32>,
}

/// A stage of adding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddStage {
    /// Games are read.
    Reading,
    /// The games are merged into the set.
    Merging,
}

/// Progress of adding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adding {
    /// The stage.
    pub stage: AddStage,
    /// The part done: bytes of the files, or parts of the set.
    pub done: u64,
    /// The total; `None` if a file has no length.
    pub all: Option<u64>,
    /// Games counted so far.
    pub games: u64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The new set.
    pub set: SetInfo,
    /// Number of new games.
    pub games: u64,
    /// The others.
    pub left_out: LeftOut,
}

/// Games of files that are not counted, and those with a contradiction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Games already there, or twice in the files.
    pub duplicates: u64,
    /// Games of other variants.
    pub variants: OtherVariants,
    /// Unreadable games.
    pub bad: u64,
    /// The first ten of these.
    pub first_bad: Vec<BadGame>,
    /// Games whose tag and moves end with different results. They are counted, by the latter.
    pub contradicting: u64,
}

/// Adds the games of files to a set, made if missing; `-` is standard input.
///
/// Until all is done the set is unchanged, whatever ends this; leftovers of a killed adder beside
/// the set are removed by the next one. `tell` receives the progress, and returns whether to go on.
///
/// # Errors
///
/// [`GameSetError`] if a file cannot be read to its end or has no game, if another process adds to
/// the set, and if writing fails: the set is then unchanged.
pub fn add(
    path: &Path,
    files: &[PathBuf],
    options: AddOptions,
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<Added, GameSetError> {
    let place = Place::lock(path)?;
    let old = if is_there(path) { Some(SetInfo::read(path)?) } else { None };
    let max_ply = plies(path, old.as_ref(), options)?;
    let (work, target) = (place.work(), place.target());
    let failed = GameSetError::sqlite(&target);
    let mut db = Connection::open(&target).map_err(&failed)?;
    let old = old.as_ref();
    let added = fill(&mut db, (&target, work), old, (files, max_ply), tell)?;
    db.close().map_err(|(_, error)| failed(error))?;
    place.put()?;
    let set = SetInfo::read(path)?;
    Ok(Added { set, ..added })
}

/// True if a file exists and is not empty.
fn is_there(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.is_file() || file.len() > 0)
}

/// Removes the file of a set, whatever its contents, unless games are being added to it.
///
/// # Errors
///
/// [`GameSetError::Busy`] if they are, and if the file cannot be removed.
pub fn remove(path: &Path) -> Result<(), GameSetError> {
    let _place = Place::lock(path)?;
    std::fs::remove_file(path).map_err(GameSetError::io(path))
}

/// Counts the games of a file in memory.
///
/// # Errors
///
/// As for [`add`].
pub(crate) fn counted_in_memory(
    path: &Path,
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<(Connection, Added), GameSetError> {
    let work = tempfile::tempdir().map_err(GameSetError::io(path))?;
    let mut db = Connection::open_in_memory().map_err(GameSetError::sqlite(path))?;
    let files = [path.to_owned()];
    let counting = (&files[..], crate::MAX_PLY);
    let added = fill(&mut db, (path, work.path()), None, counting, tell)?;
    Ok((db, added))
}

/// Number of plies to count.
fn plies(path: &Path, old: Option<&SetInfo>, options: AddOptions) -> Result<u32, GameSetError> {
    match (old.map(|old| old.max_ply), options.max_ply) {
        (Some(kept), Some(asked)) if kept != asked => {
            Err(GameSetError::OtherPlies { path: path.to_owned(), kept, asked })
        }
        (kept, asked) => Ok(kept.or(asked).unwrap_or(crate::MAX_PLY)),
    }
}

fn fill(
    db: &mut Connection,
    (target, work): (&Path, &Path),
    old: Option<&SetInfo>,
    (files, max_ply): (&[PathBuf], u32),
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<Added, GameSetError> {
    let failed = GameSetError::sqlite(target);
    schema::create(db).map_err(&failed)?;
    let read = read_all(files, max_ply, old, work, tell)?;
    let left_out = read.left_out();
    let all: u64 = read.sources.iter().map(|source| source.counted).sum();
    if all == 0 {
        return Err(nothing(files, &read));
    }
    let target = Target { db, path: target, old };
    let duplicates = write(target, read, max_ply, tell)?;
    let set = SetInfo::of(db, target_of(files), 0)?;
    let left_out = LeftOut { duplicates, ..left_out };
    Ok(Added { set, games: all - duplicates, left_out })
}

/// A file in memory is named by the first file.
fn target_of(files: &[PathBuf]) -> &Path {
    files.first().map_or(Path::new("-"), PathBuf::as_path)
}

/// The error if no game was counted.
fn nothing(files: &[PathBuf], read: &read::ReadGames) -> GameSetError {
    if let Some(at) = read.sources.iter().position(|source| source.is_no_pgn) {
        return GameSetError::NotPgn(files.get(at).cloned().unwrap_or_default());
    }
    let LeftOut { first_bad, variants, .. } = read.left_out();
    match (first_bad.first(), variants.games()) {
        (Some(bad), _) => GameSetError::NoGames(bad.to_string()),
        (None, 0) => GameSetError::NotPgn(target_of(files).to_owned()),
        (None, _) => GameSetError::OtherVariants(variants),
    }
}

/// A set that this process adds to. Dropping it removes unfinished work.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    work: PathBuf,
    lock: PathBuf,
    _lock: File,
}

impl Place {
    /// Keeps other adders out, and removes leftovers of a killed one.
    fn lock(path: &Path) -> Result<Place, GameSetError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let beside = |end: &str| {
            let mut name = std::ffi::OsString::from(".");
            name.push(path.file_name().unwrap_or_default());
            name.push(end);
            path.with_file_name(name)
        };
        let (work, lock) = (beside(".adding"), beside(".lock"));
        let file = locked(&path, &lock)?;
        let place = Place { path, work, lock, _lock: file };
        place.clear();
        std::fs::create_dir(&place.work).map_err(GameSetError::io(&place.work))?;
        Ok(place)
    }

    /// Folder for sorting.
    fn work(&self) -> &Path {
        &self.work
    }

    /// The new set's file.
    fn target(&self) -> PathBuf {
        self.work.join("set")
    }

    /// Replaces the old set by the new one.
    fn put(self) -> Result<(), GameSetError> {
        let target = self.target();
        let put = || {
            OpenOptions::new().read(true).write(true).open(&target)?.sync_all()?;
            std::fs::rename(&target, &self.path)?;
            // Only Unix can sync a folder; elsewhere the system does.
            #[cfg(unix)]
            if let Some(folder) = self.path.parent() {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                File::open(folder)?.sync_all()?;
            }
            Ok(())
        };
        put().map_err(GameSetError::io(&self.path))
    }

    fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.work);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clear();
        let _ = std::fs::remove_file(&self.lock);
    }
}

fn locked(path: &Path, lock: &Path) -> Result<File, GameSetError> {
    loop {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(lock);
        let file = file.map_err(GameSetError::io(lock))?;
        match file.try_lock() {
            // Its last holder may have removed the file since we opened it: then it guards nothing.
            Ok(()) if is_at(&file, lock) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GameSetError::Busy(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(GameSetError::io(lock)(source)),
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let (Ok(open), Ok(there)) = (file.metadata(), path.metadata()) else { return false };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests;
