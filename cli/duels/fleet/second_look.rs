//! A second look: the ends of the best moves' lines, searched deeper before the best move counts.

use std::collections::HashMap;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::duels::choice::of_tree;
use crate::duels::oracle::{HashState, Oracle, Question};
use deepanalyze_core::chess::Value;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Growth, Leaf, RescoredMove, Rescoring};

/// The best moves that must have been looked at: the verdict, and the one that it is held against.
const COMPARED: usize = 2;
/// Plies by which each look is deeper than the one before; the first than the tree's searches.
const DEEPER: u32 = 4;
/// Nodes of a look beside those of the one before, where the tree's searches have so many nodes.
const MORE_NODES: u64 = 4;
/// No leaf is looked at more often: its line is decided, or its searches end at once.
const MOST_LOOKS: u32 = 8;

/// What a second look has come to.
#[derive(Debug, Default)]
pub struct Looked {
    /// The root's moves by alpha, best first, with the scores of the ends that were looked at.
    pub moves: Vec<(UciMove, Value)>,
    /// The nodes of the looks that were finished in time.
    pub spent: u64,
    /// The nodes of those that were not.
    pub unfinished: u64,
}

/// Engines that look once more, each for so long at most, in nodes: at the ends of the two best moves' lines side by side,
/// those that are left over at the ends of the moves behind them. With the scores that come of it the order is another one,
/// and so on until the two that are the best have been looked at; then, deeper by as much, from the beginning.
///
/// # Errors
///
/// Those of the oracle.
pub fn look_again<O: Oracle>(
    root: &Chess,
    (engines, time): (usize, u64),
    (growth, limit): (&Growth, Limit),
    oracle: &mut O,
) -> Result<Looked, O::Error> {
    let mut looks = Looks {
        root,
        limit,
        tree: of_tree(growth),
        made: HashMap::new(),
        left: time,
        spent: 0,
        unfinished: 0,
    };
    while looks.round(engines, oracle)? {}
    let Looks { tree, spent, unfinished, .. } = looks;
    let moves = tree.root_moves().into_iter();
    let moves = moves.filter_map(|of| Some((*of.line.first()?, of.alpha))).collect();
    Ok(Looked { moves, spent, unfinished })
}

struct Looks<'a> {
    root: &'a Chess,
    /// That of the tree's searches.
    limit: Limit,
    tree: Rescoring,
    /// How often each leaf was looked at.
    made: HashMap<Leaf, u32>,
    /// The time that is left, in nodes of one engine.
    left: u64,
    spent: u64,
    unfinished: u64,
}

/// A line's end that is to be looked at.
struct Due {
    leaf: Leaf,
    line: Vec<UciMove>,
    /// Whether the verdict waits for it.
    is_compared: bool,
}

