//! Drops duplicate games, and writes the others in blocks.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::read::ReadGames;
use super::write::Target;
use crate::chain::{Chain, ChainRows, ChainWriter, PLAYERS};
use crate::duplicates::{Detail, Duplicates, Renumber, numbered_game};
use crate::error::GameSetError;
use crate::hash::{seal, unsealed, widened};
use crate::identity::{About, SetInfo};
use crate::row::{GameRow, compressed};
use crate::schema::{key_of_row, open, row_of};
use crate::sort::{Sorted, Sorter, merged};
use crate::varint::{push_growing, take, take_array, take_growing};

/// Games of a block, and their bytes; exceeded by a game at most.
const GAMES: usize = 256;
const BYTES: usize = 1 << 20;

/// The old set under its name in the new one's connection.
pub(super) const OLD: &str = "old";

/// Totals of all games.
#[derive(Debug, Default)]
pub(super) struct GameTotals {
    pub(super) games: u64,
    /// Sum behind the digest.
    pub(super) sum: u128,
    pub(super) years: Option<(u32, u32)>,
}

/// Finds duplicate games. `files` are the numbers of their first games.
pub(super) fn duplicates(
    target: &Target<'_>,
    fingerprints: Sorter,
    files: Vec<u32>,
    totals: &mut GameTotals,
) -> Result<Renumber, GameSetError> {
    let failed = GameSetError::io(target.path);
    let sorted = with_old(target, fingerprints)?.sorted().map_err(&failed)?;
    let (mut numbers, mut same) = (Renumber::default(), Duplicates::new(target.old_games(), files));
    let all = [sorted];
    let mut merge = merged(&all, (0, u128::MAX)).map_err(&failed)?;
    while let Some(number) = merge.next().map_err(&failed)? {
        let (fingerprint, game, stays) = same.next(number);
        if stays {
            totals.sum = totals.sum.wrapping_add(widened(fingerprint));
            totals.games += 1;
        } else {
            numbers.drop(game);
        }
    }
    numbers.count();
    Ok(numbers)
}

/// The fingerprints of the old set's games beside the new ones.
fn with_old(target: &Target<'_>, mut fingerprints: Sorter) -> Result<Sorter, GameSetError> {
    if target.old.is_none() {
        return Ok(fingerprints);
    }
    let failed = target.failed();
    let sql = format!("SELECT first, fingerprints, data FROM {OLD}.game ORDER BY first");
    let (mut next, mut older) = (0_u32, 0);
    let mut statement = target.db.prepare(&sql).map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    while let Some(row) = rows.next().map_err(&failed)? {
        let read = || Ok((row.get::<_, u32>(0)?, row.get(1)?, row.get(2)?));
        let (first, bytes, data): (u32, Vec<u8>, Vec<u8>) = read().map_err(&failed)?;
        let count = u32::try_from(bytes.len() / 8).unwrap_or(u32::MAX);
        // Games continue from block to block, and are copied as they are.
        if first != next || unsealed(first.into(), &bytes, &data).is_none() {
            return Err(target.damaged());
        }
        next = next.checked_add(count).ok_or_else(|| target.damaged())?;
        let details = match old_details(target, first)? {
            Some(details) if details.len() == count as usize => details,
            Some(_) => return Err(target.damaged()),
            None => {
                older += u64::from(count);
                vec![Detail::UNKNOWN; count as usize]
            }
        };
        let numbers = (first..)
            .zip(fingerprints_of(&bytes).zip(details))
            .map(|(game, (fingerprint, detail))| numbered_game(fingerprint, detail, game));
        fingerprints.push(numbers).map_err(GameSetError::io(target.path))?;
    }
    if next == target.old_games() && target.old.is_some_and(|old| old.older == older) {
        Ok(fingerprints)
    } else {
        Err(target.damaged())
    }
}

/// The details of an old block's games; `None` if written by an earlier format.
fn old_details(target: &Target<'_>, first: u32) -> Result<Option<Vec<Detail>>, GameSetError> {
    if target.has_older_format() {
        return Ok(None);
    }
    let sql = format!("SELECT data FROM {OLD}.detail WHERE first = ?1");
    let mut statement = target.db.prepare_cached(&sql).map_err(target.failed())?;
    let found = statement.query_row([first], |row| row.get::<_, Vec<u8>>(0)).optional();
    let Some(bytes) = found.map_err(target.failed())? else { return Ok(None) };
    let mut rest = unsealed(first.into(), &[], &bytes).ok_or_else(|| target.damaged())?;
    let details = std::iter::from_fn(|| take_array(&mut rest).map(Detail::from_bytes));
    Ok(Some(details.collect()))
}

