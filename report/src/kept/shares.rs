//! Whether what engines have said of their shares is all of a closing search.

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, legal_uci};
use deepanalyze_core::directives::Directives;

use crate::kept::closing::ClosingAnswer;

/// What an engine has said of its share.
pub struct ShareSaid {
    /// Its moves in UCI; none where it has searched alone, and all of them.
    pub moves: Option<Vec<String>>,
    /// What it chose of them; whether these are all of the root is not known yet.
    pub answer: ClosingAnswer,
}

/// What engines have said of their shares, by number.
pub type Shares = BTreeMap<u32, ShareSaid>;

/// A root's moves in UCI, in the order of the text.
pub struct RootMoves {
    legal: Vec<String>,
    /// Those that are not excluded.
    searched: Vec<String>,
}

impl RootMoves {
    /// Those of a game's last position, of which this is said.
    pub fn of(game: &Game, directives: &Directives) -> RootMoves {
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
    pub fn whole(&self, engines: u32, shares: Shares) -> Option<Vec<ClosingAnswer>> {
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

    use shakmaty::Chess;

    use super::*;
    use crate::kept::closing::{Closing, ClosingAsked, ClosingMove};
    use deepanalyze_core::chess::Score;
    use deepanalyze_core::search::Limit;

    /// Moves of an engine, or none where it had all, alone; and the score of the first of them.
    type Of<'a> = (Option<&'a [UciMove]>, i32);

    fn said((moves, cp): Of<'_>) -> ShareSaid {
        let uci = moves.map_or_else(|| "e2e4".parse().unwrap(), |moves| moves[0]);
        let chosen = ClosingMove { uci, score: Score::Cp(cp), line: vec![uci] };
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
}
