//! The analyses in the database: which trees there are and how far they have come.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Params, Row, params};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Tables, epd_of, fen_of, parse_uci};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::{Breadth, NoPlayedRule, Played, PlayedRule, PlayedRules, Widths};

use super::error::{StoreError, misfit};
use super::games::{GameSetId, KeptGameSet, read_set_if_there};
use super::lock::GrowLock;
use super::memo::{now, words};
use super::open::Store;
use super::profiles::{ProfileId, profile_from};

/// A row of `analysis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnalysisId(pub i64);

/// What an analysis is a function of, besides the answers and the depth.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisKey<'a> {
    /// The game up to the root.
    pub game: &'a Game,
    /// Whose answers.
    pub profile: ProfileId,
    /// The move distances, and how many moves the root has at least.
    pub breadth: &'a Breadth,
    /// How far it goes by endgame tables; none where it does not.
    pub tables: Option<Tables>,
    /// The games that it knows; none where it knows none.
    pub games: Option<KnownGames>,
}

/// The games that a tree knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KnownGames {
    /// The set.
    pub set: GameSetId,
    /// By which rules it follows what is played in them.
    pub rules: PlayedRules,
}

/// An analysis and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisRow {
    /// Its number in this database.
    pub id: AnalysisId,
    /// FEN of the root.
    pub root: String,
    /// FEN of the position where the game began.
    pub start: String,
    /// The moves from there to the root.
    pub history: Vec<UciMove>,
    /// The profile's row.
    pub profile_id: ProfileId,
    /// Whose answers.
    pub profile: Profile,
    /// The move distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// The depth that the last run was to settle.
    pub target_depth: u32,
    /// The greatest settled depth.
    pub settled_depth: Option<u32>,
    /// Passes so far.
    pub passes: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Admitted answers.
    pub searches: u64,
    /// Engine nodes of its admitted answers.
    pub nodes: u64,
    /// Milliseconds since 1970 of the last change.
    pub changed_at: i64,
    /// How often its tree was grown again under other directives, or with tables that had come.
    pub regrown: u64,
    /// How far it goes by endgame tables; none where it does not.
    pub tables: Option<Tables>,
    /// Its tree knows no fact that was found in a later round than this.
    pub fact_round: u64,
    /// The round of facts with which its tree was last grown from its root; later ones say the same of it.
    pub grown_round: u64,
    /// Moves of the root that closing searches have found, and that its tree follows, by their UCI text.
    pub found: Vec<UciMove>,
    /// The games that it knows; none where it knows none.
    pub games: Option<KnownGames>,
    /// Their set as it was when it was counted.
    pub game_set: Option<KeptGameSet>,
}

/// What makes values of two analyses comparable: all that identifies an analysis but its game.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnalysisKind {
    /// Whose answers.
    pub profile: ProfileId,
    /// The move distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// How far it goes by endgame tables; none where it does not.
    pub tables: Option<Tables>,
    /// The games that it knows; none where it knows none.
    pub games: Option<KnownGames>,
}

impl AnalysisRow {
    /// Of which kind it is.
    pub fn kind(&self) -> AnalysisKind {
        let (profile, breadth, tables) = (self.profile_id, self.breadth.clone(), self.tables);
        AnalysisKind { profile, breadth, tables, games: self.games }
    }

    /// The moves that its tree follows whatever games say: what is found at the root.
    pub fn played(&self, game: &Game) -> Arc<Played> {
        found_at(game, self.found.clone())
    }

    /// The game up to the root, played again.
    pub fn game(&self) -> Option<Game> {
        let mut game = Game::from_start(&self.start).ok()?;
        for uci in &self.history {
            let m = uci.to_move(game.root()).ok()?;
            game.play(m);
        }
        Some(game)
    }
}

const SELECT: &str = "SELECT analysis.id, root, start, history, profile.id, engine, options,
        limit_kind, limit_value, target_depth, settled_depth, pass, positions, searches, changed_at,
        width_white, width_black, root_moves, regrown, table_men, fifty, fact_round, grown_round,
        nodes, found, game_set, played_white, played_black, digest, game_set.name, filter, games
    FROM analysis JOIN profile ON profile.id = analysis.profile
    LEFT JOIN game_set ON game_set.id = analysis.game_set";

