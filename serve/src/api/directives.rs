//! What the user says of positions of a root.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::app::App;
use crate::roots::RootFacts;
use crate::undo::UndoStacks;
use deepanalyze_core::chess::{PositionKey, epd_of, san_of};
use deepanalyze_core::directives::{
    Dates, Directive, Directives, parse_value, read_set, write_set,
};
use deepanalyze_report::LiveTree;
use deepanalyze_report::directing::{self, DirectError, Line, Lines};
use deepanalyze_report::numbered_line;
use deepanalyze_store::{DatedDirective, Store};

use super::error::ApiError;
use super::json::{Id, Sent, SentText, response};
use super::work::{beside, copied, game_of, root_of, write};
use deepanalyze_report::NamedMove;

#[derive(Serialize)]
struct DirectivesObject {
    revision: u64,
    pending: bool,
    undo: Option<String>,
    directives: Vec<DirectiveObject>,
    file: Value,
}

#[derive(Serialize)]
struct DirectiveObject {
    /// To the position, in SAN.
    line: Option<Vec<String>>,
    words: String,
    epd: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uci: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    at: i64,
}

/// `GET /api/analyses/{id}/directives`.
pub async fn list(State(app): State<Arc<App>>, id: Id) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let tree = app.trees.ask(root.id, |open| Arc::clone(open.tree())).await?;
    let undo = app.undo.clone();
    let object = beside(&app, move |store| listed(store, &tree, &undo)).await?;
    Ok(response(&object))
}

fn listed(store: &Store, tree: &LiveTree, undo: &UndoStacks) -> Result<DirectivesObject, ApiError> {
    let game = &tree.game;
    let (dated, revision) = store.at_one_moment(|| {
        Ok::<_, ApiError>((store.dated_directives(game)?, store.revision(game)?))
    })?;
    let mut set = Directives::default();
    dated.iter().for_each(|dated| set.put(dated.position, dated.directive.clone()));
    let lines = Lines::of(game.root(), &set, Some(&tree.growth));
    let directives = dated.iter().map(|dated| object(game.root(), dated, &lines)).collect();
    Ok(DirectivesObject {
        revision,
        pending: set.of_tree() != tree.grown_with,
        undo: undo.find(game, None).map(|change| change.words),
        directives,
        file: file_of(&set),
    })
}

fn file_of(set: &Directives) -> Value {
    // All keys are texts.
    write_set(set).unwrap_or_default()
}

fn object(root: &Chess, dated: &DatedDirective, lines: &Lines) -> DirectiveObject {
    let position = dated.position.position();
    let (kind, uci) = match &dated.directive {
        Directive::Exclude(uci) => ("exclude", Some(*uci)),
        Directive::Include(uci) => ("include", Some(*uci)),
        Directive::Value(_) => ("value", None),
        Directive::Stop => ("stop", None),
        Directive::Note(_) => ("note", None),
    };
    let line = lines.to(&dated.position);
    let whole =
        |line: &[UciMove]| named(root, &line.iter().copied().chain(uci).collect::<Vec<_>>());
    let san = uci.map(|uci| san_of(&position, uci));
    let elsewhere = || match &san {
        Some(san) => format!("{san} in {}", epd_of(&position)),
        None => epd_of(&position),
    };
    DirectiveObject {
        words: line.map_or_else(elsewhere, whole),
        line: line.map(|line| sans(root, line)),
        epd: epd_of(&position),
        kind,
        uci: uci.map(|uci| uci.to_string()),
        san,
        value: if let Directive::Value(white) = dated.directive { Some(white) } else { None },
        text: if let Directive::Note(text) = &dated.directive { Some(text.clone()) } else { None },
        at: dated.created_at,
    }
}

fn named(root: &Chess, line: &[UciMove]) -> String {
    if line.is_empty() { "the root".to_owned() } else { numbered_line(root, line) }
}

fn sans(root: &Chess, line: &[UciMove]) -> Vec<String> {
    NamedMove::line(root, line).into_iter().map(|one| one.san).collect()
}

/// Something to say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidDirective {
    #[serde(default)]
    line: String,
    action: DirectiveAction,
    score: Option<String>,
    text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DirectiveAction {
    Exclude,
    Include,
    Value,
    Stop,
    Note,
    Undo,
}

