//! Fleets against made-up answers.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::duel::question::{Question, Reply};
use deepanalyze_core::chess::{PositionKey, Score, Value, epd_of, legal_uci};
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_core::tree::Growth;
use deepanalyze_engine::{EngineError, Reason};
use deepanalyze_runner::RunError;

use crate::duel::arm::tree_arm;
use crate::duel::fleet::arm::{TimeShares, split_arm};
use crate::duel::fleet::regrowth::RegrownStages;
use crate::duel::fleet::virtual_run::virtual_run;
use crate::duel::lane::Oracle;
use crate::duel::run::DuelError;
use crate::duel::setting::Setting;

use super::*;

/// Answers that depend on nothing but the search, and take 800 to 1199 nodes.
#[derive(Default)]
struct MadeUp {
    asked: Vec<(String, usize, Limit)>,
    /// Nodes of all of them.
    nodes: u64,
    /// The number of the search, from 0, that fails.
    fails: Option<usize>,
    /// The only searches at which the engine does not die again and again.
    lives_at: Option<HashSet<(String, usize)>>,
}

fn number(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// The best move by made-up scores, with its own for the mover.
fn best(position: &Chess, excluded: &[UciMove]) -> Option<(UciMove, i32)> {
    let moves = legal_uci(position).into_iter().filter(|uci| !excluded.contains(uci));
    let scored = moves.map(|uci| {
        let mut child = position.clone();
        child.play_unchecked(uci.to_move(position).unwrap());
        (uci, 40 - i32::try_from(number(PositionKey::of(&child)) % 100).unwrap())
    });
    scored.max_by_key(|(_, cp)| *cp)
}

impl MadeUp {
    fn of(&mut self, position: &Chess, excluded: &[UciMove], limit: Limit) -> Answer {
        self.asked.push((epd_of(position), excluded.len(), limit));
        let (best_move, cp) = best(position, excluded).unwrap();
        let mut child = position.clone();
        child.play_unchecked(best_move.to_move(position).unwrap());
        let reply = best(&child, &[]).map(|(uci, _)| uci);
        let nodes = match limit {
            Limit::Depth(_) => 800 + number((PositionKey::of(position), excluded.len())) % 400,
            Limit::Nodes(nodes) => nodes,
        };
        self.nodes += nodes;
        Answer {
            best: best_move,
            score: Score::Cp(cp),
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes,
            time: Duration::ZERO,
            pv: std::iter::once(best_move).chain(reply).collect(),
        }
    }
}

impl TimedAnswers for MadeUp {
    fn answer(&mut self, search: Search, limit: Limit) -> Result<Answer, DuelError> {
        if self.fails == Some(self.asked.len()) {
            return Err(DuelError::NoNodes("Broken".to_owned()));
        }
        let key = (epd_of(&search.position), search.excluded.len());
        if self.lives_at.as_ref().is_some_and(|lives| !lives.contains(&key)) {
            self.asked.push((key.0, key.1, limit));
            return Err(gave_up().into());
        }
        Ok(self.of(&search.position, &search.excluded, limit))
    }
}

/// An engine that has given a search up.
fn gave_up() -> EngineError {
    let last = Box::new(EngineError::new("Made up", Reason::Stopped));
    EngineError::new(
        "Made up",
        Reason::GaveUp { fen: "some position".to_owned(), attempts: 3, last },
    )
}

impl Oracle for MadeUp {
    type Error = DuelError;

    fn begin(&mut self) {}

    fn ask(&mut self, question: Question<'_>) -> Result<Reply, DuelError> {
        let Question { position, mut excluded, elsewhere, limit, .. } = question;
        excluded.extend(elsewhere);
        let Answer { best, score, nodes, .. } = self.of(&position, &excluded, limit);
        Ok(Reply { uci: best, score, nodes })
    }
}

fn setting() -> Setting {
    "engine-depth=5 distance=8".parse().unwrap()
}

fn grown(engines: u32, time: u64, answers: &mut MadeUp) -> Result<FleetArm, DuelError> {
    fleet_arm(&Chess::default(), Fleet { engines, time }, &setting(), &profile(time), answers)
}

fn profile(time: u64) -> Profile {
    Profile {
        engine: "Made up".to_owned(),
        options: std::collections::BTreeMap::new(),
        limit: Limit::Nodes(time),
        kept_hash: None,
    }
}

#[test]
fn one_engine_makes_the_trees_searches_at_equal_nodes() {
    let mut compared = 0;
    for time in [3_000, 9_500, 20_100, 33_333, 60_000] {
        let (mut alone, mut of_tree) = (MadeUp::default(), MadeUp::default());
        let arm = grown(1, time, &mut alone).unwrap();
        let tree = tree_arm(&Chess::default(), time, &setting(), &mut of_tree).unwrap().unwrap();
        assert_eq!(alone.asked, of_tree.asked, "{time}");
        // At equal nodes the last search may count although not finished in time.
        if tree.uncounted > 0 {
            compared += 1;
            assert_eq!(arm.choice, Some((tree.uci, tree.score)), "{time}");
            assert_eq!((arm.searches, arm.positions), (tree.searches, tree.positions), "{time}");
            assert_eq!((arm.passes, arm.settled), (tree.passes, tree.settled), "{time}");
            assert_eq!((arm.shares.used, arm.last), (tree.nodes, tree.nodes), "{time}");
        }
    }
    assert!(compared > 0, "no tree ended with a search that did not count");
}

#[test]
fn a_fleet_is_the_same_every_time() {
    let run = || {
        let mut answers = MadeUp::default();
        (grown(8, 30_000, &mut answers).unwrap(), answers.asked)
    };
    assert_eq!(run(), run());
}

#[test]
fn no_late_answer_counts_and_all_time_is_accounted() {
    let mut unused = 0;
    for engines in [1, 4, 16] {
        for time in [700, 5_000, 12_345, 40_000] {
            let mut answers = MadeUp::default();
            let arm = grown(engines, time, &mut answers).unwrap();
            let TimeShares { used, unused: ahead, unfinished, closing: 0, idle } = arm.shares
            else {
                panic!("{:?}", arm.shares)
            };
            assert_eq!(used + ahead + unfinished + idle, u64::from(engines) * time);
            // An unfinished search was begun in time, by each engine at most once, and is cut off
            // there.
            let cut = answers.nodes - used - ahead;
            assert!(unfinished <= cut && cut <= u64::from(engines) * 1199, "{cut} {unfinished}");
            assert!(engines > 1 || idle == 0, "one engine always has something to search");
            let begun = answers.asked.len() as u64;
            // No search takes less than 800 nodes.
            assert!(arm.searches <= begun && begun <= u64::from(engines) * (time / 800 + 1));
            let once: HashSet<_> = answers.asked.iter().collect();
            assert_eq!(once.len() as u64, begun, "a search was made twice");
            unused += ahead;
        }
    }
    assert!(unused > 0, "nothing was looked ahead for");
}

#[test]
fn more_engines_grow_a_larger_tree_in_the_same_time() {
    let searches = |engines| grown(engines, 40_000, &mut MadeUp::default()).unwrap().searches;
    let (one, four, sixteen) = (searches(1), searches(4), searches(16));
    assert!(2 * one < four && four < sixteen, "{one}, {four}, {sixteen}");
}

#[test]
fn a_tree_without_an_answer_in_time_has_no_choice() {
    let arm = grown(4, 500, &mut MadeUp::default()).unwrap();
    assert_eq!((arm.choice, arm.searches, arm.last), (None, 0, 0));
    assert_eq!(arm.shares, TimeShares { unfinished: 500, idle: 1_500, ..TimeShares::default() });
}

#[test]
fn answer_counts_at_the_last_node_and_not_after() {
    let takes = MadeUp::default().of(&Chess::default(), &[], Limit::Depth(5)).nodes;
    let arm = grown(1, takes, &mut MadeUp::default()).unwrap();
    assert_eq!((arm.searches, arm.last, arm.shares.used), (1, takes, takes));
    let arm = grown(1, takes - 1, &mut MadeUp::default()).unwrap();
    assert_eq!((arm.choice, arm.searches, arm.shares.unfinished), (None, 0, takes - 1));
}

#[test]
fn missing_answer_ends_the_run_with_its_error() {
    let mut answers = MadeUp { fails: Some(9), ..MadeUp::default() };
    let error = grown(4, 40_000, &mut answers).unwrap_err();
    assert!(matches!(&error, DuelError::NoNodes(engine) if engine == "Broken"), "{error}");
    assert_eq!(answers.asked.len(), 9, "nothing is asked after it");
}

#[test]
fn engine_death_ends_the_run_only_in_a_needed_search() {
    let mut all = MadeUp::default();
    grown(1, 30_000, &mut all).unwrap();
    let needed = all.asked.iter().map(|(epd, rank, _)| (epd.clone(), *rank)).collect();
    let mut answers = MadeUp { lives_at: Some(needed), ..MadeUp::default() };
    let arm = grown(4, 8_000, &mut answers).unwrap();
    let lives = answers.lives_at.take().unwrap();
    let died = answers.asked.iter().filter(|(epd, rank, _)| !lives.contains(&(epd.clone(), *rank)));
    assert!(died.count() > 0, "no guess has failed");
    assert!(arm.choice.is_some());
    let mut none = MadeUp { lives_at: Some(HashSet::new()), ..MadeUp::default() };
    let error = grown(4, 8_000, &mut none).unwrap_err();
    assert!(matches!(error, DuelError::Run(RunError::Engine(_))), "{error}");
}

/// An ending of few moves, whose stages are soon settled.
fn ending() -> Chess {
    deepanalyze_core::chess::parse_fen("7k/7p/8/8/8/8/P7/K7 w - - 0 1").unwrap()
}

#[test]
fn stages_grow_in_order_with_the_runs_settled_depths() {
    let setting: Setting = "stages=5 distance=4".parse().unwrap();
    let mut spoke = HashSet::new();
    for time in [20_000, 60_000, 150_000, 400_000, 1_000_000] {
        let fleet = Fleet { engines: 4, time };
        let mut answers = MadeUp::default();
        let searched =
            virtual_run(&ending(), fleet, &setting, &profile(time), &mut answers).unwrap();
        let stages = RegrownStages::of(&ending(), &setting, &searched).unwrap();
        let speaking = stages.speaking().unwrap();
        let outcome = searched.outcome.as_ref().unwrap();
        let settled = |growth: &Growth| growth.settled().last().map(|last| last.depth);
        // The answers of the unfinished pass may settle more.
        assert!(
            settled(&speaking.growth) >= outcome.settled_depth || speaking.limit() > outcome.limit
        );
        assert!(speaking.limit() >= outcome.limit, "{time}");
        let arm = fleet_arm(&ending(), fleet, &setting, &profile(time), &mut MadeUp::default());
        let arm = arm.unwrap();
        assert_eq!((arm.stage, arm.searches), (Some(speaking.limit()), stages.searches()));
        let TimeShares { used, unused, unfinished, idle, .. } = arm.shares;
        assert_eq!(used + unused + unfinished + idle, 4 * time);
        let limits: HashSet<Limit> = answers.asked.iter().map(|(_, _, limit)| *limit).collect();
        assert!(limits.contains(&speaking.limit()));
        spoke.insert(speaking.limit());
    }
    assert!(spoke.len() > 1, "no deeper stage spoke: {spoke:?}");
}

#[test]
fn a_stage_of_its_own_is_the_first_of_several() {
    let once: Setting = "engine-depth=5 distance=4".parse().unwrap();
    let stages: Setting = "stages=5 distance=4".parse().unwrap();
    let fleet = Fleet { engines: 2, time: 6_000 };
    let arm = |setting| {
        fleet_arm(&ending(), fleet, setting, &profile(6_000), &mut MadeUp::default()).unwrap()
    };
    let (once, first) = (arm(&once), arm(&stages));
    assert_eq!(first.stage, Some(Limit::Depth(5)));
    assert_eq!(first, FleetArm { stage: first.stage, ..once });
}

/// The best of the starting position's moves, by any engine.
fn greatest() -> (UciMove, Score) {
    let (uci, cp) = best(&Chess::default(), &[]).unwrap();
    (uci, Score::Cp(cp))
}

#[test]
fn engines_search_their_moves_for_the_whole_time() {
    let mut answers = MadeUp::default();
    let fleet = Fleet { engines: 8, time: 30_000 };
    let arm = split_arm(&Chess::default(), fleet, &mut answers).unwrap().unwrap();
    let start = epd_of(&Chess::default());
    // Twenty moves for eight engines: three for four of them, two for the others.
    let left_out: Vec<usize> = answers.asked.iter().map(|asked| asked.1).collect();
    assert_eq!(left_out, [17, 17, 17, 17, 18, 18, 18, 18]);
    assert!(
        answers.asked.iter().all(|asked| (&asked.0, asked.2) == (&start, Limit::Nodes(30_000)))
    );
    assert_eq!((arm.nodes, (arm.uci, arm.score)), (240_000, greatest()));
}

#[test]
fn no_more_engines_search_than_there_are_moves() {
    let mut answers = MadeUp::default();
    let fleet = Fleet { engines: 64, time: 1_000 };
    let arm = split_arm(&Chess::default(), fleet, &mut answers).unwrap().unwrap();
    assert_eq!((answers.asked.len(), arm.nodes), (20, 20_000));
    assert_eq!((arm.uci, arm.score), greatest());
}

#[test]
fn fleet_divides_the_closing_search_whose_move_counts() {
    let grown = |text: &str, time: u64| {
        let (setting, mut answers) = (text.parse().unwrap(), MadeUp::default());
        let fleet = Fleet { engines: 4, time };
        let arm = fleet_arm(&Chess::default(), fleet, &setting, &profile(time), &mut answers);
        (arm.unwrap(), answers.asked)
    };
    let (plain, asked_plain) = grown("engine-depth=5 distance=8", 30_000);
    let (closed, asked) = grown("engine-depth=5 distance=8 closing=1/2", 60_000);
    let (tree, closing) = asked.split_at(asked_plain.len());
    assert_eq!(tree, asked_plain, "the tree is that of the time before");
    assert_eq!(plain.searches, closed.searches);
    // Its moves come first, and then the tree's others.
    let (of_closing, of_tree) = closed.listed.split_at(3);
    let mut others = plain.listed;
    others.retain(|(uci, _)| !of_closing.iter().any(|(closed, _)| closed == uci));
    assert_eq!((of_tree, closed.choice), (&others[..], of_closing.first().copied()));
    let start = epd_of(&Chess::default());
    let roots: Vec<_> = closing.iter().filter(|asked| asked.0 == start).collect();
    // One has all twenty moves, the others seven, seven and six.
    let excluded = [0, 13, 13, 14];
    assert_eq!(roots.iter().map(|asked| asked.1).collect::<Vec<_>>(), excluded);
    assert!(closing.iter().all(|asked| asked.2 == Limit::Nodes(30_000)));
    assert_eq!((closing.len(), closed.choice), (4, Some(greatest())));
    assert_eq!((closed.shares.closing, plain.shares.closing), (120_000, 0));
    let TimeShares { used, unused, unfinished, closing, idle } = closed.shares;
    assert_eq!(used + unused + unfinished + closing + idle, 240_000);
}

#[test]
fn tree_without_an_answer_in_time_is_still_closed() {
    let setting: Setting = "engine-depth=5 distance=8 closing=9/10".parse().unwrap();
    let fleet = Fleet { engines: 4, time: 5_000 };
    let mut answers = MadeUp::default();
    let arm = fleet_arm(&Chess::default(), fleet, &setting, &profile(5_000), &mut answers).unwrap();
    assert_eq!((arm.searches, arm.choice), (0, Some(greatest())));
}

#[test]
fn fleet_lists_enough_root_moves_the_best_first() {
    let grown = |text: &str| {
        let (setting, mut answers) = (text.parse().unwrap(), MadeUp::default());
        let fleet = Fleet { engines: 4, time: 20_000 };
        fleet_arm(&Chess::default(), fleet, &setting, &profile(20_000), &mut answers).unwrap()
    };
    let few = grown("engine-depth=5 distance=0");
    let many = grown("engine-depth=5 distance=0 root-moves=15");
    for arm in [&few, &many] {
        assert_eq!(arm.choice, arm.listed.first().copied());
        let values: Vec<Value> = arm.listed.iter().map(|(_, score)| Value::from(*score)).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    }
    assert!(few.listed.len() < 15 && many.listed.len() >= 15, "{few:?} {many:?}");
}
