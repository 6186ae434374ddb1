//! The closing searches that the memo has of a tree.

mod whole;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use shakmaty::uci::UciMove;

use crate::chess::{Game, Score, Tables, Value, epd_of, playable};
use crate::directives::{Directives, write_set};
use crate::search::{HashContents, HashOf, KeptHash, Limit};
use crate::store::{AnalysisRow, AnswerOnKeptHash, PricedAnswer, Store, StoreError};
use crate::tree::{ChosenMove, ShareAnswer, ranked_shares};
use whole::{RootMoves, Said, Shares};

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
    /// Whether it had all moves of the root.
    pub all: bool,
    /// The move of the root whose replies it had a part of; none where it had moves of the root itself.
    pub behind: Option<UciMove>,
    /// What it chose of its moves, for the side that plays them.
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
    /// [`Growth::root_shares`](crate::tree::Growth::root_shares), in the order of their numbers: the moves in the order of
    /// [`ranked_shares`], with the nodes of all. None where there is no answer.
    pub fn of(asked: ClosingAsked, answers: &[ClosingAnswer]) -> Option<Closing> {
        let said = answers.iter().map(|ClosingAnswer { all, behind, chosen, .. }| ShareAnswer {
            all: *all,
            behind: *behind,
            uci: chosen.uci,
            value: Value::from(chosen.score),
        });
        let root_move = |ChosenMove { place, uci, value }| {
            let ClosingAnswer { behind, chosen, .. } = answers.get(place)?;
            let line = behind.iter().chain(&chosen.line).copied().collect();
            Some(ClosingMove { uci, score: Score::from(value), line })
        };
        let ranked = ranked_shares(&said.collect::<Vec<_>>()).into_iter();
        let mut moves = ranked.filter_map(root_move);
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
    let moves = RootMoves::of(root.0, root.1);
    // The stages of a root are mostly one engine's, and its answers are those of all of them.
    let mut answers: BTreeMap<&str, Vec<OnKeptHash>> = BTreeMap::new();
    let mut all = Vec::new();
    for stage in stages {
        let engine = &stage.profile.engine;
        let answers = match answers.entry(engine) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => unread.insert(kept_answers(store, engine, &moves)?),
        };
        all.extend(closings_among(answers, stage, root, &moves));
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
    let moves = RootMoves::of(root.0, root.1);
    let answers = kept_answers(store, &row.profile.engine, &moves)?;
    Ok(closings_among(&answers, row, root, &moves))
}

/// An answer on a hash of known contents, and the move of the root that it is behind; none at the root itself.
type OnKeptHash = (Option<UciMove>, AnswerOnKeptHash);

/// What an engine has said with something on its hash, the oldest profile first: of the root, and where so many engines have shared
/// its moves out that some had replies, of the positions after these.
fn kept_answers(
    store: &Store,
    engine: &str,
    moves: &RootMoves,
) -> Result<Vec<OnKeptHash>, StoreError> {
    let at_root = store.answers_on_kept_hash(engine, &moves.root)?;
    let mut answers: Vec<OnKeptHash> = at_root.into_iter().map(|answer| (None, answer)).collect();
    let shared_by = |answer: &AnswerOnKeptHash| match &answer.profile.kept_hash {
        Some(KeptHash::Of(contents)) => contents.share.as_ref().map_or(1, |share| share.engines),
        _ => 1,
    };
    let most = answers.iter().map(|(_, answer)| shared_by(answer)).max().unwrap_or_default();
    if most as usize > moves.most_without_replies() {
        for uci in moves.searched() {
            let behind = store.answers_on_kept_hash(engine, &moves.after(uci))?;
            answers.extend(behind.into_iter().map(|answer| (Some(uci), answer)));
        }
    }
    // Of two deals the newer one counts, wherever its moves are.
    answers.sort_by_key(|(_, answer)| answer.profile_id);
    Ok(answers)
}

