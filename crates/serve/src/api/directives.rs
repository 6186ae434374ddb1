//! The user's directives on positions of a root.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::roots::RootFacts;
use crate::server::App;
use crate::undo::UndoStacks;
use deepanalyze_core::chess::{GivenValue, PositionKey, epd_of, san_of};
use deepanalyze_core::directives::{
    BadGames, Change, Dates, Directives, DirectivesFile, Skeleton, parse_value, read_set,
};
use deepanalyze_report::{UNASKED, include_skeleton};
use deepanalyze_store::{DatedDirective, DirectivesChanged, Store};
use deepanalyze_view::{
    DirectedLine, LinesToPositions, NamedMove, Tree, apply_directives, count, one_line,
};

use super::error::ApiError;
use super::json::{FromQuery, RootId, Sent, bytes_of, in_time_again, response};
use super::work::{beside, game_of, root_of, write};

/// The directives of a root.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Directives"))]
pub struct DirectivesObject {
    /// Number of their changes.
    revision: u64,
    /// True if the tree was grown with others.
    pending: bool,
    /// The change that undo would reverse.
    undo: Option<String>,
    directives: Vec<DirectiveObject>,
    /// All of them, as PUT takes them.
    file: DirectivesFile,
}

/// A directive on a position.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Directive"))]
struct DirectiveObject {
    /// The moves to the position, in SAN. The words end with the move if it is about one.
    line: Option<Vec<String>>,
    words: String,
    epd: String,
    #[cfg_attr(test, schemars(extend("enum" = ["exclude", "include", "value", "stop", "note"])))]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uci: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<GivenValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Milliseconds since 1970, UTC.
    at: i64,
}

/// `GET /api/analyses/{id}/directives`.
pub async fn list(State(app): State<Arc<App>>, id: RootId) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let tree = app.trees.ask(root.id, |open| Arc::clone(open.tree())).await?;
    let undo = Arc::clone(&app.undo);
    let object = beside(&app, move |store| listed(store, &tree, &undo)).await?;
    Ok(response(&object))
}

fn listed(store: &Store, tree: &Tree, undo: &UndoStacks) -> Result<DirectivesObject, ApiError> {
    let game = &tree.game;
    let (dated, revision) = store.at_one_moment(|| {
        Ok::<_, ApiError>((store.dated_directives(game)?, store.revision(game)?))
    })?;
    let mut set = Directives::default();
    dated.iter().for_each(|dated| set.put(dated.position, dated.directive.clone()));
    let lines = LinesToPositions::of(game.root(), &set, Some(&tree.growth));
    let directives = dated.iter().map(|dated| object(game.root(), dated, &lines)).collect();
    Ok(DirectivesObject {
        revision,
        pending: set.of_tree() != tree.grown_with,
        undo: undo.find(game, None).map(|change| change.words),
        directives,
        file: DirectivesFile::of(&set),
    })
}

fn object(root: &Chess, dated: &DatedDirective, lines: &LinesToPositions) -> DirectiveObject {
    let DatedDirective { position: key, directive, created_at } = dated;
    let (position, uci) = (key.position(), directive.uci());
    let sans = |line: &[UciMove]| NamedMove::line(root, line).into_iter().map(|one| one.san);
    DirectiveObject {
        words: lines.describe(root, key, uci),
        line: lines.to(key).map(|line| sans(line).collect()),
        epd: epd_of(&position),
        kind: directive.kind(),
        uci: uci.map(|uci| uci.to_string()),
        san: uci.map(|uci| san_of(&position, uci)),
        value: directive.value(),
        text: directive.note().map(str::to_owned),
        at: *created_at,
    }
}

/// Request body: one directive.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Said"))]
#[serde(deny_unknown_fields)]
pub struct SaidDirective {
    /// Moves from the root, in SAN or UCI notation; empty: the root.
    #[serde(default)]
    line: String,
    action: Change,
    /// Pawns for White (+0.50), draw, white or black.
    score: Option<String>,
    /// The note; an empty one removes it.
    text: Option<String>,
}

/// `POST /api/analyses/{id}/directives`.
pub async fn say(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(said): Sent<SaidDirective>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let start = game_of(&root)?.root().clone();
    let line = DirectedLine::read(&start, &said.line)?;
    let change = match said.action {
        Change::Value(_) => {
            let missing = || ApiError::malformed("\"score\" is missing");
            let score = parse_value(&said.score.ok_or_else(missing)?);
            Change::Value(score.map_err(ApiError::refused)?)
        }
        Change::Note(_) => Change::Note(said.text.unwrap_or_default()),
        change => change,
    };
    changed(&app, root, move |set, dates| line.change(&change, set, dates)).await
}