/// `POST /api/analyses/{id}/directives`.
pub async fn say(
    State(app): State<Arc<App>>,
    id: Id,
    Sent(said): Sent<SaidDirective>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let start = game_of(&root)?.root().clone();
    let does_need_move =
        [DirectiveAction::Exclude, DirectiveAction::Include].contains(&said.action);
    let line = match does_need_move {
        true => Line::read_moves(&start, &said.line)?,
        false => Line::read(&start, &said.line)?,
    };
    let score = match (said.action, &said.score) {
        (DirectiveAction::Value, Some(score)) => parse_value(score).map_err(ApiError::refused)?,
        (DirectiveAction::Value, None) => return Err(ApiError::malformed("\"score\" is missing")),
        _ => 0,
    };
    let text = said.text.unwrap_or_default();
    let action = said.action;
    changed(&app, root, move |set, dates| match action {
        DirectiveAction::Exclude => directing::exclude(set, &line),
        DirectiveAction::Include => directing::include(set, &line),
        DirectiveAction::Value => directing::value(set, &line, score),
        DirectiveAction::Stop => directing::stop(set, &line),
        DirectiveAction::Note if text.trim().is_empty() => Ok(without_note(set, &line)),
        DirectiveAction::Note => directing::note(set, &line, &text),
        DirectiveAction::Undo => directing::undo(set, &line, dates),
    })
    .await
}

/// An empty note takes back the one that is there.
fn without_note(set: &mut Directives, line: &Line) -> String {
    let was_there = set.take_back_note(&PositionKey::of(line.end()));
    let what = if was_there { "took back the note at" } else { "there is no note at" };
    format!("{what} {}", line.name())
}

/// `PUT /api/analyses/{id}/directives`.
pub async fn apply(
    State(app): State<Arc<App>>,
    id: Id,
    SentText(text): SentText,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let key = PositionKey::of(game_of(&root)?.root());
    let new = read_set(&text, &key)?;
    changed(&app, root, move |set, dates| {
        dates.set_apart();
        directing::apply(set, &new, "the file")
    })
    .await
}

/// What a change has come to.
struct DirectedSets {
    words: String,
    before: Directives,
    after: Directives,
}

/// Changes the directives of a root, and lets it follow.
async fn changed(
    app: &Arc<App>,
    root: Arc<RootFacts>,
    action: impl FnOnce(&mut Directives, &mut Dates) -> Result<String, DirectError> + Send + 'static,
) -> Result<Response, ApiError> {
    let game = game_of(&root)?.clone();
    let number = root.id;
    let (done, revision, change) = write(app, move |app| {
        app.agenda.direct(&game, root.id, |store| {
            let done = store.change_dated(&game, |set, dates| {
                let before = set.clone();
                let words = action(set, dates).map_err(ApiError::from)?;
                Ok::<_, ApiError>(DirectedSets { words, before, after: set.clone() })
            })?;
            let DirectedSets { words, before, after } = &done.result;
            let change = app.undo.push(&game, words, before, after);
            let changes_tree = before.of_tree() != after.of_tree();
            Ok::<_, ApiError>(((done, store.revision(&game)?, change), changes_tree))
        })
    })
    .await?;
    app.trees.renew(number);
    let mut object = json!({ "words": done.result.words, "revision": revision, "change": change });
    if let (Some((plies, count)), Some(object)) = (done.copied, object.as_object_mut()) {
        object.insert("copied".to_owned(), copied(Some((count, plies))));
    }
    Ok(response(&object))
}

/// What is to be taken back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoAsked {
    /// The number of a change; without one it is the newest.
    change: Option<u64>,
}

/// `POST /api/analyses/{id}/directives/undo`.
pub async fn undo(
    State(app): State<Arc<App>>,
    id: Id,
    Sent(asked): Sent<UndoAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let game = game_of(&root)?.clone();
    let number = root.id;
    let object = write(&app, move |app| {
        app.agenda.direct(&game, root.id, |store| {
            let change = app.undo.find(&game, asked.change).ok_or_else(|| gone(asked.change))?;
            let key = PositionKey::of(game.root());
            let changed = store.restore_directives(&game, |set| {
                let before = set.of_tree();
                change.take_back(set, &key).map_err(|_| overtaken(&change.words))?;
                Ok::<_, ApiError>(set.of_tree() != before)
            });
            if changed.as_ref().map_or_else(ApiError::is_conflict, |_| true) {
                app.undo.drop(&game, change.number);
            }
            let (words, revision) =
                (format!("took back: {}", change.words), store.revision(&game)?);
            let object = json!({ "words": words, "revision": revision, "change": change.number });
            Ok::<_, ApiError>((object, changed?.result))
        })
    })
    .await?;
    app.trees.renew(number);
    Ok(response(&object))
}

fn gone(number: Option<u64>) -> ApiError {
    ApiError::conflict(match number {
        Some(_) => "this has been taken back already",
        None => "there is nothing to take back",
    })
}

fn overtaken(words: &str) -> ApiError {
    ApiError::conflict(format!(
        "something else has been said there since, so this is not taken back: {words}"
    ))
}
