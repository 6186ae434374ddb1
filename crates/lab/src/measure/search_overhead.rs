//! Measures the cost of a search beside the engine's own time: the pool, the adapter and the pipes,
//! with a scripted engine that answers at once.

use std::time::Instant;

use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::{Event, Pool, Settings};
use shakmaty::Chess;

use crate::failure::LabFailure;

const SEARCHES: u32 = 20_000;

/// Measure what one search costs beside the engine's own time
///
/// cargo build --release --example scripted_engine makes an engine that answers at once.
#[derive(Debug, clap::Args)]
pub struct OverheadArgs {
    /// The engine's command line
    #[arg(default_value = "target/release/examples/scripted_engine")]
    engine: String,
}

/// Runs the command.
pub fn run(args: &OverheadArgs) -> Result<(), LabFailure> {
    let mut pool = Pool::start(&Settings::new(&args.engine, Limit::Depth(1)))?;
    let start = Instant::now();
    for ticket in 0..u64::from(SEARCHES) {
        submit(&mut pool, ticket);
        wait(&pool, 1)?;
    }
    let one_by_one = start.elapsed() / SEARCHES;
    let start = Instant::now();
    for ticket in 0..u64::from(SEARCHES) {
        submit(&mut pool, ticket);
    }
    wait(&pool, SEARCHES)?;
    let queued = start.elapsed() / SEARCHES;
    println!("per search: {one_by_one:?} one by one, {queued:?} queued");
    Ok(())
}

fn submit(pool: &mut Pool, ticket: u64) {
    pool.submit(ticket, Search { position: Chess::default(), excluded: Vec::new() });
}

fn wait(pool: &Pool, answers: u32) -> Result<(), LabFailure> {
    let mut answered = 0;
    while answered < answers {
        match pool.events().recv()? {
            Event::Answered { .. } => answered += 1,
            Event::Failed { error, .. } => return Err(error.into()),
            Event::Broken => return Err(LabFailure::new("a thread of the pool has failed")),
            Event::Started { .. }
            | Event::Iteration { .. }
            | Event::GivenWay { .. }
            | Event::Retracted { .. }
            | Event::Fault { .. }
            | Event::Notice(_)
            | Event::Quarantined { .. } => {}
        }
    }
    Ok(())
}
