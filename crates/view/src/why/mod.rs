//! Why a move is not the best: a tree's knowledge of any legal move, and the line that refutes it.
//!
//! Nothing is searched here. [`Why::of`] reads the tree and the memo; where [`Why::wants_search`], a search of the
//! position behind the move can be added by [`Why::with_search`].

mod men;
mod words;

use std::time::Duration;

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Ending, PositionKey, Score, Value, fen_of};
use deepanalyze_core::claims::{Source, bound};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::NodeId;
use deepanalyze_store::{Store, StoreError};

use crate::json::NamedMove;
use crate::position::{LinePosition, ListedMove};
use crate::provenance::AnswerSource;
use crate::tree::Tree;
use crate::words::{after, describe_line_end};
use men::MenChange;

/// Centipawns from which on a difference is looked for along the line.
const SHOWN_FROM: i64 = 10;

/// A tree's knowledge of a move. Scores are for the side that plays it.
#[derive(Debug, Clone, Serialize)]
pub struct Why {
    /// The position that the move is played in.
    fen: String,
    /// The moves from the root to it.
    at: Vec<NamedMove>,
    /// The move.
    #[serde(rename = "move")]
    asked: NamedMove,
    /// How it stands in the tree.
    standing: Standing,
    /// Its place among the moves that count, from 1 on.
    place: Option<usize>,
    /// Number of moves that count there.
    counting: usize,
    /// Its score by the tree.
    score: Option<Score>,
    /// The most that it can be worth, where no answer lists it.
    bound: Option<Score>,
    /// The best move there: of the root its verdict, elsewhere the tree's.
    best: Option<NamedMove>,
    /// Its score.
    best_score: Option<Score>,
    /// The tree's best move.
    tree_best: Option<NamedMove>,
    /// Its score.
    tree_best_score: Option<Score>,
    /// By how many centipawns it is worth less than the tree's best move; by how many at least, where it has a
    /// bound alone.
    less: Option<i64>,
    /// Its score in the closing search of a root, if one of the engines has chosen it.
    closing: Option<Score>,
    /// The line of the tree's best moves that begins with it.
    line: Vec<WhyPly>,
    /// How the engine's own search goes on behind that line.
    own: Vec<NamedMove>,
    /// Why the line ends, where the game or the tree is over.
    end: Option<String>,
    /// The ply of the line, from 0 on, from which on all scores show at least half of what the move loses.
    shown_at: Option<usize>,
    /// Men won and lost along the line.
    men: Option<MenChange>,
    /// The answer that bounds it.
    source: Option<AnswerSource>,
    /// The search of the position behind it.
    search: Option<MoveSearch>,
    #[serde(skip)]
    position: Chess,
    /// The tree's engine.
    #[serde(skip)]
    engine: String,
    #[serde(skip)]
    is_reached: bool,
    #[serde(skip)]
    is_stopped: bool,
    /// The least limit of a search that says something new; `None` where none does.
    #[serde(skip)]
    wanted: Option<Limit>,
}

/// How a move stands in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is the best move.
    Best,
    /// It counts, and another move is better or comes first.
    Counts,
    /// The user has excluded it.
    Excluded,
    /// The user has included it, and it is not searched yet.
    Waits,
    /// No answer lists it: it is worth at most its bound.
    Bounded,
    /// Nothing is known of it.
    Unknown,
}

/// A move of a line.
#[derive(Debug, Clone, Serialize)]
pub struct WhyPly {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// The engine's score where it is played, for the side that plays the asked move.
    pub score: Option<Score>,
    /// The answer that says so.
    pub source: Option<AnswerSource>,
}

/// A search of the position behind a move. Scores are for the side that plays the move.
#[derive(Debug, Clone, Serialize)]
pub struct MoveSearch {
    /// The move's score.
    pub score: Score,
    /// How the game goes on.
    pub line: Vec<NamedMove>,
    /// The answer.
    pub source: AnswerSource,
}

