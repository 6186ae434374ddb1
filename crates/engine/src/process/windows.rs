//! Processes on Windows: a job holds a process and all that it starts.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use process_wrap::std::{ChildWrapper, CommandWrap, CreationFlags, JobObject};
use win32job::{ExtendedLimitInfo, Job};
use windows::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// Folders searched besides PATH.
pub(super) const FOLDERS: &[&str] = &[];

/// The command in a job of its own, by which it is killed with all that it has started; out of the
/// reach of Ctrl-C.
pub(super) fn in_own_group(command: Command) -> CommandWrap {
    let mut command = CommandWrap::from(command);
    command.wrap(CreationFlags(CREATE_NEW_PROCESS_GROUP)).wrap(JobObject);
    command
}

/// Not needed: see [`start_guard`].
pub(super) fn kill_group(_group: u32) {}

/// Puts this program into a job that the system ends with it, however it ends: engines are in it,
/// too. No guard process is needed.
pub(super) fn start_guard(_command: Command) -> std::io::Result<Option<Box<dyn ChildWrapper>>> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(std::io::Error::other)?;
    job.assign_current_process().map_err(std::io::Error::other)?;
    // Closing the job ends the program: that is left to the system.
    let _ = job.into_handle();
    Ok(None)
}

/// A process's exit.
pub(super) fn describe(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("status {code}"))
}

/// The path of a program's file, whose extension may be left out.
pub(super) fn runnable(path: &Path) -> Option<PathBuf> {
    let with = |extension: &str| {
        let mut path = path.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    ["", ".exe", ".cmd", ".bat"].into_iter().map(with).find(|path| path.is_file())
}
