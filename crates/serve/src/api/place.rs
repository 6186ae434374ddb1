//! A position of a tree with its moves, and the way to a position.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use crate::server::App;
use crate::trees::OpenTree;
use crate::verdict::{ChosenObject, ForBoth, VerdictObject};
use deepanalyze_core::chess::{Game, Opening, PositionKey, parse_fen};
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{
    ExpectedScores, LinePosition, NamedMove, Side, Stages, Stays, Sureness, Tree, Trust, Verdict,
    last_opening, line_in_tree, numbered_line, sentence_of_holds,
};

use super::course::{ChangeObject, CourseObject};
use super::error::ApiError;
use super::json::{FromQuery, RootId, json_of, of_bytes, response};
use super::work::root_of;

/// A position at the end of a line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Place"))]
pub struct PlaceObject {
    id: i64,
    analysis: i64,
    passes: u64,
    line: Vec<NamedMove>,
    /// The move that is told as the best: of the root its verdict, elsewhere the tree's; null where no move counts.
    best: Option<ChosenObject>,
    /// Of the root, under the directives that it has now; null elsewhere.
    verdict: Option<VerdictObject>,
    /// Of the root alone: how far that verdict is to be trusted.
    trust: Option<VerdictTrust>,
    opening: Option<Opening>,
    #[serde(flatten)]
    here: LinePosition,
}

impl PlaceObject {
    /// Of the end of a line of a root; with what moves score against people, where that was asked for and is known.
    fn read(
        root: AnalysisId,
        open: &OpenTree,
        line: &[UciMove],
        people: Option<&ExpectedScores>,
    ) -> Result<PlaceObject, StoreError> {
        let (store, tree) = (open.store(), &**open.tree());
        let mut here = LinePosition::at(tree, line);
        here.look_on(store, tree)?;
        here.measure(tree);
        if let Some(people) = people {
            here.expect(tree, people);
        }
        let told = here.told.as_ref();
        if let Some(told) = told {
            // A stable sort: equal moves keep their order.
            here.moves.sort_by_key(|m| m.uci != told.best());
        }
        let best = |best| ChosenObject::of(best, usize::MAX);
        Ok(PlaceObject {
            id: root.0,
            analysis: tree.row.id.0,
            passes: tree.row.passes,
            line: NamedMove::line(tree.game.root(), line),
            best: here.best.as_ref().map(best),
            verdict: told.map(VerdictObject::of),
            trust: told.map(|told| VerdictTrust::of(store, tree, told)).transpose()?,
            opening: last_opening(&tree.game, line),
            here,
        })
    }
}

/// How far a verdict is to be trusted: of the very tree whose verdict it is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VerdictTrust {
    /// The chance in per cent that its move stays.
    #[cfg_attr(test, schemars(range(min = 1, max = 96)))]
    stays: Option<u8>,
    /// How sure it is, in a few words: 80 % likely to stay.
    likely: Option<String>,
    /// The scores that would make another move the best, as a sentence; null if the root has no second move that counts.
    holds: Option<ForBoth>,
    /// The change that has led to this verdict; null where that is not noted yet.
    change: Option<ChangeObject>,
}

impl VerdictTrust {
    fn of(store: &Store, tree: &Tree, told: &Verdict) -> Result<VerdictTrust, StoreError> {
        let root = tree.game.root();
        let Trust { stability, stays, .. } = Trust::of(store, tree)?;
        let stays = stays.filter(|stays| stays.best == told.best());
        let course = store.at_one_moment(|| {
            let stages = Stages::of(store, tree.row.clone())?.verdicts(store)?;
            CourseObject::read(store, root, &stages)
        });
        let holds = |found| ForBoth::of(|pov| sentence_of_holds(root, found, Some(told), pov));
        Ok(VerdictTrust {
            stays: stays.map(|stays| stays.chance.get()),
            likely: Sureness::of(told, stays).map(|sureness| match (sureness, stays) {
                (Sureness::Sure, Some(Stays { chance, .. })) => format!("sure, {chance} likely"),
                (Sureness::Open, Some(Stays { chance, .. })) => format!("{chance} likely to stay"),
                _ => sureness.word().to_owned(),
            }),
            holds: stability.as_ref().map(holds),
            change: course?.into_change_to(&NamedMove::of(root, told.best()), told.choice.score()),
        })
    }
}

/// The line to look at.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LineAsked {
    /// Moves from the root, in SAN or UCI notation, with blanks between them.
    #[serde(default)]
    line: String,
    /// For whom expected scores are told, where the analysis knows what people play.
    people: Option<Side>,
}

/// `GET /api/analyses/{id}/moves`.
pub async fn moves(
    State(app): State<Arc<App>>,
    id: RootId,
    headers: HeaderMap,
    FromQuery(asked): FromQuery<LineAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let known = known.map(str::to_owned);
    let place = app.trees.ask(root, move |open| {
        let tag = open.tag();
        if known.as_ref() == Some(&tag) {
            return Ok((tag, None));
        }
        let mut game = Game::from_position(open.tree().game.root().clone());
        game.play_line(&asked.line)?;
        let mut question: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        let side = asked.people.map(Color::from);
        question.extend(side.map(|side| side.fold_wb("for White", "for Black").to_owned()));
        let people = side.and_then(|side| open.people(side));
        let place = open.answer(&question.join(" "), |open| {
            Ok(json_of(&PlaceObject::read(root, open, game.moves(), people.as_deref())?))
        })?;
        Ok::<_, ApiError>((tag, Some(place)))
    });
    let (tag, place) = place.await??;
    let mut answer = match place {
        Some(place) => of_bytes(place.to_vec(), "application/json"),
        None => StatusCode::NOT_MODIFIED.into_response(),
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(header::ETAG, tag);
    }
    Ok(answer)
}

/// The position to find.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PositionAsked {
    /// The position; its clocks do not count.
    fen: String,
}

/// The way to a position of a tree.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FoundLine {
    line: Vec<NamedMove>,
    /// The line with move numbers: 12. Nf3 d5.
    words: String,
}

/// `GET /api/analyses/{id}/line`.
pub async fn line(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<PositionAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let position = parse_fen(&asked.fen).map_err(ApiError::malformed)?;
    let found = app.trees.ask(root, move |open| {
        let tree = open.tree();
        let line = line_in_tree(&tree.growth, &PositionKey::of(&position))?;
        let start: &Chess = tree.game.root();
        let words = numbered_line(start, &line);
        Some(FoundLine { line: NamedMove::line(start, &line), words })
    });
    let found = found.await?.ok_or_else(|| ApiError::missing("the tree does not have it"))?;
    Ok(response(&found))
}