impl Store {
    /// The analysis of a key, a new one where there is none.
    pub fn open_analysis(&mut self, key: AnalysisKey<'_>) -> Result<AnalysisId, StoreError> {
        let (game, history) = (key.game, history_text(key.game));
        let start_epd = epd_of(game.start());
        let [white, black] = [&key.breadth.white, &key.breadth.black].map(ToString::to_string);
        let (men, fifty) = columns_of(key.tables);
        let find = "SELECT id FROM analysis
            WHERE start_epd = ?1 AND history = ?2 AND profile = ?3 AND width_white = ?4
                AND width_black = ?5 AND root_moves = ?6 AND table_men = ?7 AND fifty = ?8
                AND game_set = ?9 AND played_white = ?10 AND played_black = ?11";
        let least = key.breadth.least;
        let (set, by_white, by_black) = game_columns(key.games);
        let found = params![
            start_epd,
            history,
            key.profile.0,
            white,
            black,
            least,
            men,
            fifty,
            set,
            by_white,
            by_black,
        ];
        self.write(|write| {
            let named = write.named();
            // Where an insertion comes to nothing, SQLite leaves a number out.
            let there = write.query_row(find, found, |row| row.get(0)).optional();
            if let Some(id) = there.map_err(&named)? {
                return Ok(AnalysisId(id));
            }
            let insert = "INSERT INTO analysis (root, start, start_epd, history, profile,
                        distance, width_white, width_black, root_moves, target_depth, created_at,
                        changed_at, table_men, fifty, game_set, played_white, played_black)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10, ?10, ?11, ?12, ?13, ?14,
                        ?15)";
            let (root, start) = (fen_of(game.root()), fen_of(game.start()));
            let (profile, plain, now) = (key.profile.0, key.breadth.plain(), now());
            let new = params![
                root, start, start_epd, history, profile, plain, white, black, least, now, men,
                fifty, set, by_white, by_black,
            ];
            write.execute(insert, new).map_err(&named)?;
            Ok(AnalysisId(write.last_insert_rowid()))
        })
    }

    /// Notes the depth that a run is to settle (what is settled already counts); it is the last one grown from now on.
    pub fn aim(&mut self, id: AnalysisId, target_depth: u32) -> Result<(), StoreError> {
        let sql = "UPDATE analysis SET target_depth = max(?2, coalesce(settled_depth, 0)),
            changed_at = ?3 WHERE id = ?1";
        let row = params![id.0, target_depth, now()];
        self.write(|write| write.execute(sql, row).map(drop).map_err(write.named()))
    }

    /// The analysis of a number.
    pub fn analysis(&self, id: AnalysisId) -> Result<Option<AnalysisRow>, StoreError> {
        let sql = format!("{SELECT} WHERE analysis.id = ?1");
        Ok(self.read_rows(&sql, [id.0])?.pop())
    }

    /// All analyses, the last one grown first.
    pub fn analyses(&self) -> Result<Vec<AnalysisRow>, StoreError> {
        self.read_rows(&format!("{SELECT} ORDER BY changed_at DESC, analysis.id DESC"), [])
    }

    fn read_rows(
        &self,
        sql: &str,
        parameters: impl Params,
    ) -> Result<Vec<AnalysisRow>, StoreError> {
        let rows = self.rows(sql, parameters, |row| Ok((row.get::<_, i64>(0)?, read_row(row))))?;
        let read = |(id, row)| {
            match row {
            Ok(Some(row)) => Ok(row),
            Ok(None) => Err(self.damaged(format!(
                "the row of analysis {id}: its history, options, limit, distances, tables, games or finds"
            ))),
            // A number that does not fit is the row's fault, not SQLite's.
            Err(error) => Err(match misfit(&error) {
                Some(misfit) => self.damaged(format!("the row of analysis {id}: {misfit}")),
                None => StoreError::sqlite(&self.path)(error),
            }),
        }
        };
        rows.into_iter().map(read).collect()
    }

    /// The analyses of a game's last position, the last one grown first.
    pub fn analyses_of(&self, game: &Game) -> Result<Vec<AnalysisRow>, StoreError> {
        let sql = format!(
            "{SELECT} WHERE start_epd = ?1 AND history = ?2
            ORDER BY changed_at DESC, analysis.id DESC"
        );
        self.read_rows(&sql, params![epd_of(game.start()), history_text(game)])
    }
}

/// Nothing where what its columns say is none of that.
fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<AnalysisRow>> {
    let history: String = row.get(3)?;
    let options: String = row.get(6)?;
    let (kind, value): (String, i64) = (row.get(7)?, row.get(8)?);
    let moves: Option<Vec<UciMove>> = history.split_whitespace().map(parse_uci).collect();
    let profile = profile_from(row.get(5)?, &options, (&kind, value));
    let widths = |column| -> rusqlite::Result<Option<Widths>> {
        Ok(row.get::<_, String>(column)?.parse().ok())
    };
    let (white, black, least) = (widths(15)?, widths(16)?, row.get(17)?);
    let (men, fifty): (u8, String) = (row.get(19)?, row.get(20)?);
    let found: String = row.get(24)?;
    let found: Option<Vec<UciMove>> = found.split_whitespace().map(parse_uci).collect();
    let games = read_games((row.get(25)?, row.get(26)?, row.get(27)?));
    let (Some(history), Some(profile), Some(white), Some(black), Ok(fifty), Some(found), Ok(games)) =
        (moves, profile, white, black, fifty.parse(), found, games)
    else {
        return Ok(None);
    };
    let breadth = Breadth { white, black, least };
    Ok(Some(AnalysisRow {
        id: AnalysisId(row.get(0)?),
        root: row.get(1)?,
        start: row.get(2)?,
        history,
        profile_id: ProfileId(row.get(4)?),
        profile,
        breadth,
        target_depth: row.get(9)?,
        settled_depth: row.get(10)?,
        passes: row.get(11)?,
        positions: row.get(12)?,
        searches: row.get(13)?,
        nodes: row.get(23)?,
        changed_at: row.get(14)?,
        regrown: row.get(18)?,
        tables: (men > 0).then_some(Tables { men, fifty }),
        fact_round: row.get(21)?,
        grown_round: row.get(22)?,
        found,
        games,
        game_set: read_set_if_there(row, 28)?,
    }))
}

