//! How a run looks while it works: who follows it, by its feed as any other reader, and in which words.

mod reporter;
mod told;
mod words;

pub use reporter::Reporter;
pub use words::{best_move, kept, nothing_kept, score_of, time};

use std::fmt::Display;
use std::io;
use std::time::Duration;

use crate::printer::Printer;
use deepanalyze_report::count;
use deepanalyze_runner::{RunEnd, RunEvent, RunFeed, Snapshot, Tell};

/// How often the live line is drawn; more is only flicker.
const PACE: Duration = Duration::from_millis(125);

/// How long it waits for news before it looks again; nothing depends on it.
const LONG: Duration = Duration::from_secs(60);

/// Puts what a run tells into words.
pub trait RunFollower: Send {
    /// Where the words go.
    fn printer(&self) -> &Printer;
    /// Something that is told once.
    fn event(&mut self, event: RunEvent);
    /// How far the run has come.
    fn snapshot(&mut self, snapshot: &Snapshot);
}

/// Does something that tells, while a thread of its own follows. All that was told has been put
/// into words when this returns.
pub fn followed<T, E: Display>(
    follower: &mut impl RunFollower,
    feed: &RunFeed,
    ending: fn(&T) -> RunEnd,
    work: impl FnOnce(&mut Tell<'_>) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let mut reader = feed.subscribe().paced(PACE);
    std::thread::scope(|scope| {
        let follow = move || {
            loop {
                let news = reader.wait(LONG);
                if news.missed > 0 {
                    let missed = count(news.missed, "message");
                    follower.printer().line(format!("warning: {missed} left out"));
                }
                news.events.into_iter().for_each(|event| follower.event(event));
                if let Some(snapshot) = news.snapshot {
                    follower.snapshot(&snapshot);
                }
                if news.end.is_some() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, follow)?;
        Ok(feed.tell_of(ending, work))
    })
}
