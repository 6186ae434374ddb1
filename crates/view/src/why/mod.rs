//! Why a move is not the best: a tree's knowledge of any legal move, and the line that refutes it.
//!
//! Nothing is searched here; a search of the position behind the move is added by [`Why::with_search`].

mod men;
mod words;

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Ending, PositionKey, Score, Value, fen_of};
use deepanalyze_core::claims::{Source, bound};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::NodeId;
use deepanalyze_store::{Store, StoreError};

use crate::json::NamedMove;
use crate::position::{LinePosition, ListedMove};
use crate::provenance::AnswerSource;
use crate::tree::Tree;
use crate::words::{after, describe_line_end, play};
use men::MenChange;

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
    /// The tree's best move, where the verdict is another.
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
    /// The ply of the line, from 0 on, whose score shows at least half of what the move loses; the scores before do
    /// not.
    shown_at: Option<usize>,
    /// Men won and lost along the line.
    men: Option<MenChange>,
    /// The answer that bounds it.
    source: Option<AnswerSource>,
    /// The search of the position behind it.
    search: Option<MoveSearch>,
    #[serde(skip)]
    position: Chess,
    #[serde(skip)]
    is_analysed: bool,
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
            let Some(source) = AnswerSource::of(store, (id, &profile), behind, 0)? else {
                continue;
            };
            let line = [vec![answer.uci], store.continuation(id, behind, 0)?].concat();
            let score = Value::from(answer.score).step().into();
            return Ok(Some(MoveSearch { score, line: NamedMove::line(behind, &line), source }));
        }
        Ok(None)
    }
}

