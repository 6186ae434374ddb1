//! The closing searches that the memo has of a tree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, Score, Tables, Value, epd_of, playable};
use deepanalyze_core::directives::{Directives, write_set};
use deepanalyze_core::search::{HashContents, HashOf, KeptHash, Limit};
use deepanalyze_core::tree::{ShareAnswer, ranked_shares};
use deepanalyze_store::{AnalysisRow, AnswerOnKeptHash, PricedAnswer, Store, StoreError};

use crate::json::{self, NamedMove};
use crate::kept::shares::{RootMoves, ShareSaid, Shares};
use crate::words::manner::describe_limit;
use crate::words::moves::{PointOfView, after, numbered_line, numbered_move, seen};

/// So many plies behind a closing search's move are told.
const REPLIES: usize = 8;
/// So many other moves of it.
const OTHERS: usize = 4;

/// A closing search, beside a tree whose searches have this limit:
/// `1. Nf3 +0.31 1... d5 2. d4 (2000000 nodes on each of 3 engines, after pass 57); next 1. e4 +0.28, 1. d4 +0.26`.
pub fn describe_closing(root: &Chess, closing: &Closing, shown: Limit, pov: PointOfView) -> String {
    let ClosingAsked { tree_limit, passes, limit, engines } = closing.asked;
    let scored = |chosen: &ClosingMove| {
        let score = seen(chosen.score, root.turn(), pov);
        format!("{} {score}", numbered_move(root, chosen.uci))
    };
    let (best, limit) = (scored(&closing.best), describe_limit(limit));
    let each = match engines {
        1 => String::new(),
        engines => format!(" on each of {engines} engines"),
    };
    let tree = match tree_limit {
        same if same == shown => String::new(),
        other => format!(" with {}", describe_limit(other)),
    };
    let replies = closing.best.line.iter().skip(1).take(REPLIES);
    let replies: Vec<UciMove> = replies.copied().collect();
    let line = numbered_line(&after(root, [&closing.best.uci]), &replies);
    let line = if line.is_empty() { line } else { format!(" {line}") };
    let others: Vec<String> = closing.others.iter().take(OTHERS).map(scored).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; next {}", others.join(", ")),
    };
    format!("{best}{line} ({limit}{each}, after pass {passes}{tree}){others}")
}

/// A closing search, by what it is a function of besides the tree, the engine and its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClosingAsked {
    /// The limit of the tree's searches.
    pub tree_limit: Limit,
    /// The passes that the tree had.
    pub passes: u64,
    /// The limit of the search.
    pub limit: Limit,
    /// How many engines there were.
    pub engines: u32,
}

/// A move of the root that an engine chose, of all or of its share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingMove {
    /// The move.
    pub uci: UciMove,
    /// Its score for its mover.
    pub score: Score,
    /// The engine's principal variation, as far as it can be played; that move first.
    pub line: Vec<UciMove>,
}

/// What one engine of a closing search has said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingAnswer {
    /// Whether it had all moves.
    pub all: bool,
    /// What it chose.
    pub chosen: ClosingMove,
    /// Engine nodes of its search, without the rehearsal's.
    pub nodes: u64,
}

/// What a closing search of one engine said, or of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// What was asked.
    pub asked: ClosingAsked,
    /// The root move that it chose.
    pub best: ClosingMove,
    /// The other moves that some engine chose, the best first, each once.
    pub others: Vec<ClosingMove>,
    /// Engine nodes of all engines' searches, without the rehearsals'.
    pub nodes: u64,
}

impl Closing {
    /// What engines have come to that searched the shares of
    /// [`Growth::root_shares`](deepanalyze_core::tree::Growth::root_shares), in the order of their numbers: the moves in the order of
    /// [`ranked_shares`], with the nodes of all. None where there is no answer.
    pub fn of(asked: ClosingAsked, answers: &[ClosingAnswer]) -> Option<Closing> {
        let said = answers.iter().map(|ClosingAnswer { all, chosen, .. }| ShareAnswer {
            all: *all,
            uci: chosen.uci,
            value: Value::from(chosen.score),
        });
        let ranked = ranked_shares(&said.collect::<Vec<_>>()).into_iter();
        let mut moves =
            ranked.filter_map(|place| answers.get(place)).map(|answer| answer.chosen.clone());
        Some(Closing {
            asked,
            best: moves.next()?,
            others: moves.collect(),
            nodes: answers.iter().map(|answer| answer.nodes).fold(0, u64::saturating_add),
        })
    }
}

/// The closing search of the most nodes that a root's stages have, where that has several the one after the most passes
/// of the deepest stage; nothing where there is none.
pub fn best_closing<'a>(
    store: &Store,
    stages: impl IntoIterator<Item = &'a AnalysisRow>,
    root: (&Game, &Directives),
) -> Result<Option<Closing>, StoreError> {
    // The stages of a root are mostly one engine's, and its answers are those of all of them.
    let mut answers: BTreeMap<&str, Vec<AnswerOnKeptHash>> = BTreeMap::new();
    let mut all = Vec::new();
    for stage in stages {
        let answers = match answers.entry(&stage.profile.engine) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => unread.insert(root_answers(store, stage, root.0)?),
        };
        all.extend(closings_among(answers, stage, root));
    }
    let key = |closing: &Closing| (closing.nodes, closing.asked.tree_limit, closing.asked.passes);
    Ok(all.into_iter().max_by_key(key))
}

