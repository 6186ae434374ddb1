//! Choice of an older analysis beside the growing one: its tree says where to look ahead.

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Profile;
use deepanalyze_store::{AnalysisRow, Store, StoreError};
use deepanalyze_view::Stages;

use crate::job::{Schedule, TreePlan};

/// An analysis of the same root outside those that a run of this schedule grows: of another engine,
/// or of this one with other options, or to another limit. A draw is worth the same in it, so that
/// scores can be compared.
///
/// Of several stages the one whose verdict counts. One with the run's settings comes before others,
/// then one of the same distances; of those the largest, and of two of one size the one grown last.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn older_analysis(
    store: &Store,
    game: &Game,
    (tree, schedule): (&TreePlan, Schedule),
    engine: &Profile,
) -> Result<Option<AnalysisRow>, StoreError> {
    let settings = tree.known(store)?;
    let mut rows = store.analyses_of(game)?;
    rows.retain(|row| {
        let is_own = row.profile.is_same_engine(engine)
            && schedule.limits().any(|limit| limit == row.profile.limit);
        !is_own && row.positions > 0 && row.settings.draw == tree.draw
    });
    let worth = |row: &AnalysisRow| {
        let is_alike = Some(&row.settings) == settings.as_ref();
        (is_alike, row.settings.breadth == tree.breadth, row.positions, row.changed_at, row.id)
    };
    let all = Stages::among(rows);
    Ok(all.iter().filter_map(Stages::speaking).max_by_key(|row| worth(row)).cloned())
}
