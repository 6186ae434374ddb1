//! How much faster several engines are than one, in virtual time: grows trees with 1, 2, 4, 8 and 16 engines
//! whose searches all take 50 ms, and prints tables for `docs/performance.md`.
//!
//! `look_ahead_speed ENGINE CACHE [DEPTH] [DISTANCE] [ENGINE_DEPTH]`: the engine's command line, and a file in
//! which its answers are kept. Each tree is grown alone, and then as a second stage, behind one whose
//! searches are two plies shallower: what that one says is expected.
#![allow(clippy::unwrap_used, reason = "a tool for measurements")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use deepanalyze_core::chess::{Game, Score, epd_of};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::{
    EngineError, Event, FakeEngines, FakeSearch, FakeStart, Pool, PoolNotice, Settings,
};
use deepanalyze_report::{BestLine, LinesTold};
use deepanalyze_runner::{
    Control, Keeping, Observer, PassOrder, Plan, Progress, RunLimits, RunOutcome, Schedule,
    control, grow,
};
use deepanalyze_store::Store;
use shakmaty::uci::UciMove;

type Failure = Box<dyn std::error::Error>;

/// How long each search takes.
const SEARCH: Duration = Duration::from_millis(50);

/// Openings, middlegames and endgames; the first is the real tree of `docs/performance.md`.
const ROOTS: [&str; 17] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/ppp1pp1p/5np1/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 0 4",
    "rnbqkb1r/pp2pppp/2p2n2/3p4/2PP4/5N2/PP2PPPP/RNBQKB1R w KQkq - 2 4",
    "rnbqk2r/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 4 5",
    "r1bqk2r/2ppbppp/p1n2n2/1p2p3/4P3/1B3N2/PPPP1PPP/RNBQ1RK1 b kq - 1 7",
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "r2q1rk1/1b1nbppp/pp1ppn2/8/2PQP3/BPN2NP1/P4PBP/R4RK1 w - - 0 12",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "r1bqrnk1/pp3pp1/2p2n1p/3p4/1b1P3B/2NBPN2/PPQ2PPP/2R1K2R w K - 2 12",
    "3r1rk1/pp1b1ppp/1qn1p3/3pP3/3P4/1P1B1N2/P4PPP/R2Q1RK1 w - - 1 15",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/5pk1/4p1p1/3pP2p/1p1P3P/1P3KP1/r4P2/3R4 w - - 0 1",
    "8/pp2r1k1/2p1p3/3pP2p/1P1P1P1P/P5KR/8/8 w - - 0 1",
    "8/2k5/4p3/1nb2p2/2K5/8/6B1/8 w - - 0 1",
    "2r3k1/pp3ppp/1q2p3/3n4/3P4/P2Q1N2/1P3PPP/2R3K1 b - - 0 1",
];

/// Answers of an engine, each asked for once.
struct Known {
    pool: Pool,
    answers: HashMap<String, Answer>,
    file: std::fs::File,
}

impl Known {
    fn open(engine: &str, file: &str, limit: Limit) -> Result<Known, Failure> {
        let settings = Settings {
            options: vec![("Hash".to_owned(), "1".to_owned())],
            ..Settings::new(engine, limit).with_engines(1)
        };
        let mut options = std::fs::OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(file)?;
        let lines = std::io::BufReader::new(&file).lines();
        let answers = lines.map_while(Result::ok).filter_map(|line| read(&line)).collect();
        Ok(Known { pool: Pool::start(&settings)?, answers, file })
    }

    fn answer(&mut self, start: &FakeStart) -> Answer {
        let excluded: Vec<String> = start.search.excluded.iter().map(ToString::to_string).collect();
        let key =
            format!("{}|{}|{}", epd_of(&start.search.position), excluded.join(" "), start.limit);
        if let Some(known) = self.answers.get(&key) {
            return known.clone();
        }
        self.pool.submit_as(1, start.search.clone(), start.limit, false);
        let answer = loop {
            if let Event::Answered { answer, .. } = self.pool.events().recv().unwrap() {
                break answer;
            }
        };
        writeln!(self.file, "{}", line(&key, &answer)).unwrap();
        self.answers.insert(key, answer.clone());
        answer
    }
}

fn line(key: &str, answer: &Answer) -> String {
    let (cp, mate) = match answer.score {
        Score::Cp(cp) => (Some(cp), None),
        Score::Mate(mate) => (None, Some(mate)),
    };
    let pv: Vec<String> = answer.pv.iter().map(ToString::to_string).collect();
    serde_json::json!([key, answer.best.to_string(), cp, mate, answer.depth, pv.join(" ")])
        .to_string()
}

fn read(line: &str) -> Option<(String, Answer)> {
    let (key, best, cp, mate, depth, pv): (String, String, Option<i32>, Option<i32>, u32, String) =
        serde_json::from_str(line).ok()?;
    let pv: Option<Vec<UciMove>> = pv.split(' ').map(|uci| uci.parse().ok()).collect();
    let score = cp.map(Score::Cp).or(mate.map(Score::Mate))?;
    let (best, pv, time) = (best.parse().ok()?, pv?, Duration::ZERO);
    Some((key, Answer { best, score, depth, seldepth: depth, nodes: 1, time, pv }))
}

