//! Whether what engines have said of their shares is all of a closing search.

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::analysis::ClosingAnswer;
use crate::chess::{Game, PositionKey, legal_uci};
use crate::directives::Directives;

/// What an engine has said of its share.
pub struct Said {
    /// Its moves in UCI; none where it has searched alone, and all of them.
    pub moves: Option<Vec<String>>,
    /// What it chose of them; whether these are all of the root is not known yet.
    pub answer: ClosingAnswer,
}

/// What engines have said of their shares, by number.
pub type Shares = BTreeMap<u32, Said>;

/// A root's moves.
pub struct RootMoves {
    /// The root.
    pub root: Chess,
    legal: Vec<UciMove>,
    excluded: Vec<UciMove>,
}

impl RootMoves {
    /// Those of a game's last position, of which this is said.
    pub fn of(game: &Game, directives: &Directives) -> RootMoves {
        let said = directives.at(&PositionKey::of(game.root()));
        let excluded = said.map(|said| said.exclude.clone()).unwrap_or_default();
        RootMoves { root: game.root().clone(), legal: legal_uci(game.root()), excluded }
    }

    /// Those that are not excluded.
    pub fn searched(&self) -> impl Iterator<Item = UciMove> {
        self.legal.iter().copied().filter(|uci| !self.excluded.contains(uci))
    }

    /// So many engines have moves of the root where nobody has replies.
    pub fn most_without_replies(&self) -> usize {
        self.searched().count() + 1
    }

    /// The position after one of them.
    pub fn after(&self, uci: UciMove) -> Chess {
        let mut position = self.root.clone();
        if let Ok(m) = uci.to_move(&position) {
            position.play_unchecked(m);
        }
        position
    }

    /// What so many engines have said of their shares; nothing unless that is each move that is not
    /// excluded, and no other one: once, by those that share them out, or by one that has all, or both; and a move counts as once
    /// where each of its replies is searched once. (Who shares with
    /// one that has all may leave the best out.) Shares of another deal may be there, of a tree that was taken back and came to as
    /// many passes again.
    pub fn whole(&self, engines: u32, shares: Shares) -> Option<Vec<ClosingAnswer>> {
        if u32::try_from(shares.len()) != Ok(engines) {
            return None;
        }
        let searched = sorted(texts(self.searched()));
        let (mut answers, mut dealt, mut whole) = (Vec::new(), Vec::new(), false);
        let mut replies: BTreeMap<String, (UciMove, Vec<String>)> = BTreeMap::new();
        for Said { moves, answer } in shares.into_values() {
            // Who has searched without a share has searched all legal moves.
            let moves = sorted(moves.unwrap_or_else(|| texts(self.legal.iter().copied())));
            let all = answer.behind.is_none() && moves == searched;
            whole |= all;
            match answer.behind {
                Some(uci) => {
                    replies.entry(uci.to_string()).or_insert((uci, Vec::new())).1.extend(moves)
                }
                None => dealt.extend((!all).then_some(moves).into_iter().flatten()),
            }
            answers.push(ClosingAnswer { all, ..answer });
        }
        for (text, (uci, replies)) in replies {
            if sorted(replies) != sorted(texts(legal_uci(&self.after(uci)).into_iter())) {
                return None;
            }
            dealt.push(text);
        }
        let dealt = sorted(dealt);
        let is_whole = match (whole, engines) {
            (true, 1) => dealt.is_empty(),
            (true, 2) => dealt.len() + 1 == searched.len(),
            _ => dealt == searched,
        };
        is_whole.then_some(answers)
    }
}

fn texts(moves: impl Iterator<Item = UciMove>) -> Vec<String> {
    moves.map(|uci| uci.to_string()).collect()
}

/// In the order of the text.
fn sorted(mut moves: Vec<String>) -> Vec<String> {
    moves.sort_unstable();
    moves
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::analysis::{Closing, ClosingAsked, ClosingMove};
    use crate::chess::Score;
    use crate::search::Limit;

    /// Moves of an engine, or none where it had all, alone; and the score of the first of them.
    type Of<'a> = (Option<&'a [UciMove]>, i32);

    fn said((moves, cp): Of<'_>) -> Said {
        let uci = moves.map_or_else(|| "e2e4".parse().unwrap(), |moves| moves[0]);
        let chosen = ClosingMove { uci, score: Score::Cp(cp), line: vec![uci] };
        let moves = moves.map(|moves| texts(moves.iter().copied()));
        Said { moves, answer: ClosingAnswer { all: false, behind: None, chosen, nodes: 100 } }
    }

    /// The same of replies to a move.
    fn replied(uci: UciMove, of: Of<'_>) -> Said {
        let Said { moves, answer } = said(of);
        Said { moves, answer: ClosingAnswer { behind: Some(uci), ..answer } }
    }

    /// What comes of the answers of so many engines.
    fn closed(engines: usize, answers: Vec<Said>) -> Option<Closing> {
        let root = RootMoves::of(&Game::from_position(Chess::default()), &Directives::default());
        let (tree_limit, limit) = (Limit::Depth(5), Limit::Nodes(100));
        let engines = u32::try_from(engines).unwrap();
        let asked = ClosingAsked { tree_limit, passes: 1, limit, engines };
        Closing::of(asked, &root.whole(engines, (1..).zip(answers).collect())?)
    }

    /// The move that counts, and the nodes of all.
    fn best(shares: &[Of<'_>]) -> Option<(UciMove, u64)> {
        let answers = shares.iter().map(|of| said(*of)).collect();
        closed(shares.len(), answers).map(|closing| (closing.best.uci, closing.nodes))
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

    #[test]
    fn a_move_counts_where_each_of_its_replies_has_been_searched_once() {
        let all = legal_uci(&Chess::default());
        let first = all[0];
        let mut after = Chess::default();
        after.play_unchecked(first.to_move(&after).unwrap());
        let replies = legal_uci(&after);
        let (left, right) = replies.split_at(7);
        let shared = |parts: &[(&[UciMove], i32)]| {
            let others = [said((Some(&all), 20)), said((Some(&all[1..]), 12))].into_iter();
            let parts = parts.iter().map(|(moves, cp)| replied(first, (Some(moves), *cp)));
            closed(2 + parts.len(), others.chain(parts).collect())
        };
        let closing = shared(&[(left, -40), (right, -31)]).unwrap();
        // It is worth what the better reply leaves, and its line begins with it.
        let best = ClosingMove { uci: first, score: Score::Cp(31), line: vec![first, right[0]] };
        assert_eq!((closing.best, closing.nodes), (best, 400));
        let others: Vec<UciMove> = closing.others.iter().map(|of| of.uci).collect();
        assert_eq!(others, [all[1]]);
        for of_no_deal in
            [&[(left, -40), (left, -31)][..], &[(left, -40)], &[(left, -40), (&right[1..], -31)]]
        {
            assert_eq!(shared(of_no_deal), None);
        }
    }
}
