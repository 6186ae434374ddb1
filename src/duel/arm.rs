//! The two arms: one long search, and a tree of as many nodes. Pure but for what the oracle does.

use std::collections::HashMap;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Game, Score, Value, epd_of};
use crate::engine::Limit;
use crate::tree::{Growth, NodeId, Service, Values, best_root_move};

use super::allowance::Allowance;
use super::oracle::{Memory, Oracle, Question, Reply};
use super::setting::{Hash, Setting};

/// No tree is grown deeper: where all lines have ended, every further depth asks for nothing.
const DEEPEST: u32 = 100;

/// What one long search chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchArm {
    /// Its move.
    pub uci: UciMove,
    /// Its score, for its mover.
    pub score: Score,
    /// Its nodes, as the engine reported them.
    pub nodes: u64,
}

/// What a tree chose, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeArm {
    /// The arm's move.
    pub uci: UciMove,
    /// Engine nodes, those of the closing search among them.
    pub nodes: u64,
    /// Nodes of the search that was made and did not count, where there is one.
    pub uncounted: u64,
    /// The root's move of rank 0 in the tree: the engine's own choice at that limit.
    pub first: UciMove,
    /// The root's best alpha, and the move that has it.
    pub alpha: Score,
    /// That move; the arm's own but where a closing search chose.
    pub best: UciMove,
    /// Answers in the tree.
    pub searches: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Finished passes.
    pub passes: u64,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// Nodes of searches whose positions only root moves lead to that were best after no pass.
    pub idle_nodes: u64,
    /// The closing search, where the setting has one.
    pub closing: Option<SearchArm>,
}

/// The arm of one search of so many nodes, on an empty hash.
///
/// # Errors
///
/// The oracle's.
pub fn search_arm<O: Oracle>(
    position: &Chess,
    nodes: u64,
    oracle: &mut O,
) -> Result<SearchArm, O::Error> {
    root_search(position, nodes, Memory::Cleared, oracle)
}

/// The arm of a tree of so many nodes; nothing where the root has no listed move, which only a finished
/// position has not.
///
/// # Errors
///
/// The oracle's.
pub fn tree_arm<O: Oracle>(
    position: &Chess,
    nodes: u64,
    setting: &Setting,
    oracle: &mut O,
) -> Result<Option<TreeArm>, O::Error> {
    let kept = format!("of the tree of {}, distance {}", epd_of(position), setting.distance);
    let memory = match setting.hash {
        Hash::Cleared => Memory::Cleared,
        Hash::Kept => Memory::Kept(&kept),
    };
    oracle.begin();
    let mut gardener = Gardener {
        growth: Growth::new(&Game::from_position(position.clone()), setting.distance),
        allowance: match setting.closing {
            None => Allowance::nearest(nodes),
            Some(share) => Allowance::at_least(nodes - share.of(nodes)),
        },
        limit: setting.limit,
        memory,
        oracle,
        paid: HashMap::new(),
        uncounted: 0,
        led: Vec::new(),
    };
    gardener.grow()?;
    let Some(mut arm) = gardener.arm() else {
        return Ok(None);
    };
    let left = nodes.saturating_sub(arm.nodes);
    if setting.closing.is_some() && left > 0 {
        let since = format!("{kept}, {}, after {} nodes", setting.limit, arm.nodes);
        let closing = root_search(position, left, Memory::Kept(&since), gardener.oracle)?;
        arm.uci = closing.uci;
        arm.nodes = arm.nodes.saturating_add(closing.nodes);
        arm.closing = Some(closing);
    }
    Ok(Some(arm))
}

fn root_search<O: Oracle>(
    position: &Chess,
    nodes: u64,
    memory: Memory<'_>,
    oracle: &mut O,
) -> Result<SearchArm, O::Error> {
    let (position, limit) = (position.clone(), Limit::Nodes(nodes));
    let Reply { uci, score, nodes } =
        oracle.ask(Question { position, excluded: Vec::new(), limit, memory })?;
    Ok(SearchArm { uci, score, nodes })
}

