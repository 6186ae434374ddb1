//! `deepanalyze show --every`: games with the verdicts of all their positions.

use hashbrown::HashMap;

use crate::error::CliError;
use deepanalyze_core::chess::{Game, WrittenGame};
use deepanalyze_report::{AnnotatedGame, JudgedPosition, describe_profile, with_tables};
use deepanalyze_report::{Judgement, annotations, judge, load};
use deepanalyze_store::{AnalysisId, AnalysisRow, Kind, Store, StoreError};

/// Games with what the database knows of their positions.
pub fn annotated(games: Vec<WrittenGame>, store: &Store) -> Result<Vec<AnnotatedGame>, CliError> {
    let rows = games.iter().map(|written| analyses(&written.game, store));
    let rows: Vec<Vec<Vec<AnalysisRow>>> = rows.collect::<Result<_, StoreError>>()?;
    let Some(kind) = widest(rows.iter().flatten()) else {
        return Err(CliError::missing(format!(
            "no position of this game is analysed in {}",
            store.path().display()
        ))
        .hint("`deepanalyze grow --pgn FILE --every` analyses all of them"));
    };
    let mut known = HashMap::new();
    let annotated = games.into_iter().zip(&rows).map(|(written, rows)| {
        let WrittenGame { game, heading, remarks, .. } = written;
        let (mut positions, mut annotator) = (Vec::new(), String::new());
        for rows in rows {
            let row = rows.iter().find(|row| row.kind() == kind).cloned();
            if let Some(row) = &row {
                let made = (describe_profile(&row.profile), with_tables(row.tables));
                annotator = format!("deepanalyze, distance {}, {}{}", row.breadth, made.0, made.1);
            }
            let judged = row.as_ref().map(|row| judgement(row, store, &mut known)).transpose()?;
            positions.push(JudgedPosition { row, judgement: judged.flatten() });
        }
        let judgements: Vec<Option<Judgement>> =
            positions.iter().map(|position| position.judgement.clone()).collect();
        let annotations = annotations(&game, &judgements, &kind.breadth);
        Ok(AnnotatedGame { game, heading, remarks, positions, annotations, annotator })
    });
    annotated.collect()
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
    let judgement = judge(&load(store, row.id)?);
    known.insert(row.id, judgement.clone());
    Ok(judgement)
}

/// The analyses of each position of a game, from its start to its end.
fn analyses(game: &Game, store: &Store) -> Result<Vec<Vec<AnalysisRow>>, StoreError> {
    (0..=game.moves().len()).map(|ply| store.analyses_of(&game.up_to(ply))).collect()
}

/// The kind of analysis that most positions have; of several, the last one grown.
fn widest<'r>(rows: impl Iterator<Item = &'r Vec<AnalysisRow>>) -> Option<Kind> {
    let mut kinds: HashMap<Kind, (usize, i64)> = HashMap::new();
    for row in rows.flatten() {
        let (count, last) = kinds.entry(row.kind()).or_default();
        *count += 1;
        *last = row.changed_at.max(*last);
    }
    kinds.into_iter().max_by_key(|(_, rank)| *rank).map(|(kind, _)| kind)
}