impl Why {
    /// A tree's knowledge of a legal move at the end of a line of legal moves.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of(store: &Store, tree: &Tree, at: &[UciMove], uci: UciMove) -> Result<Why, StoreError> {
        let mut here = LinePosition::at(tree, at);
        here.look_on(store, tree)?;
        let position = here.position.clone();
        let root = tree.game.root();
        let mut why = Why {
            fen: fen_of(&position),
            at: NamedMove::line(root, at),
            asked: NamedMove::of(&position, uci),
            standing: Standing::Unknown,
            place: None,
            counting: here.moves.iter().filter(|m| m.alpha.is_some()).count(),
            score: None,
            bound: None,
            best: here.best.as_ref().and_then(|best| Some(NamedMove::of(&position, best.best()?))),
            best_score: here.best.as_ref().map(|best| best.value.into()),
            tree_best: None,
            tree_best_score: None,
            less: None,
            closing: None,
            line: Vec::new(),
            own: Vec::new(),
            end: None,
            shown_at: None,
            men: None,
            source: None,
            search: None,
            is_analysed: here.analysed,
            position,
        };
        let first = here.moves.iter().find(|m| m.alpha.is_some());
        let most = first.and_then(|first| first.alpha);
        if let Some(first) =
            first.filter(|first| why.best.as_ref().is_some_and(|best| best.uci != first.uci))
        {
            why.tree_best = Some(NamedMove::of(&why.position, first.uci));
            why.tree_best_score = first.alpha.map(Score::from);
        }
        let is_best = why.best.as_ref().is_some_and(|best| best.uci == uci);
        let known = here.moves.iter().enumerate().find(|(_, m)| m.uci == uci);
        match known {
            Some((place, m)) => why.stand(store, tree, (place, m), (is_best, most))?,
            None => why.bound_by_list(store, tree, at, most)?,
        }
        if is_best {
            why.standing = Standing::Best;
        }
        Ok(why)
    }

    /// A move that the position has.
    fn stand(
        &mut self,
        store: &Store,
        tree: &Tree,
        (place, m): (usize, &ListedMove),
        (is_best, most): (bool, Option<Value>),
    ) -> Result<(), StoreError> {
        let Some(alpha) = m.alpha else {
            self.standing = if m.excluded { Standing::Excluded } else { Standing::Waits };
            self.score = m.eval.map(Score::from);
            return Ok(());
        };
        self.standing = if is_best { Standing::Best } else { Standing::Counts };
        self.closing = m.closing;
        (self.place, self.score) = (Some(place + 1), Some(alpha.into()));
        self.less = most.map(|most| i64::from(most.get()) - i64::from(alpha.get()));
        let at = NamedMove::ucis(&self.at);
        self.line = plies(store, tree, &at, m.in_tree())?;
        self.own = m.own().to_vec();
        let end = describe_line_end(m.line_end).map(str::to_owned);
        self.end = end.or_else(|| m.ends().map(str::to_owned));
        self.shown_at = most.filter(|most| *most > alpha).and_then(|most| {
            let half = i64::from(most.get()) + i64::from(alpha.get());
            let shows = |ply: &WhyPly| {
                ply.score.is_some_and(|score| 2 * i64::from(Value::from(score).get()) <= half)
            };
            self.line.iter().position(shows)
        });
        let whole: Vec<UciMove> = m.line.iter().map(|named| named.uci).collect();
        self.men = MenChange::along(&self.position, &whole);
        Ok(())
    }

    /// A move that no answer lists.
    fn bound_by_list(
        &mut self,
        store: &Store,
        tree: &Tree,
        at: &[UciMove],
        most: Option<Value>,
    ) -> Result<(), StoreError> {
        let nodes = tree.walk(at);
        let Some(node) = nodes.last().filter(|_| nodes.len() == at.len() + 1) else {
            return Ok(());
        };
        let found = bound(&tree.growth, *node, self.asked.uci);
        let Some((bound, source)) = found.filter(|_| self.is_analysed) else { return Ok(()) };
        self.standing = Standing::Bounded;
        self.bound = Some(bound.into());
        self.less = most.map(|most| i64::from(most.get()) - i64::from(bound.get()));
        self.source = AnswerSource::of_tree(store, tree, source)?;
        Ok(())
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

    /// The deepest search of the position behind it that the memo has, to this profile's limit or a greater one. A
    /// search that the tree has is none: its line says more.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn kept_search(
        &self,
        store: &Store,
        tree: &Tree,
        profile: &Profile,
    ) -> Result<Option<MoveSearch>, StoreError> {
        let kept = MoveSearch::kept(store, profile, &self.behind())?;
        let is_of_tree = |kept: &MoveSearch| {
            self.has_searched_line()
                && kept.source.limit == tree.row.profile.limit
                && kept.source.engine == tree.row.profile.engine
        };
        Ok(kept.filter(|kept| !is_of_tree(kept)))
    }

    /// True if a search of the position behind the move is told.
    pub fn is_searched(&self) -> bool {
        self.search.is_some()
    }

    /// True if the tree has searched the position behind the move.
    pub fn has_searched_line(&self) -> bool {
        self.line.len() > 1
    }

    /// The position that the move is played in.
    pub fn position_before(&self) -> Chess {
        self.position.clone()
    }

    /// The position behind the move.
    pub fn behind(&self) -> Chess {
        let mut behind = self.position.clone();
        play(&mut behind, self.asked.uci);
        behind
    }

    /// True if a search of the position behind the move can say more: the game goes on there, and it was not there
    /// before.
    pub fn can_be_searched(&self, tree: &Tree) -> bool {
        let behind = self.behind();
        let key = PositionKey::of(&behind);
        let line = NamedMove::ucis(&self.at);
        let mut on_line = (0..=line.len()).map(|plies| {
            PositionKey::of(&after(tree.game.root(), line.get(..plies).unwrap_or_default()))
        });
        let came_before =
            on_line.any(|before| before == key) || tree.game.repeated().contains(&key);
        Ending::of(&behind).is_none() && !came_before
    }

    /// The side that plays the move.
    fn mover(&self) -> Color {
        self.position.turn()
    }
}

/// The moves of a line of the tree, each with what the engine said of it, for the side that plays the first.
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