/// A tree that grows search by search.
struct Gardener<'a, O> {
    growth: Growth,
    allowance: Allowance,
    limit: Limit,
    memory: Memory<'a>,
    oracle: &'a mut O,
    /// Nodes of each position's searches that count.
    paid: HashMap<NodeId, u64>,
    uncounted: u64,
    /// The root moves that were best after a pass.
    led: Vec<UciMove>,
}

impl<O: Oracle> Gardener<'_, O> {
    /// Passes until nothing is left to spend. What the pass that is under way then was answered is
    /// admitted, too: it is paid for.
    fn grow(&mut self) -> Result<(), O::Error> {
        loop {
            let values = Values::of(self.growth.graph());
            self.note_best(&values);
            if self.growth.depth() > DEEPEST || !self.allowance.is_left() {
                return Ok(());
            }
            let mut services = self.growth.requests(&values);
            if self.serve(&mut services)? {
                self.growth.finish_pass(services);
            } else {
                let lists = services.iter().filter(|service| !service.answers().is_empty());
                let lists = lists.map(|service| (service.node(), service.answers().to_vec()));
                let lists = lists.collect();
                self.growth.admit(lists);
                self.note_best(&Values::of(self.growth.graph()));
                return Ok(());
            }
        }
    }

    fn note_best(&mut self, values: &Values) {
        let best = best_root_move(self.growth.graph(), values, self.growth.root());
        if let Some((uci, _)) = best
            && !self.led.contains(&uci)
        {
            self.led.push(uci);
        }
    }

    /// Serves the positions one behind the other, each to its end; says whether all are served.
    fn serve(&mut self, services: &mut [Service]) -> Result<bool, O::Error> {
        for service in services {
            while service.wants_search() {
                if !self.allowance.is_left() || !self.search(service)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn search(&mut self, service: &mut Service) -> Result<bool, O::Error> {
        let node = service.node();
        let listed = self.growth.graph().list(node).iter().map(|edge| edge.uci.unpack());
        let question = Question {
            position: self.growth.position(node),
            excluded: listed.chain(service.answers().iter().map(|(uci, _)| *uci)).collect(),
            limit: self.limit,
            memory: self.memory,
        };
        let reply = self.oracle.ask(question)?;
        // No search is free, or a tree of them would never end.
        let nodes = reply.nodes.max(1);
        if !self.allowance.take(nodes) {
            self.uncounted = nodes;
            return Ok(false);
        }
        *self.paid.entry(node).or_default() += nodes;
        service.answer(reply.uci, Value::from(reply.score));
        Ok(true)
    }

    /// What the tree as it stands has come to.
    fn arm(&self) -> Option<TreeArm> {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let (best, alpha) = best_root_move(graph, &Values::of(graph), root)?;
        Some(TreeArm {
            uci: best,
            nodes: self.allowance.spent(),
            uncounted: self.uncounted,
            first: graph.list(root).first()?.uci.unpack(),
            alpha: Score::from(alpha),
            best,
            searches: self.growth.searches(),
            positions: self.growth.analysed(),
            passes: self.growth.passes(),
            settled: self.growth.settled().last().map(|last| last.depth),
            idle_nodes: self.idle_nodes(),
            closing: None,
        })
    }

    /// Nodes spent on positions that no move leads to that was ever the root's best.
    fn idle_nodes(&self) -> u64 {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let mut served = std::collections::HashSet::from([root]);
        let led = graph.list(root).iter().filter(|edge| self.led.contains(&edge.uci.unpack()));
        let mut open: Vec<NodeId> = led.map(|edge| edge.child).collect();
        while let Some(node) = open.pop() {
            if served.insert(node) {
                open.extend(graph.list(node).iter().map(|edge| edge.child));
            }
        }
        let idle = self.paid.iter().filter(|(node, _)| !served.contains(*node));
        idle.map(|(_, nodes)| nodes).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Answers from a table of lines: the scores of a position's moves for their mover; other moves
    /// are not to be played, other positions are even.
    struct Table {
        lists: HashMap<String, Vec<(UciMove, i32)>>,
        nodes: u64,
        asked: Vec<(String, usize, Limit, String)>,
    }

    /// A table of lines from the starting position, each with the moves there.
    fn table(nodes: u64, lines: &[(&str, &[(&str, i32)])]) -> Table {
        let lists = lines.iter().map(|(line, moves)| {
            let mut game = Game::from_position(Chess::default());
            game.play_line(line).unwrap();
            let moves = moves.iter().map(|(uci, cp)| (uci.parse().unwrap(), *cp)).collect();
            (epd_of(game.root()), moves)
        });
        Table { lists: lists.collect(), nodes, asked: Vec::new() }
    }

    impl Oracle for Table {
        type Error = Infallible;

        fn begin(&mut self) {
            self.asked.push(("begin".to_owned(), 0, Limit::Nodes(1), String::new()));
        }

        fn ask(&mut self, question: Question<'_>) -> Result<Reply, Infallible> {
            let epd = epd_of(&question.position);
            let memory = match question.memory {
                Memory::Cleared => String::new(),
                Memory::Kept(since) => since.to_owned(),
            };
            self.asked.push((epd.clone(), question.excluded.len(), question.limit, memory));
            let listed = self.lists.get(&epd).into_iter().flatten();
            let mut left = listed.filter(|(uci, _)| !question.excluded.contains(uci));
            let other = crate::chess::legal_uci(&question.position)
                .into_iter()
                .find(|uci| !question.excluded.contains(uci))
                .unwrap();
            let known = self.lists.contains_key(&epd);
            let (uci, cp) = left.next().copied().unwrap_or((other, if known { -900 } else { 0 }));
            let nodes = match question.limit {
                Limit::Depth(_) => self.nodes,
                Limit::Nodes(nodes) => nodes + 1,
            };
            Ok(Reply { uci, score: Score::Cp(cp), nodes })
        }
    }

    /// The engine likes e4, which loses to e5; d4 holds.
    fn trap() -> Table {
        table(
            10,
            &[
                ("", &[("e2e4", 30), ("d2d4", 25)]),
                ("e4", &[("e7e5", 200)]),
                ("d4", &[("d7d5", -25)]),
            ],
        )
    }

    fn grown(nodes: u64, setting: &str, table: &mut Table) -> TreeArm {
        let Ok(arm) = tree_arm(&Chess::default(), nodes, &setting.parse().unwrap(), table);
        arm.unwrap()
    }

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    #[test]
    fn a_tree_sees_what_the_engine_s_first_choice_loses_to() {
        let mut oracle = trap();
        let Ok(search) = search_arm(&Chess::default(), 60, &mut oracle);
        assert_eq!((search.uci, search.nodes), (uci("e2e4"), 61));
        let arm = grown(60, "engine-depth=5 distance=10", &mut oracle);
        assert_eq!((arm.first, arm.uci, arm.best), (uci("e2e4"), uci("d2d4"), uci("d2d4")));
        assert_eq!(arm.alpha, Score::Cp(25));
        assert_eq!((arm.nodes, arm.uncounted, arm.searches), (60, 0, 6));
    }

    #[test]
    fn the_root_s_best_alpha_counts_in_the_middle_of_a_pass() {
        // Three searches list the root; the fourth shows what e4 loses to. The pass would ask for
        // d4's reply next.
        let mut oracle = trap();
        let arm = grown(40, "engine-depth=5 distance=10", &mut oracle);
        assert_eq!((arm.searches, arm.uci), (4, uci("d2d4")));
        assert_eq!(arm.positions, 2);
        assert_eq!((arm.passes, arm.settled), (2, Some(0)), "the last pass is not finished");
        let arm = grown(30, "engine-depth=5 distance=10", &mut oracle);
        assert_eq!((arm.searches, arm.uci), (3, uci("e2e4")));
    }

    #[test]
    fn a_search_that_crosses_the_end_counts_where_that_is_nearer() {
        let mut oracle = trap();
        for (nodes, searches, uncounted) in
            [(1, 1, 0), (14, 1, 10), (15, 2, 0), (20, 2, 0), (24, 2, 10), (25, 3, 0)]
        {
            let arm = grown(nodes, "engine-depth=5 distance=10", &mut oracle);
            assert_eq!((arm.searches, arm.uncounted), (searches, uncounted), "{nodes} nodes");
            assert_eq!(arm.nodes, 10 * searches);
        }
    }

    #[test]
    fn searches_come_one_behind_the_other_and_a_greater_budget_goes_on_from_the_lesser() {
        let sequence = |nodes| {
            let mut oracle = trap();
            grown(nodes, "engine-depth=5 distance=30 hash=kept", &mut oracle);
            oracle.asked
        };
        let long = sequence(900);
        assert_eq!(long.len(), 91, "the beginning of the hash, and ninety searches");
        for nodes in (10..900).step_by(70) {
            let short = sequence(nodes);
            assert_eq!(short[..], long[..short.len()], "{nodes} nodes");
        }
        assert_eq!(long.iter().filter(|asked| asked.0 == "begin").count(), 1);
        let since = format!("of the tree of {}, distance 30", epd_of(&Chess::default()));
        assert!(long[1..].iter().all(|asked| asked.3 == since));
    }

    #[test]
    fn a_closing_search_gets_exactly_what_the_tree_has_left() {
        let mut oracle = trap();
        let arm = grown(100, "engine-depth=5 distance=10 hash=kept closing=3/4", &mut oracle);
        // The tree may begin searches until it has spent 25, and ends at 30.
        let closing = arm.closing.unwrap();
        assert_eq!((arm.searches, closing.nodes, arm.nodes), (3, 71, 101));
        assert_eq!((arm.uci, arm.best), (closing.uci, uci("e2e4")));
        let (epd, rank, limit, memory) = oracle.asked.last().unwrap();
        assert_eq!((epd.as_str(), *rank), (epd_of(&Chess::default()).as_str(), 0));
        assert_eq!(*limit, Limit::Nodes(70));
        assert!(memory.ends_with("distance 10, depth 5, after 30 nodes"), "{memory}");
    }

    #[test]
    fn a_closing_search_is_left_out_where_the_tree_has_spent_everything() {
        let mut oracle = trap();
        let arm = grown(10, "engine-depth=5 hash=kept closing=1/2", &mut oracle);
        assert_eq!((arm.searches, arm.nodes, arm.closing), (1, 10, None));
    }

    #[test]
    fn searches_below_moves_that_were_never_best_are_idle() {
        // e4 and d4 are best, first and last; c4 is a candidate that never is.
        let mut oracle = table(
            10,
            &[
                ("", &[("e2e4", 30), ("d2d4", 25), ("c2c4", 22)]),
                ("e4", &[("e7e5", 200)]),
                ("d4", &[("d7d5", -25)]),
                ("c4", &[("c7c5", -22)]),
            ],
        );
        let arm = grown(100, "engine-depth=5 distance=10", &mut oracle);
        assert_eq!(arm.uci, uci("d2d4"));
        let below_c4 = oracle.asked.iter().filter(|asked| asked.0.contains("/2P5/")).count();
        assert!(below_c4 > 0, "{:?}", oracle.asked);
        assert_eq!(arm.idle_nodes, 10 * below_c4 as u64);
    }

    #[test]
    fn a_tree_whose_lines_have_all_ended_ends() {
        let mate = crate::chess::parse_fen("7k/5K2/8/6R1/8/8/8/8 w - -").unwrap();
        let mut oracle = table(10, &[]);
        oracle.lists.insert(epd_of(&mate), vec![(uci("g5h5"), 999)]);
        let setting = "engine-depth=5 distance=0".parse().unwrap();
        let Ok(arm) = tree_arm(&mate, 1_000_000, &setting, &mut oracle);
        let arm = arm.unwrap();
        assert_eq!((arm.uci, arm.alpha, arm.settled), (uci("g5h5"), Score::Mate(1), Some(100)));
        assert!(arm.nodes <= 20);
    }
}