/// The closing searches of an analysis among the answers of its engine.
fn closings_among(
    answers: &[OnKeptHash],
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
    moves: &RootMoves,
) -> Vec<Closing> {
    let mut shared: BTreeMap<ClosingAsked, Shares> = BTreeMap::new();
    for (behind, answer) in answers {
        let AnswerOnKeptHash { profile, priced: PricedAnswer { answer, nodes }, pv, .. } = answer;
        let Some(KeptHash::Of(mut contents)) = profile.kept_hash.clone() else { continue };
        let Some(passes) = contents.passes else { continue };
        let share = contents.share.take();
        let named = share.as_ref().and_then(|share| share.behind.as_deref());
        let is_ours = profile.options == row.profile.options
            && contents == rehearsed(row, (game, directives), passes)
            // What was rehearsed before another share is none.
            && named == behind.map(|uci| uci.to_string()).as_deref();
        if is_ours {
            let engines = share.as_ref().map_or(1, |share| share.engines);
            let number = share.as_ref().map_or(1, |share| share.number);
            let (tree_limit, limit) = (row.profile.limit, profile.limit);
            let asked = ClosingAsked { tree_limit, passes, limit, engines };
            let position = behind.map_or_else(|| moves.root.clone(), |uci| moves.after(uci));
            let line = playable(&position, pv.clone());
            let chosen = ClosingMove { uci: answer.uci, score: answer.score, line };
            let moves = share.map(|share| share.moves.split(' ').map(str::to_owned).collect());
            let answer = ClosingAnswer { all: false, behind: *behind, chosen, nodes: *nodes };
            shared.entry(asked).or_default().insert(number, Said { moves, answer });
        }
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use super::*;
    use crate::analysis::{KeptTree, load};
    use crate::search::{Answer, Profile};
    use crate::store::{AnalysisId, NewAnswer};
    use crate::tree::RootShare;

    const VERSION_2: &str = include_str!("../../../../tests/databases/version-2.sql");

    /// Keeps what an engine says of a share: its first move.
    fn keep(store: &mut Store, (row, contents): (&AnalysisRow, &HashContents), share: &RootShare) {
        let contents = HashContents { share: Some(Box::new(share.named())), ..contents.clone() };
        let profile = Profile { limit: Limit::Nodes(1_000), ..row.profile.clone() };
        let id = store.profile_id(&profile.on_kept_hash(KeptHash::Of(contents))).unwrap();
        let best = share.moves[0];
        let answer = Answer {
            best,
            score: Score::Cp(7),
            depth: 5,
            seldepth: 5,
            nodes: 1_000,
            time: Duration::ZERO,
            pv: vec![best],
        };
        let position = &share.position;
        let new = NewAnswer { position, excluded: &[], answer: &answer, worker: None };
        assert!(store.keep(id, &[new]).unwrap());
    }

    #[test]
    fn of_two_deals_the_newer_one_counts_wherever_its_moves_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch(VERSION_2).unwrap();
        let mut store = Store::open(&path).unwrap();
        let KeptTree { row, game, growth, directives, .. } = load(&store, AnalysisId(1)).unwrap();
        let moves = RootMoves::of(&game, &directives).searched().count();
        let shares = growth.root_shares(1 + moves + 2);
        let engines = u32::try_from(shares.len()).unwrap();
        assert_eq!(shares.iter().filter(|share| share.behind.is_some()).count(), 4);
        let contents = rehearsed(&row, (&game, &directives), row.passes);
        // Of a deal before: that the second engine had replies to the move which the rules list last.
        let last = RootMoves::of(&game, &directives).searched().last().unwrap();
        let behind = shares.iter().find(|share| share.behind.is_some()).unwrap();
        assert_ne!(behind.behind, Some(last));
        let position = RootMoves::of(&game, &directives).after(last);
        let moves = crate::chess::legal_uci(&position);
        let stale = RootShare {
            number: (2, engines),
            behind: Some(last),
            position,
            moves,
            ..behind.clone()
        };
        keep(&mut store, (&row, &contents), &stale);
        let (tree_limit, passes, limit) = (row.profile.limit, row.passes, Limit::Nodes(1_000));
        let asked = ClosingAsked { tree_limit, passes, limit, engines };
        let found = |store: &Store| {
            let all = closings(store, &row, (&game, &directives)).unwrap();
            all.into_iter().find(|closing| closing.asked == asked)
        };
        for share in &shares {
            assert_eq!(found(&store), None);
            keep(&mut store, (&row, &contents), share);
        }
        let closing = found(&store).unwrap();
        assert_eq!((closing.best.uci, closing.best.score), (shares[0].moves[0], Score::Cp(7)));
        // The first two moves are worth what their replies leave.
        let behind = |uci| closing.others.iter().find(|other| other.uci == uci);
        assert_eq!(behind(shares[0].moves[1]).unwrap().score, Score::Cp(-7));
        assert_eq!(closing.others.len(), shares[0].moves.len() - 1);
    }
}