/// The games that an analysis knows, as its columns have them: the set, and the rules of White and Black.
type GameColumns = (i64, String, String);

fn game_columns(games: Option<KnownGames>) -> GameColumns {
    let written = |rule: Option<PlayedRule>| rule.map_or_else(String::new, |rule| rule.to_string());
    games.map_or_else(GameColumns::default, |KnownGames { set, rules }| {
        (set.0, written(rules.white), written(rules.black))
    })
}

fn read_games((set, white, black): GameColumns) -> Result<Option<KnownGames>, NoPlayedRule> {
    let rule = |text: &str| (!text.is_empty()).then(|| text.parse()).transpose();
    let rules = PlayedRules { white: rule(&white)?, black: rule(&black)? };
    Ok((set > 0).then_some(KnownGames { set: GameSetId(set), rules }))
}

/// The played moves of a tree that follows these at the root of its game.
pub fn found_at(game: &Game, found: Vec<UciMove>) -> Arc<Played> {
    let at_root = (!found.is_empty()).then(|| (PositionKey::of(game.root()), found));
    Arc::new(at_root.into_iter().collect())
}

/// How an analysis goes by endgame tables, as its columns have it.
fn columns_of(tables: Option<Tables>) -> (u8, String) {
    let men = tables.map_or(0, |tables| tables.men);
    (men, tables.map_or_else(Default::default, |tables| tables.fifty).to_string())
}

pub(super) fn history_text(game: &Game) -> String {
    words(game.moves())
}

/// What hangs on an analysis (its positions, settled depths, verdicts, course, and the directives that it
/// was grown with) goes with its row.
const DELETE: &str = "DELETE FROM analysis WHERE id = ?1";
const DELETE_EMPTY: &str =
    "DELETE FROM analysis WHERE id = ?1 AND searches = 0 AND settled_depth IS NULL
        AND id NOT IN (SELECT analysis FROM agenda)";

impl Store {
    /// The analysis of a key, a new one where there is none, with its lock.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where another process grows it.
    pub fn begin_analysis(
        &mut self,
        key: AnalysisKey<'_>,
    ) -> Result<(AnalysisId, GrowLock), StoreError> {
        loop {
            let id = self.open_analysis(key)?;
            let lock = self.lock(id)?;
            // Who held the lock before may have deleted the analysis.
            if self.open_analysis(key)? == id {
                return Ok((id, lock));
            }
        }
    }

    /// Deletes analyses with all that is derived of them, all or none; gives how many there were. Their
    /// answers, and the directives and names of their roots, stay.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where a process grows one of them; nothing is changed then.
    pub fn delete_analyses(&mut self, ids: &[AnalysisId]) -> Result<usize, StoreError> {
        let _locks = ids.iter().map(|id| self.lock(*id)).collect::<Result<Vec<_>, _>>()?;
        self.delete(DELETE, ids)
    }

    /// Deletes an analysis that has neither an answer nor a settled depth, is not on the agenda, and whose lock
    /// the caller has; `false` where it has some, is there, or there is none of that number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn delete_if_empty(
        &mut self,
        id: AnalysisId,
        _lock: &GrowLock,
    ) -> Result<bool, StoreError> {
        Ok(self.delete(DELETE_EMPTY, &[id])? > 0)
    }

    fn delete(&mut self, sql: &str, ids: &[AnalysisId]) -> Result<usize, StoreError> {
        self.write(|write| {
            let deleted = ids.iter().map(|id| write.execute(sql, [id.0]).map_err(write.named()));
            deleted.sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::{Limit, Profile};

    #[test]
    fn the_number_of_an_analysis_that_is_gone_is_no_other_s() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let begin = |store: &mut Store, moves: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(moves).unwrap();
            let key = AnalysisKey {
                game: &game,
                profile,
                breadth: &10.into(),
                tables: None,
                games: None,
            };
            store.begin_analysis(key).unwrap().0.0
        };
        assert_eq!(["", "e4", "", "e4"].map(|moves| begin(&mut store, moves)), [1, 2, 1, 2]);
        assert_eq!(store.delete_analyses(&[AnalysisId(2)]).unwrap(), 1);
        drop(store);
        let mut store = Store::open(&path).unwrap();
        assert_eq!(["d4", "e4", "c4"].map(|moves| begin(&mut store, moves)), [3, 4, 5]);
        let lock = store.lock(AnalysisId(5)).unwrap();
        assert!(store.delete_if_empty(AnalysisId(5), &lock).unwrap());
        assert_eq!(begin(&mut store, "c4"), 6);
    }
}