/// `PUT /api/analyses/{id}/directives`.
pub async fn apply(
    State(app): State<Arc<App>>,
    id: RootId,
    request: Request,
) -> Result<Response, ApiError> {
    let text = String::from_utf8(bytes_of(request).await?.to_vec());
    let text = text.map_err(|_| ApiError::malformed("the body is not in UTF-8"))?;
    let root = root_of(&app, id)?;
    let key = PositionKey::of(game_of(&root)?.root());
    let new = read_set(&text, &key)?;
    changed(&app, root, move |set, dates| {
        dates.set_apart();
        apply_directives(set, &new, "the file")
    })
    .await
}

/// Options of a repertoire.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IncludeAsked {
    /// Name of the file.
    #[serde(default)]
    name: String,
    /// True if its comments become notes.
    #[serde(default)]
    notes: bool,
    /// True if games that cannot be read are left out; otherwise the file is refused.
    #[serde(default)]
    skip: bool,
    /// True if more than 1000 positions are taken.
    #[serde(default)]
    all: bool,
}

/// `POST /api/analyses/{id}/repertoire`.
pub async fn include(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<IncludeAsked>,
    request: Request,
) -> Result<Response, ApiError> {
    let pgn = bytes_of(request).await?;
    let root = root_of(&app, id)?;
    let key = PositionKey::of(game_of(&root)?.root());
    let bad = if asked.skip { BadGames::Skip } else { BadGames::Refuse };
    let game = game_of(&root)?.clone();
    // A large file takes a while; it must not hold the database meanwhile.
    let read = beside(&app, move |store| {
        let seen = store.directives(&game)?;
        let skeleton = Skeleton::read(in_time_again(&pgn), &key, &seen, asked.notes, bad)?;
        Ok((seen, skeleton, pgn, key))
    });
    let (seen, skeleton, pgn, key) = read.await?;
    changed(&app, root, move |set, dates| {
        let skeleton = match *set == seen {
            true => skeleton,
            // Another writer was faster.
            false => Skeleton::read(in_time_again(&pgn), &key, set, asked.notes, bad)?,
        };
        if skeleton.positions > UNASKED && !asked.all {
            return Err(ApiError::conflict(too_many(skeleton.positions)));
        }
        dates.set_apart();
        let name = one_line(&asked.name);
        let name = if name.is_empty() { "the file" } else { &name };
        Ok(include_skeleton(set, &key, name, &skeleton)?)
    })
    .await
}

fn too_many(positions: usize) -> String {
    format!(
        "the file has {}, and each is analysed as thoroughly as the root",
        count(positions as u64, "position")
    )
}

/// The result of a change.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Directed {
    words: String,
    revision: u64,
    /// The number of this change, for undoing it; null if nothing was new.
    #[cfg_attr(test, schemars(range(min = 1)))]
    change: Option<u64>,
}

/// Changes the directives of a root; its tree follows.
async fn changed<E: Into<ApiError>>(
    app: &Arc<App>,
    root: Arc<RootFacts>,
    action: impl FnOnce(&mut Directives, &mut Dates) -> Result<String, E> + Send + 'static,
) -> Result<Response, ApiError> {
    let game = game_of(&root)?.clone();
    let number = root.id;
    let (done, change) = write(app, move |app| {
        let action =
            |set: &mut Directives, dates: &mut Dates| action(set, dates).map_err(Into::into);
        let done = app.agenda.direct(|store| store.change_dated::<_, ApiError>(&game, action))?;
        let change = app.undo.push(&game, &done.result, &done.before, &done.after);
        Ok::<_, ApiError>((done, change))
    })
    .await?;
    app.trees.renew(number);
    let DirectivesChanged { result: words, revision, .. } = done;
    Ok(response(&Directed { words, revision, change }))
}

/// The change to undo.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Undo"))]
#[serde(deny_unknown_fields)]
pub struct UndoAsked {
    /// The number of a change; by default the newest one made through this server.
    #[cfg_attr(test, schemars(range(min = 1)))]
    change: Option<u64>,
}

/// `POST /api/analyses/{id}/directives/undo`.
pub async fn undo(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(asked): Sent<UndoAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let game = game_of(&root)?.clone();
    let number = root.id;
    let object = write(&app, move |app| {
        let change = app.undo.find(&game, asked.change).ok_or_else(|| gone(asked.change))?;
        let key = PositionKey::of(game.root());
        let undo =
            |set: &mut Directives| change.undo(set, &key).map_err(|_| overtaken(&change.words));
        let done = app.agenda.direct(|store| store.restore_directives(&game, undo));
        if done.as_ref().map_or_else(ApiError::is_conflict, |_| true) {
            app.undo.discard(&game, change.number);
        }
        let (words, change) = (format!("took back: {}", change.words), Some(change.number));
        Ok::<_, ApiError>(Directed { words, revision: done?.revision, change })
    })
    .await?;
    app.trees.renew(number);
    Ok(response(&object))
}

fn gone(number: Option<u64>) -> ApiError {
    ApiError::conflict(match number {
        Some(_) => "already undone",
        None => "nothing to undo",
    })
}

fn overtaken(words: &str) -> ApiError {
    ApiError::conflict(format!("changed since then, so it cannot be undone: {words}"))
}