/// When the stage that is measured began and ended, and after how many searches.
struct Meter {
    control: Control,
    stages: u32,
    last: (Duration, u64),
    began: (Duration, u64),
    ended: (Duration, u64),
    /// How many stages come before the one that is measured.
    before: u32,
}

impl Observer for Meter {
    fn progress(&mut self, progress: Progress) {
        self.last = (progress.elapsed, progress.searches);
    }
    fn stage_begins(&mut self, _: Limit) {
        if self.stages == self.before {
            self.began = self.last;
        } else if self.stages == self.before + 1 {
            self.ended = self.last;
            self.control.end();
        }
        self.stages += 1;
    }
    fn settled(&mut self, _: &Settled, _: Option<&Arc<BestLine>>, _: Duration) {}
    fn fault(&mut self, _: &EngineError, _: u32, _: Option<&shakmaty::Chess>) {}
    fn notice(&mut self, _: &PoolNotice) {}
    fn stopping(&mut self, _: &str) {}
}

/// What a run took.
struct Taken {
    time: Duration,
    searches: u64,
    outcome: RunOutcome,
}

fn run(plan: &Plan, engines: usize, known: &Rc<RefCell<Known>>) -> Result<Taken, Failure> {
    let folder = tempfile::tempdir()?;
    let mut store = Store::open(&folder.path().join("tree.db"))?;
    let limit = plan.schedule.first();
    let profile = Profile {
        engine: "Known".to_owned(),
        options: std::collections::BTreeMap::new(),
        limit,
        kept_hash: None,
    };
    let answers = Rc::clone(known);
    let mut fake = FakeEngines::new(engines, profile, move |start| {
        FakeSearch::ending(Ok(answers.borrow_mut().answer(start))).taking(SEARCH)
    });
    let (control, receiver) = control();
    let zero = (Duration::ZERO, 0);
    let before = u32::from(plan.schedule.has_stages());
    let mut meter = Meter { control, stages: 0, last: zero, began: zero, ended: zero, before };
    let outcome = grow(plan, &mut store, &mut fake, &receiver, &mut meter)?;
    let ended = if before == 0 { meter.last } else { meter.ended };
    let (time, searches) = (ended.0 - meter.began.0, ended.1 - meter.began.1);
    Ok(Taken { time, searches, outcome })
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let engine = words.next().ok_or("which engine?")?;
    let cache = words.next().ok_or("which file?")?;
    let numbers: Vec<u32> = words.map(|word| word.parse()).collect::<Result<_, _>>()?;
    let number = |place: usize, default: u32| numbers.get(place).copied().unwrap_or(default);
    let depth = number(2, 6);
    let known = Rc::new(RefCell::new(Known::open(&engine, &cache, Limit::Depth(depth))?));
    println!(
        "| root | engines | alone | unused | as a second stage | unused | searches | in the tree |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let counts = [1, 8, 16];
    let mut logs = vec![(0.0, 0.0); counts.len()];
    for (index, root) in ROOTS.iter().enumerate() {
        let mut plan = Plan {
            name: None,
            game: Game::from_start(root)?,
            breadth: number(1, 20).into(),
            tables: None,
            depth: number(0, 9) - u32::from(index > 0),
            schedule: Schedule::Once(Limit::Depth(depth)),
            limits: RunLimits::default(),
            until_stable: None,
            directives: None,
            look_ahead: false,
            order: PassOrder::default(),
            told: LinesTold::default(),
            keeping: Keeping::default(),
        };
        let one = run(&plan, 1, &known)?;
        let in_tree = one.outcome.admitted;
        for (engines, logs) in counts.into_iter().zip(&mut logs) {
            plan.look_ahead = engines > 1;
            plan.schedule = Schedule::Once(Limit::Depth(depth));
            let alone = run(&plan, engines, &known)?;
            plan.schedule = Schedule::Stages { first: depth - 2 };
            let staged = run(&plan, engines, &known)?;
            let speed = |taken: &Taken| one.time.as_secs_f64() / taken.time.as_secs_f64();
            let unused = |taken: &Taken| {
                100.0 * (taken.searches.saturating_sub(in_tree)) as f64 / taken.searches as f64
            };
            println!(
                "| {index} | {engines} | {:.2} | {:.0} % | {:.2} | {:.0} % | {} | {in_tree} |",
                speed(&alone),
                unused(&alone),
                speed(&staged),
                unused(&staged),
                staged.searches,
            );
            if index > 0 {
                logs.0 += speed(&alone).ln();
                logs.1 += speed(&staged).ln();
            }
        }
    }
    for (engines, (alone, staged)) in counts.iter().zip(logs) {
        let mean = |sum: f64| (sum / (ROOTS.len() - 1) as f64).exp();
        println!(
            "| mean of 1 to 16 | {engines} | {:.2} | | {:.2} | | | |",
            mean(alone),
            mean(staged)
        );
    }
    Ok(())
}
