//! The facts: positions and the answers of engines.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{OptionalExtension, Transaction, named_params, params};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};

use crate::chess::{Ending, Score, epd_of, parse_uci};
use crate::engine::Answer;

use super::error::StoreError;
use super::open::Store;
use super::profiles::ProfileId;

/// An answer as the memo has it: a move and the engine's score for its mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedAnswer {
    /// The move.
    pub uci: UciMove,
    /// The score, as the engine gave it.
    pub score: Score,
}

/// An answer and its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedAnswer {
    /// The answer.
    pub answer: ListedAnswer,
    /// Engine nodes of the search.
    pub nodes: u64,
}

/// An answer to keep.
#[derive(Debug, Clone, Copy)]
pub struct NewAnswer<'a> {
    /// The searched position.
    pub position: &'a Chess,
    /// How many answers the position had before.
    pub rank: usize,
    /// What the engine said.
    pub answer: &'a Answer,
}

impl Store {
    /// The answer of a rank, if the memo has it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or the row is damaged.
    pub fn answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<ListedAnswer>, StoreError> {
        Ok(self.priced_answer(profile, position, rank)?.map(|priced| priced.answer))
    }

    /// The same with the nodes that were spent on it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or the row is damaged.
    pub fn priced_answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<PricedAnswer>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT move, cp, mate, nodes
            FROM search JOIN position ON position.id = search.position
            WHERE profile = ?1 AND epd = ?2 AND rank = ?3";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let epd = epd_of(position);
        let row = query.query_row(params![profile.0, epd, index(rank)], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        });
        let row: Option<(String, Option<i32>, Option<i32>, i64)> =
            row.optional().map_err(&named)?;
        row.map(|(uci, cp, mate, nodes)| {
            let answer = listed(&uci, cp, mate)
                .ok_or_else(|| self.damaged(format!("the answer of rank {rank} in {epd}")))?;
            let nodes = u64::try_from(nodes).map_err(|_| {
                self.damaged(format!("the answer of rank {rank} in {epd}: {nodes} nodes"))
            })?;
            Ok(PricedAnswer { answer, nodes })
        })
        .transpose()
    }

    /// Keeps answers, all in one transaction that is durable when this returns. Where the memo has another
    /// answer of a rank already, that one stays, and this returns `false`: ask [`Store::answer`] what was
    /// kept. Answers of later ranks come behind those of earlier ones.
    ///
    /// An answer whose position has another move at an earlier rank is not kept either: it was searched
    /// without a move that the list does not have.
    ///
    /// # Errors
    ///
    /// [`StoreError::Illegal`] where a move is not legal. None of the answers is kept after an error, except
    /// where the file was replaced.
    pub fn keep(
        &mut self,
        profile: ProfileId,
        answers: &[NewAnswer<'_>],
    ) -> Result<bool, StoreError> {
        let path = self.path.clone();
        let named = StoreError::sqlite(&path);
        let write = self.write()?;
        let mut all = true;
        let mut overtaken = HashSet::new();
        for new in answers {
            let uci = new.answer.best;
            let m = uci.to_move(new.position).map_err(|_| StoreError::Illegal {
                path: path.clone(),
                epd: epd_of(new.position),
                uci,
            })?;
            let position = position_id(&write, new.position).map_err(&named)?;
            if overtaken.contains(&position) {
                continue;
            }
            let row = new.row(profile, position);
            if insert_answer(&write, &row).map_err(&named)? {
                insert_link(&write, &row, new.position, m).map_err(&named)?;
                continue;
            }
            let there = kept_answer(&write, &row).map_err(&named)?;
            all &= there == Some(ListedAnswer { uci, score: new.answer.score });
            if there.is_none_or(|there| there.uci != uci) {
                overtaken.insert(position);
            }
        }
        write.commit().map_err(&named)?;
        self.still_there()?;
        Ok(all)
    }
}

