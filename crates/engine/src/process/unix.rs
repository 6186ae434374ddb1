//! Processes on Unix.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, killpg};
use process_wrap::std::{ChildWrapper, CommandWrap, ProcessGroup};

/// Folders searched besides PATH: Debian installs engines here.
pub(super) const FOLDERS: &[&str] = &["/usr/games"];

/// The command with a process group of its own.
pub(super) fn in_own_group(command: Command) -> CommandWrap {
    let mut command = CommandWrap::from(command);
    command.wrap(ProcessGroup::leader());
    command
}

/// Kills every process of a group; it may have ended.
pub(super) fn kill_group(group: u32) {
    if let Ok(group) = i32::try_from(group) {
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// Starts the guard, which kills the groups reported to it once this program is gone.
pub(super) fn start_guard(mut command: Command) -> std::io::Result<Option<Box<dyn ChildWrapper>>> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Keep the terminal's signals from it.
    in_own_group(command).spawn().map(Some)
}

/// A process's exit.
pub(super) fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("status {code}"),
        (None, None) => status.to_string(),
    }
}

/// The path, if an executable file.
pub(super) fn runnable(path: &Path) -> Option<PathBuf> {
    let data = path.metadata().ok()?;
    (data.is_file() && data.permissions().mode() & 0o111 != 0).then(|| path.to_owned())
}
