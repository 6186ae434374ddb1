//! Telling of a run while it works: a reader of its feed, like any other.

use std::io;
use std::time::Duration;

use crate::printer::Printer;
use deepanalyze_report::count;
use deepanalyze_runner::{Publisher, RunEvent, Snapshot};

/// How often the live line is drawn; more is only flicker.
const PACE: Duration = Duration::from_millis(125);

/// How long it waits for news before it looks again; nothing depends on it.
const LONG: Duration = Duration::from_secs(60);

/// Puts what a run tells into words.
pub trait Follower: Send {
    /// Where the words go.
    fn printer(&self) -> &Printer;
    /// Something that is told once.
    fn event(&mut self, event: RunEvent);
    /// How far the run has come.
    fn snapshot(&mut self, snapshot: &Snapshot);
}

/// Does something that publishes, while a thread of its own follows. All that was published has been put
/// into words when this returns.
pub fn followed<T>(
    follower: &mut impl Follower,
    publisher: Publisher,
    work: impl FnOnce(Publisher) -> T,
) -> io::Result<T> {
    let mut reader = publisher.feed().subscribe().paced(PACE);
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
        Ok(work(publisher))
    })
}
