//! Making a set: files are read and their games counted on all cores, sorted outside of memory, and merged with what
//! the set has into a new file, which takes the old one's place.

mod games;
mod place;
mod positions;
mod read;
mod write;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::error::GameSetError;
use crate::identity::SetInfo;
use crate::pgn::{BadGame, OtherVariants};
use crate::schema;

pub(crate) use games::{fingerprints_of, player_games};
use place::Place;
pub(crate) use positions::fetch_apart;
use read::read_all;
use write::{Target, write};

/// How games are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// How many plies of each game; by default what the set has, or [`MAX_PLY`](crate::MAX_PLY).
    pub max_ply: Option<u32>,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddStage {
    /// Games are read.
    Reading,
    /// What was read is merged into the set.
    Merging,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adding {
    /// What is being done.
    pub stage: AddStage,
    /// How much of it is done: bytes of the files, or parts of the set.
    pub done: u64,
    /// How much there is; none where a file has no length.
    pub all: Option<u64>,
    /// How many games were counted so far.
    pub games: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The set as it is now.
    pub set: SetInfo,
    /// How many games are new in it.
    pub games: u64,
    /// The others.
    pub left_out: LeftOut,
}

/// Games of files that are not counted, and those in which something is not as it should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many were there already, or twice in the files.
    pub duplicates: u64,
    /// Those of other variants.
    pub variants: OtherVariants,
    /// How many cannot be read.
    pub bad: u64,
    /// The first ten of those.
    pub first_bad: Vec<BadGame>,
    /// How many have another result in their tag than behind their moves. They are counted, by the latter.
    pub contradicting: u64,
}

/// Adds the games of files to a set, which is made where there is none; `-` is standard input.
///
/// Until all is done the set is what it was, whatever ends this; what an adder that was killed has left beside the set
/// is removed by the next one. `tell` hears how far it has come, and says whether it is to go on.
///
/// # Errors
///
/// [`GameSetError`] where a file cannot be read to its end or has no game, where another process adds to the set, and
/// where something cannot be written: the set is what it was then.
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

/// Whether a file is there that has anything in it.
fn is_there(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.is_file() || file.len() > 0)
}

/// Removes the file of a set, whatever is in it, unless games are being added to it.
///
/// # Errors
///
/// [`GameSetError::Busy`] where they are, and where the file cannot be removed.
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

/// How many plies are counted.
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
    let read = read_all((files, max_ply), old, work, tell)?;
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

/// A file in memory is called what its file is.
fn target_of(files: &[PathBuf]) -> &Path {
    files.first().map_or(Path::new("-"), PathBuf::as_path)
}

/// Why no game of some files was counted.
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

#[cfg(test)]
mod tests;
