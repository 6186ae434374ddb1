//! Merges new games into the index: the keys' range is cut into parts, each merged on a core of its
//! own.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rusqlite::{Connection, OptionalExtension, params};

use super::write::Target;
use super::{AddStage, Adding};
use crate::block::{Block, BlockReader, BlockWriter, Damaged, Games, GamesApart, Group, Played};
use crate::chain::{Chain, ChainRows, ChainWriter, POSITIONS};
use crate::duplicates::Renumber;
use crate::error::GameSetError;
use crate::hash::{seal, unsealed};
use crate::identity::{About, SetInfo};
use crate::record::{Record, is_return};
use crate::schema::{key_of_row, open, row_of};
use crate::sort::{Merge, Sorted, merged};
use crate::varint::take_growing;

/// Number of parts of the keys' range, by the first bits.
const PARTS: u64 = 1 << PART_BITS;
const PART_BITS: u32 = 6;
/// Blocks that may wait to be written, for each part: 4 MiB.
const WAITING: usize = 1024;

/// Blocks between two questions whether to go on.
const BETWEEN: u64 = 256;

/// Totals of the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct IndexTotals {
    pub(super) positions: u64,
    pub(super) moves: u64,
}

enum Merged {
    Block(Block),
    Apart(GamesApart),
    End(IndexTotals),
}

/// Merges all parts, and writes them in their order.
pub(super) fn write_positions(
    target: &Target<'_>,
    moves: &[Sorted],
    numbers: &Renumber,
    games: u64,
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<IndexTotals, GameSetError> {
    let merging = Merging { path: target.path, old: target.old, moves, numbers };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..PARTS).map(|_| sync_channel(WAITING)).unzip();
    let senders: Vec<_> = senders.into_iter().map(|sender| Mutex::new(Some(sender))).collect();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let work = || {
            let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|part| *part < PARTS);
            while let Some(part) = take() {
                let sender = senders.get(part as usize);
                let sender = sender.and_then(|sender| sender.lock().ok()?.take());
                sender.map_or(Ok(()), |sender| merging.part(part, &sender))?;
            }
            Ok(())
        };
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut tell = |done| {
            let stage = AddStage::Merging;
            tell(&Adding { stage, done, all: Some(PARTS), games })
        };
        let written = write_parts(target, receivers, &mut tell);
        let ended = |thread: std::thread::ScopedJoinHandle<'_, Result<(), GameSetError>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        // A part that has failed ends early: its thread has the error.
        working.into_iter().map(ended).collect::<Result<Vec<()>, GameSetError>>()?;
        written
    })
}

/// Writes the results of all parts. If it ends early, the mergers end when they send.
fn write_parts(
    target: &Target<'_>,
    receivers: Vec<Receiver<Merged>>,
    tell: &mut dyn FnMut(u64) -> bool,
) -> Result<IndexTotals, GameSetError> {
    let mut totals = IndexTotals::default();
    let mut blocks = ChainWriter::new(target.db, POSITIONS);
    for (done, receiver) in (1..).zip(receivers) {
        let mut go_on = |done| if tell(done) { Ok(()) } else { Err(GameSetError::Interrupted) };
        let part = write_part(target, receiver, &mut blocks, &mut || go_on(done - 1))?;
        totals.positions += part.positions;
        totals.moves += part.moves;
        go_on(done)?;
    }
    blocks.end().map_err(target.failed())?;
    Ok(totals)
}

/// Writes a part; an error if it is incomplete or interrupted.
fn write_part(
    target: &Target<'_>,
    receiver: Receiver<Merged>,
    blocks: &mut ChainWriter<'_>,
    go_on: &mut dyn FnMut() -> Result<(), GameSetError>,
) -> Result<IndexTotals, GameSetError> {
    let failed = target.failed();
    let apart = "INSERT INTO games_apart (id, data) VALUES (?1, ?2)";
    let mut insert_apart = target.db.prepare_cached(apart).map_err(&failed)?;
    for (number, merged) in (1_u64..).zip(receiver) {
        if number.is_multiple_of(BETWEEN) {
            go_on()?;
        }
        match merged {
            Merged::Block(Block { first, bytes }) => blocks.push(row_of(first), bytes),
            Merged::Apart(GamesApart { id, mut bytes }) => {
                seal(id, &[], &mut bytes);
                insert_apart.execute(params![id, bytes]).map(drop)
            }
            Merged::End(part) => return Ok(part),
        }
        .map_err(&failed)?;
    }
    Err(GameSetError::Damaged(target.path.to_owned()))
}

