//! Signals that end the program: Ctrl-C, SIGTERM and SIGHUP; on Windows Ctrl-C, Ctrl-Break, and the
//! end of the console or of the user's session. The first asks the run to end, the second ends the
//! process.

use std::io;
use std::time::Duration;

use crossbeam_channel::{after, bounded, never, select_biased};

use super::{Control, ControlReceiver, control};

/// Signals that end a run by its control.
#[derive(Debug)]
pub struct Shutdown {
    control: Control,
    receiver: ControlReceiver,
}

/// Exit status of an interrupted run.
const INTERRUPTED: i32 = 130;

/// Time for the run to keep its last answers, once told to leave at once.
const LAST_COMMIT: Duration = Duration::from_secs(1);

/// Silence after which a reason is given.
const UNEXPLAINED: Duration = Duration::from_secs(2);

impl Shutdown {
    /// Listens to Ctrl-C and its like from now on. At the second of them the run has a second to
    /// leave by itself; then, or at a third, the process ends with its engines.
    pub fn on_signals() -> io::Result<Shutdown> {
        let shutdown = Shutdown::never();
        let control = shutdown.control();
        let mut earlier = 0;
        on_signal(move || {
            control.end();
            deepanalyze_store::hurry();
            match earlier {
                0 => {}
                1 => spawn("last commit", || leave_after(LAST_COMMIT)).unwrap_or_default(),
                _ => leave_after(Duration::ZERO),
            }
            earlier += 1;
        })?;
        Ok(shutdown)
    }

    /// Listens to no signal: for tests and tools.
    pub fn never() -> Shutdown {
        let (control, receiver) = control();
        Shutdown { control, receiver }
    }

    /// A handle of the run that signals end, for others who steer it.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// The run's receiver.
    pub fn receiver(&self) -> &ControlReceiver {
        &self.receiver
    }

    /// Runs a step that may take long, and says so if it does; `None` if the run is to end before
    /// it is done. It then goes on in a detached thread: what it has started must be ended
    /// otherwise.
    pub fn unless_told<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        say: impl FnOnce(),
    ) -> io::Result<Option<T>> {
        let (sender, done) = bounded(1);
        spawn("startup", move || drop(sender.send(work())))?;
        let (mut say, mut unexplained) = (Some(say), after(UNEXPLAINED));
        loop {
            if self.receiver.is_told_to_end() {
                return Ok(None);
            }
            select_biased! {
                recv(self.receiver.wake()) -> _ => {}
                recv(done) -> result => return Ok(result.ok()),
                recv(unexplained) -> _ => {
                    unexplained = never();
                    say.take().into_iter().for_each(|say| say());
                }
            }
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn leave_after(wait: Duration) {
    std::thread::sleep(wait);
    deepanalyze_engine::kill_all();
    std::process::exit(INTERRUPTED);
}

/// Calls `told` at every such signal from now on, in a thread of its own. Once per program.
///
/// # Errors
///
/// If the system takes no handler.
#[cfg(unix)]
pub fn on_signal(mut told: impl FnMut() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, TERM_SIGNALS};

    let kinds = TERM_SIGNALS.iter().copied().chain([SIGHUP]).filter(|signal| !is_ignored(*signal));
    let mut signals = signal_hook::iterator::Signals::new(kinds)?;
    let listen = move || signals.forever().for_each(|_| told());
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

/// True if the program's parent made it ignore a signal, as `nohup` does with SIGHUP and a shell
/// with SIGINT for a job in the background. Known on Linux only.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signal > 0 && mask.checked_shr(signal.unsigned_abs() - 1).unwrap_or(0) & 1 == 1
}

/// Calls `told` at every such signal from now on, in a thread of its own. Once per program.
///
/// Closing the console's window gives the program no time: answers of the last few milliseconds are
/// searched again.
///
/// # Errors
///
/// If the system takes no handler.
#[cfg(windows)]
pub fn on_signal(told: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(told).map_err(|error| match error {
        ctrlc::Error::System(error) => error,
        error => io::Error::other(error),
    })
}
