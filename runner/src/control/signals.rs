//! What tells the program to end: Ctrl-C, SIGTERM and SIGHUP; on Windows Ctrl-C, Ctrl-Break, and the end
//! of the console or of the user's session.

use std::io;

/// Calls `told` at every such signal from now on, in a thread of its own. Once in a program.
///
/// # Errors
///
/// Where the system takes no handler.
#[cfg(unix)]
pub fn on_signal(mut told: impl FnMut() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, TERM_SIGNALS};

    let kinds = TERM_SIGNALS.iter().copied().chain([SIGHUP]).filter(|signal| !is_ignored(*signal));
    let mut signals = signal_hook::iterator::Signals::new(kinds)?;
    let listen = move || signals.forever().for_each(|_| told());
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

/// Whether whoever started the program has told it to ignore a signal, as `nohup` does with SIGHUP
/// and a shell with SIGINT for a job in the background. Known on Linux only.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signal > 0 && mask.checked_shr(signal.unsigned_abs() - 1).unwrap_or(0) & 1 == 1
}

/// Calls `told` at every such signal from now on, in a thread of its own. Once in a program.
///
/// Whoever closes the console's window gives the program no time: what it has been answered in the last
/// few milliseconds is searched again.
///
/// # Errors
///
/// Where the system takes no handler.
#[cfg(windows)]
pub fn on_signal(told: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(told).map_err(|error| match error {
        ctrlc::Error::System(error) => error,
        error => io::Error::other(error),
    })
}
