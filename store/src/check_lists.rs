//! What `verify` asks of the answers: whole lists of legal moves, each row as it was written.

use rusqlite::{ToSql, params};
use shakmaty::Chess;

use deepanalyze_core::chess::{epd_of, parse_fen};

use super::check::Flaw;
use super::check_parts::PartOfRows;
use super::error::StoreError;
use super::keep::SearchRow;
use super::memo::{ListedAnswer, listed};
use super::open::Store;
use super::profiles::ProfileId;

impl Store {
    /// Checks lists of a profile: their ranks without a gap, their moves legal and listed once, their rows as they
    /// were written. Gives how many sound answers there are, and the flaws.
    pub fn check_lists(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<(u64, Vec<Flaw>), StoreError> {
        let lists = self.checked_lists(
            "search.position > ?2 AND search.position <= ?3",
            params![profile.0, part.above, part.up_to],
        )?;
        Ok((lists.sound, lists.flaws))
    }

    /// The answers of a position in rank order, as far as they are sound.
    pub fn sound_list(
        &self,
        profile: ProfileId,
        position: &Chess,
    ) -> Result<Vec<ListedAnswer>, StoreError> {
        let lists = self.checked_lists("epd = ?2", params![profile.0, epd_of(position)])?;
        Ok(lists.current.map(|current| current.list).unwrap_or_default())
    }

    fn checked_lists(&self, of: &str, parameters: &[&dyn ToSql]) -> Result<Lists, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = format!(
            "SELECT {}, checksum, epd FROM search JOIN position ON position.id = search.position
            WHERE profile = ?1 AND {of} ORDER BY search.position, rank",
            SearchRow::COLUMNS
        );
        let mut query = self.db.prepare_cached(&sql).map_err(&named)?;
        let mut rows = query.query(parameters).map_err(&named)?;
        let mut lists = Lists::default();
        while let Some(row) = rows.next().map_err(&named)? {
            let search = SearchRow::read(row).map_err(&named)?;
            let checksum = row.get(12).map_err(&named)?;
            let epd: String = row.get(13).map_err(&named)?;
            lists.take(&search, checksum, &epd);
        }
        Ok(lists)
    }
}

/// Lists as their rows come in.
#[derive(Default)]
struct Lists {
    /// How many answers are sound.
    sound: u64,
    flaws: Vec<Flaw>,
    current: Option<Current>,
}

/// The position of the last row.
struct Current {
    id: i64,
    position: Chess,
    /// Its sound answers so far.
    list: Vec<ListedAnswer>,
    /// The rank that its next row must have.
    next_rank: i64,
    /// Whether all its rows so far are right: what comes behind a wrong one has no rank.
    sound: bool,
}

impl Lists {
    fn take(&mut self, row: &SearchRow, checksum: Option<i64>, epd: &str) {
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
            answer_flaw(row, checksum, &current.position, &current.list)
        };
        current.next_rank = row.rank + 1;
        current.sound &= flaw.is_none();
        self.flaws.extend(flaw.map(|flaw| format!("{place}: {flaw}")));
        if let (true, Some(answer)) = (current.sound, answer_of(row)) {
            current.list.push(answer);
            self.sound += 1;
        }
    }

    /// Turns to the row's position; `false` where there is no such position.
    fn enter(&mut self, row: &SearchRow, epd: &str) -> bool {
        if self.current.as_ref().is_some_and(|current| current.id == row.position) {
            return true;
        }
        let position = parse_fen(epd).ok();
        self.current = position.map(|position| Current {
            id: row.position,
            position,
            list: Vec::new(),
            next_rank: 0,
            sound: true,
        });
        self.current.is_some()
    }
}

fn answer_of(row: &SearchRow) -> Option<ListedAnswer> {
    let narrow = |n: Option<i64>| n.map(i32::try_from).transpose().ok();
    listed(&row.uci, narrow(row.cp)?, narrow(row.mate)?)
}

fn answer_flaw(
    row: &SearchRow,
    checksum: Option<i64>,
    position: &Chess,
    list: &[ListedAnswer],
) -> Option<Flaw> {
    let Some(answer) = answer_of(row) else {
        return Some(format!("{:?} with its score is no answer", row.uci));
    };
    if answer.uci.to_move(position).is_err() {
        return Some(format!("{} is not legal", row.uci));
    }
    if list.iter().any(|listed| listed.uci == answer.uci) {
        return Some(format!("{} is listed twice", row.uci));
    }
    if row.pv.split(' ').next() != Some(row.uci.as_str()) {
        return Some(format!("its pv {:?} does not begin with {}", row.pv, row.uci));
    }
    match checksum {
        None => Some("this program did not write the row: it has no checksum".to_owned()),
        Some(checksum) if checksum != row.checksum() => {
            Some("the row was changed after it was written".to_owned())
        }
        Some(_) => None,
    }
}
