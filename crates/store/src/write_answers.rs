//! Stores answers.

use rusqlite::{Connection, OptionalExtension, params};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Answer;

use super::answers::{AnswerKey, AnswerRow};
use super::error::StoreError;
use super::memo::{ListedAnswer, NewAnswer, index, listed, now};
use super::open::Store;
use super::profiles::ProfileId;
use super::sources::Giver;
use super::writer::{Write, WriteTicket};

impl Store {
    /// Stores answers, all in one transaction that is durable when this returns. If the memo has
    /// another answer of a rank, that one stays, and this returns `false`: see [`Store::answer`]
    /// for it. Answers of later ranks come behind those of earlier ones.
    ///
    /// An answer is not stored either if its position's list is not that of the moves left out: it
    /// was searched without a move that the list never had, or has lost. Nor is an answer of a
    /// worker that was invalidated.
    ///
    /// # Errors
    ///
    /// [`StoreError::Illegal`] if a move is not legal. None of the answers is stored after an
    /// error, unless the file was replaced.
    pub fn keep(&self, profile: ProfileId, answers: &[NewAnswer]) -> Result<bool, StoreError> {
        self.write(|write| keep(write, profile, answers))
    }

    /// [`Store::keep`] in the writing thread: the ticket returns its result once durable.
    pub fn keep_soon(&self, profile: ProfileId, answers: Vec<NewAnswer>) -> WriteTicket<bool> {
        self.writer.write_soon(&self.patience, move |write| keep(write, profile, &answers))
    }
}

fn keep(write: &Write<'_>, profile: ProfileId, answers: &[NewAnswer]) -> Result<bool, StoreError> {
    let mut all = true;
    for new in answers {
        let uci = new.answer.best;
        let m = uci.to_move(&new.position).map_err(|_| StoreError::Illegal {
            path: write.path.to_owned(),
            epd: epd_of(&new.position),
            uci,
        })?;
        all &= keep_one(write, profile, new, m).map_err(write.named())?;
    }
    Ok(all)
}

/// Stores an answer with this move; true if the memo has it now.
fn keep_one(
    write: &Write<'_>,
    profile: ProfileId,
    new: &NewAnswer,
    m: Move,
) -> rusqlite::Result<bool> {
    let row = AnswerKey {
        profile: profile.0,
        position: write.row_of(&new.position)?,
        rank: Some(index(new.excluded.len())),
    };
    if !is_next(write, row, &new.excluded)? {
        return Ok(false);
    }
    let giver = Giver::of(write, new.worker.as_ref())?;
    let child = write.row_behind(&new.position, m)?;
    if insert_answer(write, row, child, &new.answer, giver)? {
        return Ok(true);
    }
    let kept = ListedAnswer { uci: new.answer.best, score: new.answer.score };
    Ok(kept_answer(write, row)? == Some(kept))
}

/// True if the list of a row's position begins with the moves left out, so that the row comes
/// behind them.
fn is_next(write: &Connection, row: AnswerKey, excluded: &[UciMove]) -> rusqlite::Result<bool> {
    if excluded.is_empty() {
        return Ok(true);
    }
    let sql = "SELECT move FROM search WHERE profile = ?1 AND position = ?2 AND rank < ?3
        ORDER BY rank";
    let mut query = write.prepare_cached(sql)?;
    let moves = query.query_map(params![row.profile, row.position, row.rank], |row| row.get(0))?;
    let moves: Vec<String> = moves.collect::<rusqlite::Result<_>>()?;
    Ok(moves.into_iter().eq(excluded.iter().map(ToString::to_string)))
}

/// Inserts an answer whose move leads to a position; `false` if its rank exists, or its giver is
/// invalidated.
fn insert_answer(
    write: &Connection,
    key: AnswerKey,
    child: i64,
    answer: &Answer,
    giver: Giver,
) -> rusqlite::Result<bool> {
    let Some(source) = giver.column() else { return Ok(false) };
    AnswerRow::of(key, answer, now()).insert(write, child, source)
}

/// The memo's answer at a row's rank, if it is valid.
fn kept_answer(write: &Connection, row: AnswerKey) -> rusqlite::Result<Option<ListedAnswer>> {
    let sql = "SELECT move, cp, mate FROM search
        WHERE profile = ?1 AND position = ?2 AND rank = ?3";
    let mut query = write.prepare_cached(sql)?;
    let kept = query.query_row(params![row.profile, row.position, row.rank], |kept| {
        let uci: String = kept.get(0)?;
        Ok(listed(&uci, kept.get(1)?, kept.get(2)?))
    });
    Ok(kept.optional()?.flatten())
}