impl NewAnswer<'_> {
    fn row(&self, profile: ProfileId, position: i64) -> SearchRow {
        let answer = self.answer;
        let (cp, mate) = match answer.score {
            Score::Cp(cp) => (Some(i64::from(cp)), None),
            Score::Mate(mate) => (None, Some(i64::from(mate))),
        };
        SearchRow {
            profile: profile.0,
            position,
            rank: index(self.rank),
            uci: answer.best.to_string(),
            cp,
            mate,
            depth: i64::from(answer.depth),
            seldepth: i64::from(answer.seldepth),
            nodes: i64::try_from(answer.nodes).unwrap_or(i64::MAX),
            time_ms: i64::try_from(answer.time.as_millis()).unwrap_or(i64::MAX),
            pv: answer.pv.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            created_at: now(),
        }
    }
}

/// Inserts a row; `false` where there is one of its rank.
fn insert_answer(write: &Transaction<'_>, row: &SearchRow) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO search (profile, position, rank, move, cp, mate, depth, seldepth,
            nodes, time_ms, pv, created_at, checksum)
        VALUES (:profile, :position, :rank, :move, :cp, :mate, :depth, :seldepth, :nodes,
            :time_ms, :pv, :created_at, :checksum)
        ON CONFLICT DO NOTHING";
    let inserted = write.prepare_cached(sql)?.execute(named_params! {
        ":profile": row.profile, ":position": row.position, ":rank": row.rank, ":move": row.uci,
        ":cp": row.cp, ":mate": row.mate, ":depth": row.depth, ":seldepth": row.seldepth,
        ":nodes": row.nodes, ":time_ms": row.time_ms, ":pv": row.pv,
        ":created_at": row.created_at, ":checksum": row.checksum(),
    })?;
    Ok(inserted > 0)
}

/// What the memo has of a row's rank; nothing where that is no answer.
fn kept_answer(write: &Transaction<'_>, row: &SearchRow) -> rusqlite::Result<Option<ListedAnswer>> {
    let sql = "SELECT move, cp, mate FROM search
        WHERE profile = ?1 AND position = ?2 AND rank = ?3";
    let mut query = write.prepare_cached(sql)?;
    query.query_row(params![row.profile, row.position, row.rank], |kept| {
        let uci: String = kept.get(0)?;
        Ok(listed(&uci, kept.get(1)?, kept.get(2)?))
    })
}

/// Notes where a move leads.
fn insert_link(
    write: &Transaction<'_>,
    row: &SearchRow,
    position: &Chess,
    m: Move,
) -> rusqlite::Result<()> {
    let mut child = position.clone();
    child.play_unchecked(m);
    let child = position_id(write, &child)?;
    let sql = "INSERT INTO link (position, move, child) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    write.prepare_cached(sql)?.execute(params![row.position, row.uci, child]).map(drop)
}

/// The row of a position, a new one where there is none.
pub(super) fn position_id(write: &rusqlite::Connection, position: &Chess) -> rusqlite::Result<i64> {
    let epd = epd_of(position);
    let select = "SELECT id FROM position WHERE epd = ?1";
    let found = write.prepare_cached(select)?.query_row([&epd], |row| row.get(0)).optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    let insert = "INSERT INTO position (epd, ending) VALUES (?1, ?2)";
    let ending = Ending::of(position).map(Ending::name);
    write.prepare_cached(insert)?.insert(params![epd, ending])
}

/// A row of `search`, without its checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchRow {
    pub profile: i64,
    pub position: i64,
    pub rank: i64,
    pub uci: String,
    pub cp: Option<i64>,
    pub mate: Option<i64>,
    pub depth: i64,
    pub seldepth: i64,
    pub nodes: i64,
    pub time_ms: i64,
    pub pv: String,
    pub created_at: i64,
}

impl SearchRow {
    /// The columns of `search` in the order of [`SearchRow::read`].
    pub const COLUMNS: &str = "search.profile, search.position, search.rank, search.move,
        search.cp, search.mate, search.depth, search.seldepth, search.nodes, search.time_ms,
        search.pv, search.created_at";

