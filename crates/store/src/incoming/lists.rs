//! Its answers, list by list, as far as plausible without searching.

use std::collections::HashSet;
use std::time::Duration;

use rusqlite::Row;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, PositionKey, epd_of, parse_epd, playable};
use deepanalyze_core::search::{Answer, Limit, Profile, check_numbers};

use super::{Incoming, IncomingProfile};
use super::{LeftOutCounts, WhyLeft};
use crate::answers::AnswerRow;
use crate::error::StoreError;
use crate::memo::{moves_of, now};
use crate::packing::{hash_of, read_epd};

/// Rows read at once. A list has at most as many moves as a position.
const ROWS: usize = 16_384;

/// A plausible answer of another database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingAnswer {
    /// The answer.
    pub answer: Answer,
    /// Its time, in milliseconds since 1970, according to the file.
    pub created_at: i64,
}

/// The list of a position, as far as it is plausible.
#[derive(Debug, Clone, PartialEq)]
pub struct IncomingList {
    /// The position.
    pub position: Chess,
    /// Its answers, by their ranks.
    pub answers: Vec<IncomingAnswer>,
}

/// Some lists of a profile.
#[derive(Debug, Clone, Default)]
pub struct IncomingPart {
    /// The lists; empty ones are left out.
    pub lists: Vec<IncomingList>,
    /// Rows left out.
    pub left: LeftOutCounts,
    /// Number of rows read.
    pub rows: u64,
    /// The file's row of the last position; `None` in the last part.
    last: Option<i64>,
}

/// Reads the lists of a profile, part by part.
#[derive(Debug)]
pub struct IncomingLists<'a> {
    incoming: &'a Incoming,
    profile: i64,
    /// The names of invalidated sources.
    invalidated: &'a HashSet<String>,
    behind: Option<i64>,
}

/// A row, as far as it can be read.
struct RowRead {
    position: i64,
    row: Option<AnswerRow>,
    /// Empty if it is damaged.
    epd: String,
    source: Option<String>,
}

impl Incoming {
    /// The lists of a profile.
    pub fn lists<'a>(
        &'a self,
        profile: &IncomingProfile,
        invalidated: &'a HashSet<String>,
    ) -> IncomingLists<'a> {
        IncomingLists { incoming: self, profile: profile.id, invalidated, behind: Some(i64::MIN) }
    }

    /// Number of answers in the file, sound or not.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn count(&self) -> Result<u64, StoreError> {
        self.store.only_row("SELECT count(*) FROM answer", [], |row| row.get(0))
    }

    /// Number of answers of a profile.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn count_of(&self, profile: &IncomingProfile) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM answer WHERE profile = ?1";
        self.store.only_row(sql, [profile.id], |row| row.get(0))
    }

    fn rows_of(
        &self,
        which: &str,
        profile: i64,
        position: i64,
    ) -> Result<Vec<RowRead>, StoreError> {
        let sql = format!(
            "SELECT {}, board, state, hash, source.name FROM answer
            LEFT JOIN position ON position.id = answer.position
            LEFT JOIN source ON source.id = answer.source
            WHERE answer.profile = ?1 AND {which}
            ORDER BY answer.position, answer.rank LIMIT ?3",
            AnswerRow::COLUMNS
        );
        let most = i64::try_from(ROWS).unwrap_or(i64::MAX);
        self.store.rows(&sql, [profile, position, most], read)
    }
}

/// A value of the wrong type damages only its row.
fn read(row: &Row<'_>) -> rusqlite::Result<RowRead> {
    Ok(RowRead {
        position: row.get(1)?,
        row: unless_misfit(AnswerRow::read(row))?,
        epd: epd_as_written(row).unwrap_or_default(),
        source: unless_misfit(row.get(AnswerRow::LENGTH + 3))?.flatten(),
    })
}

/// The EPD, verified by its own hash: the checksums of answers do not cover it.
fn epd_as_written(row: &Row<'_>) -> rusqlite::Result<String> {
    let epd = read_epd(row, AnswerRow::LENGTH)?;
    let hash: i32 = row.get(AnswerRow::LENGTH + 2)?;
    Ok(if hash_of(&epd) == hash { epd } else { String::new() })
}

fn unless_misfit<T>(read: rusqlite::Result<T>) -> rusqlite::Result<Option<T>> {
    match read {
        Err(error @ rusqlite::Error::SqliteFailure(..)) => Err(error),
        read => Ok(read.ok()),
    }
}