impl Write<'_> {
    /// The row of the position behind a move, inserted if missing.
    pub fn row_behind(&self, before: &Chess, m: Move) -> rusqlite::Result<i64> {
        let mut child = before.clone();
        child.play_unchecked(m);
        self.row_of(&child)
    }

    /// Stores where a move leads, so that SQL can follow it without an answer.
    pub fn link(
        &self,
        position: i64,
        before: &Chess,
        m: Move,
        uci: UciMove,
    ) -> rusqlite::Result<()> {
        let sql =
            "INSERT INTO link (position, move, child) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let link = params![position, uci.to_string(), self.row_behind(before, m)?];
        self.prepare_cached(sql)?.execute(link).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::memo::is_as_written;
    use deepanalyze_core::chess::Score;
    use deepanalyze_core::chess::parse_uci;
    use deepanalyze_core::search::{Limit, Profile, WinDrawLoss};

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
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: vec![parse_uci(best).unwrap()],
        };
        let (position, answers) = (Chess::default(), moves.iter().map(answer));
        let answers: Vec<Answer> = answers.collect();
        let listed: Vec<UciMove> = answers.iter().map(|answer| answer.best).collect();
        let rows = answers.into_iter().enumerate();
        let rows = rows.map(|(rank, answer)| NewAnswer {
            position: position.clone(),
            excluded: listed[..rank].to_vec(),
            answer,
            worker: None,
        });
        store.keep(profile, &rows.collect::<Vec<_>>())
    }

    #[test]
    fn one_illegal_answer_refuses_its_whole_batch() {
        let (_folder, mut store, profile) = store();
        let refused = keep(&mut store, profile, &["e2e4", "e2e5"]).unwrap_err().to_string();
        let words = "e2e5 is not legal in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert!(refused.contains(words), "{refused}");
        assert_eq!(store.answer(profile, &Chess::default(), 0).unwrap(), None);
        assert!(store.position(&Chess::default()).is_err(), "its row is not kept either");
        keep(&mut store, profile, &["e2e4"]).unwrap();
        assert!(store.answer(profile, &Chess::default(), 0).unwrap().is_some());
    }

    #[test]
    fn wdl_is_stored_and_optional_in_checksums() {
        let (_folder, mut store, profile) = store();
        keep(&mut store, profile, &["e2e4"]).unwrap();
        let best = parse_uci("d2d4").unwrap();
        let wdl = WinDrawLoss::new(120, 810, 70);
        let (score, time, pv) = (Score::Cp(1), Duration::ZERO, vec![best]);
        let answer = Answer { best, score, wdl, depth: 1, seldepth: 1, nodes: 1, time, pv };
        let excluded = vec![parse_uci("e2e4").unwrap()];
        let new = NewAnswer { position: Chess::default(), excluded, answer, worker: None };
        assert!(store.keep(profile, &[new]).unwrap());
        let kept = |rank| store.kept_search(profile, &Chess::default(), rank).unwrap().unwrap().wdl;
        assert_eq!([kept(0), kept(1)], [None, wdl]);
        // Written and read by an older version.
        let sql = "SELECT profile, position, rank, move, cp, mate, depth, seldepth, nodes, time_ms, pv, created_at,
                (SELECT checksum FROM answer WHERE rank = 0)
            FROM search WHERE rank = 0";
        let as_before = store.db.query_row(sql, [], |row| is_as_written(row, 12)).unwrap();
        assert_eq!(as_before, Some(true));
        let sound = || store.sound_list(profile, &Chess::default()).unwrap().len();
        assert_eq!(sound(), 2);
        store.db.execute_batch("UPDATE answer SET wdl = wdl + 3003 WHERE rank = 1").unwrap();
        assert_eq!(sound(), 1);
    }

    #[test]
    fn nodes_that_cannot_be_are_damage() {
        let (_folder, mut store, profile) = store();
        keep(&mut store, profile, &["e2e4"]).unwrap();
        store.db.execute_batch("UPDATE answer SET nodes = -5").unwrap();
        let error = store.answer(profile, &Chess::default(), 0).unwrap_err();
        assert!(error.is_damage() && error.to_string().ends_with(": -5 nodes"), "{error}");
    }

    #[test]
    fn ranks_fit_behind_the_same_move_of_another_score() {
        let (_folder, mut store, profile) = store();
        keep(&mut store, profile, &["e2e4"]).unwrap();
        store.db.execute_batch("UPDATE answer SET cp = 9").unwrap();
        assert!(!keep(&mut store, profile, &["e2e4", "d2d4"]).unwrap(), "its score is another");
        assert!(store.answer(profile, &Chess::default(), 1).unwrap().is_some());
    }
}
