//! Games with a database's verdicts on their positions.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use deepanalyze_core::chess::{DrawValue, Game, WrittenGame};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Breadth;
use deepanalyze_store::{AnalysisId, AnalysisRow, Store, StoreError, TreeSettings};

use super::judged::{Judgement, hand_back, judge};
use super::marks::without_ours;
use super::variations::scored_asides;
use super::{AnnotatedGame, JudgedPosition};
use deepanalyze_view::{
    Stages, describe_distance, describe_limit, describe_profile, load_tree, with_tables,
};

/// Common traits of the analyses that judge a game: their scores are comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JudgedBy {
    settings: TreeSettings,
    /// Its limit belongs to no single analysis: each position uses the stage that speaks.
    profile: Profile,
}

impl JudgedBy {
    /// From an analysis.
    pub fn of(row: &AnalysisRow) -> JudgedBy {
        let (settings, mut profile) = (row.settings.clone(), row.profile.clone());
        if matches!(profile.limit, Limit::Depth(_)) && profile.kept_hash.is_none() {
            profile.limit = Limit::Depth(0);
        }
        JudgedBy { settings, profile }
    }

    /// The analysis that speaks of a game's last position.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn speaking(
        &self,
        store: &Store,
        rows: &[AnalysisRow],
    ) -> Result<Option<AnalysisRow>, StoreError> {
        let Some(row) = rows.iter().find(|row| JudgedBy::of(row) == *self) else { return Ok(None) };
        Ok(Stages::of(store, row.clone())?.speaking().cloned())
    }
}

/// Games with the verdicts on their positions, all of one engine and settings: those of most
/// positions, and of several the last ones grown.
///
/// # Errors
///
/// [`StoreError`] if the database fails, or a tree is damaged.
pub fn annotated_games(
    games: Vec<WrittenGame>,
    store: &Store,
) -> Result<Vec<AnnotatedGame>, StoreError> {
    let rows = games.iter().map(|written| analyses(&written.game, store));
    let rows: Vec<Vec<Vec<AnalysisRow>>> = rows.collect::<Result<_, StoreError>>()?;
    let by = widest(rows.iter().flatten());
    let mut known = HashMap::new();
    let annotated = games.into_iter().zip(&rows).map(|(written, rows)| {
        let WrittenGame { game, heading, remarks, .. } = written;
        let speaking = rows.iter().map(|rows| by.as_ref().map(|by| by.speaking(store, rows)));
        let rows = speaking.map(|row| Ok(row.transpose()?.flatten()));
        let rows: Vec<Option<AnalysisRow>> = rows.collect::<Result<_, StoreError>>()?;
        let annotator = annotator_of(&rows);
        let mut judgements = Vec::new();
        for row in &rows {
            let judged = row.as_ref().map(|row| judgement(row, store, &mut known)).transpose()?;
            judgements.push(judged.flatten());
        }
        let settings = by.as_ref().map(|by| &by.settings);
        let breadth = settings.map_or_else(|| Breadth::from(0), |known| known.breadth.clone());
        let draw = settings.map_or_else(DrawValue::default, |known| known.draw);
        let (lines, annotations) = hand_back(&game, &judgements, &breadth, draw);
        let mut remarks = remarks.iter().map(|remarks| without_ours(remarks)).collect();
        if let Some(by) = &by {
            remarks = scored_asides(store, &game, &rows, by, remarks)?;
        }
        let positions = rows.into_iter().zip(lines);
        let positions = positions.map(|(row, best)| JudgedPosition { row, best }).collect();
        Ok(AnnotatedGame { game, heading, remarks, positions, annotations, annotator })
    });
    annotated.collect()
}

fn annotator_of(rows: &[Option<AnalysisRow>]) -> String {
    let Some(row) = rows.iter().flatten().next() else { return String::new() };
    let (engine, tables) =
        (described_engine(rows.iter().flatten()), with_tables(row.settings.tables));
    let distance = describe_distance(&row.settings.breadth, row.settings.draw);
    format!("deepanalyze, {distance}, {engine}{tables}")
}

/// The engine of analyses that are alike, with all their limits; empty if there are none.
pub fn described_engine<'r>(rows: impl Iterator<Item = &'r AnalysisRow> + Clone) -> String {
    let limits: BTreeSet<Limit> = rows.clone().map(|row| row.profile.limit).collect();
    let mut rows = rows.zip(limits.first());
    let Some((row, first)) = rows.next() else { return String::new() };
    let engine = describe_profile(&Profile { limit: *first, ..row.profile.clone() });
    let others = limits.iter().skip(1).map(|limit| format!(", {}", describe_limit(*limit)));
    format!("{engine}{}", others.collect::<String>())
}

/// The judgement of a position by its tree. Games share their first positions.
fn judgement(
    row: &AnalysisRow,
    store: &Store,
    known: &mut HashMap<AnalysisId, Option<Judgement>>,
) -> Result<Option<Judgement>, StoreError> {
    if let Some(known) = known.get(&row.id) {
        return Ok(known.clone());
    }
    let judgement = judge(store, &load_tree(store, row.id)?)?;
    known.insert(row.id, judgement.clone());
    Ok(judgement)
}

/// The analyses of each position of a game, from its start to its end.
fn analyses(game: &Game, store: &Store) -> Result<Vec<Vec<AnalysisRow>>, StoreError> {
    (0..=game.moves().len()).map(|ply| store.analyses_of(&game.up_to(ply))).collect()
}

/// The traits that judge most positions; of several, the last grown.
fn widest<'r>(positions: impl Iterator<Item = &'r Vec<AnalysisRow>>) -> Option<JudgedBy> {
    let mut found: HashMap<JudgedBy, (usize, i64)> = HashMap::new();
    for rows in positions {
        let mut here = HashSet::new();
        for row in rows {
            let by = JudgedBy::of(row);
            let (count, last) = found.entry(by.clone()).or_default();
            *count += usize::from(here.insert(by));
            *last = row.changed_at.max(*last);
        }
    }
    found.into_iter().max_by_key(|(_, rank)| *rank).map(|(by, _)| by)
}
