//! Progress of rechecks: a row for each analysis and each profile that has checked it.

use rusqlite::types::Value as Column;
use rusqlite::{Row, params, params_from_iter};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Value, parse_uci};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::{Errors, Margin, RecheckState};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::memo::now;
use super::open::Store;
use super::profiles::{ProfileId, profile_from};

/// A move of a root and its value for its mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValuedMove {
    /// The move.
    pub uci: UciMove,
    /// Its backed-up value.
    pub value: Value,
}

/// Progress of a recheck of an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecheckRow {
    /// The analysis.
    pub analysis: AnalysisId,
    /// The profile of the new answers.
    pub profile_id: ProfileId,
    /// That profile.
    pub profile: Profile,
    /// The passes of the tree, and how often it had been grown again.
    pub tree: (u64, u64),
    /// The initial margin.
    pub margin: Margin,
    /// Its state.
    pub state: RecheckState,
    /// Error, in centipawns, assumed for a score that was not asked again.
    pub within: u32,
    /// No smaller change of such scores makes another move the best, in centipawns.
    pub at_least: u32,
    /// The tree's best move.
    pub before: ValuedMove,
    /// Its value with the new scores.
    pub since: Value,
    /// The best move with them.
    pub best: ValuedMove,
    /// Scores of the tree to ask again.
    pub leaves: u64,
    /// Scores asked.
    pub asked: u64,
    /// The engine nodes of the new scores.
    pub nodes: u64,
    /// Time of this state, in milliseconds since 1970, UTC; set on writing.
    pub changed_at: i64,
}

const SELECT: &str = "SELECT analysis, profile.id, engine, options, limit_kind, limit_value, pass, regrown, margin, errors,
        state, within, at_least, best_before, value_before, best, value, leaves, asked, nodes, changed_at, value_since
    FROM recheck JOIN profile ON profile.id = recheck.profile";

/// Inserts nothing if the analysis is gone.
const KEEP: &str = "INSERT INTO recheck (analysis, profile, pass, regrown, margin, errors, state, within, at_least,
        best_before, value_before, best, value, leaves, asked, nodes, changed_at, value_since)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18
    WHERE EXISTS (SELECT 1 FROM analysis WHERE id = ?1)
    ON CONFLICT DO UPDATE SET pass = excluded.pass, regrown = excluded.regrown, margin = excluded.margin,
        errors = excluded.errors, state = excluded.state, within = excluded.within, at_least = excluded.at_least,
        best_before = excluded.best_before, value_before = excluded.value_before, best = excluded.best,
        value = excluded.value, leaves = excluded.leaves, asked = excluded.asked, nodes = excluded.nodes,
        changed_at = excluded.changed_at, value_since = excluded.value_since";

impl Store {
    /// Stores the progress of a recheck, replacing the row of the same analysis and profile.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn keep_recheck(&self, row: &RecheckRow) -> Result<(), StoreError> {
        let columns = columns_of(row);
        self.write(|write| {
            write.execute(KEEP, params_from_iter(&columns)).map(drop).map_err(write.named())
        })
    }

    /// The rechecks of an analysis, the last one first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn rechecks_of(&self, analysis: AnalysisId) -> Result<Vec<RecheckRow>, StoreError> {
        let sql =
            format!("{SELECT} WHERE analysis = ?1 ORDER BY changed_at DESC, recheck.profile DESC");
        let damaged = || self.damaged(format!("the row of a recheck of analysis {}", analysis.0));
        let rows = self.rows(&sql, params![analysis.0], read_row)?.into_iter();
        rows.map(|row| row.ok_or_else(damaged)).collect()
    }
}

fn columns_of(row: &RecheckRow) -> Vec<Column> {
    let (passes, regrown) = row.tree;
    let (margin, errors) = match &row.margin {
        Margin::Fixed(margin) => (Some(*margin), "[]".to_owned()),
        Margin::Shown(errors) => (None, errors_text(errors)),
    };
    let whole = |number: u64| Column::from(i64::try_from(number).unwrap_or(i64::MAX));
    vec![
        row.analysis.0.into(),
        row.profile_id.0.into(),
        whole(passes),
        whole(regrown),
        margin.into(),
        errors.into(),
        state_word(row.state).to_owned().into(),
        row.within.into(),
        row.at_least.into(),
        row.before.uci.to_string().into(),
        row.before.value.get().into(),
        row.best.uci.to_string().into(),
        row.best.value.get().into(),
        whole(row.leaves),
        whole(row.asked),
        whole(row.nodes),
        now().into(),
        row.since.get().into(),
    ]
}