/// The input.
struct Merging<'m> {
    path: &'m Path,
    old: Option<&'m SetInfo>,
    moves: &'m [Sorted],
    numbers: &'m Renumber,
}

impl Merging<'_> {
    /// Merges the positions whose keys begin with the bits of a part.
    fn part(&self, part: u64, sender: &SyncSender<Merged>) -> Result<(), GameSetError> {
        let least = part << (u64::BITS - PART_BITS);
        let greatest = least | u64::MAX >> PART_BITS;
        let bounds = (u128::from(least) << 64, u128::from(greatest) << 64 | u128::from(u64::MAX));
        let failed = GameSetError::io(self.path);
        let merge = merged(self.moves, bounds).map_err(&failed)?;
        let new = NewPositions::new(merge, self.numbers).map_err(&failed)?;
        let old = self.old.map(|old| OldPositions::open(old, least, greatest)).transpose()?;
        let writer = BlockWriter::new((part << 40).cast_signed());
        let out = Out { writer, totals: IndexTotals::default(), sender };
        self.join_all(new, old, out)
    }

    /// The error for invalid data: only an old set can have that.
    fn damaged(&self) -> GameSetError {
        GameSetError::Damaged(self.old.map_or(self.path, |old| &old.path).to_owned())
    }

    /// Writes the positions of both in the order of their keys.
    fn join_all(
        &self,
        mut new: NewPositions<'_>,
        mut old: Option<OldPositions<'_>>,
        mut out: Out<'_>,
    ) -> Result<(), GameSetError> {
        let failed = GameSetError::io(self.path);
        let mut next_old = |group: &mut Group| old.as_mut().map_or(Ok(None), |old| old.next(group));
        let (mut of_new, mut of_old, mut both) =
            (Group::default(), Group::default(), Group::default());
        let mut new_key = new.next(&mut of_new).map_err(&failed)?;
        let mut old_key = next_old(&mut of_old)?;
        while let Some(key) = [new_key, old_key].into_iter().flatten().min() {
            let (is_new, is_old) = (new_key == Some(key), old_key == Some(key));
            let group = match (is_new, is_old) {
                (true, true) => {
                    join(&of_old, &of_new, &mut both);
                    &both
                }
                (true, false) => &of_new,
                (false, _) => &of_old,
            };
            let is_heard = out.push(key, group);
            if !is_heard.map_err(|Damaged| self.damaged())? {
                // The writer has failed, and says why.
                return Ok(());
            }
            if is_new {
                new_key = new.next(&mut of_new).map_err(&failed)?;
            }
            if is_old {
                old_key = next_old(&mut of_old)?;
            }
        }
        out.end();
        Ok(())
    }
}

/// Joins moves of one position: the new games come behind the old ones.
fn join(old: &Group, new: &Group, both: &mut Group) {
    both.clear();
    let (mut old_moves, mut new_moves) = (old.moves.iter().peekable(), new.moves.iter().peekable());
    loop {
        let next = [old_moves.peek(), new_moves.peek()]
            .into_iter()
            .flatten()
            .map(|played| played.bits)
            .min();
        let Some(bits) = next else { return };
        if let Some(played) = old_moves.next_if(|played| played.bits == bits) {
            both.append(bits, &played.tally, old.games_of(played));
        }
        if let Some(played) = new_moves.next_if(|played| played.bits == bits) {
            both.append(bits, &played.tally, new.games_of(played));
        }
    }
}

/// Output of a part.
struct Out<'s> {
    writer: BlockWriter,
    totals: IndexTotals,
    sender: &'s SyncSender<Merged>,
}

