//! One engine process: a group of its own, its pipes, and its certain end; and any other command as
//! a process that ends with the program.

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
use std::io::{Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select_biased};

use super::error::{EngineError, Reason};
use super::uci::{EngineLine, UciMessage, read_line, write_line};
use groups::Leashed;
use output::{EndlessLines, Flood, LastWords, PipeReader};

pub use groups::{dismiss_guard, guard, guard_by, kill_all};
pub use program::{Program, is_installed, searched};

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

/// Bytes kept of each output; the rest is read and discarded.
const KEPT: u64 = 1 << 20;

/// Runs a command to its end, without input, and returns its output, at most a MiB of each kind.
/// `None` if `stop` disconnects before: the command is killed then, with its whole group. It is
/// also killed when this program ends, in whatever way, if a guard runs
/// ([`guard_by`](guard_by)).
///
/// # Errors
///
/// If the process does not start, or cannot be waited for.
pub fn run_leashed(mut command: Command, stop: &StopSignal) -> std::io::Result<Option<Output>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove(deepanalyze_core::secrets::FLEET_LOGIN);
    let mut leashed = Leashed::start(command)?;
    let stdout = leashed.child.stdout().take().map(read_apart).transpose()?;
    let stderr = leashed.child.stderr().take().map(read_apart).transpose()?;
    let (Some(stdout), Some(stderr)) = (heard(stdout, stop), heard(stderr, stop)) else {
        return Ok(None);
    };
    // Both outputs are closed: only its end is left.
    let status = leashed.wait()?;
    Ok(Some(Output { status, stdout, stderr }))
}

/// Reads a pipe in a thread of its own.
fn read_apart(mut pipe: impl Read + Send + 'static) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, read) = bounded(1);
    std::thread::Builder::new().name("child output".to_owned()).spawn(move || {
        let mut kept = Vec::new();
        // A broken pipe is at its end, too.
        let _ = pipe.by_ref().take(KEPT).read_to_end(&mut kept);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        let _ = sender.send(kept);
    })?;
    Ok(read)
}

/// All that a pipe had to its end; `None` if stopped before.
fn heard(pipe: Option<Receiver<Vec<u8>>>, stop: &StopSignal) -> Option<Vec<u8>> {
    let Some(pipe) = pipe else { return Some(Vec::new()) };
    select_biased! {
        recv(pipe) -> read => Some(read.unwrap_or_default()),
        recv(stop) -> _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_command_gives_its_outputs_and_its_status() {
        let (_running, stop) = bounded(0);
        let output = run_leashed(sh("echo out; echo err >&2; exit 3"), &stop).unwrap().unwrap();
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(output.status.code(), Some(3));
        let long = format!("head -c {} /dev/zero", KEPT * 2);
        assert_eq!(run_leashed(sh(&long), &stop).unwrap().unwrap().stdout.len() as u64, KEPT);
    }

    #[test]
    fn stopped_command_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let (fifo, path) = (folder.path().join("fifo"), folder.path().display().to_string());
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let (running, stop) = bounded(0);
        let script = format!("cd '{path}'; (echo began; exec sleep 1000) > fifo & wait");
        let runs = std::thread::spawn(move || run_leashed(sh(&script), &stop).unwrap());
        let mut pipe = std::fs::File::open(&fifo).unwrap();
        let mut began = [0; 6];
        pipe.read_exact(&mut began).unwrap();
        drop(running);
        assert!(runs.join().unwrap().is_none());
        // At its end no process holds it any more.
        assert_eq!(pipe.read(&mut began).unwrap(), 0);
    }
}
