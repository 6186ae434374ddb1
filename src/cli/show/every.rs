//! `deepanalyze show --every`: a game with the verdicts of all its positions.

use hashbrown::HashMap;

use crate::analysis::{Judgement, annotations, judge, load};
use crate::chess::Game;
use crate::cli::args::root::RootArgs;
use crate::cli::error::CliError;
use crate::render::{AnnotatedGame, describe_profile};
use crate::store::{AnalysisRow, ProfileId, Store, StoreError};
use crate::tree::Breadth;

/// Scores are comparable within one profile, trees within one distance.
type Kind = (ProfileId, Breadth);

/// The game of a PGN file with what the database knows of its positions.
pub fn annotated(root: &RootArgs, store: &Store) -> Result<AnnotatedGame, CliError> {
    let (game, heading) = root.game_with_heading()?;
    let rows = analyses(&game, store)?;
    let Some(kind) = widest(&rows) else {
        return Err(CliError::missing(format!(
            "no position of this game is analysed in {}",
            store.path().display()
        ))
        .hint("`deepanalyze grow --pgn FILE --every` analyses all of them"));
    };
    let (mut judgements, mut annotator) = (Vec::new(), String::new());
    for rows in &rows {
        let row = rows.iter().find(|row| kind_of(row) == kind);
        if let Some(row) = row {
            let profile = describe_profile(&row.profile);
            annotator = format!("deepanalyze, distance {}, {profile}", row.breadth);
        }
        judgements.push(row.map(|row| judgement(row, store)).transpose()?.flatten());
    }
    let annotations = annotations(&game, &judgements, &kind.1);
    Ok(AnnotatedGame { game, heading, annotations, annotator })
}

fn judgement(row: &AnalysisRow, store: &Store) -> Result<Option<Judgement>, StoreError> {
    Ok(judge(&load(store, row.id)?))
}

/// The analyses of each position of a game, from its start to its end.
fn analyses(game: &Game, store: &Store) -> Result<Vec<Vec<AnalysisRow>>, StoreError> {
    (0..=game.moves().len()).map(|ply| store.analyses_of(&game.up_to(ply))).collect()
}

fn kind_of(row: &AnalysisRow) -> Kind {
    (row.profile_id, row.breadth.clone())
}

/// The kind of analysis that most positions have; of several, the last one grown.
fn widest(rows: &[Vec<AnalysisRow>]) -> Option<Kind> {
    let mut kinds: HashMap<Kind, (usize, i64)> = HashMap::new();
    for row in rows.iter().flatten() {
        let (count, last) = kinds.entry(kind_of(row)).or_default();
        *count += 1;
        *last = row.changed_at.max(*last);
    }
    kinds.into_iter().max_by_key(|(_, rank)| *rank).map(|(kind, _)| kind)
}
