//! Arms against an oracle that answers from a table.

use std::collections::HashMap;

use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::IllegalMove;

use super::*;

/// Answers from a table of lines: the scores of a position's moves for their mover; other moves
/// must not be played, other positions are even.
struct Table {
    lists: HashMap<String, Vec<(UciMove, i32)>>,
    nodes: u64,
    asked: Vec<(String, usize, Limit, Option<HashContents>)>,
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
    type Error = IllegalMove;

    fn begin(&mut self) {
        self.asked.push(("begin".to_owned(), 0, Limit::Nodes(1), None));
    }

    fn ask(&mut self, question: Question<'_>) -> Result<Reply, IllegalMove> {
        let epd = epd_of(&question.position);
        let memory = match question.memory {
            HashState::Cleared => None,
            HashState::Kept(contents) => Some(contents.clone()),
        };
        self.asked.push((epd.clone(), question.excluded.len(), question.limit, memory));
        let listed = self.lists.get(&epd).into_iter().flatten();
        let mut left = listed.filter(|(uci, _)| !question.excluded.contains(uci));
        let other = deepanalyze_core::chess::legal_uci(&question.position)
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
        &[("", &[("e2e4", 30), ("d2d4", 25)]), ("e4", &[("e7e5", 200)]), ("d4", &[("d7d5", -25)])],
    )
}

fn grown(nodes: u64, setting: &str, table: &mut Table) -> TreeArm {
    let arm = tree_arm(&Chess::default(), nodes, &setting.parse().unwrap(), table).unwrap();
    arm.unwrap()
}

/// The hash of the starting position's tree at engine depth 5 after `nodes` nodes.
fn contents(of: HashOf, distance: u32, nodes: u64) -> HashContents {
    HashContents {
        distance: Some(distance),
        limit: Some(Limit::Depth(5)),
        nodes: Some(nodes),
        ..HashContents::new(of, epd_of(&Chess::default()))
    }
}

fn uci(text: &str) -> UciMove {
    text.parse().unwrap()
}

#[test]
fn tree_sees_the_reply_that_beats_the_first_choice() {
    let mut oracle = trap();
    let search = search_arm(&Chess::default(), 60, &mut oracle).unwrap();
    assert_eq!((search.uci, search.nodes), (uci("e2e4"), 61));
    let arm = grown(60, "engine-depth=5 distance=10", &mut oracle);
    assert_eq!((arm.first, arm.uci, arm.best), (uci("e2e4"), uci("d2d4"), uci("d2d4")));
    assert_eq!(arm.alpha, Score::Cp(25));
    assert_eq!((arm.nodes, arm.uncounted, arm.searches), (60, 0, 6));
}

#[test]
fn best_root_alpha_counts_in_the_middle_of_a_pass() {
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
fn search_crossing_the_end_counts_if_nearer() {
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
fn greater_budget_continues_the_lesser() {
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
    let contents = HashContents { limit: None, nodes: None, ..contents(HashOf::Tree, 30, 0) };
    assert!(long[1..].iter().all(|asked| asked.3.as_ref() == Some(&contents)));
}

#[test]
fn closing_search_gets_exactly_the_trees_rest() {
    let mut oracle = trap();
    let arm = grown(100, "engine-depth=5 distance=10 hash=kept closing=3/4", &mut oracle);
    // The tree may begin searches until it has spent 25, and ends at 30.
    let closing = arm.closing.unwrap();
    assert_eq!((arm.searches, closing.nodes, arm.nodes), (3, 71, 101));
    assert_eq!((arm.uci, arm.best), (closing.uci, uci("e2e4")));
    let (epd, rank, limit, memory) = oracle.asked.last().unwrap();
    assert_eq!((epd.as_str(), *rank), (epd_of(&Chess::default()).as_str(), 0));
    assert_eq!(*limit, Limit::Nodes(70));
    assert_eq!(*memory, Some(contents(HashOf::Tree, 10, 30)));
}

#[test]
fn closing_on_a_cleared_hash_is_a_search_of_the_root_alone() {
    let mut oracle = trap();
    let arm = grown(200, "engine-depth=5 distance=10 closing=1/2", &mut oracle);
    let (closing, tree) = oracle.asked.split_last().unwrap();
    assert_eq!((arm.searches, tree.len()), (10, 11));
    assert_eq!(closing.0, epd_of(&Chess::default()));
    assert_eq!((closing.2, &closing.3), (Limit::Nodes(100), &None));
    assert_eq!(arm.nodes, 201);
    assert_eq!((arm.best, arm.uci), (uci("d2d4"), uci("e2e4")), "the closing search chooses");
}

#[test]
fn closing_is_left_out_if_the_tree_has_spent_all() {
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
    let mate = deepanalyze_core::chess::parse_fen("7k/5K2/8/6R1/8/8/8/8 w - -").unwrap();
    let mut oracle = table(10, &[]);
    oracle.lists.insert(epd_of(&mate), vec![(uci("g5h5"), 999)]);
    let setting = "engine-depth=5 distance=0".parse().unwrap();
    let arm = tree_arm(&mate, 1_000_000, &setting, &mut oracle).unwrap();
    let arm = arm.unwrap();
    assert_eq!((arm.uci, arm.alpha, arm.settled), (uci("g5h5"), Score::Mate(1), Some(100)));
    assert!(arm.nodes <= 20);
}

#[test]
fn root_moves_are_listed_by_alpha_up_to_the_number() {
    let told = |arm: &TreeArm| {
        let told = arm.listed.iter().map(|(uci, score)| format!("{uci} {score}"));
        told.collect::<Vec<_>>().join(", ")
    };
    let lines: [(&str, &[(&str, i32)]); 5] = [
        ("", &[("e2e4", 30), ("d2d4", 25), ("c2c4", -60), ("a2a3", -61)]),
        ("e4", &[("e7e5", 200)]),
        ("d4", &[("d7d5", -25)]),
        ("c4", &[("c7c5", 90)]),
        ("a3", &[("d7d5", 61)]),
    ];
    let arm = grown(60, "engine-depth=5 distance=10", &mut table(10, &lines));
    assert_eq!(told(&arm), "d2d4 +0.25, c2c4 -0.60, e2e4 -2.00");
    // Four searches list four moves, whatever the distance; all of them are followed.
    let four = "engine-depth=5 distance=10 root-moves=4";
    let mut oracle = table(10, &lines);
    let arm = grown(40, four, &mut oracle);
    assert_eq!(told(&arm), "e2e4 +0.30, d2d4 +0.25, c2c4 -0.60, a2a3 -0.61");
    let arm = grown(120, four, &mut oracle);
    assert_eq!(told(&arm), "d2d4 +0.25, a2a3 -0.61, c2c4 -0.90, e2e4 -2.00");
    // A kept hash holds this tree's searches, and no other.
    grown(40, "engine-depth=5 root-moves=4 hash=kept", &mut oracle);
    let kept = oracle.asked.last().unwrap().3.as_ref().unwrap();
    assert_eq!((kept.root_moves, kept.distance), (Some(4), Some(10)));
}
