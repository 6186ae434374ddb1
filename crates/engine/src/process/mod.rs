//! One engine process: a group of its own, its pipes, and its certain end.

mod child;
mod groups;
mod output;
mod program;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use std::convert::Infallible;
use std::io::Write;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::error::{EngineError, Reason};
use super::uci::{EngineLine, UciMessage, read_line, write_line};
use crossbeam_channel::{Receiver, Sender, bounded, never, select_biased};

use groups::Leashed;

pub use child::run_leashed;
pub use groups::{dismiss_guard, guard, guard_by, kill_all};
use output::{EndlessLines, Flood, LastWords, PipeReader};
pub use program::is_installed;
pub use program::{Program, searched};

/// Lines that may wait to be taken. An engine that prints more blocks on its pipe.
const WAITING_LINES: usize = 1024;
/// Time for an engine to leave after `quit`; GNU Chess never does.
const GRACE: Duration = Duration::from_millis(100);
/// Time for a process to end once its output is closed, before it is killed.
const ENDING: Duration = Duration::from_millis(300);

/// The channel that disconnects when the pool shuts down; nothing is ever sent on it.
pub type StopSignal = Receiver<Infallible>;

/// The outcome of a wait.
pub enum FromEngine {
    Line(EngineLine),
    /// The deadline passed.
    Silence,
    /// The output is at its end: the process has ended, or soon will.
    Closed,
    /// It prints more than engines do; the bound exceeded.
    Flood(String),
    /// The answer is no longer wanted.
    Abandoned,
    /// The pool shuts down.
    Stopped,
}

/// A running engine. Dropping it kills the whole process group, and waits for it.
pub struct Process {
    leashed: Leashed,
    stdin: Option<ChildStdin>,
    lines: Receiver<EngineLine>,
    stop: StopSignal,
    last_words: Arc<Mutex<LastWords>>,
    /// True if a line of the output had no end.
    is_endless: Arc<AtomicBool>,
    flood: Flood,
    readers: Vec<PipeReader>,
}

impl Process {
    /// Starts the program in a process group of its own, so that the terminal's Ctrl-C does not
    /// reach it and its children die with it.
    pub fn start(program: &Program, stop: &StopSignal) -> Result<Process, EngineError> {
        let failed =
            |e: std::io::Error| EngineError::new(&program.name, Reason::Spawn(e.to_string()));
        let mut command = Command::new(&program.path);
        command.args(&program.arguments);
        command.env_remove(deepanalyze_core::secrets::FLEET_LOGIN);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        let leashed = Leashed::start(command).map_err(failed)?;
        let (sender, lines) = bounded(WAITING_LINES);
        // From here on every exit kills the process.
        let mut process = Process {
            leashed,
            stdin: None,
            lines,
            stop: stop.clone(),
            last_words: Arc::default(),
            is_endless: Arc::default(),
            flood: Flood::default(),
            readers: Vec::new(),
        };
        let (id, command) = (process.leashed.child.id(), &program.command);
        tracing::debug!(process = id, command, "an engine is started");
        process.connect(sender).map_err(failed)?;
        Ok(process)
    }

    fn connect(&mut self, sender: Sender<EngineLine>) -> std::io::Result<()> {
        let process = self.leashed.child.id();
        self.stdin = self.leashed.child.stdin().take();
        if let Some(stdout) = self.leashed.child.stdout().take() {
            let last_words = Arc::clone(&self.last_words);
            let stdout = EndlessLines::new(stdout, Arc::clone(&self.is_endless));
            let reader = PipeReader::start("engine output", stdout, move |line| {
                tracing::trace!(process, line, "engine");
                let read = read_line(line);
                lock(&last_words).say(line, &read);
                sender.send(read).is_ok()
            })?;
            self.readers.push(reader);
        }
        if let Some(stderr) = self.leashed.child.stderr().take() {
            let last_words = Arc::clone(&self.last_words);
            let reader = PipeReader::start("engine stderr", stderr, move |line| {
                lock(&last_words).complain(line);
                true
            })?;
            self.readers.push(reader);
        }
        Ok(())
    }

    /// Writes messages; false if the pipe is closed.
    pub fn send(&mut self, messages: &[UciMessage]) -> bool {
        let text: String = messages.iter().map(write_line).collect();
        tracing::trace!(process = self.leashed.child.id(), text, "to the engine");
        self.flood = Flood::default();
        if messages.iter().any(|message| matches!(message, UciMessage::Go { .. })) {
            lock(&self.last_words).line.clear();
        }
        let Some(stdin) = &mut self.stdin else {
            return false;
        };
        stdin.write_all(text.as_bytes()).is_ok()
    }

    /// Waits for a line, until a moment if any, and during a search until that is abandoned.
    pub fn hear(
        &mut self,
        until: Option<Instant>,
        abandoned: Option<&Receiver<Infallible>>,
    ) -> FromEngine {
        let too_late = until.map_or_else(never, crossbeam_channel::at);
        let heard = select_biased! {
            recv(self.stop) -> _ => FromEngine::Stopped,
            recv(abandoned.unwrap_or(&never())) -> _ => FromEngine::Abandoned,
            recv(self.lines) -> line => line.map_or(FromEngine::Closed, FromEngine::Line),
            recv(too_late) -> _ => FromEngine::Silence,
        };
        let bound = match &heard {
            FromEngine::Line(line) => self.flood.hear(line, abandoned.is_some()),
            FromEngine::Closed if self.is_endless.load(Ordering::SeqCst) => {
                Some("a line of more than 16 MiB".to_owned())
            }
            _ => None,
        };
        bound.map_or(heard, FromEngine::Flood)
    }

    /// The exit and last words of a process whose output is closed. It is dead afterwards.
    pub fn post_mortem(&mut self) -> (String, Vec<String>) {
        let status = self.wait_for_end(ENDING);
        // Even if it reads no more, its last output may still be on its way.
        let until = Instant::now() + ENDING;
        while self.lines.recv_deadline(until).is_ok() {}
        self.kill();
        let how = status.map_or_else(|| "output closed".to_owned(), system::describe);
        (how, lock(&self.last_words).all())
    }

    /// The last line printed beside the answers, in a search since it began.
    pub fn last_line(&self) -> Box<str> {
        lock(&self.last_words).line.as_str().into()
    }

    fn wait_for_end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        loop {
            match self.leashed.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => {}
                _ => return None,
            }
            // No portable wait has a deadline; this is the rare case of a dying engine.
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asks the engine to leave, and kills it if it does not at once. A process behind it that only
    /// reads its input (ssh) passes the farewell on.
    pub fn quit(&mut self) {
        self.send(&[UciMessage::Quit]);
        self.stdin = None;
        let until = Instant::now() + GRACE;
        while self.lines.recv_deadline(until).is_ok() {}
        self.kill();
    }

    /// Kills the whole group, waits for it and for the readers.
    pub fn kill(&mut self) {
        self.stdin = None;
        if !self.leashed.kill() {
            return;
        }
        // A reader waiting for room among the lines must see that none are taken.
        self.lines = never();
        for reader in self.readers.drain(..) {
            reader.join();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn lock(words: &Mutex<LastWords>) -> MutexGuard<'_, LastWords> {
    words.lock().unwrap_or_else(PoisonError::into_inner)
}
