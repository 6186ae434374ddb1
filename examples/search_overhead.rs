//! Measures what one search costs beside the engine's own time: the pool, the adapter and the
//! pipes, with a scripted engine that answers at once.
//!
//! ```text
//! cargo build --release --examples && cargo run --release --example search_overhead
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool for measurements")]

use std::time::{Duration, Instant};

use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::{Event, Pool, Settings};
use shakmaty::Chess;

const SEARCHES: u32 = 20_000;

fn main() {
    let engine = std::env::current_exe().unwrap().with_file_name("scripted_engine");
    let command = deepanalyze_core::quoting::join([engine.to_str().unwrap()]);
    let mut pool = Pool::start(&Settings::new(&command, Limit::Depth(1))).unwrap();
    let start = Instant::now();
    for ticket in 0..u64::from(SEARCHES) {
        submit(&mut pool, ticket);
        wait(&pool, 1);
    }
    let one_by_one = start.elapsed() / SEARCHES;
    let start = Instant::now();
    for ticket in 0..u64::from(SEARCHES) {
        submit(&mut pool, ticket);
    }
    wait(&pool, SEARCHES);
    report(one_by_one, start.elapsed() / SEARCHES);
}

fn submit(pool: &mut Pool, ticket: u64) {
    pool.submit(ticket, Search { position: Chess::default(), excluded: Vec::new() });
}

fn wait(pool: &Pool, answers: u32) {
    let mut answered = 0;
    while answered < answers {
        match pool.events().recv().unwrap() {
            Event::Answered { .. } => answered += 1,
            Event::Failed { error, .. } => panic_with(&error.to_string()),
            Event::Broken => panic_with("a thread of the pool has failed"),
            Event::Started { .. }
            | Event::Fault { .. }
            | Event::Notice(_)
            | Event::Disbelieved { .. }
            | Event::Listed { .. } => {}
        }
    }
}

#[expect(clippy::panic, reason = "a tool for measurements")]
fn panic_with(error: &str) -> ! {
    panic!("{error}")
}

fn report(one_by_one: Duration, queued: Duration) {
    println!("per search: {one_by_one:?} one by one, {queued:?} queued");
}