impl MoveSearch {
    /// The deepest search of a position that the memo has by an engine: to this limit, or a greater one of its kind.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn kept(
        store: &Store,
        profile: &Profile,
        behind: &Chess,
    ) -> Result<Option<MoveSearch>, StoreError> {
        for (id, profile) in store.profiles_from(profile)? {
            let Some(answer) = store.answer(id, behind, 0)? else { continue };
            let Some(source) = AnswerSource::of(store, id, &profile, behind, 0)? else {
                continue;
            };
            let line = [vec![answer.uci], store.continuation(id, behind, 0)?].concat();
            let score = Value::from(answer.score).step().into();
            return Ok(Some(MoveSearch { score, line: NamedMove::line(behind, &line), source }));
        }
        Ok(None)
    }
}

/// The limit of a first search, if a search to `limit` took this long nearby: one that ends within half of the time.
fn first_limit(limit: Limit, took: Option<Duration>, time: Duration) -> Limit {
    let Some(took) = took.filter(|took| *took > time / 2) else { return limit };
    let part = took.as_secs_f64() / (time.as_secs_f64() / 2.0).max(0.001);
    match limit {
        // A ply more takes some two thirds longer.
        Limit::Depth(depth) => {
            let plies = (part.ln() / 1.65_f64.ln()).ceil().clamp(0.0, 255.0) as u32;
            Limit::Depth(depth.saturating_sub(plies).max(1))
        }
        Limit::Nodes(nodes) => Limit::Nodes(((nodes as f64 / part) as u64).max(1)),
    }
}

impl Why {
    /// The time of a search that the user has not set.
    pub const SEARCH_TIME: Duration = Duration::from_secs(2);

