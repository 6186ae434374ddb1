//! Engines' answers on one move alone, from rechecks. They are in no list.

use rusqlite::{Row, params};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Value, epd_of, parse_fen};
use deepanalyze_core::search::{Answer, WorkerId};
use deepanalyze_core::tree::Errors;

use super::analyses::AnalysisId;
use super::answers::{AnswerKey, AnswerRow, MOVE_ANSWERS};
use super::check_lists::answer_flaw;
use super::check_rows::{PartOfRows, read_link_flaw};
use super::error::StoreError;
use super::memo::{ListedAnswer, PricedAnswer, listed, now};
use super::open::Store;
use super::packing::read_epd;
use super::profiles::ProfileId;
use super::sources::Giver;
use super::writer::Write;

/// An engine's answer on a move, with all others of its position left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMoveAnswer {
    /// The position.
    pub position: Chess,
    /// The answer; its best move is that move.
    pub answer: Answer,
    /// The worker that made the search; `None` for this computer's engines.
    pub worker: Option<WorkerId>,
}

impl Store {
    /// Stores answers on single moves, all in one transaction that is durable when this returns. An
    /// existing answer of a move stays; answers of invalidated workers are not stored.
    ///
    /// # Errors
    ///
    /// [`StoreError::Illegal`] if a move is not legal. Nothing is stored after an error.
    pub fn keep_moves(
        &self,
        profile: ProfileId,
        answers: &[NewMoveAnswer],
    ) -> Result<(), StoreError> {
        self.write(|write| answers.iter().try_for_each(|new| keep_move(write, profile, new)))
    }

    /// A profile's answer on a single move, and its engine nodes; `None` if not searched.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or the row is damaged.
    pub fn move_answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        uci: UciMove,
    ) -> Result<Option<PricedAnswer>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(None) };
        let sql = "SELECT cp, mate, nodes FROM move_answer
            WHERE profile = ?1 AND position = ?2 AND move = ?3";
        let uci = uci.to_string();
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?));
        let row = self.first_row(sql, params![profile.0, id, uci], read)?;
        row.map(|(cp, mate, nodes)| {
            let answer = listed(&uci, cp, mate).zip(u64::try_from(nodes).ok());
            let damaged =
                || self.damaged(format!("the answer to {uci} alone in {}", epd_of(position)));
            let (answer, nodes) = answer.ok_or_else(damaged)?;
            Ok(PricedAnswer { answer, nodes })
        })
        .transpose()
    }

    /// Differences between a profile's scores of single moves and the answers of an analysis's
    /// profile, in all positions that the analysis has not analysed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn errors_elsewhere(
        &self,
        analysis: AnalysisId,
        profile: ProfileId,
    ) -> Result<Errors, StoreError> {
        // CROSS JOIN: each table is read by its key, whatever SQLite guesses.
        let sql = "SELECT old.move, old.cp, old.mate, new.cp, new.mate FROM analysis
            CROSS JOIN move_answer AS new ON new.profile = ?2
            CROSS JOIN answer AS old ON old.profile = analysis.profile AND old.position = new.position
                AND old.move = new.move
            WHERE analysis.id = ?1 AND NOT EXISTS (
                SELECT 1 FROM node WHERE node.analysis = ?1 AND node.position = new.position
            )";
        let pairs = self.rows(sql, params![analysis.0, profile.0], |row| {
            let uci: String = row.get(0)?;
            let old = listed(&uci, row.get(1)?, row.get(2)?);
            Ok(old.zip(listed(&uci, row.get(3)?, row.get(4)?)))
        })?;
        Ok(pairs.into_iter().flatten().map(|(old, new)| difference(old, new)).collect())
    }

    /// Checks a profile's answers on single moves: legal moves, intact rows, and where they lead.
    /// Returns the number of sound ones, and the flaws.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_moves(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<(u64, Vec<String>), StoreError> {
        let part = [profile.0, part.above, part.up_to];
        let sql = format!(
            "SELECT {}, board, state FROM {MOVE_ANSWERS} CROSS JOIN position ON position.id = answer.position
            WHERE profile = ?1 AND answer.position > ?2 AND answer.position <= ?3 ORDER BY answer.position, answer.move",
            AnswerRow::COLUMNS
        );
        let rows = self.rows(&sql, part, |row| {
            Ok((AnswerRow::read(row)?, read_epd(row, AnswerRow::LENGTH)?))
        })?;
        let flaws: Vec<String> = rows.iter().filter_map(|(row, epd)| move_flaw(row, epd)).collect();
        let sound = rows.len().saturating_sub(flaws.len());
        let sql = "SELECT position.board, position.state, child.board, child.state, answer.move
            FROM move_answer AS answer
            CROSS JOIN position ON position.id = answer.position
            LEFT JOIN position AS child ON child.id = answer.child
            WHERE answer.profile = ?1 AND answer.position > ?2 AND answer.position <= ?3
            ORDER BY answer.position, answer.move";
        let links = self.flaws_of_rows_of(sql, part, read_link_flaw)?;
        Ok((u64::try_from(sound).unwrap_or(u64::MAX), flaws.into_iter().chain(links).collect()))
    }
}

