//! How a run looks while it works: who follows it, by its feed as any other reader, and in which words.

mod events;
mod reporter;
mod words;

pub use reporter::Reporter;
pub use words::{ending_name, how, kept, time};

use std::fmt::Display;
use std::io;
use std::time::Duration;

use deepanalyze_runner::{RunEnd, RunFeed, RunListener};
use deepanalyze_view::count;

/// How often the live line is drawn; more is only flicker.
const PACE: Duration = Duration::from_millis(125);

/// How long it waits for news before it looks again; nothing depends on it.
const LONG: Duration = Duration::from_secs(60);

/// Does something that tells, while a thread of its own follows. All that was told has been put
/// into words when this returns.
pub fn followed<T, E: Display>(
    reporter: &mut Reporter,
    feed: &RunFeed,
    ending: fn(&T) -> RunEnd,
    work: impl FnOnce(&mut RunListener<'_>) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let mut news = feed.subscribe().paced(PACE);
    std::thread::scope(|scope| {
        let follow = move || {
            loop {
                let told = news.wait(LONG);
                if told.missed > 0 {
                    let missed = count(told.missed, "message");
                    reporter.line(&format!("warning: {missed} left out"));
                }
                told.events.into_iter().for_each(|event| reporter.event(event));
                if let Some(snapshot) = told.snapshot {
                    reporter.snapshot(&snapshot);
                }
                if told.end.is_some() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, follow)?;
        Ok(feed.tell_of(ending, work))
    })
}