    /// A tree's knowledge of a legal move at the end of a line of legal moves, with a search of the position behind
    /// it that the memo has by the tree's engine.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of(store: &Store, tree: &Tree, at: &[UciMove], uci: UciMove) -> Result<Why, StoreError> {
        let mut here = LinePosition::at(tree, at);
        here.look_on(store, tree)?;
        let position = here.position.clone();
        let first = here.moves.iter().find(|m| m.alpha.is_some());
        let most = first.and_then(|first| first.alpha);
        let named = |uci| NamedMove::of(&position, uci);
        let nodes = tree.walk(at);
        let mut why = Why {
            fen: fen_of(&position),
            at: NamedMove::line(tree.game.root(), at),
            asked: named(uci),
            standing: Standing::Unknown,
            place: None,
            counting: here.moves.iter().filter(|m| m.alpha.is_some()).count(),
            score: None,
            bound: None,
            best: here.best.as_ref().and_then(|best| best.best()).map(named),
            best_score: here.best.as_ref().map(|best| best.value.into()),
            tree_best: first.map(|first| named(first.uci)),
            tree_best_score: most.map(Score::from),
            less: None,
            closing: None,
            line: Vec::new(),
            own: Vec::new(),
            end: None,
            shown_at: None,
            men: None,
            source: None,
            search: None,
            engine: tree.row.profile.engine.clone(),
            is_reached: nodes.len() == at.len() + 1,
            is_stopped: false,
            wanted: None,
            position: position.clone(),
        };
        let analysed = nodes.last().copied().filter(|_| why.is_reached && here.analysed);
        match here.moves.iter().enumerate().find(|(_, m)| m.uci == uci) {
            Some((place, m)) => why.stand(store, tree, place, m, most)?,
            None => why.bound_by_list(store, tree, analysed, most)?,
        }
        if why.best.as_ref().is_some_and(|best| best.uci == uci) {
            why.standing = Standing::Best;
        }
        why.wanted = why.wanted_limit(store, tree)?;
        let found = why.wanted.map(|limit| why.kept_search(store, tree, limit)).transpose()?;
        Ok(why.with_search(found.flatten()))
    }

    /// A move that the position has.
    fn stand(
        &mut self,
        store: &Store,
        tree: &Tree,
        place: usize,
        m: &ListedMove,
        most: Option<Value>,
    ) -> Result<(), StoreError> {
        self.is_stopped = m.stopped;
        let Some(alpha) = m.alpha else {
            self.standing = if m.excluded { Standing::Excluded } else { Standing::Waits };
            self.score = m.eval.map(Score::from);
            return Ok(());
        };
        self.standing = Standing::Counts;
        (self.place, self.score, self.closing) = (Some(place + 1), Some(alpha.into()), m.closing);
        let less = most.map(|most| i64::from(most.get()) - i64::from(alpha.get()));
        self.less = less;
        self.line = plies(store, tree, &NamedMove::ucis(&self.at), m.in_tree())?;
        self.own = m.own().to_vec();
        let end = describe_line_end(m.line_end).map(str::to_owned);
        self.end = end.or_else(|| m.ends().map(str::to_owned));
        self.shown_at = less.filter(|less| *less >= SHOWN_FROM).and_then(|less| {
            let half = 2 * i64::from(alpha.get()) + less;
            let shows = |ply: &WhyPly| {
                ply.score.is_none_or(|score| 2 * i64::from(Value::from(score).get()) <= half)
            };
            let hidden = self.line.iter().rposition(|ply| !shows(ply));
            Some(hidden.map_or(0, |ply| ply + 1)).filter(|ply| *ply < self.line.len())
        });
        self.men = MenChange::along(&self.position, &NamedMove::ucis(&m.line));
        Ok(())
    }

    /// A move that no answer lists.
    fn bound_by_list(
        &mut self,
        store: &Store,
        tree: &Tree,
        node: Option<NodeId>,
        most: Option<Value>,
    ) -> Result<(), StoreError> {
        let (uci, key) = (self.asked.uci, PositionKey::of(&self.position));
        if let Some(wish) = tree.growth.wishes().get(&key) {
            if wish.exclude.contains(&uci) {
                self.standing = Standing::Excluded;
            } else if wish.include.contains(&uci) {
                self.standing = Standing::Waits;
            }
        }
        let Some((bound, source)) = node.and_then(|node| bound(&tree.growth, node, uci)) else {
            return Ok(());
        };
        self.standing = Standing::Bounded;
        self.bound = Some(bound.into());
        self.less = most.map(|most| i64::from(most.get()) - i64::from(bound.get()));
        self.source = AnswerSource::of_tree(store, tree, source)?;
        Ok(())
    }

    /// The limit from which on a search of the position behind the move says something new, and that fits into
    /// [`Why::SEARCH_TIME`]: that of the tree, or a lesser one where its searches nearby took too long. `None` if the
    /// game, the tree's tables or the user's value end there, or the position was there before.
    fn wanted_limit(&self, store: &Store, tree: &Tree) -> Result<Option<Limit>, StoreError> {
        let behind = self.behind();
        let (key, root) = (PositionKey::of(&behind), tree.game.root());
        let line = NamedMove::ucis(&self.at);
        let mut on_line = (0..=line.len())
            .map(|plies| PositionKey::of(&after(root, line.get(..plies).unwrap_or_default())));
        let came_before =
            on_line.any(|before| before == key) || tree.game.repeated().contains(&key);
        let is_end =
            tree.growth.find(&key).is_some_and(|node| tree.growth.graph().end(node).is_some());
        if Ending::of(&behind).is_some() || came_before || is_end {
            return Ok(None);
        }
        let (profile, limit) = (tree.row.profile_id, tree.row.profile.limit);
        let near = match store.kept_search(profile, &self.position, 0)? {
            None => store.kept_search(profile, root, 0)?,
            near => near,
        };
        Ok(Some(first_limit(limit, near.map(|near| near.time), Why::SEARCH_TIME)))
    }

    /// The deepest search of the position behind the move that the memo has by the tree's engine, to this limit or a
    /// greater one. One that the tree has is none: its line says more.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn kept_search(
        &self,
        store: &Store,
        tree: &Tree,
        limit: Limit,
    ) -> Result<Option<MoveSearch>, StoreError> {
        self.kept_search_by(store, tree, &Profile { limit, ..tree.row.profile.clone() })
    }

    /// [`Why::kept_search`] by another engine.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn kept_search_by(
        &self,
        store: &Store,
        tree: &Tree,
        profile: &Profile,
    ) -> Result<Option<MoveSearch>, StoreError> {
        let kept = MoveSearch::kept(store, profile, &self.behind())?;
        let is_of_tree = |kept: &MoveSearch| {
            let own = Profile { limit: kept.source.limit, ..profile.clone() };
            self.has_searched_line() && own == tree.row.profile
        };
        Ok(kept.filter(|kept| !is_of_tree(kept)))
    }

    /// With a search of the position behind the move.
    #[must_use]
    pub fn with_search(mut self, search: Option<MoveSearch>) -> Why {
        if let Some(search) = search.as_ref().filter(|_| self.line.is_empty()) {
            let line = [vec![self.asked.uci], NamedMove::ucis(&search.line)].concat();
            self.men = MenChange::along(&self.position, &line);
        }
        self.search = search;
        self
    }

    /// True if the position behind the move was not searched, neither in the tree nor before, and can be.
    pub fn wants_search(&self) -> bool {
        self.wanted.is_some() && self.search.is_none() && !self.has_searched_line()
    }

    /// The limit for a first search of the position behind the move; `None` if it can say nothing.
    pub fn search_limit(&self) -> Option<Limit> {
        self.wanted
    }

    /// True if the tree has searched the position behind the move.
    pub fn has_searched_line(&self) -> bool {
        self.line.len() > 1
    }

    /// The position behind the move.
    pub fn behind(&self) -> Chess {
        after(&self.position, [&self.asked.uci])
    }

    /// The side that plays the move.
    fn mover(&self) -> Color {
        self.position.turn()
    }
}

