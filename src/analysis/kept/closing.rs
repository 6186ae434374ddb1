//! The closing searches that the memo has of a tree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use shakmaty::uci::UciMove;

use crate::chess::{Game, PositionKey, Score, Tables, Value, epd_of, legal_uci, playable};
use crate::directives::{Directives, write_set};
use crate::search::{HashContents, HashOf, KeptHash, Limit, MoveShare};
use crate::store::{AnalysisRow, AnswerOnKeptHash, PricedAnswer, Store, StoreError};
use crate::tree::chosen_share;

/// What a closing search of one engine said, or of several.
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
    /// How many engines there were.
    pub engines: u32,
}

/// What engines have come to that searched the shares of
/// [`Growth::root_shares`](crate::tree::Growth::root_shares), in the order of their numbers, each with whether it had all moves:
/// the answer of the one that [`chosen_share`] names, with the nodes of all.
pub fn best_of(answers: Vec<(bool, Closing)>) -> Option<Closing> {
    let values: Vec<(bool, Value)> =
        answers.iter().map(|(all, closing)| (*all, Value::from(closing.score))).collect();
    let nodes = answers.iter().map(|(_, closing)| closing.nodes).fold(0, u64::saturating_add);
    let (_, best) = answers.into_iter().nth(chosen_share(&values)?)?;
    Some(Closing { nodes, ..best })
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
    let key = |closing: &Closing| (closing.nodes, closing.tree_limit, closing.passes);
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
    let mut shared: BTreeMap<(u64, Limit, u32), Shares> = BTreeMap::new();
    for AnswerOnKeptHash { profile, priced: PricedAnswer { answer, nodes }, pv } in answers {
        let Some(KeptHash::Of(mut contents)) = profile.kept_hash.clone() else { continue };
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
            let (line, nodes) = (playable(game.root(), pv.clone()), *nodes);
            let closing = Closing { tree_limit, passes, limit, uci, score, line, nodes, engines };
            shared.entry((passes, limit, engines)).or_default().insert(number, (share, closing));
        }
    }
    let moves = RootMoves::of(game, directives);
    let whole = shared.into_values().filter_map(|shares| moves.whole(shares));
    whole.filter_map(best_of).collect()
}

/// What engines have said of their shares, by number; one that has searched alone has none.
type Shares = BTreeMap<u32, (Option<Box<MoveShare>>, Closing)>;

/// A root's moves in UCI, in the order of the text.
struct RootMoves {
    legal: Vec<String>,
    /// Those that are not excluded.
    searched: Vec<String>,
}

impl RootMoves {
    fn of(game: &Game, directives: &Directives) -> RootMoves {
        let said = directives.at(&PositionKey::of(game.root()));
        let excluded = said.map_or(&[][..], |said| &said.exclude);
        let legal = legal_uci(game.root());
        let searched = legal.iter().filter(|uci| !excluded.contains(uci));
        let texts = |moves: Vec<&UciMove>| sorted(moves.iter().map(ToString::to_string));
        RootMoves { searched: texts(searched.collect()), legal: texts(legal.iter().collect()) }
    }

    /// What engines have said of their shares, with whether they had all moves; nothing unless that is each move that is not
    /// excluded, and no other one: once, by those that share them out, or by one that has all, or both. (Who shares with
    /// one that has all may leave the best out.) Shares of another deal may be there, of a tree that was taken back and came to as
    /// many passes again.
    fn whole(&self, shares: Shares) -> Option<Vec<(bool, Closing)>> {
        let engines = shares.values().next()?.1.engines;
        if u32::try_from(shares.len()) != Ok(engines) {
            return None;
        }
        let (mut answers, mut dealt, mut whole) = (Vec::new(), Vec::new(), false);
        for (share, closing) in shares.into_values() {
            // Who has searched without a share has searched all legal moves.
            let moves = share.map_or_else(
                || self.legal.clone(),
                |share| sorted(share.moves.split(' ').map(str::to_owned)),
            );
            let all = moves == self.searched;
            whole |= all;
            answers.push((all, closing));
            dealt.extend((!all).then_some(moves).into_iter().flatten());
        }
        let dealt = sorted(dealt.into_iter());
        let is_whole = match (whole, engines) {
            (true, 1) => dealt.is_empty(),
            (true, 2) => dealt.len() + 1 == self.searched.len(),
            _ => dealt == self.searched,
        };
        is_whole.then_some(answers)
    }
}

fn sorted(moves: impl Iterator<Item = String>) -> Vec<String> {
    let mut moves: Vec<String> = moves.collect();
    moves.sort_unstable();
    moves
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

    use shakmaty::Chess;

    use super::*;

    /// What so many engines said of these shares, each with its score: its first move. No share: it had all moves, alone.
    fn said(shares: &[(Option<&[UciMove]>, i32)]) -> Option<(UciMove, u64)> {
        said_of(u32::try_from(shares.len()).unwrap(), shares)
    }

    fn said_of(engines: u32, shares: &[(Option<&[UciMove]>, i32)]) -> Option<(UciMove, u64)> {
        let one = |(number, (moves, cp)): (u32, &(Option<&[UciMove]>, i32))| {
            let closing = Closing {
                tree_limit: Limit::Depth(5),
                passes: 1,
                limit: Limit::Nodes(100),
                uci: moves.map_or_else(|| "e2e4".parse().unwrap(), |moves| moves[0]),
                score: Score::Cp(*cp),
                line: Vec::new(),
                nodes: 100,
                engines,
            };
            let share = moves.map(|moves| Box::new(MoveShare::new((number, engines), moves)));
            (number, (share, closing))
        };
        let root = RootMoves::of(&Game::from_position(Chess::default()), &Directives::default());
        let best = best_of(root.whole((1..).zip(shares).map(one).collect())?).unwrap();
        Some((best.uci, best.nodes))
    }

    #[test]
    fn shares_count_where_every_move_has_been_searched_and_once() {
        let all = legal_uci(&Chess::default());
        let (left, right) = all.split_at(8);
        assert_eq!(said(&[(None, 10)]), Some(("e2e4".parse().unwrap(), 100)));
        // One has all, and two share them out.
        let three = |cp| said(&[(Some(&all), 20), (Some(left), 12), (Some(right), cp)]);
        assert_eq!(three(29), Some((all[0], 300)));
        assert_eq!(three(30), Some((right[0], 300)));
        // The second of two leaves the best out.
        assert_eq!(said(&[(Some(&all), 20), (Some(&all[1..]), 40)]), Some((all[1], 200)));
        // As shares were before one had all moves: the greatest score.
        assert_eq!(said(&[(Some(left), 20), (Some(right), 21)]), Some((right[0], 200)));
        for of_no_deal in [
            &[(Some(&all[..]), 20), (Some(left), 40), (Some(left), 40)][..],
            &[(Some(&all), 20), (Some(left), 40)],
            &[(Some(left), 20), (Some(left), 40)],
            &[(Some(left), 20), (Some(&right[1..]), 40)],
        ] {
            assert_eq!(said(of_no_deal), None);
        }
        let two = [(Some(&all[..]), 20), (Some(&all[1..]), 40)];
        assert_eq!(said_of(3, &two), None, "the third is missing");
    }
}