/// The fingerprints of a block.
pub(crate) fn fingerprints_of(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut rest = bytes;
    std::iter::from_fn(move || take_array(&mut rest).map(u64::from_le_bytes))
}

/// Writes the old games as they are, and the new ones that stay.
pub(super) fn write_games(
    target: &Target<'_>,
    read: &ReadGames,
    numbers: &Renumber,
    totals: &mut GameTotals,
) -> Result<(), GameSetError> {
    let failed = target.failed();
    if target.old.is_some() {
        let sql = format!("INSERT INTO game SELECT * FROM {OLD}.game");
        target.db.execute(&sql, []).map_err(&failed)?;
        if !target.has_older_format() {
            let sql = format!("INSERT INTO detail SELECT * FROM {OLD}.detail");
            target.db.execute(&sql, []).map_err(&failed)?;
        }
    }
    let old = target.old_games();
    let mut writer = GameWriter {
        db: target.db,
        first: old,
        count: 0,
        fingerprints: Vec::new(),
        details: Vec::new(),
        rows: Vec::new(),
    };
    let (mut game, mut kept) = (old, old);
    let file = File::open(&read.rows).map_err(GameSetError::io(&read.rows))?;
    let mut rows =
        SpooledRows { file: BufReader::with_capacity(1 << 20, file), games: VecDeque::new() };
    while let Some(spooled) = rows.next().map_err(GameSetError::io(&read.rows))? {
        if numbers.number(game).is_some() {
            writer.push(&spooled).map_err(|error| error.of(target.path))?;
            kept += 1;
            let year = spooled.year;
            if year > 0 {
                let (first, last) = totals.years.unwrap_or((year, year));
                totals.years = Some((first.min(year), last.max(year)));
            }
        }
        game += 1;
    }
    writer.end().map_err(|error| error.of(target.path))?;
    debug_assert_eq!(u64::from(kept), totals.games);
    Ok(())
}

/// The rows of games as written by the counting threads.
struct SpooledRows {
    file: BufReader<File>,
    games: VecDeque<Spooled>,
}

/// A game as written.
struct Spooled {
    fingerprint: [u8; 8],
    detail: [u8; Detail::BYTES],
    row: Vec<u8>,
    year: u32,
}

impl SpooledRows {
    /// The next game.
    fn next(&mut self) -> io::Result<Option<Spooled>> {
        while self.games.is_empty() {
            if !self.read()? {
                return Ok(None);
            }
        }
        Ok(self.games.pop_front())
    }

    fn read(&mut self) -> io::Result<bool> {
        let mut head = [0; 20];
        match self.file.read(&mut head[..1])? {
            0 => return Ok(false),
            _ => self.file.read_exact(&mut head[1..])?,
        }
        let mut rest = &head[..];
        let (Some(games), Some(length)) = (take(&mut rest), take(&mut rest)) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mut known_by = vec![0; (8 + Detail::BYTES) * games as usize];
        self.file.read_exact(&mut known_by)?;
        let mut rows = vec![0; length as usize];
        self.file.read_exact(&mut rows)?;
        let (mut known_by, mut rest) = (&known_by[..], &rows[..]);
        while let (Some(fingerprint), Some(detail)) =
            (take_array(&mut known_by), take_array(&mut known_by))
        {
            let before = rest;
            let row = GameRow::take_from(&mut rest).ok_or(io::ErrorKind::InvalidData)?;
            let bytes = before.get(..before.len() - rest.len()).unwrap_or_default();
            let (row, year) = (bytes.to_vec(), row.facts().year());
            self.games.push_back(Spooled { fingerprint, detail, row, year });
        }
        Ok(true)
    }
}

/// An error of SQLite or of the compressor.
enum NotWritten {
    Sqlite(rusqlite::Error),
    Io(io::Error),
}

impl NotWritten {
    fn of(self, path: &Path) -> GameSetError {
        match self {
            NotWritten::Sqlite(error) => GameSetError::sqlite(path)(error),
            NotWritten::Io(error) => GameSetError::io(path)(error),
        }
    }
}

/// Fills blocks of games.
struct GameWriter<'d> {
    db: &'d Connection,
    /// The number of the block's first game.
    first: u32,
    count: u32,
    fingerprints: Vec<u8>,
    details: Vec<u8>,
    rows: Vec<u8>,
}

