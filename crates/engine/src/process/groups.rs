//! The live process groups of engines and other processes of the program, for an end that unwinds
//! nothing.
//!
//! An engine whose input is closed leaves by itself, but not every one: GNU Chess stays. So a
//! program that ends at once kills them all, and if it is killed itself, its *guard* does: a
//! process that is sent every group over a pipe, and kills what is left when the pipe ends. On
//! Windows a job object does all of that.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use process_wrap::std::ChildWrapper;

use super::system;

/// The live groups.
struct Groups {
    alive: BTreeSet<u32>,
    /// No engine may start any more.
    closed: bool,
    guard: Option<Box<dyn ChildWrapper>>,
}

static GROUPS: Mutex<Groups> =
    Mutex::new(Groups { alive: BTreeSet::new(), closed: false, guard: None });

fn groups() -> MutexGuard<'static, Groups> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Groups {
    /// Tells the guard, in vain if it is gone.
    fn tell(&mut self, sign: char, group: u32) {
        let guard = self.guard.as_mut().and_then(|guard| guard.stdin().as_mut());
        if let Some(stdin) = guard
            && let Err(error) = writeln!(stdin, "{sign}{group}")
        {
            tracing::warn!(%error, "the guard of the engines is gone");
            self.guard = None;
        }
    }
}

/// A process in a group of its own, known to the guard: it ends with the program, however that
/// ends. Dropping it kills the whole group, and waits for its leader.
pub(super) struct Leashed {
    pub(super) child: Box<dyn ChildWrapper>,
    is_dead: bool,
}

impl Leashed {
    /// Starts a process, unless closed.
    pub(super) fn start(command: Command) -> std::io::Result<Leashed> {
        let mut command = system::in_own_group(command);
        let mut groups = groups();
        if groups.closed {
            return Err(std::io::Error::other("the program is ending"));
        }
        let child = command.spawn()?;
        groups.alive.insert(child.id());
        groups.tell('+', child.id());
        Ok(Leashed { child, is_dead: false })
    }

    /// Waits for a process that leaves by itself.
    pub(super) fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.is_dead = true;
        forget(self.child.id());
        self.child.wait()
    }

    /// Kills the whole group, and waits for its leader. False if already dead.
    pub(super) fn kill(&mut self) -> bool {
        if std::mem::replace(&mut self.is_dead, true) {
            return false;
        }
        // The group may be empty already. The leader is a zombie until the wait, so its number
        // cannot have been given to another group.
        let _ = self.child.start_kill();
        forget(self.child.id());
        if let Err(error) = self.child.wait() {
            tracing::warn!(%error, "cannot wait for a process");
        }
        true
    }
}

impl Drop for Leashed {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Forgets a dead group that is not yet waited for.
fn forget(group: u32) {
    let mut groups = groups();
    groups.alive.remove(&group);
    groups.tell('-', group);
}

/// Kills every process of this program, for an exit that unwinds nothing; none can start after.
pub fn kill_all() {
    let mut groups = groups();
    groups.closed = true;
    groups.alive.iter().copied().for_each(system::kill_group);
}

/// Makes engines die with this program even if it is killed: on Unix by a guard, a process that
/// runs [`guard`] on its standard input; Windows needs no process for it.
///
/// # Errors
///
/// If the guard does not start, or the system refuses the job.
pub fn guard_by(command: Command) -> std::io::Result<()> {
    let guard = system::start_guard(command)?;
    let mut groups = groups();
    groups.guard = guard;
    for group in groups.alive.clone() {
        groups.tell('+', group);
    }
    Ok(())
}

/// Lets the guard go, and waits for its end.
pub fn dismiss_guard() {
    let guard = groups().guard.take();
    if let Some(mut guard) = guard {
        *guard.stdin() = None;
        // It reads to the end of its input, and exits.
        let _ = guard.wait();
    }
}

/// Runs a guard: reads the groups that begin and end, and kills what is left at the end.
pub fn guard(input: impl BufRead) {
    let mut alive = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        let number = |text: &str| text.parse::<u32>().ok().filter(|group| *group > 1);
        if let Some(group) = line.strip_prefix('+').and_then(number) {
            alive.insert(group);
        } else if let Some(group) = line.strip_prefix('-').and_then(number) {
            alive.remove(&group);
        }
    }
    alive.into_iter().for_each(system::kill_group);
}