impl Looks<'_> {
    /// One look at each end that is due; says whether another round is to follow. It lasts as long as the looks that the
    /// verdict waits for: what the other engines have not finished by then counts for nothing.
    fn round<O: Oracle>(&mut self, engines: usize, oracle: &mut O) -> Result<bool, O::Error> {
        let due = self.due(engines);
        let (mut lasts, mut in_time) = (0, true);
        for Due { leaf, line, is_compared } in due {
            let limit = deeper(self.limit, self.looks_at(leaf) + 1);
            let question = Question::new(after(self.root, &line), limit, HashState::Cleared);
            let reply = oracle.ask(question)?;
            // No search is free.
            let nodes = reply.nodes.max(1);
            if is_compared {
                in_time &= nodes <= self.left;
                lasts = nodes.min(self.left).max(lasts);
            }
            if nodes > if is_compared { self.left } else { lasts } {
                self.unfinished += if is_compared { self.left } else { lasts };
                continue;
            }
            self.spent += nodes;
            *self.made.entry(leaf).or_default() += 1;
            self.tree.rescore(leaf, Value::from(reply.score).step());
        }
        self.left -= lasts;
        Ok(in_time && lasts > 0 && self.left > 0)
    }

    fn looks_at(&self, leaf: Leaf) -> u32 {
        self.made.get(&leaf).copied().unwrap_or(0)
    }

    /// The ends to look at next, those that the verdict waits for first: of the two best moves those that were looked at less
    /// often than the other, or both; nothing where neither line has one, or no two moves are listed. Then those of the moves behind that were looked at as
    /// little, for the engines that are left.
    fn due(&self, engines: usize) -> Vec<Due> {
        let moves = self.tree.root_moves();
        if moves.len() < COMPARED {
            return Vec::new();
        }
        let compared = moves.iter().take(COMPARED).filter_map(|of| of.end);
        let compared = compared.filter(|leaf| self.looks_at(*leaf) < MOST_LOOKS);
        let Some(least) = compared.map(|leaf| self.looks_at(leaf)).min() else {
            return Vec::new();
        };
        let mut due: Vec<Due> = Vec::new();
        for (place, RescoredMove { line, end, .. }) in moves.into_iter().enumerate() {
            let Some(leaf) = end.filter(|leaf| self.looks_at(*leaf) <= least) else { continue };
            // Two moves may come to the same position.
            if due.iter().all(|other| other.leaf != leaf) {
                due.push(Due { leaf, line, is_compared: place < COMPARED });
            }
        }
        due.truncate(engines);
        due
    }
}

/// The position after a line.
fn after(root: &Chess, line: &[UciMove]) -> Chess {
    let mut position = root.clone();
    for uci in line {
        if let Ok(m) = uci.to_move(&position) {
            position.play_unchecked(m);
        }
    }
    position
}

