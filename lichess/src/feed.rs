//! What is sent of one analysis, and when.

use tokio::select;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until, timeout};

use super::analyst::Analysing;
use super::api::{BETWEEN_BLOCKS, SAY_AGAIN};
use super::block::Blocks;
use super::question::{Goal, Question};

/// How long the last lines may wait for a reader.
const LAST_LINES: Duration = Duration::from_secs(1);
/// Without a limit of time.
const ENDLESS: Duration = Duration::from_secs(365 * 86_400);

/// Sends what is known of a position until its goal is reached, nothing is left to find, or nobody reads. A slow
/// reader gets the newest.
pub async fn feed(analysing: Analysing, question: &Question, goal: Goal, to: mpsc::Sender<String>) {
    let blocks = Blocks::new(question.game.root().clone(), question.lines);
    let mut feed = Feed { analysing, goal, blocks, to, sent: None };
    // The first report may be there already.
    feed.analysing.reports.mark_changed();
    // What it has come to when the time is over is told below.
    let _ = timeout(goal.time.unwrap_or(ENDLESS).min(ENDLESS), feed.until_reached()).await;
    feed.end().await;
}

struct Feed {
    analysing: Analysing,
    goal: Goal,
    blocks: Blocks,
    to: mpsc::Sender<String>,
    /// When the last block was sent.
    sent: Option<Instant>,
}

impl Feed {
    async fn until_reached(&mut self) {
        loop {
            let goes_on = self.is_something_due().await;
            // Only what somebody has room for is written down.
            let Ok(room) = self.to.reserve().await else { return };
            let report = self.analysing.reports.borrow_and_update().clone();
            if let Some(report) = report {
                if let Some(block) = self.blocks.block(&report) {
                    room.send(block);
                    self.sent = Some(Instant::now());
                }
                if self.goal.is_reached(&report) {
                    return;
                }
            }
            if !goes_on {
                return;
            }
        }
    }

    /// Waits for something new, or until it is time to repeat what is known; false where nothing new can come.
    async fn is_something_due(&mut self) -> bool {
        if let Some(sent) = self.sent {
            sleep_until(sent + BETWEEN_BLOCKS).await;
        }
        let again = self.sent.map(|sent| sent + SAY_AGAIN);
        let repeat = async {
            match again {
                Some(again) => sleep_until(again).await,
                None => std::future::pending().await,
            }
        };
        select! {
            changed = self.analysing.reports.changed() => changed.is_ok(),
            () = repeat => true,
        }
    }

    /// The newest lines once more, and that they are the last.
    async fn end(mut self) {
        let newest = self.analysing.reports.borrow().clone();
        let block = newest.and_then(|report| self.blocks.block(&report));
        if let (Some(block), Ok(Ok(room))) = (block, timeout(LAST_LINES, self.to.reserve()).await) {
            room.send(block + &self.blocks.end());
        }
    }
}
