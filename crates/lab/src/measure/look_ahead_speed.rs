//! How much faster several engines are than one, and how many of them are idle, in virtual time:
//! grows trees with 1, 8 and 16 engines whose searches all take 50 ms, and prints tables for
//! `docs/measurements/2026-11-performance.md`. Each tree is grown alone, and then as a second
//! stage, behind one with searches two plies shallower, which predicts it. With `--older` the tree
//! of another engine, or of this one to another depth, takes that one's place.
#![allow(clippy::unwrap_used, reason = "a tool for measurements")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use deepanalyze_core::chess::{Game, Score, epd_of};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_engine::{Event, FakeEngines, FakeSearch, FakeStart, Pool, Settings};
use deepanalyze_runner::{Control, Job, RunEvent, RunOutcome, Schedule, control, grow};
use deepanalyze_store::Store;
use shakmaty::uci::UciMove;

use crate::failure::LabFailure;

/// Measure how much faster several engines are than one, in virtual time
#[derive(Debug, clap::Args)]
pub struct LookAheadArgs {
    /// The engine's command line
    engine: String,
    /// A file in which its answers are kept
    cache: String,
    #[arg(default_value_t = 9)]
    depth: u32,
    #[arg(default_value_t = 20)]
    distance: u32,
    #[arg(default_value_t = 6)]
    engine_depth: u32,
    /// How many engines there are
    #[arg(long, value_delimiter = ',', default_value = "1,8,16")]
    engines: Vec<usize>,
    /// A search takes as long as its nodes, 20 microseconds each, instead of 50 ms
    #[arg(long)]
    by_nodes: bool,
    /// The command line of an engine whose tree of the root is there already, in place of a stage before
    #[arg(long, requires = "older_cache")]
    older: Option<String>,
    /// A file in which its answers are kept
    #[arg(long)]
    older_cache: Option<String>,
    /// How deep it has searched
    #[arg(long, default_value_t = 6)]
    older_depth: u32,
}

/// Time of each search.
const SEARCH: Duration = Duration::from_millis(50);

/// Time of a node, if searches take as long as theirs.
const NODE: Duration = Duration::from_micros(20);

/// Openings, middlegames and endgames; the first is the real tree of `docs/measurements/2026-11-performance.md`.
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
struct EngineCache {
    pool: Pool,
    answers: HashMap<String, Answer>,
    file: std::fs::File,
}