impl IncomingLists<'_> {
    /// The next lists; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or its pages are damaged.
    pub fn next_part(&mut self) -> Result<Option<IncomingPart>, StoreError> {
        let Some(behind) = self.behind else { return Ok(None) };
        let rows = self.incoming.rows_of("answer.position > ?2", self.profile, behind)?;
        let is_cut = rows.len() >= ROWS;
        let mut part = self.part_of(rows, is_cut);
        self.behind = part.last.take().filter(|_| is_cut);
        Ok((part.rows > 0).then_some(part))
    }

    /// The list of one position, as far as it is plausible.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn list_of(&self, position: &Chess) -> Result<Vec<IncomingAnswer>, StoreError> {
        let Some(id) = self.incoming.store.row_of(position)? else { return Ok(Vec::new()) };
        let rows = self.incoming.rows_of("answer.position = ?2", self.profile, id)?;
        let (list, _) = self.look_at(&rows);
        let is_its =
            |list: &IncomingList| PositionKey::of(&list.position) == PositionKey::of(position);
        Ok(list.filter(is_its).map(|list| list.answers).unwrap_or_default())
    }

    /// The lists of some rows. If more rows follow, the last list may continue there, and is read
    /// again.
    fn part_of(&self, rows: Vec<RowRead>, is_cut: bool) -> IncomingPart {
        let mut part = IncomingPart::default();
        let lists: Vec<&[RowRead]> =
            rows.chunk_by(|one, other| one.position == other.position).collect();
        let whole = if is_cut && lists.len() > 1 { lists.len() - 1 } else { lists.len() };
        for list in lists.into_iter().take(whole) {
            part.last = list.first().map(|row| row.position);
            part.rows += list.len() as u64;
            let (believed, left) = self.look_at(list);
            part.left.join(&left);
            part.lists.extend(believed);
        }
        part
    }

    fn look_at(&self, rows: &[RowRead]) -> (Option<IncomingList>, LeftOutCounts) {
        let mut left = LeftOutCounts::default();
        let epd = rows.first().map(|row| row.epd.as_str()).unwrap_or_default();
        let position = position_of(epd);
        let mut list = Vec::new();
        for (read, row) in (1..).zip(rows) {
            let taken = match &position {
                None if row.is_sound() => Err(WhyLeft::Position),
                None => Err(WhyLeft::Damaged),
                Some(position) => self.answer_of(position, &list, row),
            };
            match taken {
                Ok(answer) => list.push(answer),
                Err(why) => {
                    left.add(why, 1);
                    left.add(WhyLeft::Behind, rows.len() as u64 - read);
                    break;
                }
            }
        }
        let list = position.map(|position| IncomingList { position, answers: list });
        (list.filter(|list| !list.answers.is_empty()), left)
    }

    /// The answer of the row that follows a list.
    fn answer_of(
        &self,
        position: &Chess,
        list: &[IncomingAnswer],
        read: &RowRead,
    ) -> Result<IncomingAnswer, WhyLeft> {
        let row = read.row.as_ref().filter(|_| read.is_sound()).ok_or(WhyLeft::Damaged)?;
        if row.key.rank.map(usize::try_from) != Some(Ok(list.len())) {
            return Err(WhyLeft::Rank);
        }
        if read.source.as_ref().is_some_and(|name| self.invalidated.contains(name)) {
            return Err(WhyLeft::Invalidated);
        }
        let said = row.answer().ok_or(WhyLeft::Number)?;
        let moves = moves_of(&row.pv);
        if moves.first() != Some(&said.uci) {
            return Err(WhyLeft::Line);
        }
        let line = playable(position, moves);
        // Castling in another notation is a different text.
        if line.first() != Some(&said.uci) || is_listed(list, said.uci) {
            return Err(WhyLeft::Move);
        }
        let answer = whole_answer(row, line).ok_or(WhyLeft::Number)?;
        check_numbers(&answer).map_err(|_| WhyLeft::Number)?;
        Ok(IncomingAnswer { answer, created_at: row.created_at.clamp(0, now()) })
    }
}

impl RowRead {
    fn is_sound(&self) -> bool {
        self.row.as_ref().and_then(AnswerRow::is_as_written) == Some(true)
    }
}

fn is_listed(list: &[IncomingAnswer], uci: UciMove) -> bool {
    list.iter().any(|listed| listed.answer.best == uci)
}

/// A searchable position in canonical text.
fn position_of(epd: &str) -> Option<Chess> {
    let position = parse_epd(epd).ok()?;
    (epd_of(&position) == epd && Ending::of(&position).is_none()).then_some(position)
}

/// The answer of a row, with its line as far as it is legal; `None` if a number is invalid.
fn whole_answer(row: &AnswerRow, pv: Vec<UciMove>) -> Option<Answer> {
    let said = row.answer()?;
    let wdl = row.wdl();
    if row.wdl.is_some() != wdl.is_some() {
        return None;
    }
    Some(Answer {
        best: said.uci,
        score: said.score,
        wdl,
        depth: row.depth.try_into().ok()?,
        seldepth: row.seldepth.try_into().ok()?,
        nodes: row.nodes.try_into().ok()?,
        time: Duration::from_millis(row.time_ms.try_into().ok()?),
        pv,
    })
}

/// The largest hash, in MiB, that a foreign profile may ask for.
const LARGEST_HASH: i64 = 4096;

/// The largest limits of a foreign profile: the author of the file decides how long a check takes.
const DEEPEST: u32 = 60;
const MOST_NODES: u64 = 10_000_000_000;

/// True if a search to this limit can be repeated.
pub fn is_within_reach(limit: Limit) -> bool {
    match limit {
        Limit::Depth(depth) => depth <= DEEPEST,
        Limit::Nodes(nodes) => nodes <= MOST_NODES,
    }
}

/// True if an engine here may be asked to repeat the answers of a profile to the bit. Its options
/// are foreign: one that is no number and no switch may name a file, which an engine would read or
/// write.
pub fn is_repeatable(profile: &Profile) -> bool {
    let is_harmless = |(name, value): (&String, &String)| {
        let number: Option<i64> = value.parse().ok();
        match (name.trim().to_ascii_lowercase().as_str(), number) {
            ("threads", number) => number == Some(1),
            ("hash", number) => number.is_some_and(|size| (1..=LARGEST_HASH).contains(&size)),
            (name, Some(_)) => !name.contains("file") && !name.contains("path"),
            (_, None) => ["true", "false"].contains(&value.as_str()),
        }
    };
    profile.kept_hash.is_none() && profile.options.iter().all(is_harmless)
}
