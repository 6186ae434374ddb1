//! Reports of the command line on a root, to read or to save; and the trust in its best move.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Position};

use crate::server::App;
use crate::verdict::ForBoth;
use deepanalyze_report::{
    Audited, PrintOptions, Statistics, TreeFormat, TreeReport, audited, games_audited,
    write_audit_json,
};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store};
use deepanalyze_view::{
    Closing, ClosingObject, DrawnObject, PeopleAsked, RecheckNote, Side, StabilityObject,
    StoredTree, Sureness, Tree, Trust, describe_closing, describe_drawn, describe_holds,
    describe_note, describe_sureness, load, load_tree, write_json,
};

use super::course::CourseObject;
use super::error::ApiError;
use super::json::{FromQuery, RootId, json_of, of_bytes, response};
use super::work::{as_file, beside, game_of, report, root_of};

/// Repetition groups and disagreements listed.
const TOP: usize = 8;
/// Replies without an answer, and own moves that score less, listed if games are known.
const TOP_GAPS: usize = 20;
/// Columns of text.
const WIDTH: usize = 80;

/// `GET /api/analyses/{id}/course`.
pub async fn course(State(app): State<Arc<App>>, id: RootId) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let course = beside(&app, move |store| {
        Ok(CourseObject::read(store, game_of(&root)?.root(), &root.stages)?)
    });
    Ok(response(&course.await?))
}

/// Options of an audit.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AuditAsked {
    /// Its side; the side to move by default.
    side: Option<Side>,
    /// Name only own moves that lose more centipawns.
    #[serde(default)]
    losing: u32,
}

/// `GET /api/analyses/{id}/audit`.
pub async fn audit(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<AuditAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let AnalysisRow { id: speaking, searches, .. } = root.listed.row;
    let answer = report(&app, searches, "application/json", move |store| {
        let tree = load_tree(store, speaking)?;
        let side = asked.side.map_or_else(|| tree.game.root().turn(), Color::from);
        let most_lost = asked.losing;
        let audit = audited(&tree, side, most_lost);
        let games = games_audited(&tree, &audit, PeopleAsked::of(side), TOP_GAPS);
        let games = games.as_ref();
        let audited = Audited { tree: &tree, side, most_lost, audit: &audit, games, ends: true };
        written(|out| write_audit_json(&audited, out))
    });
    answer.await
}

/// `GET /api/analyses/{id}/stats`.
pub async fn stats(State(app): State<Arc<App>>, id: RootId) -> Result<Response, ApiError> {
    let (root, name) = (root_of(&app, id)?, super::about::database(&app));
    let AnalysisRow { id: speaking, searches, .. } = root.listed.row;
    let answer = report(&app, searches, "application/json", move |store| {
        let tree = load_tree(store, speaking)?;
        let stats = Statistics::of_tree(store, name, &tree, TOP)?;
        written(|out| write_json(&stats, out))
    });
    answer.await
}

/// Options of an export.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExportAsked {
    /// Kind of file.
    format: TreeFormat,
    /// Moves from the root, in SAN or UCI notation, with blanks between them.
    #[serde(default)]
    line: String,
    /// Plies of the tree.
    plies: Option<u32>,
    /// As a repertoire of that side (pgn, book).
    side: Option<Side>,
}

/// `GET /api/analyses/{id}/export`.
pub async fn export(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<ExportAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let AnalysisRow { id: speaking, searches, .. } = root.listed.row;
    let (kind, ending) = asked.format.media_type();
    let answer = report(&app, searches, kind, move |store| {
        let tree = load(store, speaking)?;
        exported(store, &tree, &asked)
    });
    Ok(as_file(answer.await?, &format!("deepanalyze-{}.{ending}", root.id.0)))
}

fn exported(store: &Store, tree: &StoredTree, asked: &ExportAsked) -> Result<Vec<u8>, ApiError> {
    let format = asked.format;
    let options = PrintOptions {
        plies: asked.plies,
        line: &asked.line,
        side: asked.side.map(Color::from),
        ..PrintOptions::of(format)
    };
    let printed = TreeReport::read(store, tree, options)?;
    let text = written(|out| printed.write(WIDTH, out))?;
    // Text has styles for a terminal.
    let is_text = format == TreeFormat::Text;
    Ok(if is_text { anstream::adapter::strip_bytes(&text).into_vec() } else { text })
}

