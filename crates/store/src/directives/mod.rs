//! Directives: of a root, and those that each tree was grown with.

mod rows;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{
    Game, GivenValue, PositionKey, Tables, epd_of, parse_fen, parse_uci,
};
use deepanalyze_core::directives::{Dates, Directive, Directives, Said};

use super::analyses::{AnalysisId, history_text};
use super::check::play;
use super::error::StoreError;
use super::merging::SourceId;
use super::open::Store;
pub(super) use rows::write_grown_with;
use rows::{write_changes, write_written};

/// A directive, and when it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedDirective {
    /// The position.
    pub position: PositionKey,
    /// The directive.
    pub directive: Directive,
    /// Milliseconds since 1970, UTC.
    pub created_at: i64,
}

/// How a root is given, which says with what directives it begins while it has none of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RootOrigin {
    /// By itself: it begins with none, whatever was said of a position on the way to it.
    #[default]
    Study,
    /// As a position of a game: it begins with a copy of those of the nearest position before it that has any.
    Game {
        /// No earlier ply of the game counts.
        since: usize,
    },
}

impl RootOrigin {
    /// A position of a written game. The position where it began is of all games alike, and none of them goes on from it.
    pub const WRITTEN_GAME: RootOrigin = RootOrigin::Game { since: 1 };
}

/// Result of a change of directives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectivesChanged<T> {
    /// Result of the change itself.
    pub result: T,
    /// Directives that the change began with.
    pub before: Directives,
    /// Directives from now on.
    pub after: Directives,
    /// How often the directives of the root have changed by now.
    pub revision: u64,
    /// Analyses of the root that are to follow, of all settings and engines: those that were grown with other directives,
    /// and those that are growing. None where the change concerns no tree.
    pub affected: Vec<AnalysisId>,
    /// The root was new, and its game goes on from one with directives: how many moves that one's game
    /// has, and how many directives were copied.
    pub copied: Option<(usize, usize)>,
}

impl<T> DirectivesChanged<T> {
    /// True where trees are grown otherwise from now on: notes change none.
    pub fn changes_tree(&self) -> bool {
        self.before.of_tree() != self.after.of_tree()
    }
}

/// Adapts a change that ignores dates: each new directive gets a date of its own, as the set is not
/// one command.
fn ignoring_dates<T, E>(
    change: impl FnOnce(&mut Directives) -> Result<T, E>,
) -> impl FnOnce(&mut Directives, &mut Dates) -> Result<T, E> {
    |set, dates| {
        dates.set_apart();
        change(set)
    }
}

/// Where a change of directives comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeOrigin {
    /// A new directive.
    New,
    /// It was there before: what tables know by now is no reason to refuse it.
    Before,
    /// Earlier ones of another database.
    Merged(SourceId),
}

impl ChangeOrigin {
    /// The row of the other database.
    fn source(self) -> Option<i64> {
        if let ChangeOrigin::Merged(source) = self { Some(source.0) } else { None }
    }
}

