//! Reading the files: one thread opens and cuts them, the others count the games of the pieces.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::{AddStage, Adding, LeftOut};
use crate::duplicates::{Detail, numbered_game};
use crate::error::{GameSetError, name_of};
use crate::hash::hash_of;
use crate::identity::SetInfo;
use crate::pgn::{BadGame, Chunk, ChunkGames, Chunks, Opened, OtherVariants, count_chunk, opened};
use crate::record::MOST_GAMES;
use crate::sort::{Sorted, Sorter};
use crate::varint;

/// Numbers of 16 bytes kept in memory for moves, by all threads: 384 MiB.
const MOVES_IN_MEMORY: usize = 24 << 20;
/// Numbers for fingerprints, and for players: 32 and 64 MiB.
const GAMES_IN_MEMORY: usize = 2 << 20;
/// Bad games that are named.
const NAMED: usize = 10;

/// Contents of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadSource {
    pub(super) file: String,
    /// The number of its first counted game, and how many are.
    pub(super) first: u32,
    pub(super) counted: u64,
    pub(super) bad: u64,
    pub(super) variants: OtherVariants,
    contradicting: u64,
    pub(super) is_no_pgn: bool,
    /// All games, counted or not.
    found: u64,
}

/// Games read.
#[derive(Debug)]
pub(super) struct ReadGames {
    pub(super) sources: Vec<ReadSource>,
    first_bad: Vec<BadGame>,
    /// Moves of games, as [`Record`](crate::record::Record)s.
    pub(super) moves: Vec<Sorted>,
    /// Fingerprint, detail and number of each game.
    pub(super) fingerprints: Sorter,
    /// Player and number of each game: twice the number for White, plus one for Black.
    pub(super) players: Sorted,
    /// The rows of the games.
    pub(super) rows: PathBuf,
}

impl ReadGames {
    /// The games not counted; duplicates are not yet known.
    pub(super) fn left_out(&self) -> LeftOut {
        let sum = |of: fn(&ReadSource) -> u64| self.sources.iter().map(of).sum();
        let mut variants = OtherVariants::default();
        self.sources.iter().for_each(|source| variants.add_all(&source.variants));
        LeftOut {
            duplicates: 0,
            variants,
            bad: sum(|source| source.bad),
            first_bad: self.first_bad.clone(),
            contradicting: sum(|source| source.contradicting),
        }
    }

    /// The numbers of the files' first games, growing.
    pub(super) fn first_games(&self) -> Vec<u32> {
        let with_games = self.sources.iter().filter(|source| source.counted > 0);
        with_games.map(|source| source.first).collect()
    }
}

/// Reads all files.
pub(super) fn read_all(
    files: &[PathBuf],
    max_ply: u32,
    old: Option<&SetInfo>,
    work: &Path,
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<ReadGames, GameSetError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failed = GameSetError::io(work);
    let in_order = InOrder::new(files, old, work).map_err(&failed)?;
    let (sender, receiver) = bounded(2 * threads);
    let count = |thread: usize, receiver: Receiver<Chunk>| {
        let path = work.join(format!("moves-{thread}"));
        let sorter = Sorter::new(path, MOVES_IN_MEMORY / threads);
        let counted = count_all(&receiver, &in_order, max_ply, sorter);
        // Otherwise the next piece would wait for this one for ever.
        counted.inspect_err(|_| in_order.fail())
    };
    let (sent, counted) = std::thread::scope(|scope| {
        let count = &count;
        let spawn = |thread| {
            let receiver = receiver.clone();
            scope.spawn(move || count(thread, receiver))
        };
        let counting: Vec<_> = (0..threads).map(spawn).collect();
        drop(receiver);
        let sent = send_all(files, &sender, &in_order, tell);
        drop(sender);
        // Pieces left over are not counted then.
        let sent = sent.inspect_err(|_| in_order.fail());
        let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        (sent, counting.into_iter().map(ended).collect::<Vec<_>>())
    });
    let counted = counted.into_iter().filter_map(Result::transpose);
    let moves = counted.collect::<Result<Vec<Sorted>, GameSetError>>();
    sent?;
    in_order.end(moves?, work).map_err(failed)
}