/// The closing searches of an analysis, in no order that means anything. One that engines have not answered all shares
/// of is none yet.
pub fn closings(
    store: &Store,
    row: &AnalysisRow,
    root: (&Game, &Directives),
) -> Result<Vec<Closing>, StoreError> {
    Ok(closings_among(&root_answers(store, row, root.0)?, row, root))
}

/// What the analysis's engine has said of the root with something on its hash.
fn root_answers(
    store: &Store,
    row: &AnalysisRow,
    game: &Game,
) -> Result<Vec<AnswerOnKeptHash>, StoreError> {
    store.answers_on_kept_hash(&row.profile.engine, game.root())
}

/// The closing searches of an analysis among the answers of its engine.
fn closings_among(
    answers: &[AnswerOnKeptHash],
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
) -> Vec<Closing> {
    let mut shared: BTreeMap<ClosingAsked, Shares> = BTreeMap::new();
    for AnswerOnKeptHash { profile, priced: PricedAnswer { answer, nodes }, pv } in answers {
        let Some(KeptHash::Of(mut contents)) = profile.kept_hash.clone() else { continue };
        let Some(passes) = contents.passes else { continue };
        let share = contents.share.take();
        let is_ours = profile.options == row.profile.options
            && contents == rehearsed(row, (game, directives), passes);
        if is_ours {
            let engines = share.as_ref().map_or(1, |share| share.engines);
            let number = share.as_ref().map_or(1, |share| share.number);
            let (tree_limit, limit) = (row.profile.limit, profile.limit);
            let asked = ClosingAsked { tree_limit, passes, limit, engines };
            let line = playable(game.root(), pv.clone());
            let chosen = ClosingMove { uci: answer.uci, score: answer.score, line };
            let moves = share.map(|share| share.moves.split(' ').map(str::to_owned).collect());
            let answer = ClosingAnswer { all: false, chosen, nodes: *nodes };
            shared.entry(asked).or_default().insert(number, ShareSaid { moves, answer });
        }
    }
    let moves = RootMoves::of(game, directives);
    let whole = shared
        .into_iter()
        .filter_map(|(asked, shares)| Closing::of(asked, &moves.whole(asked.engines, shares)?));
    whole.collect()
}

/// What the hash holds behind the rehearsal of a tree after so many passes: all that it is a function of,
/// besides the answers.
pub fn rehearsed(
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
    passes: u64,
) -> HashContents {
    let breadth = &row.breadth;
    let widths = || Box::new([&breadth.white, &breadth.black].map(ToString::to_string));
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    HashContents {
        directives: (!directives.is_empty()).then(|| write_set(directives)).and_then(Result::ok),
        distance: breadth.plain(),
        limit: Some(row.profile.limit),
        moves: moves.join(" "),
        passes: Some(passes),
        root_moves: (breadth.least > 1).then_some(breadth.least),
        tables: row
            .tables
            .map(|Tables { men, fifty }| format!("{men} {fifty} {}", row.grown_round)),
        widths: breadth.plain().is_none().then(widths),
        ..HashContents::new(HashOf::BestLines, epd_of(game.start()))
    }
}

/// A closing search as programs read it: what the engines chose, and after how much.
#[derive(Debug, Serialize)]
pub struct ClosingObject<'a> {
    #[serde(flatten)]
    best: ChosenMove<'a>,
    /// The other moves that an engine chose, the best first.
    others: Vec<ChosenMove<'a>>,
    limit: Limit,
    /// Of all engines.
    nodes: u64,
    /// How many engines there were.
    engines: u32,
    /// Of the tree's searches.
    tree_limit: Limit,
    passes: u64,
}

/// A move that an engine of a closing search chose, and what it thinks of it.
#[derive(Debug, Serialize)]
struct ChosenMove<'a> {
    #[serde(flatten)]
    named: NamedMove,
    score: Score,
    /// The engine's principal variation, the move first.
    #[serde(serialize_with = "json::line")]
    line: &'a [UciMove],
}

impl ClosingObject<'_> {
    /// That of a root.
    pub fn of<'a>(root: &Chess, closing: &'a Closing) -> ClosingObject<'a> {
        let ClosingAsked { tree_limit, passes, limit, engines } = closing.asked;
        let chosen = |ClosingMove { uci, score, line }: &'a ClosingMove| ChosenMove {
            named: NamedMove::of(root, *uci),
            score: *score,
            line,
        };
        let others = closing.others.iter().map(chosen).collect();
        let (best, nodes) = (chosen(&closing.best), closing.nodes);
        ClosingObject { best, others, limit, nodes, engines, tree_limit, passes }
    }
}