    /// Reads the columns of [`SearchRow::COLUMNS`] from the start of a row.
    pub fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<SearchRow> {
        Ok(SearchRow {
            profile: row.get(0)?,
            position: row.get(1)?,
            rank: row.get(2)?,
            uci: row.get(3)?,
            cp: row.get(4)?,
            mate: row.get(5)?,
            depth: row.get(6)?,
            seldepth: row.get(7)?,
            nodes: row.get(8)?,
            time_ms: row.get(9)?,
            pv: row.get(10)?,
            created_at: row.get(11)?,
        })
    }

    /// CRC-32 of all columns, as text between bars.
    pub fn checksum(&self) -> i64 {
        let optional = |n: Option<i64>| n.map_or_else(String::new, |n| n.to_string());
        let text = format!(
            "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
            self.profile,
            self.position,
            self.rank,
            self.uci,
            optional(self.cp),
            optional(self.mate),
            self.depth,
            self.seldepth,
            self.nodes,
            self.time_ms,
            self.pv,
            self.created_at,
        );
        i64::from(crc32fast::hash(text.as_bytes()))
    }
}

/// A move and score from their columns.
pub(super) fn listed(uci: &str, cp: Option<i32>, mate: Option<i32>) -> Option<ListedAnswer> {
    let score = match (cp, mate) {
        (Some(cp), None) => Score::Cp(cp),
        (None, Some(mate)) => Score::Mate(mate),
        _ => return None,
    };
    Some(ListedAnswer { uci: parse_uci(uci)?, score })
}

/// A count as SQLite has it.
pub(super) fn index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::engine::{Limit, Profile};

    fn store() -> (tempfile::TempDir, Store, ProfileId) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        (folder, store, profile)
    }

    fn keep(store: &mut Store, profile: ProfileId, moves: &[&str]) -> Result<bool, StoreError> {
        let answer = |best: &&str| Answer {
            best: parse_uci(best).unwrap(),
            score: Score::Cp(1),
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: vec![parse_uci(best).unwrap()],
        };
        let (position, answers) = (Chess::default(), moves.iter().map(answer));
        let answers: Vec<Answer> = answers.collect();
        let rows = answers.iter().enumerate();
        let rows = rows.map(|(rank, answer)| NewAnswer { position: &position, rank, answer });
        store.keep(profile, &rows.collect::<Vec<_>>())
    }

    #[test]
    fn an_illegal_answer_is_refused_by_name_with_all_that_was_to_be_kept_beside_it() {
        let (_folder, mut store, profile) = store();
        let refused = keep(&mut store, profile, &["e2e4", "e2e5"]).unwrap_err().to_string();
        let words = "e2e5 is not legal in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert!(refused.contains(words), "{refused}");
        assert_eq!(store.answer(profile, &Chess::default(), 0).unwrap(), None);
    }

    #[test]
    fn nodes_that_cannot_be_are_damage() {
        let (_folder, mut store, profile) = store();
        keep(&mut store, profile, &["e2e4"]).unwrap();
        store.db.execute_batch("UPDATE search SET nodes = -5").unwrap();
        let error = store.answer(profile, &Chess::default(), 0).unwrap_err();
        assert!(error.is_damage() && error.to_string().ends_with(": -5 nodes"), "{error}");
    }

    #[test]
    fn behind_the_same_move_with_another_score_a_rank_is_right() {
        let (_folder, mut store, profile) = store();
        keep(&mut store, profile, &["e2e4"]).unwrap();
        store.db.execute_batch("UPDATE search SET cp = 9").unwrap();
        assert!(!keep(&mut store, profile, &["e2e4", "d2d4"]).unwrap(), "its score is another");
        assert!(store.answer(profile, &Chess::default(), 1).unwrap().is_some());
    }
}
