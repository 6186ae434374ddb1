//! What `verify` asks of the file: its pages, its schema, and its rows one by one; `check_lists.rs` has the
//! answers.

use std::collections::BTreeMap;

use rusqlite::{Params, Row};
use shakmaty::Position;

use deepanalyze_core::chess::{Ending, epd_of, fen_of, parse_fen, parse_uci};

use super::analyses::{AnalysisId, AnalysisRow};
use super::check_parts::PartOfRows;
use super::error::StoreError;
use super::open::Store;
use super::profiles::{ProfileId, canonical_options};
use super::schema::model;

/// Something wrong, in words that say where.
pub type Flaw = String;

impl Store {
    /// SQLite's own full check of the file, and of its foreign keys. No flaw where all is well.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the check cannot be run at all.
    pub fn integrity(&self) -> Result<Vec<Flaw>, StoreError> {
        let mut flaws = self.rows("PRAGMA integrity_check", [], |row| row.get(0))?;
        flaws.retain(|line: &Flaw| line != "ok");
        flaws.extend(self.rows("PRAGMA foreign_key_check", [], |row| {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            Ok(format!("a row of {table} refers to a row of {parent} that is not there"))
        })?);
        Ok(flaws)
    }

    /// The flaws of the rows of a statement; a row may have none.
    fn flaws_of_rows_of(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<Flaw>>,
    ) -> Result<Vec<Flaw>, StoreError> {
        Ok(self.rows(sql, parameters, read)?.into_iter().flatten().collect())
    }

    /// Checks that every table, view and index of the schema is there as the program makes it, and
    /// no trigger. Tables, views and indices that the user has added are left alone.
    pub fn check_schema(&self) -> Result<Vec<Flaw>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let right = schema_of(&model().map_err(&named)?).map_err(&named)?;
        let mut kept = schema_of(&self.db).map_err(&named)?;
        let mut flaws = Vec::new();
        for (object, sql) in right {
            match kept.remove(&object) {
                None => flaws.push(format!("the schema has no {object}")),
                Some(found) if found != sql => {
                    flaws.push(format!("{object} of the schema is not as the program makes it"));
                }
                Some(_) => {}
            }
        }
        let triggers = kept.into_keys().filter(|object| object.starts_with("trigger "));
        flaws.extend(triggers.map(|object| format!("the schema has a {object}")));
        Ok(flaws)
    }

    /// The numbers of all analyses.
    pub fn analysis_ids(&self) -> Result<Vec<AnalysisId>, StoreError> {
        self.rows("SELECT id FROM analysis ORDER BY id", [], |row| row.get(0).map(AnalysisId))
    }

    /// Checks what the row of an analysis says twice: its root and start in all their spellings,
    /// its profile's options.
    pub fn check_analysis(&self, row: &AnalysisRow) -> Result<Vec<Flaw>, StoreError> {
        let Some(game) = row.game() else {
            return Ok(vec!["its root or game history cannot be played".to_owned()]);
        };
        let sql = "SELECT start_epd, options, width_white || ' ' || width_black,
                coalesce(CAST(distance AS TEXT), '')
            FROM analysis JOIN profile ON profile.id = analysis.profile WHERE analysis.id = ?1";
        let (start_epd, options, widths, distance): (String, String, String, String) = self
            .only_row(sql, [row.id.0], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
        let plain = row.breadth.plain().map(|distance| distance.to_string()).unwrap_or_default();
        let pairs = [
            ("distance", &distance, plain),
            ("distances", &widths, format!("{} {}", row.breadth.white, row.breadth.black)),
            ("root", &row.root, fen_of(game.root())),
            ("start", &row.start, fen_of(game.start())),
            ("start_epd", &start_epd, epd_of(game.start())),
            ("profile's options", &options, canonical_options(&row.profile)),
        ];
        let wrong = pairs.iter().filter(|(_, kept, right)| *kept != right);
        Ok(wrong
            .map(|(what, kept, right)| format!("its {what}: {kept:?}, should be {right:?}"))
            .collect())
    }

    /// Checks that every link of some rows leads where its move does.
    pub fn check_links(&self, part: PartOfRows) -> Result<Vec<Flaw>, StoreError> {
        let sql = "SELECT position.epd, link.move, child.epd FROM link
            JOIN position ON position.id = link.position
            JOIN position AS child ON child.id = link.child
            WHERE link.position > ?1 AND link.position <= ?2 ORDER BY link.position, link.move";
        self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (epd, uci, child): (String, String, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(link_flaw(&epd, &uci, &child))
        })
    }

    /// Checks that every answer of some rows has its link.
    pub fn missing_links(
        &self,
        profile: ProfileId,
        part: PartOfRows,
    ) -> Result<Vec<Flaw>, StoreError> {
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

    /// The profiles in the database.
    pub fn profiles(&self) -> Result<Vec<ProfileId>, StoreError> {
        self.rows("SELECT id FROM profile ORDER BY id", [], |row| row.get(0).map(ProfileId))
    }

    /// Checks the rows of some positions: the EPD is the position's own, the ending right.
    pub fn check_positions(&self, part: PartOfRows) -> Result<Vec<Flaw>, StoreError> {
        let sql = "SELECT id, epd, ending FROM position WHERE id > ?1 AND id <= ?2 ORDER BY id";
        self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (id, epd, ending): (i64, String, Option<String>) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(position_flaw(id, &epd, ending.as_deref()))
        })
    }
}

/// What SQLite says of each object, as `table search`, with its statement.
fn schema_of(db: &rusqlite::Connection) -> rusqlite::Result<BTreeMap<String, Option<String>>> {
    let sql = "SELECT type || ' ' || name, sql FROM sqlite_schema";
    let mut query = db.prepare(sql)?;
    query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn link_flaw(epd: &str, uci: &str, child: &str) -> Option<Flaw> {
    // A position that cannot be read has been reported as such.
    let position = parse_fen(epd).ok()?;
    let played = parse_uci(uci).and_then(|uci| uci.to_move(&position).ok());
    let Some(played) = played else {
        return Some(format!("link of {uci} in {epd}: the move is not legal"));
    };
    let mut after = position;
    after.play_unchecked(played);
    let right = epd_of(&after);
    (right != child).then(|| format!("link of {uci} in {epd}: it leads to {child}, not {right}"))
}

fn position_flaw(id: i64, epd: &str, ending: Option<&str>) -> Option<Flaw> {
    let Ok(position) = parse_fen(epd) else {
        return Some(format!("position {id}: {epd:?} is not a legal position"));
    };
    let canonical = epd_of(&position);
    if canonical != epd {
        return Some(format!("position {id}: {epd:?} should read {canonical:?}"));
    }
    let right = Ending::of(&position).map(Ending::name);
    (right != ending)
        .then(|| format!("position {id} ({epd}): its ending is {ending:?}, should be {right:?}"))
}
