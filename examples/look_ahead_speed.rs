//! How much faster several engines are than one: grows one tree with 1, 2, 4, 8 and 16 engines, and
//! prints a table for `docs/performance.md`.
//!
//! `look_ahead_speed ENGINE [DEPTH] [DISTANCE] [ENGINE_DEPTH]`: the engine's command line; its
//! searches should take about the same time each, and next to no processor
//! (`examples/replaying_engine`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use deepanalyze::analysis::BestLine;
use deepanalyze::chess::Game;
use deepanalyze::engine::{EngineError, Pool, PoolNotice, Settings};
use deepanalyze::run::{
    ControlReceiver, Observer, Plan, Progress, RunLimits, RunOutcome, Schedule, grow,
};
use deepanalyze::search::Limit;
use deepanalyze::store::Store;
use deepanalyze::tree::Settled;

type Failure = Box<dyn std::error::Error>;

/// Adds up how long engines were busy.
struct Meter {
    last: Instant,
    busy: usize,
    engine_time: Duration,
}

impl Observer for Meter {
    fn progress(&mut self, progress: Progress) {
        self.engine_time += self.last.elapsed() * u32::try_from(self.busy).unwrap_or(0);
        self.last = Instant::now();
        self.busy = progress.busy;
    }
    fn settled(&mut self, _: &Settled, _: Option<&Arc<BestLine>>, _: Duration) {}
    fn fault(&mut self, error: &EngineError, _: u32, _: Option<&shakmaty::Chess>) {
        eprintln!("{error}");
    }
    fn notice(&mut self, notice: &PoolNotice) {
        eprintln!("{notice}");
    }
    fn stopping(&mut self, _: &str) {}
}

fn run(settings: &Settings, plan: &Plan) -> Result<(RunOutcome, Meter), Failure> {
    let path = std::env::temp_dir().join(format!("look-ahead-{}.db", std::process::id()));
    let mut store = Store::open(&path)?;
    let mut pool = Pool::start(settings)?;
    let mut meter = Meter { last: Instant::now(), busy: 0, engine_time: Duration::ZERO };
    let outcome = grow(plan, &mut store, &mut pool, &ControlReceiver::never(), &mut meter)?;
    drop((pool, store));
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    Ok((outcome, meter))
}

fn print(engines: usize, outcome: &RunOutcome, meter: &Meter, first: Duration) {
    let seconds = outcome.elapsed.as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let (wall, searches) = (seconds * engines as f64, outcome.searches as f64);
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let unused = (outcome.searches - outcome.admitted.min(outcome.searches)) as f64;
    println!(
        "| {engines} | {seconds:.1} s | {:.2} | {:.0} % | {:.0} % | {} | {} |",
        first.as_secs_f64() / seconds,
        100.0 * meter.engine_time.as_secs_f64() / wall,
        100.0 * unused / searches,
        outcome.searches,
        outcome.admitted,
    );
}

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let engine = words.next().ok_or("which engine?")?;
    let numbers: Vec<u32> = words.map(|word| word.parse()).collect::<Result<_, _>>()?;
    let number = |place: usize, default: u32| numbers.get(place).copied().unwrap_or(default);
    let limit = Limit::Depth(number(2, 6));
    let mut plan = Plan {
        game: Game::from_position(shakmaty::Chess::default()),
        breadth: number(1, 20).into(),
        depth: number(0, 9),
        schedule: Schedule::Once(limit),
        limits: RunLimits::default(),
        directives: None,
        look_ahead: true,
    };
    println!("| engines | time | speed-up | busy | unused | searches | in the tree |");
    println!("|---|---|---|---|---|---|---|");
    let mut first = None;
    for engines in [1, 2, 4, 8, 16] {
        let settings = Settings {
            options: vec![("Hash".to_owned(), "1".to_owned())],
            ..Settings::new(&engine, limit).with_engines(engines)
        };
        plan.look_ahead = engines > 1;
        let (outcome, meter) = run(&settings, &plan)?;
        let first = *first.get_or_insert(outcome.elapsed);
        print(engines, &outcome, &meter, first);
    }
    Ok(())
}
