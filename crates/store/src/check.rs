//! Checks of `verify` on the file and on single rows: its pages, schema, analyses and directives.
//! Flaws are texts that say where; `check_rows.rs` has the rows of positions, `check_lists.rs` the
//! answers.

use std::collections::BTreeMap;

use deepanalyze_core::chess::{Game, PositionKey, epd_of, fen_of, legal_uci, parse_uci};
use deepanalyze_core::directives::Directives;

use rusqlite::Row;

use super::analyses::{AnalysisId, AnalysisRow};
use super::error::StoreError;
use super::open::Store;
use super::profiles::{ProfileId, canonical_options};
use super::schema::model;

impl Store {
    /// SQLite's own full check of the file, and of its foreign keys. Empty if all is well.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the check cannot be run at all.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        let mut flaws = self.rows("PRAGMA integrity_check", [], |row| row.get(0))?;
        flaws.retain(|line: &String| line != "ok");
        flaws.extend(self.rows("PRAGMA foreign_key_check", [], |row| {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            Ok(format!("a row of {table} refers to a row of {parent} that is not there"))
        })?);
        Ok(flaws)
    }

    /// Checks that the tables and indices of the file's schema version, and the views of the
    /// newest, are all as the program makes them, without triggers. Those that the user has added
    /// are ignored.
    pub fn check_schema(&self) -> Result<Vec<String>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let right = schema_of(&model(self.user_version()?).map_err(&named)?).map_err(&named)?;
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

    /// Checks what the row of an analysis stores twice: its root and start in all their spellings,
    /// its profile's options.
    pub fn check_analysis(&self, row: &AnalysisRow) -> Result<Vec<String>, StoreError> {
        let Some(game) = row.game() else {
            return Ok(vec!["its root or game history cannot be played".to_owned()]);
        };
        let sql = "SELECT start_epd, options, width_white || ' ' || width_black,
                coalesce(CAST(distance AS TEXT), ''), found
            FROM analysis JOIN profile ON profile.id = analysis.profile WHERE analysis.id = ?1";
        let (start_epd, options, widths, distance, found): Texts =
            self.only_row(sql, [row.id.0], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            })?;
        let plain =
            row.settings.breadth.plain().map(|distance| distance.to_string()).unwrap_or_default();
        let pairs = [
            ("distance", &distance, plain),
            (
                "distances",
                &widths,
                format!("{} {}", row.settings.breadth.white, row.settings.breadth.black),
            ),
            ("root", &row.root, fen_of(game.root())),
            ("start", &row.start, fen_of(game.start())),
            ("start_epd", &start_epd, epd_of(game.start())),
            ("found moves", &found, found_text(&game, row)),
            ("profile's options", &options, canonical_options(&row.profile)),
        ];
        let wrong = pairs.iter().filter(|(_, kept, right)| *kept != right);
        Ok(wrong
            .map(|(what, kept, right)| format!("its {what}: {kept:?}, should be {right:?}"))
            .collect())
    }

    /// The profiles in the database.
    pub fn profiles(&self) -> Result<Vec<ProfileId>, StoreError> {
        self.rows("SELECT id FROM profile ORDER BY id", [], |row| row.get(0).map(ProfileId))
    }

    /// Checks the directives of every root.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_directives(&self) -> Result<Vec<String>, StoreError> {
        self.at_one_moment(|| self.flaws_of_directives())
    }

    fn flaws_of_directives(&self) -> Result<Vec<String>, StoreError> {
        let mut flaws = Vec::new();
        for (id, start, history) in self.directed_rows()? {
            let place = format!("the directives of game {id}");
            let Some(game) = play(&start, &history) else {
                flaws.push(format!("{place}: {start} {history} cannot be played"));
                continue;
            };
            let set = match self.directives(&game) {
                Ok(set) => set,
                Err(error) if error.is_damage() => {
                    flaws.push(error.flaw());
                    continue;
                }
                Err(error) => return Err(error),
            };
            flaws.extend(refused(&set, &game).map(|flaw| format!("{place}: {flaw}")));
        }
        Ok(flaws)
    }

    /// Checks the directives that a tree was grown with.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_grown_with(
        &self,
        row: &AnalysisRow,
        game: &Game,
    ) -> Result<Vec<String>, StoreError> {
        let set = self.grown_with(row.id)?;
        Ok(refused(&set, game).map(|flaw| format!("its directives: {flaw}")).into_iter().collect())
    }
}

/// Texts of a row.
type Texts = (String, String, String, String, String);

/// The found moves of an analysis as its row must have them: legal ones, each once, sorted by text.
fn found_text(game: &Game, row: &AnalysisRow) -> String {
    let mut found: Vec<String> = row.found.iter().map(ToString::to_string).collect();
    let legal: Vec<String> = legal_uci(game.root()).iter().map(ToString::to_string).collect();
    found.retain(|uci| legal.contains(uci));
    found.sort();
    found.dedup();
    found.join(" ")
}

/// SQLite's schema: each object, as `table search`, with its statement as [`plain`] has it.
pub(super) fn schema_of(
    db: &rusqlite::Connection,
) -> rusqlite::Result<BTreeMap<String, Option<String>>> {
    let sql = "SELECT type || ' ' || name, sql FROM sqlite_schema";
    let mut query = db.prepare(sql)?;
    let object = |row: &Row<'_>| {
        let sql: Option<String> = row.get(1)?;
        Ok((row.get(0)?, sql.as_deref().map(plain)))
    };
    query.query_map([], object)?.collect()
}

/// A statement without comments and quotes of names, with single blanks: a column that a step has added
/// stands there as SQLite has written it.
pub(super) fn plain(sql: &str) -> String {
    let mut text = String::new();
    for line in sql.lines() {
        let mut code = line.split("--").next().unwrap_or_default();
        while let Some((before, rest)) = code.split_once("/*") {
            text.push_str(before);
            code = rest.split_once("*/").map_or("", |(_, behind)| behind);
        }
        text.extend([code, " "]);
    }
    for sign in [",", "(", ")"] {
        text = text.replace(sign, &format!(" {sign} "));
    }
    text.replace('"', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A game from its columns.
pub(super) fn play(start_epd: &str, history: &str) -> Option<Game> {
    let mut game = Game::from_start(start_epd).ok()?;
    for word in history.split_whitespace() {
        let m = parse_uci(word)?.to_move(game.root()).ok()?;
        game.play(m);
    }
    Some(game)
}

/// The first directive of a set that is not allowed.
pub(super) fn refused(set: &Directives, game: &Game) -> Option<String> {
    let root = PositionKey::of(game.root());
    let mut again = Directives::default();
    for (key, said) in set.positions() {
        let position = key.position();
        for directive in said.each() {
            if let Err(reason) = again.add(&root, &position, directive) {
                return Some(format!("in {}: {reason}", epd_of(&position)));
            }
        }
        if again.at(key) != Some(said) {
            return Some(format!(
                "in {}: a move that is written in another way",
                epd_of(&position)
            ));
        }
    }
    None
}
