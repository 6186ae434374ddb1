//! Whether a run begins another analysis than the user may have in mind.

use deepanalyze_core::search::Profile;
use deepanalyze_report::with_tables;
use deepanalyze_runner::Plan;
use deepanalyze_store::{Store, StoreError};

/// Says so where the root has an analysis that goes by endgame tables, and the run begins one beside it that differs
/// in nothing else.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn begins_another(
    store: &Store,
    plan: &Plan,
    profile: &Profile,
) -> Result<Option<String>, StoreError> {
    let profile = Profile { limit: plan.schedule.first(), ..profile.clone() };
    let own = plan.tables.as_ref().map(|used| used.tables);
    let mut alike = store.analyses_of(&plan.game)?;
    alike.retain(|row| row.profile == profile && row.breadth == plan.breadth);
    if alike.iter().any(|row| row.tables == own) {
        return Ok(None);
    }
    let by_tables = alike.into_iter().find(|row| row.tables.is_some());
    Ok(by_tables.map(|row| {
        let tables = with_tables(row.tables);
        let tables = tables.trim_start_matches(", ");
        format!("note: analysis {} of this root goes by {tables}; this is another one", row.id.0)
    }))
}
