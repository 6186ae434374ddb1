//! The closing searches that the memo has of a tree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Serialize, Serializer};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{
    Game, PositionKey, Score, Tables, Value, epd_of, legal_uci, playable,
};
use deepanalyze_core::directives::{Directives, write_set};
use deepanalyze_core::search::{HashContents, HashOf, KeptHash, Limit};
use deepanalyze_core::tree::{ShareAnswer, ranked_shares};
use deepanalyze_store::{AnalysisRow, AnswerOnKeptHash, PricedAnswer, Store, StoreError};

use crate::json::{self, NamedMove};
use crate::words::manner::describe_limit;
use crate::words::{PointOfView, after, numbered_line, numbered_move, seen};

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
        format!("{} {score}", numbered_move(root, chosen.named.uci))
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
    let line = numbered_line(&after(root, [&closing.best.named.uci]), &replies);
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosingMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its score for its mover.
    pub score: Score,
    /// The engine's principal variation, as far as it can be played; that move first.
    #[serde(serialize_with = "json::line")]
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
            uci: chosen.named.uci,
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
            Entry::Vacant(unread) => {
                let engine = &stage.profile.engine;
                unread.insert(store.answers_on_kept_hash(engine, root.0.root())?)
            }
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
    let answers = store.answers_on_kept_hash(&row.profile.engine, root.0.root())?;
    Ok(closings_among(&answers, row, root))
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
            let named = NamedMove::of(game.root(), answer.uci);
            let chosen = ClosingMove { named, score: answer.score, line };
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

/// As programs read it: what the engines chose, and after how much.
impl Serialize for Closing {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ChosenAndAsked<'a> {
            #[serde(flatten)]
            best: &'a ClosingMove,
            others: &'a [ClosingMove],
            limit: Limit,
            nodes: u64,
            engines: u32,
            tree_limit: Limit,
            passes: u64,
        }
        let ClosingAsked { tree_limit, passes, limit, engines } = self.asked;
        let (best, others, nodes) = (&self.best, &self.others, self.nodes);
        ChosenAndAsked { best, others, limit, nodes, engines, tree_limit, passes }.serialize(to)
    }
}

/// What an engine has said of its share.
struct ShareSaid {
    /// Its moves in UCI; none where it has searched alone, and all of them.
    moves: Option<Vec<String>>,
    /// What it chose of them; whether these are all of the root is not known yet.
    answer: ClosingAnswer,
}

/// What engines have said of their shares, by number.
type Shares = BTreeMap<u32, ShareSaid>;

/// A root's moves in UCI, in the order of the text.
struct RootMoves {
    legal: Vec<String>,
    /// Those that are not excluded.
    searched: Vec<String>,
}

impl RootMoves {
    /// Those of a game's last position, of which this is said.
    fn of(game: &Game, directives: &Directives) -> RootMoves {
        let said = directives.at(&PositionKey::of(game.root()));
        let excluded = said.map_or(&[][..], |said| &said.exclude);
        let legal = legal_uci(game.root());
        let searched = legal.iter().filter(|uci| !excluded.contains(uci));
        RootMoves { searched: texts(searched), legal: texts(legal.iter()) }
    }

    /// What so many engines have said of their shares; nothing unless that is each move that is not
    /// excluded, and no other one: once, by those that share them out, or by one that has all, or both. (Who shares with
    /// one that has all may leave the best out.) Shares of another deal may be there, of a tree that was taken back and came to as
    /// many passes again.
    fn whole(&self, engines: u32, shares: Shares) -> Option<Vec<ClosingAnswer>> {
        if u32::try_from(shares.len()) != Ok(engines) {
            return None;
        }
        let (mut answers, mut dealt, mut whole) = (Vec::new(), Vec::new(), false);
        for ShareSaid { moves, answer } in shares.into_values() {
            // Who has searched without a share has searched all legal moves.
            let moves = moves.map_or_else(|| self.legal.clone(), sorted);
            let all = moves == self.searched;
            whole |= all;
            answers.push(ClosingAnswer { all, ..answer });
            dealt.extend((!all).then_some(moves).into_iter().flatten());
        }
        let dealt = sorted(dealt);
        let is_whole = match (whole, engines) {
            (true, 1) => dealt.is_empty(),
            (true, 2) => dealt.len() + 1 == self.searched.len(),
            _ => dealt == self.searched,
        };
        is_whole.then_some(answers)
    }
}

/// Moves in UCI, in the order of the text.
fn texts<'a>(moves: impl Iterator<Item = &'a UciMove>) -> Vec<String> {
    sorted(moves.map(ToString::to_string).collect())
}

fn sorted(mut moves: Vec<String>) -> Vec<String> {
    moves.sort_unstable();
    moves
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Moves of an engine, or none where it had all, alone; and the score of the first of them.
    type Of<'a> = (Option<&'a [UciMove]>, i32);

    fn said((moves, cp): Of<'_>) -> ShareSaid {
        let uci = moves.map_or_else(|| "e2e4".parse().unwrap(), |moves| moves[0]);
        let named = NamedMove::of(&Chess::default(), uci);
        let chosen = ClosingMove { named, score: Score::Cp(cp), line: vec![uci] };
        let moves = moves.map(|moves| texts(moves.iter()));
        ShareSaid { moves, answer: ClosingAnswer { all: false, chosen, nodes: 100 } }
    }

    /// What comes of the answers of so many engines.
    fn closed(engines: usize, answers: Vec<ShareSaid>) -> Option<Closing> {
        let root = RootMoves::of(&Game::from_position(Chess::default()), &Directives::default());
        let (tree_limit, limit) = (Limit::Depth(5), Limit::Nodes(100));
        let engines = u32::try_from(engines).unwrap();
        let asked = ClosingAsked { tree_limit, passes: 1, limit, engines };
        Closing::of(asked, &root.whole(engines, (1..).zip(answers).collect())?)
    }

    /// The move that counts, and the nodes of all.
    fn best(shares: &[Of<'_>]) -> Option<(UciMove, u64)> {
        let answers = shares.iter().map(|of| said(*of)).collect();
        closed(shares.len(), answers).map(|closing| (closing.best.named.uci, closing.nodes))
    }

    #[test]
    fn shares_count_where_every_move_has_been_searched_and_once() {
        let all = legal_uci(&Chess::default());
        let (left, right) = all.split_at(8);
        assert_eq!(best(&[(None, 10)]), Some(("e2e4".parse().unwrap(), 100)));
        // One has all, and two share them out.
        let three = |cp| best(&[(Some(&all), 20), (Some(left), 12), (Some(right), cp)]);
        assert_eq!(three(29), Some((all[0], 300)));
        assert_eq!(three(30), Some((right[0], 300)));
        // The second of two leaves the best out.
        assert_eq!(best(&[(Some(&all), 20), (Some(&all[1..]), 40)]), Some((all[1], 200)));
        // As shares were before one had all moves: the greatest score.
        assert_eq!(best(&[(Some(left), 20), (Some(right), 21)]), Some((right[0], 200)));
        for of_no_deal in [
            &[(Some(&all[..]), 20), (Some(left), 40), (Some(left), 40)][..],
            &[(Some(&all), 20), (Some(left), 40)],
            &[(Some(left), 20), (Some(left), 40)],
            &[(Some(left), 20), (Some(&right[1..]), 40)],
        ] {
            assert_eq!(best(of_no_deal), None);
        }
        let two = [(Some(&all[..]), 20), (Some(&all[1..]), 40)].map(said);
        assert_eq!(closed(3, two.into()), None, "the third is missing");
    }
}