impl Store {
    /// The directives of a root; none where the user has given none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn directives(&self, game: &Game) -> Result<Directives, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut set = Directives::default();
        if let Some((id, _)) = game_id(&self.db, game).map_err(named)? {
            let dated = self.read_directives(id)?;
            dated.into_iter().for_each(|dated| set.put(dated.position, dated.directive));
            *set.written_mut() = self.read_written(id)?;
        }
        Ok(set)
    }

    /// The directives of a root with the time at which each was given, the oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn dated_directives(&self, game: &Game) -> Result<Vec<DatedDirective>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        match game_id(&self.db, game).map_err(&named)? {
            Some((id, _)) => self.read_directives(id),
            None => Ok(Vec::new()),
        }
    }

    /// Number of changes of a root's directives: they are the same as long as it is.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn revision(&self, game: &Game) -> Result<u64, StoreError> {
        let found = game_id(&self.db, game).map_err(StoreError::sqlite(&self.path))?;
        Ok(found.map_or(0, |(_, revision)| revision))
    }

    /// Changes the directives of a root, in one transaction that is durable when this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, and the error of `change`; nothing is changed then.
    pub fn change_directives<T, E: From<StoreError>>(
        &mut self,
        game: &Game,
        change: impl FnOnce(&mut Directives) -> Result<T, E>,
    ) -> Result<DirectivesChanged<T>, E> {
        self.change_where(game, RootOrigin::Study, ignoring_dates(change), ChangeOrigin::New)
    }

    /// Changes the directives of a root with their dates.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, and the error of `change`; nothing is changed then.
    pub fn change_dated<T, E: From<StoreError>>(
        &mut self,
        game: &Game,
        change: impl FnOnce(&mut Directives, &mut Dates) -> Result<T, E>,
    ) -> Result<DirectivesChanged<T>, E> {
        self.begin_directed(game, RootOrigin::Study, change)
    }

    /// Changes the directives of a root that may be new: a new one begins with those of its origin,
    /// which counts as a change.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, and the error of `change`; nothing is changed then.
    pub fn begin_directed<T, E: From<StoreError>>(
        &mut self,
        game: &Game,
        origin: RootOrigin,
        change: impl FnOnce(&mut Directives, &mut Dates) -> Result<T, E>,
    ) -> Result<DirectivesChanged<T>, E> {
        self.change_where(game, origin, change, ChangeOrigin::New)
    }

    /// Restores earlier directives: results that tables have by now do not refuse them, but take
    /// precedence.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, and the error of `change`; nothing is changed then.
    pub fn restore_directives<T, E: From<StoreError>>(
        &mut self,
        game: &Game,
        change: impl FnOnce(&mut Directives) -> Result<T, E>,
    ) -> Result<DirectivesChanged<T>, E> {
        self.change_where(game, RootOrigin::Study, ignoring_dates(change), ChangeOrigin::Before)
    }

    /// Adds another database's directives for a root, which were given earlier. All new ones are
    /// removed with their source.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails; nothing is changed then.
    pub(super) fn merge_directives(
        &mut self,
        game: &Game,
        source: SourceId,
        change: impl FnOnce(&mut Directives, &mut Dates),
    ) -> Result<(), StoreError> {
        let change = |set: &mut Directives, dates: &mut Dates| {
            dates.set_apart();
            change(set, dates);
            Ok::<(), StoreError>(())
        };
        let origin = ChangeOrigin::Merged(source);
        self.change_where(game, RootOrigin::Study, change, origin).map(drop)
    }

    fn change_where<T, E: From<StoreError>>(
        &mut self,
        game: &Game,
        origin: RootOrigin,
        change: impl FnOnce(&mut Directives, &mut Dates) -> Result<T, E>,
        change_origin: ChangeOrigin,
    ) -> Result<DirectivesChanged<T>, E> {
        self.write(|write| {
            let before = self.directives(game)?;
            let (mut set, copied) = self.directives_to_begin_with(game, origin)?;
            let (begun, mut dates) = (set.clone(), self.dates(game, copied)?);
            let result = change(&mut set, &mut dates)?;
            if change_origin == ChangeOrigin::New {
                self.refuse_known(game, &begun, &set)?;
            }
            let insert =
                "INSERT INTO game (start_epd, history) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            let key = params![epd_of(game.start()), history_text(game)];
            write.execute(insert, key).map_err(write.named())?;
            if set != before
                && let Some((id, _)) = game_id(write, game).map_err(write.named())?
            {
                let merged = change_origin.source().map(|source| (source, &begun));
                write_changes(write, id, &before, &set, &dates, merged).map_err(write.named())?;
                let written = (before.written(), set.written());
                write_written(write, id, written).map_err(write.named())?;
            }
            let (revision, affected) = (self.revision(game)?, self.affected(game, &before, &set)?);
            Ok(DirectivesChanged { result, before: begun, after: set, revision, affected, copied })
        })
    }

    /// The analyses of a root that are to follow a change of its directives. A run may be growing under some that no row has.
    fn affected(
        &self,
        game: &Game,
        before: &Directives,
        after: &Directives,
    ) -> Result<Vec<AnalysisId>, StoreError> {
        if before.of_tree() == after.of_tree() {
            return Ok(Vec::new());
        }
        let all = self.analyses_of(game)?.into_iter().map(|row| row.id);
        // A damaged record is none of these directives.
        let is_affected =
            |id: &AnalysisId| self.is_growing(*id) || self.is_pending(*id, after).unwrap_or(true);
        Ok(all.filter(is_affected).collect())
    }

    /// Compares the directives of a root with those that the tree of an analysis was grown with; true where they differ.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn is_pending(
        &self,
        analysis: AnalysisId,
        directives: &Directives,
    ) -> Result<bool, StoreError> {
        Ok(self.grown_with(analysis)? != directives.of_tree())
    }

    /// When those were said that a change begins with: a copy has the dates of what was copied.
    fn dates(&self, game: &Game, copied: Option<(usize, usize)>) -> Result<Dates, StoreError> {
        let dated = match copied {
            Some((plies, _)) => self.dated_directives(&game.up_to(plies))?,
            None => self.dated_directives(game)?,
        };
        let said =
            |DatedDirective { position, directive, created_at }| (position, directive, created_at);
        Ok(dated.into_iter().map(said).collect())
    }

    /// Refuses new values and stops at positions in the tables, if a tree of the root uses them.
    fn refuse_known(
        &self,
        game: &Game,
        before: &Directives,
        after: &Directives,
    ) -> Result<(), StoreError> {
        let is_new = |key: &PositionKey, said: &Said| {
            let old = before.at(key);
            said.value.is_some() && old.is_none_or(|old| old.value.is_none())
                || said.stop && old.is_none_or(|old| !old.stop)
        };
        let new = after.positions().filter(|(key, said)| is_new(key, said));
        let new: Vec<Chess> = new.map(|(key, _)| key.position()).collect();
        if new.is_empty() {
            return Ok(());
        }
        let rows = self.analyses_of(game)?;
        for position in new {
            let is_looked_up = |tables: &Tables| tables.may_know(&position);
            if rows.iter().filter_map(|row| row.settings.tables.as_ref()).any(is_looked_up)
                && let Some(Some(known)) = self.fact(&position, u64::MAX)?
            {
                return Err(StoreError::Known { epd: epd_of(&position), known });
            }
        }
        Ok(())
    }

    /// The directives that the next change of a root or the next run begins with: its own, and where it is
    /// new those with which one of this origin begins. Of a copy also how many moves the game has whose they were, and
    /// how many directives are copied.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn directives_to_begin_with(
        &self,
        game: &Game,
        origin: RootOrigin,
    ) -> Result<(Directives, Option<(usize, usize)>), StoreError> {
        let own = self.directives(game)?;
        let RootOrigin::Game { since } = origin else { return Ok((own, None)) };
        if !own.is_empty() || self.is_directed(game)? {
            return Ok((own, None));
        }
        let Some((plies, set)) = self.game_before(game, since)? else {
            return Ok((own, None));
        };
        let set = set.for_root(&PositionKey::of(game.root()));
        let count = set.len();
        Ok((set, (count > 0).then_some((plies, count))))
    }

    /// True if a root has directives of its own, even an empty set: it was grown, or they were
    /// changed.
    pub(super) fn is_directed(&self, game: &Game) -> Result<bool, StoreError> {
        let found = game_id(&self.db, game).map_err(StoreError::sqlite(&self.path))?;
        Ok(found.is_some())
    }

    /// The directives of the longest game with any from which a game continues and which has at
    /// least this many moves, and its number of moves.
    fn game_before(
        &self,
        game: &Game,
        since: usize,
    ) -> Result<Option<(usize, Directives)>, StoreError> {
        for plies in (since..game.moves().len()).rev() {
            let earlier = game.up_to(plies);
            let set = self.directives(&earlier)?;
            if !set.is_empty() {
                return Ok(Some((plies, set)));
            }
        }
        Ok(None)
    }

    /// The directives that the tree of an analysis was grown with.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn grown_with(&self, analysis: AnalysisId) -> Result<Directives, StoreError> {
        let mut set = Directives::default();
        let sql = "SELECT epd, kind, move, value, NULL FROM grown_directive AS said
            JOIN position ON position.id = said.position WHERE analysis = ?1";
        for said in self.rows(sql, [analysis.0], |row| Ok(self.read_directive(row)))? {
            let (position, directive) = said?;
            set.put(position, directive);
        }
        Ok(set)
    }

    /// The roots with directives, analysed or not; those that cannot be played are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn directed_games(&self) -> Result<Vec<Game>, StoreError> {
        let rows = self.directed_rows()?;
        Ok(rows.iter().filter_map(|(_, start, history)| play(start, history)).collect())
    }

    /// The stored rows of roots with directives: the start's EPD and the moves in UCI notation.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub(super) fn directed_rows(&self) -> Result<Vec<(i64, String, String)>, StoreError> {
        let sql = "SELECT id, start_epd, history FROM game
            WHERE id IN (SELECT game FROM directive) ORDER BY id";
        self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    fn read_directives(&self, game: i64) -> Result<Vec<DatedDirective>, StoreError> {
        let sql = "SELECT epd, kind, move, value, text, created_at FROM directive
            JOIN position ON position.id = directive.position
            WHERE game = ?1 ORDER BY created_at, epd, kind, move";
        let rows = self.rows(sql, [game], |row| Ok((self.read_directive(row), row.get(5)?)))?;
        let dated = |(said, created_at): (Result<_, StoreError>, i64)| {
            let (position, directive) = said?;
            Ok(DatedDirective { position, directive, created_at })
        };
        rows.into_iter().map(dated).collect()
    }

    fn read_directive(&self, row: &Row<'_>) -> Result<(PositionKey, Directive), StoreError> {
        let named = StoreError::sqlite(&self.path);
        let text = |column| -> Result<String, StoreError> {
            match row.get_ref(column).map_err(&named)? {
                ValueRef::Null => Ok(String::new()),
                value => Ok(value.as_str().unwrap_or_default().to_owned()),
            }
        };
        let (epd, kind, uci) = (text(0)?, text(1)?, text(2)?);
        let damaged = || self.damaged(format!("the directive '{kind} {uci}' in {epd}"));
        let position = parse_fen(&epd).map_err(|_| damaged())?;
        let value: Option<i32> = row.get(3).map_err(|_| damaged())?;
        let uci: Option<UciMove> = parse_uci(&uci);
        let directive = match kind.as_str() {
            "exclude" => uci.map(Directive::Exclude),
            "include" => uci.map(Directive::Include),
            "value" => value.map(GivenValue::Centipawns).map(Directive::Value),
            "draw" => Some(Directive::Value(GivenValue::Draw)),
            "stop" => Some(Directive::Stop),
            "note" => Some(Directive::Note(text(4)?)),
            _ => None,
        };
        Ok((PositionKey::of(&position), directive.ok_or_else(damaged)?))
    }
}

/// The row of a game, and how often its directives have changed.
fn game_id(db: &Connection, game: &Game) -> rusqlite::Result<Option<(i64, u64)>> {
    let sql = "SELECT id, revision FROM game WHERE start_epd = ?1 AND history = ?2";
    let key = params![epd_of(game.start()), history_text(game)];
    let mut query = db.prepare_cached(sql)?;
    query.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()
}