/// `None` if its columns are invalid.
fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<RecheckRow>> {
    let (engine, options): (String, String) = (row.get(2)?, row.get(3)?);
    let (kind, value): (String, i64) = (row.get(4)?, row.get(5)?);
    let (margin, errors): (Option<u32>, String) = (row.get(8)?, row.get(9)?);
    let moves = [read_move(row, 13)?, read_move(row, 15)?];
    let (state, since): (String, i64) = (row.get(10)?, row.get(21)?);
    let (Some(profile), Some(errors), Some(state), [Some(before), Some(best)], Some(since)) = (
        profile_from(engine, &options, &kind, value),
        errors_from(&errors),
        state_from(&state),
        moves,
        Value::new(since),
    ) else {
        return Ok(None);
    };
    Ok(Some(RecheckRow {
        analysis: AnalysisId(row.get(0)?),
        profile_id: ProfileId(row.get(1)?),
        profile,
        tree: (row.get(6)?, row.get(7)?),
        margin: margin.map_or(Margin::Shown(errors), Margin::Fixed),
        state,
        within: row.get(11)?,
        at_least: row.get(12)?,
        before,
        since,
        best,
        leaves: row.get(17)?,
        asked: row.get(18)?,
        nodes: row.get(19)?,
        changed_at: row.get(20)?,
    }))
}

/// A move, and its value in the column behind it.
fn read_move(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<ValuedMove>> {
    let (uci, value): (String, i64) = (row.get(column)?, row.get(column + 1)?);
    let value = Value::new(value);
    Ok(parse_uci(&uci).zip(value).map(|(uci, value)| ValuedMove { uci, value }))
}

const STATES: [(&str, RecheckState); 3] = [
    ("open", RecheckState::Open),
    ("stays", RecheckState::Stays),
    ("changed", RecheckState::Changed),
];

fn state_word(state: RecheckState) -> &'static str {
    STATES.iter().find(|(_, of)| *of == state).map_or("open", |(word, _)| word)
}

fn state_from(word: &str) -> Option<RecheckState> {
    STATES.iter().find(|(of, _)| *of == word).map(|(_, state)| *state)
}

/// More errors than two profiles have shown in any database are damage.
const MOST_ERRORS: usize = 10_000_000;

/// `[[0,3],[12,1]]`: three of 0 centipawns, one of 12.
fn errors_text(errors: &Errors) -> String {
    let runs = errors.all().chunk_by(|one, other| one == other);
    let counts: Vec<(u32, usize)> =
        runs.filter_map(|run| Some((*run.first()?, run.len()))).collect();
    serde_json::json!(counts).to_string()
}

fn errors_from(text: &str) -> Option<Errors> {
    let counts: Vec<(u32, usize)> = serde_json::from_str(text).ok()?;
    let all = counts.iter().try_fold(0_usize, |all, (_, count)| all.checked_add(*count))?;
    if all > MOST_ERRORS {
        return None;
    }
    Some(counts.into_iter().flat_map(|(error, count)| std::iter::repeat_n(error, count)).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::AnalysisKey;
    use deepanalyze_core::chess::{Game, Score};
    use deepanalyze_core::search::Limit;

    fn profile(depth: u32) -> Profile {
        let (options, limit) = (BTreeMap::new(), Limit::Depth(depth));
        Profile { engine: "Some".to_owned(), options, limit, kept_hash: None }
    }

    #[test]
    fn a_new_note_replaces_the_old_and_dies_with_its_tree() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let game = Game::from_start("startpos").unwrap();
        let [old, new] = [1, 2].map(|depth| store.profile_id(&profile(depth)).unwrap());
        let key = AnalysisKey { game: &game, profile: old, settings: &10.into() };
        let analysis = store.open_analysis(key).unwrap();
        let of = |uci: &str, cp| ValuedMove {
            uci: parse_uci(uci).unwrap(),
            value: Value::from(Score::Cp(cp)),
        };
        let row = RecheckRow {
            analysis,
            profile_id: new,
            profile: profile(2),
            tree: (7, 1),
            margin: Margin::Shown([12, 0, 0, 3].into_iter().collect()),
            state: RecheckState::Open,
            within: 30,
            at_least: 6,
            before: of("e2e4", 30),
            since: of("e2e4", 28).value,
            best: of("e2e4", 28),
            leaves: 230,
            asked: 3,
            nodes: 1234,
            changed_at: 0,
        };
        store.keep_recheck(&row).unwrap();
        let fixed = RecheckRow {
            margin: Margin::Fixed(20),
            state: RecheckState::Changed,
            best: of("d2d4", -5),
            ..row.clone()
        };
        let kept = |store: &Store| {
            let rows = store.rechecks_of(analysis).unwrap().into_iter();
            rows.map(|row| RecheckRow { changed_at: 0, ..row }).collect::<Vec<_>>()
        };
        assert_eq!(kept(&store), std::slice::from_ref(&row));
        store.keep_recheck(&fixed).unwrap();
        assert_eq!(kept(&store), [fixed]);
        store.delete_analyses(&[analysis]).unwrap();
        assert_eq!(kept(&store), []);
        store.keep_recheck(&row).unwrap();
        assert_eq!(kept(&store), [], "there is no such analysis any more");
    }

    #[test]
    fn errors_are_counted_in_the_database() {
        let errors: Errors = [12, 0, 0, 3, 0].into_iter().collect();
        assert_eq!(errors_text(&errors), "[[0,3],[3,1],[12,1]]");
        assert_eq!(errors_from(&errors_text(&errors)), Some(errors));
        assert_eq!(errors_from("[]"), Some(Errors::default()));
        assert_eq!(errors_from("[1]"), None);
    }
}