/// Cuts the files into pieces to be counted.
fn send_all(
    files: &[PathBuf],
    sender: &Sender<Chunk>,
    in_order: &InOrder,
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<(), GameSetError> {
    let length = |path: &PathBuf| {
        path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
    };
    let all: Option<u64> = files.iter().map(length).sum();
    let (mut number, mut before) = (0, 0);
    for (file, path) in files.iter().enumerate() {
        let Opened { text, read, length, is_compressed } =
            opened(path).map_err(GameSetError::io(path))?;
        let mut chunks = Chunks::new(text);
        loop {
            let chunk = chunks.next().map_err(|source| not_read(path, source, is_compressed))?;
            let Some(chunk) = chunk else { break };
            if sender.send(Chunk { number, file, ..chunk }).is_err() {
                // The counters say why.
                return Ok(());
            }
            number += 1;
            let done = before + read.load(Ordering::Relaxed);
            let games = in_order.games.load(Ordering::Relaxed);
            if !tell(&Adding { stage: AddStage::Reading, done, all, games }) {
                return Err(GameSetError::Interrupted);
            }
        }
        before += length.unwrap_or_default();
    }
    Ok(())
}

fn not_read(path: &Path, source: io::Error, is_compressed: bool) -> GameSetError {
    // Bytes without any game were read as text.
    if is_compressed && !source.to_string().starts_with("there is no beginning") {
        GameSetError::Cut { path: path.to_owned(), source }
    } else {
        GameSetError::io(path)(source)
    }
}

/// Counts games of pieces until none is left; `None` if another thread has failed.
fn count_all(
    chunks: &Receiver<Chunk>,
    in_order: &InOrder,
    max_ply: u32,
    mut sorter: Sorter,
) -> Result<Option<Sorted>, GameSetError> {
    for chunk in chunks {
        let path = in_order.files.get(chunk.file).map_or(Path::new(""), PathBuf::as_path);
        let games = count_chunk(&chunk, max_ply).map_err(GameSetError::io(path))?;
        let Some(before) = in_order.take(&chunk, &games)? else { return Ok(None) };
        let numbers = games.records.iter().map(|record| record.after(before).0);
        sorter.push(numbers).map_err(GameSetError::io(&in_order.work))?;
    }
    if in_order.has_failed() {
        Ok(None)
    } else {
        sorter.sorted().map(Some).map_err(GameSetError::io(&in_order.work))
    }
}

/// Takes the pieces' counts in the order of the files, so that games are numbered as there.
struct InOrder {
    files: Vec<PathBuf>,
    work: PathBuf,
    games: Arc<AtomicU64>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Number of the next piece.
    turn: u64,
    has_failed: bool,
    /// The number of the next game.
    next: u32,
    sources: Vec<ReadSource>,
    first_bad: Vec<BadGame>,
    rows: BufWriter<File>,
    fingerprints: Sorter,
    players: Sorter,
}

impl InOrder {
    fn new(files: &[PathBuf], old: Option<&SetInfo>, work: &Path) -> io::Result<InOrder> {
        let next = old.map_or(0, |old| u32::try_from(old.games).unwrap_or(MOST_GAMES));
        let source = |path: &PathBuf| ReadSource { file: file_name(path), ..ReadSource::default() };
        let rows = File::options().write(true).create_new(true).open(work.join("rows"))?;
        let state = State {
            turn: 0,
            has_failed: false,
            next,
            sources: files.iter().map(source).collect(),
            first_bad: Vec::new(),
            rows: BufWriter::with_capacity(1 << 20, rows),
            fingerprints: Sorter::new(work.join("fingerprints"), GAMES_IN_MEMORY),
            players: Sorter::new(work.join("players"), 2 * GAMES_IN_MEMORY),
        };
        let (state, changed, games) = (Mutex::new(state), Condvar::new(), Arc::default());
        Ok(InOrder { files: files.to_vec(), work: work.to_owned(), games, state, changed })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    fn fail(&self) {
        self.lock().has_failed = true;
        self.changed.notify_all();
    }

    /// Takes a piece's games when it is their turn; returns the number of the first. `None` if
    /// another thread has failed.
    fn take(&self, chunk: &Chunk, games: &ChunkGames) -> Result<Option<u32>, GameSetError> {
        let is_waiting = |state: &mut State| !state.has_failed && state.turn < chunk.number;
        let state = self.changed.wait_while(self.lock(), is_waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.has_failed {
            return Ok(None);
        }
        let before = state.next;
        state.take(chunk, games).map_err(GameSetError::io(&self.work))?;
        if state.next > MOST_GAMES {
            return Err(GameSetError::TooMany);
        }
        state.turn += 1;
        drop(state);
        self.changed.notify_all();
        self.games.fetch_add(games.games.len() as u64, Ordering::Relaxed);
        Ok(Some(before))
    }

    fn end(self, moves: Vec<Sorted>, work: &Path) -> io::Result<ReadGames> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.rows.flush()?;
        Ok(ReadGames {
            sources: state.sources,
            first_bad: state.first_bad,
            moves,
            fingerprints: state.fingerprints,
            players: state.players.sorted()?,
            rows: work.join("rows"),
        })
    }
}

impl State {
    fn take(&mut self, chunk: &Chunk, games: &ChunkGames) -> io::Result<()> {
        let first = self.next;
        let numbered = || (first..).zip(&games.games);
        let fingerprints = numbered()
            .map(|(game, (fingerprint, detail, _))| numbered_game(*fingerprint, *detail, game));
        self.fingerprints.push(fingerprints)?;
        // Unnamed players have no games.
        let unnamed = hash_of("");
        let player = |(game, (_, _, players)): (u32, &(u64, Detail, [u64; 2]))| {
            let named = (0..).zip(*players).filter(|(_, name)| *name != unnamed);
            named.map(move |(side, name)| {
                u128::from(name) << 64 | u128::from(u64::from(game) << 1 | side)
            })
        };
        self.players.push(numbered().flat_map(player))?;
        self.push_rows(games)?;
        self.take_source(chunk, games);
        self.next = self.next.saturating_add(games.games.len() as u32);
        Ok(())
    }

    /// Rows and fingerprints, to be read again once duplicates are known.
    fn push_rows(&mut self, games: &ChunkGames) -> io::Result<()> {
        let mut head = Vec::new();
        varint::push(&mut head, games.games.len() as u64);
        varint::push(&mut head, games.rows.len() as u64);
        let mut padded = [0; 20];
        for (to, from) in padded.iter_mut().zip(&head) {
            *to = *from;
        }
        self.rows.write_all(&padded)?;
        for (fingerprint, detail, _) in &games.games {
            self.rows.write_all(&fingerprint.to_le_bytes())?;
            self.rows.write_all(&detail.bytes())?;
        }
        self.rows.write_all(&games.rows)
    }

    fn take_source(&mut self, chunk: &Chunk, games: &ChunkGames) {
        let Some(source) = self.sources.get_mut(chunk.file) else { return };
        for bad in games.bad.iter().take(NAMED.saturating_sub(self.first_bad.len())) {
            self.first_bad.push(BadGame {
                file: source.file.clone(),
                number: source.found + bad.number + 1,
                line: bad.line,
                players: bad.players.clone(),
                what: bad.what.clone(),
            });
        }
        if source.counted == 0 {
            source.first = self.next;
        }
        source.found += games.found;
        source.counted += games.games.len() as u64;
        source.bad += games.bad.len() as u64;
        source.variants.add_all(&games.variants);
        source.contradicting += games.contradicting;
        source.is_no_pgn |= games.is_no_pgn;
    }
}

/// A file's name without its folders.
fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.filter(|_| path.as_os_str() != "-").unwrap_or_else(|| name_of(path))
}
