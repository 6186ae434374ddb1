//! Measurements, not tests: they read what `DEEPANALYZE_GAMES` names, and print. How they are run, and what they
//! gave, is in `docs/measurements/games.txt`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use deepanalyze_core::chess::Games as CoreGames;
use pgn_reader::{Reader, SanPlus, Visitor};
use rusqlite::{Connection, params};
use shakmaty::{Chess, Position};

use crate::block::{BlockReader, BlockWriter, Group};
use crate::build::fetch_apart;
use crate::pgn::{Chunk, Chunks, count_chunk, key_of};
use crate::schema::{Rows, create, key_of_row, open, row_of};
use crate::varint::push_growing;

fn file() -> PathBuf {
    std::env::var_os("DEEPANALYZE_GAMES").expect("DEEPANALYZE_GAMES names a file").into()
}

/// The three readers of games on one core, each playing all moves.
#[test]
#[ignore = "a measurement"]
fn how_many_games_a_second_the_readers_read() {
    let text = std::fs::read(file()).unwrap();
    let told = |name: &str, games: usize, begun: Instant| {
        let rate = games as f64 / begun.elapsed().as_secs_f64();
        println!("{name:<12} {games} games, {rate:.0} a second");
    };
    let begun = Instant::now();
    let mut chunks = Chunks::new(&text[..]);
    let chunks = std::iter::from_fn(|| chunks.next().unwrap());
    let games = chunks.map(|chunk: Chunk| count_chunk(&chunk, 60).unwrap().games.len()).sum();
    told("quick", games, begun);
    let begun = Instant::now();
    let read =
        CoreGames::new(&text[..]).filter(|game| game.as_ref().unwrap().main_line(None).is_ok());
    told("core", read.count(), begun);
    let begun = Instant::now();
    let (mut reader, mut games) = (Reader::new(&text[..]), 0);
    while reader.read_game(&mut Plays).unwrap().is_some() {
        games += 1;
    }
    told("pgn-reader", games, begun);
}

/// Plays the moves, and works out the keys of the positions that are counted.
struct Plays;

impl Visitor for Plays {
    type Tags = ();
    type Movetext = (Chess, u32, u64);
    type Output = u64;

    fn begin_tags(&mut self) -> ControlFlow<u64, ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<u64, (Chess, u32, u64)> {
        ControlFlow::Continue((Chess::default(), 0, 0))
    }

    fn san(
        &mut self,
        (position, ply, keys): &mut (Chess, u32, u64),
        san: SanPlus,
    ) -> ControlFlow<u64> {
        let Ok(played) = san.san.to_move(position) else { return ControlFlow::Break(*keys) };
        if *ply < 60 {
            *keys ^= key_of(position);
        }
        *ply += 1;
        position.play_unchecked(played);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, _, keys): (Chess, u32, u64)) -> u64 {
        keys
    }
}

/// The index of a set in blocks, and as a row for each move, both filled in order without a journal.
#[test]
#[ignore = "a measurement"]
fn what_blocks_and_plain_rows_take() {
    let set = file();
    let folder = tempfile::tempdir_in(set.parent().unwrap()).unwrap();
    for (name, is_blocks) in [("blocks", true), ("plain rows", false)] {
        let path = folder.path().join(name);
        let begun = Instant::now();
        let moves = written(&set, &path, is_blocks);
        let bytes = path.metadata().unwrap().len();
        let each = bytes as f64 / moves as f64;
        println!("{name:<12} {moves} moves, {bytes} bytes, {each:.1} each, {:?}", begun.elapsed());
    }
}

fn written(set: &std::path::Path, path: &std::path::Path, is_blocks: bool) -> u64 {
    let (from, to) = (open(set).unwrap(), Connection::open(path).unwrap());
    create(&to).unwrap();
    to.execute_batch(
        "CREATE TABLE played (position INTEGER, move INTEGER, games INTEGER, white INTEGER, draws INTEGER,
            black INTEGER, rated INTEGER, ratings INTEGER, last_year INTEGER, list BLOB,
            PRIMARY KEY (position, move)) WITHOUT ROWID;
        BEGIN",
    )
    .unwrap();
    let mut rows = Rows::between("position", "first", (i64::MIN, i64::MAX));
    let (mut group, mut apart, mut moves) = (Group::default(), Vec::new(), 0);
    let mut writer = BlockWriter::new(0);
    let block = |block: crate::block::Block| {
        let sql = "INSERT INTO position VALUES (?1, ?2)";
        to.prepare_cached(sql).unwrap().execute(params![row_of(block.first), block.bytes]).unwrap();
    };
    while let Some((first, bytes)) = rows.next(&from).unwrap() {
        let mut reader = BlockReader::new(key_of_row(first), &bytes);
        while let Some(key) = reader.next(&mut group).unwrap() {
            fetch_apart(&from, set, &mut group).unwrap();
            moves += group.moves.len() as u64;
            match is_blocks {
                true => writer.push(key, &group, &mut apart).unwrap().into_iter().for_each(block),
                false => plain_rows(&to, key, &group),
            }
            for row in apart.drain(..) {
                let sql = "INSERT INTO games_apart VALUES (?1, ?2)";
                to.prepare_cached(sql).unwrap().execute(params![row.id, row.bytes]).unwrap();
            }
        }
    }
    writer.finish().into_iter().for_each(block);
    to.execute_batch("COMMIT").unwrap();
    moves
}

fn plain_rows(to: &Connection, key: u64, group: &Group) {
    let sql = "INSERT INTO played VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut insert = to.prepare_cached(sql).unwrap();
    for played in &group.moves {
        let (tally, mut list) = (played.tally, Vec::new());
        push_growing(&mut list, group.games_of(played));
        insert
            .execute(params![
                row_of(key),
                played.bits,
                tally.games,
                tally.white,
                tally.draws,
                tally.black,
                tally.rated,
                tally.ratings,
                tally.last_year,
                list
            ])
            .unwrap();
    }
}
