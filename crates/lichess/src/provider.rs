//! The provider: asks the broker for work, and does it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::select;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::api::{BETWEEN_POLLS, BoardJob};
use super::error::LichessError;
use super::http::Broker;
use super::working::{Means, Say, Working};

/// Pause between jobs, if a broker hands them out without end.
const BETWEEN_JOBS: Duration = Duration::from_millis(20);
/// The wait after the first failure.
const FIRST: Duration = Duration::from_secs(1);
/// The longest of the doubling waits.
const LONGEST: Duration = Duration::from_secs(60);
/// The longest wait that a server may ask for.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Asks the broker for work, and does it, until told to end; work under way is left then.
///
/// # Errors
///
/// If the broker refuses for good.
pub async fn provide<B: Broker>(
    means: Means<B>,
    end: impl Future<Output = ()>,
) -> Result<(), LichessError> {
    let means = Arc::new(means);
    let (sender, mut jobs) = mpsc::channel(1);
    // Never interrupted: a job already handed out would be lost.
    let mut poll = pin!(poll(&means.broker, &means.say, sender));
    let mut end = pin!(end);
    let mut working = Working::new(Arc::clone(&means));
    loop {
        select! {
            biased;
            () = &mut end => return Ok(()),
            Err(error) = &mut poll => return Err(error),
            Some(job) = jobs.recv() => working.begin(job),
            Some(()) = working.ended() => {}
        }
    }
}

/// Asks for work again and again.
async fn poll(
    broker: &impl Broker,
    say: &Say,
    jobs: mpsc::Sender<BoardJob>,
) -> Result<Infallible, LichessError> {
    let mut troubles = Troubles::new(say);
    loop {
        let began = Instant::now();
        let acquired = broker.acquire().await;
        match acquired {
            Ok(job) => {
                troubles.are_over();
                let pause = if job.is_some() { BETWEEN_JOBS } else { BETWEEN_POLLS };
                if let Some(job) = job {
                    // The receiver lives as long as this loop.
                    let _ = jobs.send(job).await;
                }
                sleep_until(began + pause).await;
            }
            Err(error) if error.may_pass() => sleep(troubles.come(&error)).await,
            Err(error) => return Err(error),
        }
    }
}

/// Retries an action that may fail for a while until it succeeds or fails for good.
///
/// # Errors
///
/// If it fails for good.
pub async fn patiently<T, F: Future<Output = Result<T, LichessError>>>(
    say: &Say,
    mut attempt: impl FnMut() -> F,
) -> Result<T, LichessError> {
    let mut troubles = Troubles::new(say);
    loop {
        match attempt().await {
            Err(error) if error.may_pass() => sleep(troubles.come(&error)).await,
            result => {
                troubles.are_over();
                return result;
            }
        }
    }
}

/// Failures in a row, and the waits after them; each kind is reported once.
struct Troubles<'a> {
    failures: u32,
    told: Option<LichessError>,
    say: &'a Say,
}

impl Troubles<'_> {
    fn new(say: &Say) -> Troubles<'_> {
        Troubles { failures: 0, told: None, say }
    }

    /// Adds one; returns the wait.
    fn come(&mut self, error: &LichessError) -> Duration {
        let wait = wait(self.failures, error.wants_rest(), random_share());
        self.failures = self.failures.saturating_add(1);
        if self.told.as_ref() != Some(error) {
            (self.say)(format!("{error}; trying again in {} s", wait.as_secs().max(1)));
            self.told = Some(error.clone());
        }
        wait
    }

    fn are_over(&mut self) {
        if std::mem::take(&mut self.failures) > 0 {
            self.told = None;
            (self.say)("Lichess answers again".to_owned());
        }
    }
}

/// The wait after this many earlier failures: clients that fail together should not return
/// together, so a share (0 to 1) of its second half is left out. At least the wait asked for.
fn wait(failures: u32, wanted: Option<Duration>, share: f64) -> Duration {
    let whole = LONGEST.min(FIRST.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX)));
    let own = whole.mul_f64(1.0 - share.clamp(0.0, 1.0) / 2.0);
    match wanted {
        // All were told this wait.
        Some(wanted) => (wanted.min(PATIENCE) + FIRST.mul_f64(share)).max(own),
        None => own,
    }
}

fn random_share() -> f64 {
    // Without randomness all return together, which does this one no harm.
    getrandom::u32().map_or(0.0, |random| f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests;
