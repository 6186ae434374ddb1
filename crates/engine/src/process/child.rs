//! A command, not an engine, as a process that ends with the program.

use std::io::Read;
use std::process::{Command, Output, Stdio};

use crossbeam_channel::{Receiver, bounded, select_biased};

use super::StopSignal;
use super::groups::Leashed;

/// Bytes kept of each output; the rest is read and discarded.
const KEPT: u64 = 1 << 20;

/// Runs a command to its end, without input, and returns its output, at most a MiB of each kind.
/// `None` if `stop` disconnects before: the command is killed then, with its whole group. It is
/// also killed when this program ends, in whatever way, if a guard runs
/// ([`guard_by`](super::guard_by)).
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
