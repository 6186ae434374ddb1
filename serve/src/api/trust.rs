//! How far the best move of a root is to be trusted.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;

use crate::app::App;
use crate::trees::OpenTree;
use deepanalyze_report::{
    Closing, PointOfView, StabilityObject, describe_closing, describe_holds, describe_stays,
    numbered_line,
};
use deepanalyze_report::{LiveTree, Trust};
use deepanalyze_store::{AnalysisId, StoreError};

use super::error::ApiError;
use super::json::{Id, of_bytes};
use super::work::root_of;

/// The same as `show` tells of it, in data and in words.
#[derive(Debug, Serialize)]
struct TrustObject<'a> {
    id: i64,
    analysis: i64,
    passes: u64,
    /// The chance in per cent that the best move stays.
    stays: Option<u8>,
    stability: Option<StabilityObject<'a>>,
    closing: Option<&'a Closing>,
    words: Words,
}

#[derive(Debug, Serialize)]
struct Words {
    stays: Option<String>,
    stability: Option<ForBoth>,
    closing: Option<ForBoth>,
}

/// With scores for White, and for the side to move.
#[derive(Debug, Serialize)]
struct ForBoth {
    white: String,
    mover: String,
}

impl ForBoth {
    fn of(words: impl Fn(PointOfView) -> String) -> ForBoth {
        ForBoth { white: words(PointOfView::White), mover: words(PointOfView::Mover) }
    }
}

/// `GET /api/analyses/{id}/trust`.
pub async fn trust(State(app): State<Arc<App>>, id: Id) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let text = app.trees.ask(root, move |open| {
        // No line is called that.
        open.answer("trust", |open| trust_json(root, open))
    });
    Ok(of_bytes(text.await??.to_vec(), "application/json"))
}

fn trust_json(root: AnalysisId, open: &OpenTree) -> Result<Vec<u8>, StoreError> {
    let trust = Trust::of(open.store(), open.tree())?;
    let object = TrustObject::of(root, open.tree(), &trust);
    // All keys are texts.
    Ok(serde_json::to_vec(&object).unwrap_or_default())
}

impl TrustObject<'_> {
    fn of<'a>(id: AnalysisId, tree: &'a LiveTree, trust: &'a Trust) -> TrustObject<'a> {
        let root = tree.game.root();
        let (limit, closing) = (tree.row.profile.limit, tree.closing.as_ref());
        let words = Words {
            stays: trust
                .stays
                .map(|stays| describe_stays(stays, &numbered_line(root, &[stays.best]))),
            stability: trust
                .stability
                .as_ref()
                .map(|stability| ForBoth::of(|pov| describe_holds(root, stability, pov))),
            closing: closing
                .map(|closing| ForBoth::of(|pov| describe_closing(root, closing, limit, pov))),
        };
        let stability = trust.stability.as_ref();
        TrustObject {
            id: id.0,
            analysis: tree.row.id.0,
            passes: tree.row.passes,
            stays: trust.stays.map(|stays| stays.chance.get()),
            stability: stability.map(|stability| StabilityObject::of(root, stability)),
            closing,
            words,
        }
    }
}