/// The limit of the look of this number, from 1.
fn deeper(limit: Limit, look: u32) -> Limit {
    match limit {
        Limit::Depth(depth) => Limit::Depth(depth.saturating_add(DEEPER.saturating_mul(look))),
        Limit::Nodes(nodes) => Limit::Nodes(nodes.saturating_mul(MORE_NODES.saturating_pow(look))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duels::error::DuelError;
    use crate::duels::oracle::Reply;
    use deepanalyze_core::chess::{Game, Score};
    use deepanalyze_core::tree::grown_of;

    /// What is found at the ends of lines, in centipawns for the side that is to move there, each time the same; a search of
    /// depth d takes 10 d nodes.
    struct Finds {
        ends: Vec<(Chess, i32)>,
        asked: Vec<(String, Limit)>,
    }

    impl Oracle for Finds {
        type Error = DuelError;

        fn begin(&mut self) {}

        fn ask(&mut self, question: Question<'_>) -> Result<Reply, DuelError> {
            let found = self.ends.iter().find(|(end, _)| *end == question.position);
            let cp = found.map(|(_, cp)| *cp).expect("no line ends there");
            let Limit::Depth(depth) = question.limit else { panic!("{:?}", question.limit) };
            self.asked.push((deepanalyze_core::chess::epd_of(&question.position), question.limit));
            let uci = deepanalyze_core::chess::legal_uci(&question.position)[0];
            Ok(Reply { uci, score: Score::Cp(cp), nodes: 10 * u64::from(depth) })
        }
    }

    fn end(line: &str) -> Chess {
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        game.root().clone()
    }

    /// 1. e4 e5 30, 1. d4 25, 1. c4 20, 1. Nf3 15.
    fn growth() -> Growth {
        let lists: [(&str, &[(&str, i32)]); 2] = [
            ("", &[("e2e4", 31), ("d2d4", 25), ("c2c4", 20), ("g1f3", 15)]),
            ("e4", &[("e7e5", -30), ("c7c5", -40)]),
        ];
        grown_of(&Game::from_position(Chess::default()), 10, &lists)
    }

    /// What engines find in so much time: the moves, the lines asked with their depths, and what was spent.
    fn look(engines: usize, time: u64, ends: &[(&str, i32)]) -> (Vec<String>, Vec<String>, Looked) {
        let of = ends.iter().map(|(line, cp)| (end(line), *cp)).collect();
        let mut finds = Finds { ends: of, asked: Vec::new() };
        let tree = (&growth(), Limit::Depth(6));
        let looked = look_again(&Chess::default(), (engines, time), tree, &mut finds).unwrap();
        let moves = looked.moves.iter().map(|(uci, value)| format!("{uci} {}", value.get()));
        let line_of = |epd: &String| {
            let of =
                ends.iter().find(|(line, _)| deepanalyze_core::chess::epd_of(&end(line)) == *epd);
            of.map_or("?", |(line, _)| *line)
        };
        let asked = finds.asked.iter().map(|(epd, limit)| format!("{}: {limit}", line_of(epd)));
        (moves.collect(), asked.collect(), looked)
    }

    const ENDS: [(&str, i32); 5] =
        [("e4 e5", 5), ("e4 c5", 40), ("d4", -25), ("c4", -22), ("Nf3", -24)];

    #[test]
    fn the_best_move_stands_once_both_that_are_compared_have_been_looked_at() {
        // 1. e4 e5 turns out to be 5, so d4 and c4 are the best two; of these c4 was not looked at yet. The other engine looks
        // at what is behind them meanwhile, and that is better than c4.
        let (moves, asked, looked) = look(2, 200, &ENDS);
        assert_eq!(asked, ["e4 e5", "d4", "c4", "Nf3"].map(|line| format!("{line}: depth 10")));
        assert_eq!(moves, ["d2d4 25", "g1f3 24", "c2c4 22", "e2e4 5"]);
        assert_eq!((looked.spent, looked.unfinished), (400, 0));
    }

    #[test]
    fn what_time_is_left_is_for_deeper_looks() {
        let (_, asked, looked) = look(2, 339, &ENDS);
        assert_eq!(asked[4..], ["d4: depth 14", "Nf3: depth 14"]);
        assert_eq!((looked.spent, looked.unfinished), (400, 2 * 139), "a node too little");
        let (_, asked, looked) = look(2, 340, &ENDS);
        assert_eq!((asked.len(), looked.spent, looked.unfinished), (6, 400 + 280, 0));
    }

    #[test]
    fn engines_that_are_left_over_look_at_the_moves_behind() {
        let (moves, asked, _) = look(8, 100, &ENDS);
        assert_eq!(asked, ["e4 e5: depth 10", "d4: depth 10", "c4: depth 10", "Nf3: depth 10"]);
        assert_eq!(moves, ["d2d4 25", "g1f3 24", "c2c4 22", "e2e4 5"]);
        let (moves, asked, _) = look(1, 100, &ENDS);
        assert_eq!((asked.len(), moves[0].as_str()), (1, "d2d4 25"), "one after the other");
    }

    #[test]
    fn nothing_is_looked_at_where_nothing_is_to_be_compared_or_no_time_is_left() {
        let (moves, asked, looked) = look(4, 99, &ENDS);
        assert_eq!(moves[0], "e2e4 30");
        assert_eq!((asked.len(), looked.spent), (4, 0));
        // The two that the verdict waits for use the time up.
        assert_eq!(looked.unfinished, 4 * 99);
        let one: [(&str, &[(&str, i32)]); 1] = [("", &[("e2e4", 31)])];
        let growth = grown_of(&Game::from_position(Chess::default()), 10, &one);
        let mut nothing = Finds { ends: Vec::new(), asked: Vec::new() };
        let tree = (&growth, Limit::Depth(6));
        let looked = look_again(&Chess::default(), (4, 999), tree, &mut nothing).unwrap();
        assert_eq!((looked.moves.len(), nothing.asked.len()), (1, 0));
    }

    #[test]
    fn looks_end_where_nothing_changes_any_more() {
        let (_, asked, _) = look(2, u64::MAX, &ENDS);
        let of = |line: &str| asked.iter().filter(|asked| asked.starts_with(line)).count();
        assert_eq!((of("d4"), of("Nf3"), of("c4"), of("e4 e5")), (8, 8, 1, 1));
        assert_eq!(deeper(Limit::Nodes(1000), 2), Limit::Nodes(16_000));
    }
}
