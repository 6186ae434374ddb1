//! The judge's verdict on two moves.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Score;

/// The greatest judged score, in centipawns: more is just won.
pub const CLAMP: i32 = 1000;

/// A score as centipawns for means and margins: mates, and larger scores, are ±[`CLAMP`].
pub fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp.clamp(-CLAMP, CLAMP),
        Score::Mate(n) if n > 0 => CLAMP,
        Score::Mate(_) => -CLAMP,
    }
}

/// The judge's scores of a position's moves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    /// Moves with the judge's score after each, for their mover.
    pub moves: Vec<(UciMove, Score)>,
    /// The judge's own move, if asked for.
    pub own: Option<UciMove>,
}

impl Judged {
    /// The judge's centipawns for a move.
    pub fn of(&self, uci: UciMove) -> Option<i32> {
        let (_, score) = self.moves.iter().find(|(judged, _)| *judged == uci)?;
        Some(centipawns(*score))
    }

    /// The losses of the arms' moves, in centipawns: against the judge's own move, if asked for
    /// (below 0, the arm's is better), else against the better of the two. `None` if the judge had
    /// no scores: the moves are the same.
    pub fn losses(&self, search: UciMove, tree: UciMove) -> Option<(i32, i32)> {
        let (search, tree) = (self.of(search)?, self.of(tree)?);
        let own = self.own.and_then(|own| self.of(own));
        let best = own.unwrap_or(search.max(tree));
        Some((best - search, best - tree))
    }
}

/// A position's result, from the tree's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MoveResult {
    /// Both arms chose the same move.
    Agreed,
    /// The tree's move is better by more than the margin.
    Won,
    /// The moves differ, and are worth the same within the margin.
    Drawn,
    /// The long search's move is better by more than the margin.
    Lost,
}

impl MoveResult {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            MoveResult::Agreed => "agreed",
            MoveResult::Won => "won",
            MoveResult::Drawn => "drawn",
            MoveResult::Lost => "lost",
        }
    }
}

/// The verdict on the tree's move against another, with a margin in centipawns; the judge must have
/// scored both if they differ.
pub fn verdict(judged: &Judged, other: UciMove, tree: UciMove, margin: u32) -> Option<MoveResult> {
    if other == tree {
        return Some(MoveResult::Agreed);
    }
    let ahead = i64::from(judged.of(tree)?) - i64::from(judged.of(other)?);
    Some(match ahead {
        ahead if ahead > i64::from(margin) => MoveResult::Won,
        ahead if ahead < -i64::from(margin) => MoveResult::Lost,
        _ => MoveResult::Drawn,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    fn judged(scores: &[(&str, Score)], own: Option<&str>) -> Judged {
        let moves = scores.iter().map(|(text, score)| (uci(text), *score)).collect();
        Judged { moves, own: own.map(uci) }
    }

    #[test]
    fn within_the_margin_and_on_it_is_a_draw() {
        for (cp, expected) in [
            (31, MoveResult::Won),
            (30, MoveResult::Drawn),
            (20, MoveResult::Drawn),
            (10, MoveResult::Drawn),
            (9, MoveResult::Lost),
        ] {
            let judged = judged(&[("e2e4", Score::Cp(20)), ("d2d4", Score::Cp(cp))], None);
            assert_eq!(verdict(&judged, uci("e2e4"), uci("d2d4"), 10), Some(expected), "{cp}");
        }
        let nothing = Judged::default();
        assert_eq!(verdict(&nothing, uci("e2e4"), uci("e2e4"), 0), Some(MoveResult::Agreed));
        assert_eq!(verdict(&nothing, uci("e2e4"), uci("d2d4"), 0), None, "nobody has judged");
    }

    #[test]
    fn mates_and_lost_causes_are_all_worth_the_same() {
        for (score, cp) in [
            (Score::Mate(1), 1000),
            (Score::Mate(40), 1000),
            (Score::Cp(1001), 1000),
            (Score::Cp(-999), -999),
            (Score::Mate(-3), -1000),
            (Score::Mate(0), -1000),
            (Score::Cp(i32::MIN), -1000),
        ] {
            assert_eq!(centipawns(score), cp, "{score:?}");
        }
    }

    #[test]
    fn losses_are_to_the_judges_move_or_the_better_one() {
        let scores = [("a2a3", Score::Cp(5)), ("b2b3", Score::Cp(-7)), ("c2c3", Score::Cp(60))];
        let (a, b) = (uci("a2a3"), uci("b2b3"));
        assert_eq!(judged(&scores, None).losses(a, b), Some((0, 12)), "c3 is another setting's");
        assert_eq!(judged(&scores, Some("c2c3")).losses(a, b), Some((55, 67)));
        assert_eq!(judged(&scores, Some("c2c3")).losses(a, a), Some((55, 55)));
        assert_eq!(judged(&scores, Some("b2b3")).losses(a, b), Some((-12, 0)), "a better one");
        assert_eq!(judged(&[], None).losses(a, a), None);
    }
}
