//! A position of a tree with its moves, and the way to a position.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use crate::server::App;
use crate::trees::OpenTree;
use crate::verdict::{ChosenObject, ForBoth, VerdictObject};
use deepanalyze_core::chess::{
    Ending, Game, GivenValue, Opening, PositionKey, Score, TableEnd, fen_of, parse_fen, san_of,
};
use deepanalyze_core::tree::NodeId;
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{
    EndOfLine, ExpectedScores, MoveWdl, NamedMove, PositionMoves, Prospect, Shown, Side, Stages,
    Tree, Trust, Verdict, WordedTableMove, after, describe_line_end, last_opening, line_in_tree,
    measured_prospects, numbered_line, sentence_of_holds,
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
    fen: String,
    line: Vec<NamedMove>,
    /// The move that is told as the best: of the root its verdict, elsewhere the tree's; null where no move counts.
    best: Option<ChosenObject>,
    /// What the position is worth by the tree: by its moves, else as an end, or by the engine's word of the move that led
    /// there; null where nothing is known.
    alpha: Option<Score>,
    /// Of the root, under the directives that it has now; null elsewhere.
    verdict: Option<VerdictObject>,
    /// Of the root alone: how far that verdict is to be trusted.
    trust: Option<VerdictTrust>,
    analysed: bool,
    /// Why the tree ends here.
    end: Option<EndOfLine>,
    /// From -2 to 2 for the side to move, where tablebases know the position.
    wdl: Option<i8>,
    /// The same in words.
    known: Option<&'static str>,
    note: Option<String>,
    value: Option<GivenValue>,
    stopped: bool,
    opening: Option<Opening>,
    moves: Vec<PlacedMove>,
    /// The moves of a root that tablebases know, the best first.
    table_moves: Vec<WordedTableMove>,
}

/// How far a verdict is to be trusted: of the very tree whose verdict it is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VerdictTrust {
    /// The chance in per cent that its move stays.
    #[cfg_attr(test, schemars(range(min = 1, max = 96)))]
    stays: Option<u8>,
    /// The same in words: 87 % likely to stay.
    likely: Option<String>,
    /// What would make another move the best, as a sentence; null where the root has no second move that counts.
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
            likely: stays.map(|stays| format!("{} likely to stay", stays.chance)),
            holds: stability.as_ref().map(holds),
            change: course?.into_change_to(&NamedMove::of(root, told.best()), told.choice.score()),
        })
    }
}

/// A move of a position.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PlacedMove {
    uci: String,
    san: String,
    rank: Option<usize>,
    eval: Option<Score>,
    idea: Option<Score>,
    alpha: Option<Score>,
    /// What the closing search of the root says of it, where one of its engines has chosen it.
    closing: Option<Score>,
    candidate: bool,
    included: bool,
    excluded: bool,
    repetition: bool,
    analysed: bool,
    end: Option<EndOfLine>,
    /// Where tablebases know the position behind it, their result from -2 to 2 for the side to move there; else wins, draws
    /// and losses in a thousand games at the end of the best line by the engine's word, for the side that plays the move;
    /// null where it has not said it.
    wdl: Option<MoveWdl>,
    /// What tablebases know in words, for the side that plays the move.
    known: Option<&'static str>,
    value: Option<GivenValue>,
    stopped: bool,
    note: Option<String>,
    /// Analysed positions behind it.
    positions: u64,
    /// Plies of the tree behind it.
    plies: u32,
    /// Begins with the move.
    line: Vec<NamedMove>,
    /// This many moves of the line are the tree's; those behind are the engine's own.
    in_tree: usize,
    /// Why the line ends, in words, where that is not seen.
    line_end: Option<&'static str>,
    /// In how many games it was played; null where games are not counted.
    games: Option<u64>,
    /// Their share of the games that came to the position, 0 to 1.
    share: Option<f64>,
    /// Whether it is followed because it is played.
    played: bool,
    /// The expected score of the side that was asked for, 0 to 1.
    expected: Option<f64>,
}