impl GameWriter<'_> {
    fn push(&mut self, game: &Spooled) -> Result<(), NotWritten> {
        self.fingerprints.extend_from_slice(&game.fingerprint);
        self.details.extend_from_slice(&game.detail);
        self.rows.extend_from_slice(&game.row);
        self.count += 1;
        let is_full = self.count as usize >= GAMES || self.rows.len() >= BYTES;
        if is_full { self.end() } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), NotWritten> {
        if self.count == 0 {
            return Ok(());
        }
        let mut data = compressed(&self.rows).map_err(NotWritten::Io)?;
        seal(self.first.into(), &self.fingerprints, &mut data);
        let sql = "INSERT INTO game (first, fingerprints, data) VALUES (?1, ?2, ?3)";
        let mut statement = self.db.prepare_cached(sql).map_err(NotWritten::Sqlite)?;
        statement
            .execute(params![self.first, self.fingerprints, data])
            .map_err(NotWritten::Sqlite)?;
        seal(self.first.into(), &[], &mut self.details);
        let sql = "INSERT INTO detail (first, data) VALUES (?1, ?2)";
        let mut statement = self.db.prepare_cached(sql).map_err(NotWritten::Sqlite)?;
        statement.execute(params![self.first, self.details]).map_err(NotWritten::Sqlite)?;
        self.first += self.count;
        self.count = 0;
        self.fingerprints.clear();
        self.details.clear();
        self.rows.clear();
        Ok(())
    }
}

/// Writes each player's games.
pub(super) fn write_players(
    target: &Target<'_>,
    players: Sorted,
    numbers: &Renumber,
) -> Result<(), GameSetError> {
    let failed = GameSetError::io(target.path);
    let all = [players];
    let mut merge = merged(&all, (0, u128::MAX)).map_err(&failed)?;
    let mut old = target.old.map(OldPlayers::open).transpose()?;
    let mut next_old = || old.as_mut().map_or(Ok(None), OldPlayers::next);
    let mut writer = ChainWriter::new(target.db, PLAYERS);
    let (mut next, mut before) = (merge.next().map_err(&failed)?, next_old()?);
    while next.is_some() || before.is_some() {
        let new_name = next.map(|number| (number >> 64) as u64);
        let old_name = before.as_ref().map(|(row, _)| key_of_row(*row));
        let Some(name) = [new_name, old_name].into_iter().flatten().min() else { break };
        let mut games = Vec::new();
        if old_name == Some(name) {
            let (_, bytes) = before.take().unwrap_or_default();
            let is_old = |games: &Vec<u32>| games.iter().all(|game| game >> 1 < target.old_games());
            games = player_games(&bytes).filter(is_old).ok_or_else(|| target.damaged())?;
            before = next_old()?;
        }
        while let Some(number) = next.filter(|number| (number >> 64) as u64 == name) {
            let side = number as u32 & 1;
            let game = numbers.number((number as u64 >> 1) as u32);
            games.extend(game.map(|game| game << 1 | side));
            next = merge.next().map_err(&failed)?;
        }
        if !games.is_empty() {
            let mut bytes = Vec::new();
            push_growing(&mut bytes, &games).ok_or_else(|| target.damaged())?;
            writer.push(row_of(name), bytes).map_err(target.failed())?;
        }
    }
    writer.end().map_err(target.failed())
}

/// The players of the old set.
struct OldPlayers<'o> {
    old: &'o SetInfo,
    db: Connection,
    rows: ChainRows,
}

impl OldPlayers<'_> {
    fn open(old: &SetInfo) -> Result<OldPlayers<'_>, GameSetError> {
        let db = open(&old.path)?;
        let chain = Chain::of(PLAYERS, &About::read(&db, &old.path)?);
        let rows = ChainRows::between(chain, (&db, &old.path), (i64::MIN, i64::MAX))?;
        Ok(OldPlayers { old, db, rows })
    }

    fn next(&mut self) -> Result<Option<(i64, Vec<u8>)>, GameSetError> {
        self.rows.next((&self.db, &self.old.path))
    }
}

/// A player's games: twice their numbers, plus one if the player has Black; `None` if the bytes are
/// invalid.
pub(crate) fn player_games(bytes: &[u8]) -> Option<Vec<u32>> {
    let (mut rest, mut games) = (bytes, Vec::new());
    let count = rest.iter().filter(|byte| **byte < 0x80).count();
    take_growing(&mut rest, u32::try_from(count).ok()?, &mut games)?;
    rest.is_empty().then_some(games)
}
