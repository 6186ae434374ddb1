//! Databases with made-up answers, for the tests of merging.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Score, epd_of, legal_uci, playable};
use deepanalyze_core::search::{Answer, Limit, Profile, WinDrawLoss};

use super::lists::Joined;
use crate::incoming::{Incoming, LeftOutCounts};
use crate::{NewAnswer, Store, StoreError};

/// A folder of databases.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The database of a name, with whole lists of the first positions.
    pub fn database(&self, name: &str, positions: usize) -> Store {
        let mut store = Store::open_for_now(&self.path(name)).unwrap();
        let id = store.profile_id(&profile()).unwrap();
        let all: Vec<NewAnswer> = (0..positions).flat_map(|number| list(number, 3)).collect();
        store.keep(id, &all).unwrap();
        store
    }
}

pub fn profile() -> Profile {
    let (engine, options, limit) = ("Some 1".to_owned(), BTreeMap::new(), Limit::Depth(3));
    Profile { engine, options, limit, kept_hash: None }
}

/// A position of a game seeded by a number.
pub fn position(number: usize) -> Chess {
    let (mut position, mut seed) = (Chess::default(), number);
    for _ in 0..number % 7 {
        let moves = position.legal_moves();
        position.play_unchecked(moves[seed % moves.len()]);
        seed = seed / 3 + 11 * number;
    }
    position
}

/// The answer of a rank in a position: moves in a made-up order, each with a line of some plies.
pub fn answer(position: &Chess, rank: usize) -> Answer {
    let moves = legal_uci(position);
    let best = moves[(moves.len() - 1 + 7 * rank) % moves.len()];
    let mut pv = playable(position, [best]);
    let mut there = position.clone();
    for _ in 0..11 {
        there.play_unchecked(pv.last().unwrap().to_move(&there).unwrap());
        let Some(next) = legal_uci(&there).first().copied() else { break };
        pv.push(next);
    }
    let cp = 40 - 9 * i32::try_from(rank).unwrap();
    let wdl = WinDrawLoss::new(200, 700, 100).filter(|_| rank == 0);
    let (score, time) = (Score::Cp(cp), Duration::from_millis(3));
    Answer { best, score, wdl, depth: 3, seldepth: 5, nodes: 77, time, pv }
}

/// Keeps the first answers of a position.
pub fn keep(store: &mut Store, number: usize, ranks: usize) {
    let id = store.profile_id(&profile()).unwrap();
    store.keep(id, &list(number, ranks)).unwrap();
}

/// The first answers of a position, each once: 7 and the number of moves may have a common divisor.
fn list(number: usize, ranks: usize) -> Vec<NewAnswer> {
    list_of(&position(number), ranks)
}

fn list_of(position: &Chess, ranks: usize) -> Vec<NewAnswer> {
    let (mut excluded, mut list) = (Vec::new(), Vec::new());
    for answer in (0..ranks).map(|rank| answer(position, rank)) {
        if excluded.contains(&answer.best) {
            break;
        }
        let (best, position) = (answer.best, position.clone());
        list.push(NewAnswer { position, excluded: excluded.clone(), answer, worker: None });
        excluded.push(best);
    }
    list
}

/// Merges the answers of a file.
pub fn merge(
    store: &Store,
    file: &Path,
    name: &str,
) -> Result<(Joined, LeftOutCounts), StoreError> {
    let incoming = Incoming::open(file, store.path())?;
    let (source, invalidated) = (store.database_source(name)?, store.invalidated_names()?);
    let id = store.begin_merge(source, None)?;
    let (mut joined, mut left) = (Joined::default(), LeftOutCounts::default());
    for of in incoming.profiles()? {
        let Some(profile) = of.profile.clone() else { continue };
        let mut lists = incoming.lists(&of, &invalidated);
        while let Some(part) = lists.next_part()? {
            joined += store.join_lists_soon(id, source, &profile, part.lists).wait()?;
            left.join(&part.left);
        }
    }
    store.end_merge(id)?;
    Ok((joined, left))
}

/// All answers of a database: position, rank, move, score and line.
pub fn answers(path: &Path) -> HashSet<(String, i64, String, i64, String)> {
    let db = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT epd, rank, move, coalesce(cp, 1000 + mate), pv FROM search
        JOIN position ON position.id = search.position";
    let mut query = db.prepare(sql).unwrap();
    let rows = query
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// The EPD of a position.
pub fn epd(number: usize) -> String {
    epd_of(&position(number))
}