/// Writes to memory, whole.
///
/// # Errors
///
/// Errors of `write`.
pub fn written(
    write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<Vec<u8>, ApiError> {
    let mut text = Vec::new();
    let internal = |error| ApiError::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, error);
    write(&mut text).map_err(|error: std::io::Error| internal(error.to_string()))?;
    Ok(text)
}

/// The trust in the best move.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Trust"))]
pub struct TrustObject<'a> {
    id: i64,
    /// The stage that speaks.
    analysis: i64,
    passes: u64,
    /// The chance in per cent that the verdict's move stays, if known: a closing search's choice,
    /// with four times the time for all; the tree's, in the next stage.
    #[cfg_attr(test, schemars(range(min = 1, max = 96)))]
    stays: Option<u8>,
    /// How sure the verdict is; null if unknown.
    sure: Option<Sureness>,
    /// The stability of the best move; null if the root has no second move that counts.
    stability: Option<StabilityObject<'a>>,
    /// The end that makes a draw the best there is; null if it is not.
    draw: Option<DrawnObject<'a>>,
    /// The closing search of the most nodes; null if none was made.
    closing: Option<ClosingObject<'a>>,
    words: TrustWords,
}

/// The trust in the command line's words.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TrustWords {
    /// The source of the best move; null without a closing search.
    verdict: Option<ForBoth>,
    stays: Option<String>,
    stability: Option<ForBoth>,
    draw: Option<ForBoth>,
    closing: Option<ForBoth>,
    /// Results of rechecks, the last one first.
    rechecks: Vec<ForBoth>,
}

/// `GET /api/analyses/{id}/trust`.
pub async fn trust(State(app): State<Arc<App>>, id: RootId) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let text = app.trees.ask(root, move |open| {
        let (row, start) = (&open.tree().row, open.tree().game.root());
        // They come without a pass.
        let rechecks = RecheckNote::all(open.store(), row, start)?;
        // No line has this name.
        open.answer(&format!("trust {rechecks:?}"), |open| {
            let trust = Trust::of(open.store(), open.tree())?;
            Ok(json_of(&TrustObject::of(root, open.tree(), &trust, &rechecks)))
        })
    });
    Ok(of_bytes(text.await??.to_vec(), "application/json"))
}

impl TrustObject<'_> {
    fn of<'a>(
        id: AnalysisId,
        tree: &'a Tree,
        trust: &'a Trust,
        rechecks: &[RecheckNote],
    ) -> TrustObject<'a> {
        let root = tree.game.root();
        let (limit, closing) = (tree.row.profile.limit, tree.closing.as_ref());
        let (stays, stability) = (trust.stays, trust.stability.as_ref());
        let drawn = trust.drawn.as_ref();
        let told = tree.verdict();
        let holds =
            |stability| ForBoth::of(|pov| describe_holds(root, stability, told.as_ref(), pov));
        let words = TrustWords {
            verdict: told.as_ref().and_then(ForBoth::whose),
            stays: told.as_ref().and_then(|told| describe_sureness(told, stays)),
            stability: stability.map(holds),
            draw: drawn.map(|drawn| ForBoth::of(|pov| describe_drawn(root, drawn, pov))),
            closing: closing
                .map(|closing| ForBoth::of(|pov| describe_closing(root, closing, limit, pov))),
            rechecks: rechecks
                .iter()
                .map(|note| ForBoth::of(|pov| describe_note(root, note, pov)))
                .collect(),
        };
        TrustObject {
            id: id.0,
            analysis: tree.row.id.0,
            passes: tree.row.passes,
            stays: stays.map(|stays| stays.chance.get()),
            sure: told.as_ref().and_then(|told| Sureness::of(told, stays)),
            stability: stability.map(|stability| StabilityObject::of(root, stability)),
            draw: drawn.map(|drawn| DrawnObject::of(root, drawn)),
            closing: closing.map(Closing::object),
            words,
        }
    }
}
