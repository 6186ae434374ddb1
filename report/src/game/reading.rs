//! Games with what a database knows of their positions.

use hashbrown::HashMap;

use deepanalyze_core::chess::{DrawValue, Game, WrittenGame};
use deepanalyze_core::tree::Breadth;
use deepanalyze_store::{AnalysisId, AnalysisKind, AnalysisRow, Store, StoreError};

use super::asides::scored_asides;
use super::judged::{Judgement, hand_back, judge};
use super::ours::without_ours;
use super::{AnnotatedGame, JudgedPosition};
use deepanalyze_view::{describe_distance, describe_profile, load, with_tables};

/// Games with the verdicts on their positions, all of one kind: that which most of them have, of several the last one
/// grown.
///
/// # Errors
///
/// [`StoreError`] where the database fails, or a tree is damaged.
pub fn annotated_games(
    games: Vec<WrittenGame>,
    store: &Store,
) -> Result<Vec<AnnotatedGame>, StoreError> {
    let rows = games.iter().map(|written| analyses(&written.game, store));
    let rows: Vec<Vec<Vec<AnalysisRow>>> = rows.collect::<Result<_, StoreError>>()?;
    let kind = widest(rows.iter().flatten());
    let mut known = HashMap::new();
    let annotated = games.into_iter().zip(&rows).map(|(written, rows)| {
        let WrittenGame { game, heading, remarks, .. } = written;
        let of_kind =
            |rows: &Vec<AnalysisRow>| rows.iter().find(|row| Some(row.kind()) == kind).cloned();
        let rows: Vec<Option<AnalysisRow>> = rows.iter().map(of_kind).collect();
        let annotator = rows.iter().flatten().next_back().map(annotator_of).unwrap_or_default();
        let mut judgements = Vec::new();
        for row in &rows {
            let judged = row.as_ref().map(|row| judgement(row, store, &mut known)).transpose()?;
            judgements.push(judged.flatten());
        }
        let settings = kind.as_ref().map(|kind| &kind.settings);
        let breadth = settings.map_or_else(|| Breadth::from(0), |known| known.breadth.clone());
        let draw = settings.map_or_else(DrawValue::default, |known| known.draw);
        let (lines, annotations) = hand_back(&game, &judgements, &breadth, draw);
        let remarks = remarks.iter().map(|remarks| without_ours(remarks)).collect();
        let remarks = scored_asides(store, &game, &rows, remarks)?;
        let positions = rows.into_iter().zip(lines);
        let positions = positions.map(|(row, best)| JudgedPosition { row, best }).collect();
        Ok(AnnotatedGame { game, heading, remarks, positions, annotations, annotator })
    });
    annotated.collect()
}

fn annotator_of(row: &AnalysisRow) -> String {
    let made = (describe_profile(&row.profile), with_tables(row.settings.tables));
    let distance = describe_distance(&row.settings.breadth, row.settings.draw);
    format!("deepanalyze, {distance}, {}{}", made.0, made.1)
}

/// What the tree of a position says of it. Games have their first positions in common.
fn judgement(
    row: &AnalysisRow,
    store: &Store,
    known: &mut HashMap<AnalysisId, Option<Judgement>>,
) -> Result<Option<Judgement>, StoreError> {
    if let Some(known) = known.get(&row.id) {
        return Ok(known.clone());
    }
    let judgement = judge(store, &load(store, row.id)?)?;
    known.insert(row.id, judgement.clone());
    Ok(judgement)
}

/// The analyses of each position of a game, from its start to its end.
fn analyses(game: &Game, store: &Store) -> Result<Vec<Vec<AnalysisRow>>, StoreError> {
    (0..=game.moves().len()).map(|ply| store.analyses_of(&game.up_to(ply))).collect()
}

/// The kind of analysis that most positions have; of several, the last one grown.
fn widest<'r>(rows: impl Iterator<Item = &'r Vec<AnalysisRow>>) -> Option<AnalysisKind> {
    let mut kinds: HashMap<AnalysisKind, (usize, i64)> = HashMap::new();
    for row in rows.flatten() {
        let (count, last) = kinds.entry(row.kind()).or_default();
        *count += 1;
        *last = row.changed_at.max(*last);
    }
    kinds.into_iter().max_by_key(|(_, rank)| *rank).map(|(kind, _)| kind)
}
