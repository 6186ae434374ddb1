//! Undoes a merge.

use rusqlite::{Connection, params};

use super::records::source_of;
use crate::analyses::AnalysisId;
use crate::error::StoreError;
use crate::open::Store;
use crate::sources::{Invalidated, invalidate_source};
use crate::trees::make_empty;

/// Removed with another database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct MergedRemoved {
    /// Its answers with all behind them, and the trees based on these.
    #[serde(flatten)]
    pub taken: Invalidated,
    /// Analyses that had come with it, and were not grown since.
    pub analyses: u64,
    /// Closing searches that had come with it.
    #[serde(rename = "closing_searches")]
    pub closings: u64,
    /// Unchanged directives that had come with it.
    pub directives: u64,
    /// Unchanged notes.
    pub notes: u64,
}

impl Store {
    /// Removes all that came from a source: its answers and all ranks behind them, its closing
    /// searches, directives, notes, analyses and conflicts. Trees based on any of it are emptied,
    /// and get their former target depths: grown again from the memo they are what they were. The
    /// source cannot be merged again. One transaction that is durable when this returns; `None` if
    /// the source is unknown.
    /// # Errors
    ///
    /// [`StoreError::Invalidated`] if that was done before; [`StoreError::Growing`] if another
    /// process grows an analysis to be removed.
    pub fn remove_merged(
        &mut self,
        name: &str,
        why: &str,
    ) -> Result<Option<MergedRemoved>, StoreError> {
        let doomed = self.merged_alone(name)?;
        let _locks = doomed.iter().map(|id| self.lock(*id)).collect::<Result<Vec<_>, _>>()?;
        self.write(|write| {
            let id = match source_of(write, name).map_err(write.named())? {
                None => return Ok(None),
                Some((_, _, Some(why))) => {
                    return Err(StoreError::Invalidated { name: name.to_owned(), why });
                }
                Some((id, ..)) => id,
            };
            let take = || -> rusqlite::Result<MergedRemoved> {
                let (trees, directives, notes) = remove_directives(write, id)?;
                let mut taken = invalidate_source(write, id, why)?;
                taken.trees += trees;
                restore_targets(write, id)?;
                let analyses = doomed
                    .iter()
                    .map(|doomed| write.execute("DELETE FROM analysis WHERE id = ?1", [doomed.0]));
                let analyses = analyses.sum::<rusqlite::Result<usize>>()? as u64;
                let closings = forget(write, id)?;
                Ok(MergedRemoved { taken, analyses, closings, directives, notes })
            };
            take().map(Some).map_err(write.named())
        })
    }

    /// The analyses that came with a source, and were not grown since.
    fn merged_alone(&self, name: &str) -> Result<Vec<AnalysisId>, StoreError> {
        let sql = "SELECT analysis.id FROM merged_analysis AS merged
            JOIN source ON source.id = merged.source
            JOIN analysis ON analysis.id = merged.analysis
            WHERE source.name = ?1 AND merged.former_target IS NULL
                AND coalesce(merged.changed_at, analysis.changed_at) = analysis.changed_at
                AND NOT EXISTS (
                    SELECT 1 FROM merged_analysis AS other
                    WHERE other.analysis = merged.analysis AND other.source <> merged.source
                )";
        self.rows(sql, [name], |row| row.get(0).map(AnalysisId))
    }

    /// The analyses whose trees are empty though they have a target: their answers were removed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn emptied(&self) -> Result<Vec<AnalysisId>, StoreError> {
        let sql = "SELECT id FROM analysis WHERE pass = 0 AND regrown > 0 ORDER BY id";
        self.rows(sql, [], |row| row.get(0).map(AnalysisId))
    }

    /// The analyses whose trees were emptied once, and have not reached their targets: unless they
    /// are growing, that process was killed, or the memo has no more for them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn half_regrown(&self) -> Result<Vec<AnalysisId>, StoreError> {
        let sql = "SELECT id FROM analysis
            WHERE regrown > 0 AND coalesce(settled_depth, -1) < target_depth ORDER BY id";
        self.rows(sql, [], |row| row.get(0).map(AnalysisId))
    }
}

/// Deletes the directives and notes of a source that were not repeated since, and empties the trees
/// grown with any of them; returns the numbers of trees, directives and notes.
fn remove_directives(write: &Connection, source: i64) -> rusqlite::Result<(u64, u64, u64)> {
    let sql = "SELECT DISTINCT analysis.id FROM merged_directive AS merged
        JOIN game ON game.id = merged.game
        JOIN analysis ON analysis.start_epd = game.start_epd AND analysis.history = game.history
        JOIN grown_directive AS grown ON grown.analysis = analysis.id
            AND grown.position = merged.position AND grown.kind = merged.kind AND grown.move = merged.move
        WHERE merged.source = ?1 AND analysis.pass > 0";
    let mut query = write.prepare(sql)?;
    let trees = query.query_map([source], |row| row.get(0))?;
    let trees: Vec<i64> = trees.collect::<rusqlite::Result<_>>()?;
    trees.iter().try_for_each(|tree| make_empty(write, *tree))?;
    let revisions = "UPDATE game SET revision = revision + 1
        WHERE id IN (SELECT game FROM merged_directive WHERE source = ?1)";
    write.execute(revisions, [source])?;
    let delete = |kinds: &str| {
        let sql = format!(
            "DELETE FROM directive WHERE kind {kinds} 'note' AND (game, position, kind, move) IN
                (SELECT game, position, kind, move FROM merged_directive WHERE source = ?1)"
        );
        write.execute(&sql, [source]).map(|count| count as u64)
    };
    Ok((trees.len() as u64, delete("<>")?, delete("=")?))
}

/// Restores the targets of trees that this source had deepened, unless changed since. A source
/// merged later is treated as if it had found the earlier state.
fn restore_targets(write: &Connection, source: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE merged_analysis SET former_target = gone.former_target
        FROM merged_analysis AS gone
        WHERE gone.source = ?1 AND gone.analysis = merged_analysis.analysis
            AND merged_analysis.source <> ?1 AND merged_analysis.former_target = gone.target";
    write.execute(sql, [source])?;
    // Only this source's change: not the user's.
    let sql = "UPDATE merged_analysis SET changed_at = NULL
        FROM merged_analysis AS gone JOIN analysis ON analysis.id = gone.analysis
        WHERE gone.source = ?1 AND gone.analysis = merged_analysis.analysis
            AND merged_analysis.source <> ?1
            AND coalesce(gone.changed_at, analysis.changed_at) = analysis.changed_at";
    write.execute(sql, [source])?;
    let sql = "UPDATE analysis SET target_depth = merged.former_target
        FROM merged_analysis AS merged
        WHERE merged.source = ?1 AND merged.analysis = analysis.id
            AND merged.former_target IS NOT NULL AND merged.target = analysis.target_depth";
    write.execute(sql, [source]).map(drop)
}

/// Deletes the source's other rows; returns the number of closing searches.
fn forget(write: &Connection, source: i64) -> rusqlite::Result<u64> {
    let closings = "DELETE FROM closing WHERE id IN
        (SELECT closing FROM merged_closing WHERE source = ?1)";
    let closings = write.execute(closings, [source])?;
    for table in ["conflict", "merged_analysis"] {
        write.execute(&format!("DELETE FROM {table} WHERE source = ?1"), params![source])?;
    }
    Ok(closings as u64)
}