impl PlacedMove {
    /// It as the best one; none where it does not count.
    fn chosen(&self) -> Option<ChosenObject> {
        Some(ChosenObject {
            named: NamedMove { uci: self.uci.parse().ok()?, san: self.san.clone() },
            score: self.alpha?,
            wdl: self.wdl.and_then(MoveWdl::said),
            line: self.line.get(..self.in_tree.max(1)).unwrap_or(&self.line).to_vec(),
        })
    }
}

/// Where to look.
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
            let here = LineEndHere { people, ..LineEndHere::new(open, game.moves()) };
            Ok(json_of(&here.object(root, open)?))
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

/// Which position.
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
    /// The same as people write it: 12. Nf3 d5.
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

/// Where a line leads.
struct LineEndHere<'a> {
    tree: &'a Tree,
    line: &'a [UciMove],
    /// The nodes along it, as far as the tree has them.
    nodes: Vec<NodeId>,
    position: Chess,
    /// What moves score against people, where that was asked for and is known.
    people: Option<Arc<ExpectedScores>>,
}

impl<'a> LineEndHere<'a> {
    fn new(open: &'a OpenTree, line: &'a [UciMove]) -> LineEndHere<'a> {
        let tree = &**open.tree();
        let (nodes, position) = (tree.walk(line), after(tree.game.root(), line));
        LineEndHere { tree, line, nodes, position, people: None }
    }

    /// The node at the end; none where the line leaves the tree.
    fn node(&self) -> Option<NodeId> {
        self.nodes.last().copied().filter(|_| self.nodes.len() == self.line.len() + 1)
    }

    fn object(&self, root: AnalysisId, open: &OpenTree) -> Result<PlaceObject, StoreError> {
        let (tree, node) = (self.tree, self.node());
        let graph = tree.growth.graph();
        let known = node.and_then(|node| graph.known(node));
        let moves = node.map_or(Ok(Vec::new()), |_| self.moves(open))?;
        let counted = moves.iter().find_map(|m| m.alpha);
        let told = self.told().map(|told| {
            told.with_trees_wdl(|uci| moves.iter().find(|m| m.uci == uci.to_string())?.wdl?.said())
        });
        let best = told.as_ref().map(|told| ChosenObject::of(&told.choice, usize::MAX));
        let behind = || tree.value_without_moves(&self.nodes, self.line).map(Score::from);
        Ok(PlaceObject {
            id: root.0,
            analysis: tree.row.id.0,
            passes: tree.row.passes,
            fen: fen_of(&self.position),
            line: NamedMove::line(tree.game.root(), self.line),
            best: best.or_else(|| moves.iter().find_map(PlacedMove::chosen)),
            alpha: counted.or_else(|| node.and_then(|_| behind())),
            verdict: told.as_ref().map(VerdictObject::of),
            trust: told.map(|told| VerdictTrust::of(open.store(), tree, &told)).transpose()?,
            analysed: node.is_some_and(|node| graph.is_analysed(node)),
            end: self.end(node),
            wdl: known.map(|known| known.wdl.get()),
            known: known.map(TableEnd::words),
            note: note(tree, &self.position),
            value: node.and_then(|node| graph.given(node)),
            stopped: node.is_some_and(|node| graph.is_stopped(node)),
            opening: last_opening(&tree.game, self.line),
            moves,
            table_moves: self.table_moves(),
        })
    }

    /// The verdict, where this is the root.
    fn told(&self) -> Option<Verdict> {
        self.tree.verdict().filter(|_| self.line.is_empty())
    }

    /// What each move is worth that an engine of the root's closing search has chosen, where this is the root.
    fn closing(&self) -> HashMap<UciMove, Score> {
        let has_its_say = self.told().is_some_and(|told| told.other.is_some());
        let closing = self.tree.closing.as_ref().filter(|_| has_its_say);
        let moves = closing.into_iter().flat_map(|of| std::iter::once(&of.best).chain(&of.others));
        moves.map(|chosen| (chosen.named.uci, chosen.score)).collect()
    }

    fn table_moves(&self) -> Vec<WordedTableMove> {
        let moves = if self.line.is_empty() { self.tree.table_moves.as_slice() } else { &[] };
        WordedTableMove::all(&self.position, self.tree.row.settings.tables, moves)
    }

    fn end(&self, node: Option<NodeId>) -> Option<EndOfLine> {
        let graph = self.tree.growth.graph();
        if let Some(ending) = Ending::of(&self.position) {
            return Some(ending.into());
        }
        let node = node?;
        if graph.known(node).is_some() {
            return Some(EndOfLine::Tables);
        }
        if graph.given(node).is_some() {
            return Some(EndOfLine::Value);
        }
        let came_before = self.nodes.iter().filter(|other| **other == node).count() > 1;
        (came_before || graph.is_repeated(node)).then_some(EndOfLine::Repetition)
    }

    /// The moves that count by alpha, best first, ties by rank; then included ones that wait, and excluded
    /// ones.
    fn moves(&self, open: &OpenTree) -> Result<Vec<PlacedMove>, StoreError> {
        let growth = &*self.tree.growth;
        let of = (self.tree.row.profile_id, growth);
        let prospects = measured_prospects(open.store(), of, &self.nodes)?.into_iter();
        let prospects: HashMap<UciMove, Prospect> =
            prospects.map(|one| (one.best.uci, one)).collect();
        let (moves, closing) = (PositionMoves::of(growth, &self.nodes), self.closing());
        let placed = |shown: Shown<'_>| {
            let closing = closing.get(&shown.uci).copied();
            PlacedMove { closing, ..self.placed(shown, prospects.get(&shown.uci)) }
        };
        Ok(moves.each().map(placed).collect())
    }

    fn placed(&self, shown: Shown<'_>, prospect: Option<&Prospect>) -> PlacedMove {
        let graph = self.tree.growth.graph();
        let known = graph.known(shown.node);
        let by_rules = graph.ending(shown.node).map(EndOfLine::from);
        let by_rules = by_rules.or_else(|| known.map(|_| EndOfLine::Tables));
        let in_tree = prospect.map_or(&[][..], |one| &one.best.line);
        let line = prospect.map(|one| [in_tree, &one.continuation].concat());
        let behind = prospect.and_then(|one| one.behind).unwrap_or_default();
        let played = shown.played(&self.tree.growth);
        let expected = self.people.as_ref().zip(shown.child);
        PlacedMove {
            games: played.map(|played| played.games),
            share: played.and_then(|played| played.share),
            played: played.is_some_and(|played| played.is_followed),
            expected: expected.map(|(people, m)| people.of_move(graph, shown.from, &m.edge)),
            uci: shown.uci.to_string(),
            san: san_of(&self.position, shown.uci),
            rank: shown.rank,
            eval: shown.eval.map(Score::from),
            idea: shown.idea().map(Score::from),
            alpha: shown.alpha().map(Score::from),
            closing: None,
            candidate: shown.is_candidate(),
            included: shown.included,
            excluded: shown.excluded,
            repetition: shown.is_repetition(),
            analysed: graph.is_analysed(shown.node),
            end: by_rules.or_else(|| graph.given(shown.node).is_some().then_some(EndOfLine::Value)),
            wdl: MoveWdl::of(known, prospect.and_then(|one| one.wdl)),
            known: known.map(|known| known.turned().words()),
            value: graph.given(shown.node),
            stopped: graph.is_stopped(shown.node),
            note: note(self.tree, &after(&self.position, [&shown.uci])),
            positions: behind.positions,
            plies: behind.plies,
            line: NamedMove::line(&self.position, &line.unwrap_or_else(|| vec![shown.uci])),
            in_tree: in_tree.len(),
            line_end: prospect.and_then(|one| describe_line_end(one.end)),
        }
    }
}

/// The root's note on a position.
fn note(tree: &Tree, position: &Chess) -> Option<String> {
    if tree.directives.is_empty() {
        return None;
    }
    tree.directives.at(&PositionKey::of(position))?.note.clone()
}