fn difference(old: ListedAnswer, new: ListedAnswer) -> u32 {
    u32::from(Value::from(old.score).get().abs_diff(Value::from(new.score).get()))
}

fn move_flaw(row: &AnswerRow, epd: &str) -> Option<String> {
    let flaw = match parse_fen(epd) {
        Ok(position) => answer_flaw(row, &position, &[])?,
        Err(_) => "this is not a legal position".to_owned(),
    };
    Some(format!("profile {} on {} alone in {epd}: {flaw}", row.key.profile, row.uci))
}

fn keep_move(write: &Write<'_>, profile: ProfileId, new: &NewMoveAnswer) -> Result<(), StoreError> {
    let uci = new.answer.best;
    let m = uci.to_move(&new.position).map_err(|_| StoreError::Illegal {
        path: write.path.to_owned(),
        epd: epd_of(&new.position),
        uci,
    })?;
    let keep = || {
        let giver = Giver::of(write, new.worker.as_ref())?;
        let Some(source) = giver.column() else { return Ok(()) };
        let key =
            AnswerKey { profile: profile.0, position: write.row_of(&new.position)?, rank: None };
        let child = write.row_behind(&new.position, m)?;
        AnswerRow::of(key, &new.answer, now()).insert(write, child, source).map(drop)
    };
    keep().map_err(write.named())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::check_rows::CheckedRows;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::{Limit, Profile};

    fn store() -> (tempfile::TempDir, Store, ProfileId) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        (folder, store, profile)
    }

    fn said(uci: &str, cp: i32, worker: Option<&str>) -> NewMoveAnswer {
        let best = parse_uci(uci).unwrap();
        let (score, time, pv) = (Score::Cp(cp), Duration::ZERO, vec![best]);
        let answer = Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 7, time, pv };
        NewMoveAnswer { position: Chess::default(), answer, worker: worker.map(WorkerId::new) }
    }

    fn kept(store: &Store, profile: ProfileId, uci: &str) -> Option<(Score, u64)> {
        let kept = store.move_answer(profile, &Chess::default(), parse_uci(uci).unwrap()).unwrap();
        kept.map(|kept| (kept.answer.score, kept.nodes))
    }

    fn flaws(store: &Store, profile: ProfileId) -> (u64, Vec<String>) {
        let last = store.last_position().unwrap();
        let part = store.part_behind(CheckedRows::Moves(profile), PartOfRows::NONE, last).unwrap();
        assert!(part.is_last(last));
        store.check_moves(profile, part).unwrap()
    }

    #[test]
    fn first_move_answer_stays_and_enters_no_list() {
        let (_folder, store, profile) = store();
        store.keep_moves(profile, &[said("e2e4", 30, None), said("d2d4", 20, None)]).unwrap();
        store.keep_moves(profile, &[said("e2e4", 99, None)]).unwrap();
        assert_eq!(kept(&store, profile, "e2e4"), Some((Score::Cp(30), 7)));
        assert_eq!(kept(&store, profile, "c2c4"), None);
        assert_eq!(store.answer(profile, &Chess::default(), 0).unwrap(), None);
        assert_eq!(flaws(&store, profile), (2, Vec::new()));
        let refused = store.keep_moves(profile, &[said("c2c4", 1, None), said("e2e5", 1, None)]);
        assert!(matches!(refused, Err(StoreError::Illegal { .. })));
        assert_eq!(kept(&store, profile, "c2c4"), None, "nothing beside an error");
    }

    #[test]
    fn changed_rows_bad_moves_and_lost_children_are_flaws() {
        let (_folder, store, profile) = store();
        store.keep_moves(profile, &[said("e2e4", 30, None), said("d2d4", 20, None)]).unwrap();
        let damage = "UPDATE move_answer SET cp = 31 WHERE move = 'e2e4';
            UPDATE move_answer SET child = NULL WHERE move = 'd2d4'";
        store.db.execute_batch(damage).unwrap();
        let (sound, flaws) = flaws(&store, profile);
        assert_eq!((sound, flaws.len()), (1, 2), "{flaws:?}");
        assert!(flaws[0].contains("e2e4 alone in") && flaws[0].contains("changed after"));
        assert!(flaws[1].starts_with("link of d2d4"), "{flaws:?}");
    }

    #[test]
    fn what_a_worker_has_said_goes_with_it() {
        let (_folder, mut store, profile) = store();
        let liar = Some("liar");
        store.keep_moves(profile, &[said("e2e4", 30, liar), said("d2d4", 20, None)]).unwrap();
        let taken = store.invalidate(&WorkerId::new("liar"), "it lies").unwrap().unwrap();
        assert_eq!((taken.answers, store.invalidations().unwrap()), (1, 1));
        assert_eq!(kept(&store, profile, "e2e4"), None);
        assert!(kept(&store, profile, "d2d4").is_some());
        store.keep_moves(profile, &[said("e2e4", 30, liar)]).unwrap();
        assert_eq!(kept(&store, profile, "e2e4"), None, "nobody believes it");
    }
}