impl EngineCache {
    fn open(engine: &str, file: &str, limit: Limit) -> Result<EngineCache, LabFailure> {
        let settings = Settings {
            options: vec![("Hash".to_owned(), "1".to_owned())],
            ..Settings::new(engine, limit).with_engines(1)
        };
        let mut options = std::fs::OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(file)?;
        let lines = std::io::BufReader::new(&file).lines();
        let answers = lines.map_while(Result::ok).filter_map(|line| read(&line)).collect();
        Ok(EngineCache { pool: Pool::start(&settings)?, answers, file })
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
    let (best, pv) = (answer.best.to_string(), pv.join(" "));
    serde_json::json!([key, best, cp, mate, answer.depth, answer.nodes, pv]).to_string()
}

fn read(line: &str) -> Option<(String, Answer)> {
    type Line = (String, String, Option<i32>, Option<i32>, u32, u64, String);
    let (key, best, cp, mate, depth, nodes, pv): Line = serde_json::from_str(line).ok()?;
    let pv: Option<Vec<UciMove>> = pv.split(' ').map(|uci| uci.parse().ok()).collect();
    let score = cp.map(Score::Cp).or(mate.map(Score::Mate))?;
    let (best, pv, time) = (best.parse().ok()?, pv?, Duration::ZERO);
    Some((key, Answer { best, score, wdl: None, depth, seldepth: depth, nodes, time, pv }))
}

/// When the measured stage began and ended, and after how many searches.
struct Meter {
    control: Control,
    stages: u32,
    last: (Duration, u64),
    began: (Duration, u64),
    ended: (Duration, u64),
    /// Stages before the measured one.
    before: u32,
}

impl Meter {
    fn hear(&mut self, event: RunEvent) {
        match event {
            RunEvent::Progress(progress) => self.last = (progress.elapsed, progress.searches),
            RunEvent::StageBegins(_) => {
                if self.stages == self.before {
                    self.began = self.last;
                } else if self.stages == self.before + 1 {
                    self.ended = self.last;
                    self.control.end();
                }
                self.stages += 1;
            }
            _ => {}
        }
    }
}

/// Cost of a run.
struct RunCost {
    time: Duration,
    searches: u64,
    /// Mean number of idle engines.
    idle: f64,
    outcome: RunOutcome,
}

/// Known answers.
#[derive(Clone)]
struct Known {
    answers: Rc<RefCell<EngineCache>>,
    /// True if a search takes as long as its nodes.
    by_nodes: bool,
}

/// When searches were made.
type Made = Rc<RefCell<Vec<Range<Duration>>>>;

/// `count` engines of this name that know their answers.
fn fake(name: &str, count: usize, limit: Limit, known: &Known) -> (FakeEngines, Made) {
    let (engine, options) = (name.to_owned(), std::collections::BTreeMap::new());
    let profile = Profile { engine, options, limit, kept_hash: None };
    let Known { answers, by_nodes } = known.clone();
    let made = Made::default();
    let log = Rc::clone(&made);
    let engines = FakeEngines::new(count, profile, move |start| {
        let answer = answers.borrow_mut().answer(start);
        let nodes = u32::try_from(answer.nodes).unwrap_or(u32::MAX);
        let takes = if by_nodes { NODE * nodes.max(1) } else { SEARCH };
        log.borrow_mut().push(start.at..start.at + takes);
        FakeSearch::ending(Ok(answer)).taking(takes)
    });
    (engines, made)
}

/// The engine of the earlier tree, and how deep it has searched.
type Older = (Known, Limit);

/// Grows the earlier tree.
fn grow_older(job: &Job, store: &mut Store, (known, limit): &Older) -> Result<(), LabFailure> {
    let job = Job { look_ahead: false, schedule: Schedule::Once(*limit), ..job.clone() };
    let (mut engine, _) = fake("Older", 1, *limit, known);
    let (_control, receiver) = control();
    grow(&job, store, &mut engine, &receiver, &mut |_| {})?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn grown(
    job: &Job,
    engines: usize,
    known: &Known,
    older: Option<&Older>,
) -> Result<RunCost, LabFailure> {
    let folder = tempfile::tempdir()?;
    let mut store = Store::open(&folder.path().join("tree.db"))?;
    if let Some(older) = older {
        grow_older(job, &mut store, older)?;
    }
    let (mut fake, made) = fake("Known", engines, job.schedule.first(), known);
    let (control, receiver) = control();
    let zero = (Duration::ZERO, 0);
    let before = u32::from(job.schedule.has_stages());
    let mut meter = Meter { control, stages: 0, last: zero, began: zero, ended: zero, before };
    let outcome = grow(job, &mut store, &mut fake, &receiver, &mut |event| meter.hear(event))?;
    let ended = if before == 0 { meter.last } else { meter.ended };
    let (time, searches) = (ended.0 - meter.began.0, ended.1 - meter.began.1);
    let within = |made: &Range<Duration>| {
        made.end.min(ended.0).saturating_sub(made.start.max(meter.began.0))
    };
    let busy: Duration = made.borrow().iter().map(within).sum();
    let idle = engines as f64 - busy.as_secs_f64() / time.as_secs_f64();
    Ok(RunCost { time, searches, idle, outcome })
}

/// An engine, and the file of its answers.
fn known((engine, cache): (&str, &str), limit: Limit, by_nodes: bool) -> Result<Known, LabFailure> {
    let cache = EngineCache::open(engine, cache, limit)?;
    Ok(Known { answers: Rc::new(RefCell::new(cache)), by_nodes })
}

fn older(args: &LookAheadArgs) -> Result<Option<Older>, LabFailure> {
    let Some(of) = args.older.as_deref().zip(args.older_cache.as_deref()) else {
        return Ok(None);
    };
    let limit = Limit::Depth(args.older_depth);
    Ok(Some((known(of, limit, args.by_nodes)?, limit)))
}

/// Grows all trees and prints the table.
#[expect(clippy::cast_precision_loss, reason = "for people")]
pub fn run(args: &LookAheadArgs) -> Result<(), LabFailure> {
    let depth = args.engine_depth;
    let known = known((&args.engine, &args.cache), Limit::Depth(depth), args.by_nodes)?;
    let older = older(args)?;
    let behind = if older.is_some() { "with an older tree" } else { "as a second stage" };
    println!(
        "| root | engines | alone | unused | idle | {behind} | unused | idle | searches | in the tree |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let counts = &args.engines;
    let mut logs = vec![(0.0, 0.0); counts.len()];
    for (index, root) in ROOTS.iter().enumerate() {
        let schedule = Schedule::Once(Limit::Depth(depth));
        let target = args.depth - u32::from(index > 0);
        let game = Game::from_start(root)?;
        let mut job = Job { look_ahead: false, ..Job::new(game, args.distance, schedule, target) };
        let one = grown(&job, 1, &known, None)?;
        let in_tree = one.outcome.admitted;
        for (engines, logs) in counts.iter().copied().zip(&mut logs) {
            job.look_ahead = engines > 1;
            job.schedule = Schedule::Once(Limit::Depth(depth));
            let alone = grown(&job, engines, &known, None)?;
            if older.is_none() {
                job.schedule = Schedule::Stages { first: depth - 2 };
            }
            let staged = grown(&job, engines, &known, older.as_ref())?;
            if staged.outcome.admitted != in_tree && older.is_some() {
                return Err(LabFailure::new("the older tree has changed the new one"));
            }
            let speed = |taken: &RunCost| one.time.as_secs_f64() / taken.time.as_secs_f64();
            let unused = |taken: &RunCost| {
                100.0 * (taken.searches.saturating_sub(in_tree)) as f64 / taken.searches as f64
            };
            println!(
                "| {index} | {engines} | {:.2} | {:.0} % | {:.1} | {:.2} | {:.0} % | {:.1} | {} | {in_tree} |",
                speed(&alone),
                unused(&alone),
                alone.idle,
                speed(&staged),
                unused(&staged),
                staged.idle,
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
            "| mean of 1 to 16 | {engines} | {:.2} | | | {:.2} | | | | |",
            mean(alone),
            mean(staged)
        );
    }
    Ok(())
}
