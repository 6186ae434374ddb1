//! The closing searches that the memo has of a tree.

use std::collections::BTreeMap;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Game, PositionKey, Score, Tables, Value, epd_of, legal_uci, playable};
use crate::directives::{Directives, write_set};
use crate::search::{HashContents, HashOf, KeptHash, Limit, MoveShare};
use crate::store::{AnalysisRow, AnswerOnKeptHash, PricedAnswer, Store, StoreError};

/// What a closing search said, or those of several engines that shared the root's moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// The limit of the tree's searches.
    pub tree_limit: Limit,
    /// The passes that the tree had.
    pub passes: u64,
    /// The limit of the search.
    pub limit: Limit,
    /// The root move that it chose.
    pub uci: UciMove,
    /// Its score for its mover.
    pub score: Score,
    /// The engine's principal variation, as far as it can be played; that move first.
    pub line: Vec<UciMove>,
    /// Engine nodes of all engines' searches, without the rehearsals'.
    pub nodes: u64,
    /// How many engines shared the root's moves.
    pub engines: u32,
}

/// What engines said that shared the root's moves out among themselves: the greatest score, of equal ones that of
/// the engine which was dealt to first, as [`Growth::root_shares`](crate::tree::Growth::root_shares) deals.
pub fn best_of(answers: impl IntoIterator<Item = Closing>) -> Option<Closing> {
    answers.into_iter().reduce(|best, next| {
        let nodes = best.nodes.saturating_add(next.nodes);
        let is_better = Value::from(next.score) > Value::from(best.score);
        Closing { nodes, ..if is_better { next } else { best } }
    })
}

/// The closing search of the most nodes that a root's stages have, where that has several the one after the most passes
/// of the deepest stage; nothing where there is none.
pub fn best_closing<'a>(
    store: &Store,
    stages: impl IntoIterator<Item = &'a AnalysisRow>,
    root: (&Game, &Directives),
) -> Result<Option<Closing>, StoreError> {
    let mut all = Vec::new();
    for stage in stages {
        all.extend(closings(store, stage, root)?);
    }
    let key = |closing: &Closing| (closing.nodes, closing.tree_limit, closing.passes);
    Ok(all.into_iter().max_by_key(key))
}

/// The closing searches of an analysis, in no order that means anything. One that engines have not answered all shares
/// of is none yet.
pub fn closings(
    store: &Store,
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
) -> Result<Vec<Closing>, StoreError> {
    let mut shared: BTreeMap<(u64, Limit, u32), Shares> = BTreeMap::new();
    let answers = store.answers_on_kept_hash(&row.profile.engine, game.root())?;
    for AnswerOnKeptHash { profile, priced: PricedAnswer { answer, nodes }, pv } in answers {
        let Some(KeptHash::Of(mut contents)) = profile.kept_hash else { continue };
        let Some(passes) = contents.passes else { continue };
        let share = contents.share.take();
        let is_ours = profile.options == row.profile.options
            && contents == rehearsed(row, (game, directives), passes);
        if is_ours {
            let engines = share.as_ref().map_or(1, |share| share.engines);
            let number = share.as_ref().map_or(1, |share| share.number);
            let limit = profile.limit;
            let (uci, score) = (answer.uci, answer.score);
            let tree_limit = row.profile.limit;
            let line = playable(game.root(), pv);
            let closing = Closing { tree_limit, passes, limit, uci, score, line, nodes, engines };
            shared.entry((passes, limit, engines)).or_default().insert(number, (share, closing));
        }
    }
    let said = directives.at(&PositionKey::of(game.root()));
    let excluded = said.map_or(&[][..], |said| &said.exclude);
    let whole = shared.into_values().filter(|shares| are_whole(shares, game.root(), excluded));
    let best = |shares: Shares| best_of(shares.into_values().map(|(_, closing)| closing));
    Ok(whole.filter_map(best).collect())
}

/// What engines have said of their shares, by number; one that has searched alone has none.
type Shares = BTreeMap<u32, (Option<Box<MoveShare>>, Closing)>;

/// Moves in UCI, in the order of the text.
fn sorted(moves: impl IntoIterator<Item = UciMove>) -> Vec<String> {
    let mut moves: Vec<String> = moves.into_iter().map(|uci| uci.to_string()).collect();
    moves.sort_unstable();
    moves
}

/// Whether each move that is not excluded is searched, by one engine, and no other one is. Shares of another deal may be
/// there, of a tree that was taken back and came to as many passes again.
fn are_whole(shares: &Shares, root: &Chess, excluded: &[UciMove]) -> bool {
    let legal = legal_uci(root);
    let wanted = sorted(legal.iter().filter(|uci| !excluded.contains(uci)).copied());
    // Who has searched without a share has searched all legal moves.
    let all = || sorted(legal.iter().copied());
    let of = |share: &MoveShare| share.moves.split(' ').map(str::to_owned).collect();
    let searched = shares.values().flat_map(|(share, _)| share.as_deref().map_or_else(all, of));
    let mut searched: Vec<String> = searched.collect();
    searched.sort_unstable();
    searched == wanted
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
