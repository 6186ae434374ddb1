//! The rows of `answer`: results of searches, with checksums.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};

use deepanalyze_core::search::{Answer, WinDrawLoss};

use super::memo::{ListedAnswer, checksum_of, listed, score_columns, words};
use super::packing::{line_behind, read_line};

/// Identifies an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerKey {
    pub profile: i64,
    pub position: i64,
    /// `None` if it is about a single move, which identifies it.
    pub rank: Option<i64>,
}

/// The rows of `move_answer` as those of `answer`: their columns are read alike.
pub(super) const MOVE_ANSWERS: &str = "(SELECT *, NULL AS rank FROM move_answer) AS answer";

/// A row of `answer`, or of `move_answer`, as stored, sound or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerRow {
    pub key: AnswerKey,
    pub uci: String,
    pub cp: Option<i64>,
    pub mate: Option<i64>,
    /// Win, draw and loss.
    pub wdl: Option<[i64; 3]>,
    pub depth: i64,
    pub seldepth: i64,
    pub nodes: i64,
    pub time_ms: i64,
    /// The whole line, in UCI notation.
    pub pv: String,
    pub created_at: i64,
    pub checksum: Option<i64>,
}

impl AnswerRow {
    /// The columns in the order they are read.
    pub const COLUMNS: &str = "answer.profile, answer.position, answer.rank, answer.move, answer.cp, answer.mate,
        answer.wdl, answer.depth, answer.seldepth, answer.nodes, answer.time_ms, answer.line, answer.created_at,
        answer.checksum";
    /// Their number.
    pub const LENGTH: usize = 14;

    /// The row of an answer that is stored now, in milliseconds since 1970.
    pub fn of(key: AnswerKey, answer: &Answer, created_at: i64) -> AnswerRow {
        let (cp, mate) = score_columns(answer.score);
        let row = AnswerRow {
            key,
            uci: answer.best.to_string(),
            cp: cp.map(i64::from),
            mate: mate.map(i64::from),
            wdl: answer.wdl.map(|wdl| wdl.permille().map(i64::from)),
            depth: answer.depth.into(),
            seldepth: answer.seldepth.into(),
            nodes: i64::try_from(answer.nodes).unwrap_or(i64::MAX),
            time_ms: i64::try_from(answer.time.as_millis()).unwrap_or(i64::MAX),
            pv: words(&answer.pv),
            created_at,
            checksum: None,
        };
        AnswerRow { checksum: Some(row.right_checksum()), ..row }
    }

    /// Reads a row whose [`AnswerRow::COLUMNS`] are the first ones.
    pub fn read(row: &Row<'_>) -> rusqlite::Result<AnswerRow> {
        let uci: String = row.get(3)?;
        Ok(AnswerRow {
            key: AnswerKey { profile: row.get(0)?, position: row.get(1)?, rank: row.get(2)? },
            cp: row.get(4)?,
            mate: row.get(5)?,
            wdl: row.get::<_, Option<i64>>(6)?.map(wdl_from),
            depth: row.get(7)?,
            seldepth: row.get(8)?,
            nodes: row.get(9)?,
            time_ms: row.get(10)?,
            pv: read_line(&uci, row.get_ref(11)?),
            created_at: row.get(12)?,
            checksum: row.get(13)?,
            uci,
        })
    }

    /// The checksum that the row should have.
    pub fn right_checksum(&self) -> i64 {
        let AnswerKey { profile, position, rank } = self.key;
        let mut columns: Vec<Value> = vec![
            profile.into(),
            position.into(),
            rank.into(),
            self.uci.clone().into(),
            self.cp.into(),
            self.mate.into(),
            self.depth.into(),
            self.seldepth.into(),
            self.nodes.into(),
            self.time_ms.into(),
            self.pv.clone().into(),
            self.created_at.into(),
        ];
        // Rows without them keep their old checksum.
        columns.extend(self.wdl.into_iter().flatten().map(Value::from));
        checksum_of(&columns)
    }

    /// True if intact; `None` if it has no checksum.
    pub fn is_as_written(&self) -> Option<bool> {
        self.checksum.map(|kept| kept == self.right_checksum())
    }

    /// Its move and score, if valid.
    pub fn answer(&self) -> Option<ListedAnswer> {
        let plain = |number: Option<i64>| number.map(i32::try_from).transpose().ok();
        listed(&self.uci, plain(self.cp)?, plain(self.mate)?)
    }

    /// Win, draw and loss, if they add up.
    pub fn wdl(&self) -> Option<WinDrawLoss> {
        let [win, draw, loss] = self.wdl?.map(u16::try_from);
        WinDrawLoss::new(win.ok()?, draw.ok()?, loss.ok()?)
    }

    /// Inserts it if its key is new, without a rank into `move_answer`; true if inserted.
    pub fn insert(
        &self,
        write: &Connection,
        child: i64,
        source: Option<i64>,
    ) -> rusqlite::Result<bool> {
        let sql = match self.key.rank {
            Some(_) => INSERT_LISTED,
            None => INSERT_ALONE,
        };
        let AnswerKey { profile, position, rank } = self.key;
        let row = params![
            profile,
            position,
            self.uci,
            self.cp,
            self.mate,
            self.wdl.map(wdl_number),
            self.depth,
            self.seldepth,
            self.nodes,
            self.time_ms,
            line_behind(&self.uci, &self.pv),
            self.created_at,
            self.checksum,
            child,
            source,
            rank,
        ];
        let row = row.get(..row.len() - usize::from(rank.is_none())).unwrap_or(row);
        Ok(write.prepare_cached(sql)?.execute(row)? > 0)
    }
}

const INSERT_LISTED: &str =
    "INSERT INTO answer (profile, position, move, cp, mate, wdl, depth, seldepth, nodes, time_ms,
        line, created_at, checksum, child, source, rank)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
    ON CONFLICT DO NOTHING";
const INSERT_ALONE: &str =
    "INSERT INTO move_answer (profile, position, move, cp, mate, wdl, depth, seldepth, nodes,
        time_ms, line, created_at, checksum, child, source)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
    ON CONFLICT DO NOTHING";

/// Win, draw and loss in one number (`answer.wdl` in `migrations/schema.sql`); they add up to a thousand, or one more or less.
fn wdl_number([win, draw, loss]: [i64; 3]) -> i64 {
    3 * (1001 * win + draw) + win + draw + loss - 999
}

fn wdl_from(number: i64) -> [i64; 3] {
    let (win, draw) = (number / 3 / 1001, number / 3 % 1001);
    [win, draw, number % 3 + 999 - win - draw]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn win_draw_and_loss_round_trip_through_their_number() {
        for win in 0..=1001 {
            for draw in (0..=1000 - win.min(1000)).step_by(7) {
                for sum in 999..=1001 {
                    let wdl = [win, draw, sum - win - draw];
                    assert_eq!(wdl_from(wdl_number(wdl)), wdl);
                }
            }
        }
    }
}