/// The moves of a line of the tree, each with the engine's score of it, for the side that plays the first.
fn plies(
    store: &Store,
    tree: &Tree,
    at: &[UciMove],
    line: &[NamedMove],
) -> Result<Vec<WhyPly>, StoreError> {
    let whole = [at, &NamedMove::ucis(line)].concat();
    let nodes: Vec<NodeId> = tree.walk(&whole).into_iter().skip(at.len()).collect();
    let mut plies = Vec::new();
    for (ply, named) in line.iter().enumerate() {
        let listed = nodes.get(ply).and_then(|node| {
            let mut list = tree.growth.graph().list(*node).iter().enumerate();
            let (rank, edge) = list.find(|(_, edge)| edge.uci.unpack() == named.uci)?;
            Some((Source { position: *node, rank }, edge.eval))
        });
        let source = match listed {
            Some((source, _)) => AnswerSource::of_tree(store, tree, source)?,
            None => None,
        };
        let score = listed.map(|(_, eval)| if ply.is_multiple_of(2) { eval } else { -eval });
        plies.push(WhyPly { named: named.clone(), score: score.map(Score::from), source });
    }
    Ok(plies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_search_ends_within_half_of_the_time() {
        let (second, limit) = (Duration::from_secs(1), Limit::Depth(20));
        assert_eq!(first_limit(limit, None, second), limit, "nothing is known");
        assert_eq!(first_limit(limit, Some(second / 2), second), limit);
        assert_eq!(first_limit(limit, Some(second), second), Limit::Depth(18), "2.7 times");
        assert_eq!(first_limit(Limit::Depth(2), Some(second * 1000), second), Limit::Depth(1));
        let nodes = Limit::Nodes(1_000_000);
        assert_eq!(first_limit(nodes, Some(second * 5), second), Limit::Nodes(100_000));
    }
}
