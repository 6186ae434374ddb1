//! Which analysis of a root is set beside one that is grown: its tree says where to look ahead.

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Profile;
use deepanalyze_store::{AnalysisRow, Store, StoreError};
use deepanalyze_view::Stages;

use crate::job::{Schedule, TreePlan};

/// An analysis of the same root that is none of those which a run of this schedule grows: another engine has made it, or this
/// one with other options, or in searches to another limit. A draw is worth the same in it, so that scores can be compared.
///
/// Of several stages the one that speaks counts. One that is grown as the run's goes before others, then one of the same
/// distances; of those the largest, and of two of one size the one grown last.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
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
