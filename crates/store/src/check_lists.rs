//! Checks of `verify` on answers: whole lists of legal moves, intact rows.

use rusqlite::{ToSql, params};
use shakmaty::Chess;

use deepanalyze_core::chess::parse_fen;

use super::answers::AnswerRow;
use super::check_rows::{PartOfRows, read_link_flaw};
use super::error::StoreError;
use super::memo::PricedAnswer;
use super::open::Store;
use super::packing::read_epd;
use super::profiles::ProfileId;

impl Store {
    /// Checks lists of a profile: their ranks have no gap, their moves are legal and listed once,
    /// their rows intact. Returns the number of sound answers, and the flaws.
    pub fn check_lists(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<(u64, Vec<String>), StoreError> {
        let lists = self.checked_lists(
            "position > ?2 AND position <= ?3",
            params![profile.0, part.above, part.up_to],
        )?;
        Ok((lists.sound, lists.flaws))
    }

    /// Checks that every answer of some positions stores where its move leads.
    pub fn check_children(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<Vec<String>, StoreError> {
        // CROSS JOIN: each table is read by its key, whatever SQLite guesses.
        let sql = "SELECT position.board, position.state, child.board, child.state, answer.move FROM answer
            CROSS JOIN position ON position.id = answer.position
            LEFT JOIN position AS child ON child.id = answer.child
            WHERE answer.profile = ?1 AND answer.position > ?2 AND answer.position <= ?3
            ORDER BY answer.position, answer.rank";
        self.flaws_of_rows_of(sql, [profile.0, part.above, part.up_to], read_link_flaw)
    }

    /// The answers of a position in rank order, as far as they are sound.
    pub fn sound_list(
        &self,
        profile: ProfileId,
        position: &Chess,
    ) -> Result<Vec<PricedAnswer>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(Vec::new()) };
        let lists = self.checked_lists("position = ?2", params![profile.0, id])?;
        Ok(lists.current.map(|current| current.list).unwrap_or_default())
    }

    fn checked_lists(
        &self,
        of: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<ListsChecked, StoreError> {
        let sql = format!(
            "SELECT {}, board, state FROM answer CROSS JOIN position ON position.id = answer.position
            WHERE profile = ?1 AND {of} ORDER BY answer.position, rank",
            AnswerRow::COLUMNS
        );
        let mut lists = ListsChecked::default();
        self.rows(&sql, parameters, |row| {
            lists.take(&AnswerRow::read(row)?, &read_epd(row, AnswerRow::LENGTH)?);
            Ok(())
        })?;
        Ok(lists)
    }
}

/// Checks lists row by row.
#[derive(Default)]
struct ListsChecked {
    /// Number of sound answers.
    sound: u64,
    flaws: Vec<String>,
    current: Option<ListChecked>,
}

/// The position of the last row.
struct ListChecked {
    id: i64,
    position: Chess,
    /// Its sound answers so far.
    list: Vec<PricedAnswer>,
    /// The rank expected next.
    next_rank: i64,
    /// True if all its rows so far are right: behind a wrong one no rank is valid.
    sound: bool,
}

impl ListsChecked {
    fn take(&mut self, row: &AnswerRow, epd: &str) {
        // Rows of lists have one.
        let rank = row.key.rank.unwrap_or_default();
        let place = format!("search of profile {}, rank {rank} in {epd}", row.key.profile);
        if !self.enter(row, epd) {
            self.flaws.push(format!("{place}: this is not a legal position"));
        }
        let Some(current) = &mut self.current else {
            return;
        };
        let flaw = if rank != current.next_rank {
            Some(format!("rank {} is missing before it", current.next_rank))
        } else {
            answer_flaw(row, &current.position, &current.list)
        };
        current.next_rank = rank + 1;
        current.sound &= flaw.is_none();
        self.flaws.extend(flaw.map(|flaw| format!("{place}: {flaw}")));
        if let (true, Some(answer)) = (current.sound, row.answer()) {
            // The program writes none below 0.
            let nodes = row.nodes.try_into().unwrap_or(0);
            current.list.push(PricedAnswer { answer, nodes });
            self.sound += 1;
        }
    }

    /// Moves on to the row's position; `false` if there is none.
    fn enter(&mut self, row: &AnswerRow, epd: &str) -> bool {
        if self.current.as_ref().is_some_and(|current| current.id == row.key.position) {
            return true;
        }
        let position = parse_fen(epd).ok();
        self.current = position.map(|position| ListChecked {
            id: row.key.position,
            position,
            list: Vec::new(),
            next_rank: 0,
            sound: true,
        });
        self.current.is_some()
    }
}

/// The flaw of an answer of a position that has listed these before, if any.
pub(super) fn answer_flaw(
    row: &AnswerRow,
    position: &Chess,
    list: &[PricedAnswer],
) -> Option<String> {
    let Some(answer) = row.answer() else {
        return Some(format!("{:?} with its score is no answer", row.uci));
    };
    if answer.uci.to_move(position).is_err() {
        return Some(format!("{} is not legal", row.uci));
    }
    if list.iter().any(|listed| listed.answer.uci == answer.uci) {
        return Some(format!("{} is listed twice", row.uci));
    }
    if row.pv.split(' ').next() != Some(row.uci.as_str()) {
        return Some(format!("its pv {:?} does not begin with {}", row.pv, row.uci));
    }
    match row.is_as_written() {
        None => Some("this program did not write the row: it has no checksum".to_owned()),
        Some(false) => Some("the row was changed after it was written".to_owned()),
        Some(true) => None,
    }
}
