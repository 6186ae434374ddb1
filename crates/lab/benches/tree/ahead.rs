//! Times for which look-ahead scenarios hold a run, while a tree grows.

use std::time::{Duration, Instant};

use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::tree::{Growth, Horizon, Outlook, scenario};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::growing::Engine;

/// Sizes for printed figures, over all scenarios since the last ones.
const MARKS: [u64; 6] = [3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
/// A pass of more requests has no scenario.
const LARGEST_PASS: usize = 500;
/// As in a run with eight engines.
const HORIZON: Horizon = Horizon { passes: 40, depth: 1000, work: 30_000, wants: 32 };

/// Knows nothing, and expects what the engine says.
struct Expected<'a>(&'a mut Engine);

impl Outlook for Expected<'_> {
    fn answer(&mut self, _: &Chess, _: usize) -> Option<(UciMove, Value)> {
        None
    }

    fn expected(&mut self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        self.0.list(position).first().copied().filter(|_| before.is_empty())
    }
}

/// This thread's processor time so far, which others' load does not lengthen; if the system has it.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    // /proc is as old as the last tick of the system: up to 4 ms.
    let clock = nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID;
    nix::time::clock_gettime(clock).ok().map(Duration::from)
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

/// Prints the longest and the mean time of the scenarios, one before each pass.
pub fn report(start: &str, distance: u32) {
    let Ok(game) = Game::from_start(start) else { return };
    let largest = std::env::var("ANSWERS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let (mut engine, mut growth) = (Engine::default(), Growth::new(&game, distance));
    println!("answers passes depth | scenarios, mean ms, longest ms | with how many requests");
    for mark in MARKS.into_iter().filter(|mark| *mark <= largest) {
        let (mut times, mut widest) = (Vec::new(), 0);
        while growth.searches() < mark {
            let mut services = growth.requests();
            if services.len() <= LARGEST_PASS && !services.is_empty() {
                // The engine's own time is not the scenario's: it has what it expects ready then.
                scenario(&mut growth, &services, HORIZON, &mut Expected(&mut engine));
                let (began, processor) = (Instant::now(), processor_time());
                scenario(&mut growth, &services, HORIZON, &mut Expected(&mut engine));
                let spent = processor_time().zip(processor);
                let took = spent.map_or_else(|| began.elapsed(), |(now, before)| now - before);
                if times.iter().all(|(time, _)| *time < took) {
                    widest = services.len();
                }
                times.push((took, services.len()));
            }
            services.iter_mut().for_each(|service| engine.serve(&growth, service));
            if growth.finish_pass(services).is_err() {
                return;
            }
        }
        let all: Duration = times.iter().map(|(time, _)| *time).sum();
        let longest = times.iter().map(|(time, _)| *time).max().unwrap_or_default();
        println!(
            "{} {} {} | {} {:.2} {:.2} | {widest}",
            growth.searches(),
            growth.passes(),
            growth.depth(),
            times.len(),
            all.as_secs_f64() * 1e3 / times.len().max(1) as f64,
            longest.as_secs_f64() * 1e3,
        );
    }
}
