//! What `verify` asks of the answers: whole lists of legal moves, each row as it was written.

use rusqlite::{ToSql, params};
use shakmaty::Chess;

use deepanalyze_core::chess::{epd_of, parse_fen};

use super::check_rows::PartOfRows;
use super::error::StoreError;
use super::memo::{ListedAnswer, PricedAnswer, is_answer_as_written};
use super::nodes::read_answer;
use super::open::Store;
use super::profiles::ProfileId;

impl Store {
    /// Checks lists of a profile: their ranks without a gap, their moves legal and listed once, their rows as they
    /// were written. Gives how many sound answers there are, and the flaws.
    pub fn check_lists(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<(u64, Vec<String>), StoreError> {
        let lists = self.checked_lists(
            "search.position > ?2 AND search.position <= ?3",
            params![profile.0, part.above, part.up_to],
        )?;
        Ok((lists.sound, lists.flaws))
    }

    /// Checks that every answer of some rows has its link.
    pub fn missing_links(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT position.epd, search.move FROM search
            JOIN position ON position.id = search.position
            LEFT JOIN link ON link.position = search.position AND link.move = search.move
            WHERE search.profile = ?1 AND search.position > ?2 AND search.position <= ?3
                AND link.child IS NULL ORDER BY search.position, search.rank";
        self.flaws_of_rows_of(sql, [profile.0, part.above, part.up_to], |row| {
            let (epd, uci): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("link of {uci} in {epd}: it is missing")))
        })
    }

    /// The answers of a position in rank order, as far as they are sound.
    pub fn sound_list(
        &self,
        profile: ProfileId,
        position: &Chess,
    ) -> Result<Vec<PricedAnswer>, StoreError> {
        let lists = self.checked_lists("epd = ?2", params![profile.0, epd_of(position)])?;
        Ok(lists.current.map(|current| current.list).unwrap_or_default())
    }

    fn checked_lists(
        &self,
        of: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<ListsChecked, StoreError> {
        let sql = format!(
            "SELECT profile, position, rank, move, cp, mate, depth, seldepth, nodes, time_ms, pv, created_at,
                win, draw, loss, checksum, epd
            FROM search JOIN position ON position.id = search.position
            WHERE profile = ?1 AND {of} ORDER BY search.position, rank"
        );
        let mut lists = ListsChecked::default();
        self.rows(&sql, parameters, |row| {
            let search = SearchRow {
                profile: row.get(0)?,
                position: row.get(1)?,
                rank: row.get(2)?,
                uci: row.get(3)?,
                answer: read_answer(row, 3),
                nodes: row.get(8)?,
                pv: row.get(10)?,
                is_as_written: is_answer_as_written(row, 12)?,
            };
            lists.take(&search, &row.get::<_, String>(16)?);
            Ok(())
        })?;
        Ok(lists)
    }
}

/// A row of `search`.
struct SearchRow {
    profile: i64,
    position: i64,
    rank: i64,
    uci: String,
    /// None where its move and score are none.
    answer: Option<ListedAnswer>,
    nodes: i64,
    pv: String,
    /// None where it has no checksum.
    is_as_written: Option<bool>,
}

/// Lists as their rows come in.
#[derive(Default)]
struct ListsChecked {
    /// How many answers are sound.
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
    /// The rank that its next row must have.
    next_rank: i64,
    /// Whether all its rows so far are right: what comes behind a wrong one has no rank.
    sound: bool,
}

impl ListsChecked {
    fn take(&mut self, row: &SearchRow, epd: &str) {
        let place = format!("search of profile {}, rank {} in {epd}", row.profile, row.rank);
        if !self.enter(row, epd) {
            self.flaws.push(format!("{place}: this is not a legal position"));
        }
        let Some(current) = &mut self.current else {
            return;
        };
        let flaw = if row.rank != current.next_rank {
            Some(format!("rank {} is missing before it", current.next_rank))
        } else {
            answer_flaw(row, &current.position, &current.list)
        };
        current.next_rank = row.rank + 1;
        current.sound &= flaw.is_none();
        self.flaws.extend(flaw.map(|flaw| format!("{place}: {flaw}")));
        if let (true, Some(answer)) = (current.sound, row.answer) {
            // The program has written none below 0.
            let nodes = row.nodes.try_into().unwrap_or(0);
            current.list.push(PricedAnswer { answer, nodes });
            self.sound += 1;
        }
    }

    /// Turns to the row's position; `false` where there is no such position.
    fn enter(&mut self, row: &SearchRow, epd: &str) -> bool {
        if self.current.as_ref().is_some_and(|current| current.id == row.position) {
            return true;
        }
        let position = parse_fen(epd).ok();
        self.current = position.map(|position| ListChecked {
            id: row.position,
            position,
            list: Vec::new(),
            next_rank: 0,
            sound: true,
        });
        self.current.is_some()
    }
}

fn answer_flaw(row: &SearchRow, position: &Chess, list: &[PricedAnswer]) -> Option<String> {
    let Some(answer) = row.answer else {
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
    match row.is_as_written {
        None => Some("this program did not write the row: it has no checksum".to_owned()),
        Some(false) => Some("the row was changed after it was written".to_owned()),
        Some(true) => None,
    }
}
