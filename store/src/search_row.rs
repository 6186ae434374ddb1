//! A row of `search` as it is written and checked.

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
