//! Starting and pausing a root, and immediate work on its tree: a closing search, a recheck.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use crate::roots::RootFacts;
use crate::server::App;
use deepanalyze_core::search::Profile;
use deepanalyze_runner::{RecheckAsked, deeper};

use super::error::ApiError;
use super::json::{RootId, Sent, response};
use super::new_root;
use super::work::{entry_of, root_of, told, write};

/// An action on a run.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Steering"))]
#[serde(deny_unknown_fields)]
pub struct Steered {
    action: RunAction,
    /// With `close`: its length; with `recheck`: its greatest length.
    #[cfg_attr(test, schemars(range(min = 1_000, max = LONGEST)))]
    time_ms: Option<u64>,
    /// With `recheck`: engine depth of its searches; by default two plies deeper than the tree, or
    /// as deep as a tree of another engine.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    engine_depth: Option<u32>,
    /// With `recheck`: the limit in nodes.
    #[cfg_attr(test, schemars(range(min = 1)))]
    engine_nodes: Option<u64>,
}

/// The action on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum RunAction {
    /// Grow.
    Start,
    /// Pause.
    Pause,
    /// Make a closing search of the tree as it is, then go on as before.
    Close,
    /// Ask some of its scores again by the server's engine, then go on as before.
    Recheck,
}

/// The longest closing search or recheck, a week.
const LONGEST: u64 = 7 * 24 * 3_600_000;

impl Steered {
    /// Duration of the immediate work.
    fn time(&self) -> Result<Duration, ApiError> {
        let time = self.time_ms.ok_or_else(|| ApiError::malformed("\"time_ms\" is missing"))?;
        Ok(Duration::from_millis(new_root::within("time_ms", time, 1_000..=LONGEST)?))
    }

    /// The requested recheck of a root: by default, a deeper one of its own engine's tree, and one
    /// of the same limit of another's.
    fn recheck(&self, root: &RootFacts, here: &Profile) -> Result<RecheckAsked, ApiError> {
        let row = &root.listed.row;
        let usual = || if root.is_of(here) { deeper(row.profile.limit) } else { row.profile.limit };
        let limit = new_root::limit(self.engine_depth, self.engine_nodes)?.unwrap_or_else(usual);
        Ok(RecheckAsked { analysis: row.id, limit, time: self.time()? })
    }

    /// Refuses options of other actions.
    fn check(&self) -> Result<(), ApiError> {
        let [time, limit] =
            [self.time_ms.is_some(), self.engine_depth.is_some() || self.engine_nodes.is_some()];
        match self.action {
            RunAction::Start | RunAction::Pause if time => {
                Err(ApiError::malformed("\"time_ms\" goes with \"close\" and \"recheck\""))
            }
            RunAction::Start | RunAction::Pause | RunAction::Close if limit => {
                Err(ApiError::malformed("an engine's limit goes with \"recheck\""))
            }
            _ => Ok(()),
        }
    }
}

/// `POST /api/analyses/{id}/run`.
pub async fn run(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(steered): Sent<Steered>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let number = root.id;
    steered.check()?;
    let needs_tree = matches!(steered.action, RunAction::Close | RunAction::Recheck);
    if needs_tree && root.listed.row.searches == 0 {
        return Err(ApiError::conflict("there is no tree yet"));
    }
    write(&app, move |app| {
        let entry = entry_of(app, &root).map(|entry| entry.id);
        match steered.action {
            RunAction::Close => app.agenda.close(entry.unwrap_or(root.id), steered.time()?)?,
            RunAction::Recheck => {
                app.agenda.recheck(steered.recheck(&root, app.agenda.profile())?)?;
            }
            RunAction::Start => app.agenda.grow(entry.unwrap_or(root.id))?,
            RunAction::Pause => app.agenda.pause(entry.ok_or_else(ApiError::not_on_agenda)?)?,
        }
        Ok(())
    })
    .await?;
    Ok(response(&told(&app, number)?))
}
