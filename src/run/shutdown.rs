//! Signals: the first asks the run to end, the second ends the process.

use std::time::Duration;

use crossbeam_channel::{Receiver, bounded, select_biased, unbounded};
use signal_hook::consts::TERM_SIGNALS;
use signal_hook::iterator::Signals;

/// Told when somebody wants the run to end.
#[derive(Debug, Clone)]
pub struct Shutdown {
    signals: Receiver<i32>,
}

/// The exit status of a run that was interrupted.
const INTERRUPTED: i32 = 130;

/// How long the run may take to keep what it has been answered, once it is told to leave at once.
const LAST_COMMIT: Duration = Duration::from_secs(1);

/// How long nothing may be seen before it is said why.
const UNEXPLAINED: Duration = Duration::from_secs(2);

impl Shutdown {
    /// Listens to Ctrl-C, SIGTERM and SIGHUP from now on. At the second of them the run has
    /// a second to leave by itself; then, or at a third, the process ends with its engines.
    pub fn on_signals() -> std::io::Result<Shutdown> {
        let mut kinds = TERM_SIGNALS.to_vec();
        #[cfg(unix)]
        kinds.push(signal_hook::consts::SIGHUP);
        kinds.retain(|signal| !is_ignored(*signal));
        let mut signals = Signals::new(kinds)?;
        let (sender, receiver) = unbounded();
        spawn("signals", move || {
            for (earlier, signal) in signals.forever().enumerate() {
                // Nobody listens once the run is over: then there is nothing to tell.
                let _ = sender.send(signal);
                match earlier {
                    0 => {}
                    1 => spawn("last commit", || leave_after(LAST_COMMIT)).unwrap_or_default(),
                    _ => leave_after(Duration::ZERO),
                }
            }
        })?;
        Ok(Shutdown { signals: receiver })
    }

    /// Never asked to end: for tests and tools.
    pub fn never() -> Shutdown {
        Shutdown { signals: crossbeam_channel::never() }
    }

    /// Does something that may take long, and says so where it does; nothing where a signal comes
    /// before it is done. It goes on then, in a thread that nobody waits for: what it has started is to
    /// be ended otherwise.
    pub fn unless_told<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        say: impl FnOnce(),
    ) -> std::io::Result<Option<T>> {
        let (sender, done) = bounded(1);
        spawn("startup", move || drop(sender.send(work())))?;
        select_biased! {
            recv(self.signals) -> _ => return Ok(None),
            recv(done) -> result => return Ok(result.ok()),
            default(UNEXPLAINED) => say(),
        }
        Ok(select_biased! {
            recv(self.signals) -> _ => None,
            recv(done) -> result => result.ok(),
        })
    }

    /// Gets the number of each signal.
    pub(crate) fn signals(&self) -> &Receiver<i32> {
        &self.signals
    }
}

/// Whether whoever started the program has told it to ignore a signal, as `nohup` does with SIGHUP
/// and a shell with SIGINT for a job in the background. Known on Linux only.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signal > 0 && mask.checked_shr(signal.unsigned_abs() - 1).unwrap_or(0) & 1 == 1
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn leave_after(wait: Duration) {
    std::thread::sleep(wait);
    crate::engine::kill_all();
    std::process::exit(INTERRUPTED);
}