impl Out<'_> {
    /// False if not received.
    fn push(&mut self, key: u64, group: &Group) -> Result<bool, Damaged> {
        let mut apart = Vec::new();
        let block = self.writer.push(key, group, &mut apart)?;
        self.totals.positions += 1;
        let is_move = |played: &&Played| !is_return(played.bits);
        self.totals.moves += group.moves.iter().filter(is_move).count() as u64;
        let all = block.map(Merged::Block).into_iter().chain(apart.into_iter().map(Merged::Apart));
        Ok(all.into_iter().all(|merged| self.sender.send(merged).is_ok()))
    }

    fn end(self) {
        let last = self.writer.finish().map(Merged::Block);
        let all = last.into_iter().chain([Merged::End(self.totals)]);
        all.into_iter().all(|merged| self.sender.send(merged).is_ok());
    }
}

/// The positions of the new games.
struct NewPositions<'n> {
    merge: Merge<'n>,
    next: Option<Record>,
    numbers: &'n Renumber,
}

impl<'n> NewPositions<'n> {
    fn new(mut merge: Merge<'n>, numbers: &'n Renumber) -> std::io::Result<NewPositions<'n>> {
        let next = merge.next()?.map(Record);
        Ok(NewPositions { merge, next, numbers })
    }

    /// The moves of the next position that has a game which stays.
    fn next(&mut self, group: &mut Group) -> std::io::Result<Option<u64>> {
        group.clear();
        while let Some(first) = self.next {
            while let Some(record) = self.next.filter(|record| record.key() == first.key()) {
                if let Some(game) = self.numbers.number(record.game()) {
                    let bits = record.played();
                    if group.moves.last().is_none_or(|last| last.bits != bits) {
                        group.begin(bits);
                    }
                    group.push(game, record.facts());
                }
                self.next = self.merge.next()?.map(Record);
            }
            if !group.moves.is_empty() {
                return Ok(Some(first.key()));
            }
        }
        Ok(None)
    }
}

/// The positions of the old set.
struct OldPositions<'o> {
    old: &'o SetInfo,
    db: Connection,
    rows: ChainRows,
    block: Vec<u8>,
    /// The last key read in the block, and the number of unread bytes.
    left: (u64, usize),
}

impl OldPositions<'_> {
    fn open(old: &SetInfo, least: u64, greatest: u64) -> Result<OldPositions<'_>, GameSetError> {
        let db = open(&old.path)?;
        let chain = Chain::of(POSITIONS, &About::read(&db, &old.path)?);
        let bounds = (row_of(least), row_of(greatest));
        let rows = ChainRows::between(chain, (&db, &old.path), bounds)?;
        Ok(OldPositions { old, db, rows, block: Vec::new(), left: (0, 0) })
    }

    fn next(&mut self, group: &mut Group) -> Result<Option<u64>, GameSetError> {
        let damaged = || GameSetError::Damaged(self.old.path.clone());
        if self.left.1 == 0 {
            let next = self.rows.next((&self.db, &self.old.path))?;
            let Some((first, block)) = next else { return Ok(None) };
            self.left = (key_of_row(first), block.len());
            self.block = block;
        }
        let rest = self.block.len() - self.left.1;
        let mut reader = BlockReader::new(self.left.0, self.block.get(rest..).unwrap_or_default());
        let key = reader.next(group).map_err(|_| damaged())?;
        self.left = reader.left();
        fetch_apart(&self.db, &self.old.path, group)?;
        // New games are numbered from there.
        if group.games.iter().all(|game| u64::from(*game) < self.old.games) {
            Ok(key)
        } else {
            Err(damaged())
        }
    }
}

/// Fetches the games of a position that are in rows of their own.
pub(crate) fn fetch_apart(
    db: &Connection,
    path: &Path,
    group: &mut Group,
) -> Result<(), GameSetError> {
    let Group { moves, games } = group;
    for played in moves {
        let Games::Apart(id) = played.games else { continue };
        let sql = "SELECT data FROM games_apart WHERE id = ?1";
        let failed = GameSetError::sqlite(path);
        let mut statement = db.prepare_cached(sql).map_err(&failed)?;
        let bytes = statement.query_row([id], |row| row.get::<_, Vec<u8>>(0)).optional();
        let bytes = bytes.map_err(&failed)?.unwrap_or_default();
        played.games = Games::Here(games.len());
        unsealed(id, &[], &bytes)
            .and_then(|mut bytes| take_growing(&mut bytes, played.tally.games, games))
            .ok_or_else(|| GameSetError::Damaged(path.to_owned()))?;
    }
    Ok(())
}
