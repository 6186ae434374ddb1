//! However a run ends, no engine is left, no lock is held, and nothing that was answered is lost.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::program::{Place, asked, searches, signal, stderr, wait};
use crate::support::{left_behind, processes_with, scripted, wait_until};
use pty_process::blocking::Pty;

/// A place with engines that outlive a closed input, and do not leave when they are told to.
struct Run {
    place: Place,
    engine: String,
    mark: String,
}

impl Run {
    /// Engines whose every search takes this many milliseconds.
    fn new(delay: &str) -> Run {
        let place = Place::new();
        let mark = format!("Ending {}", place.db().display());
        let log = place.path("log");
        let flags = ["--name", &mark, "--log", log.to_str().unwrap(), "--delay-ms", delay];
        let engine = scripted(&[&flags[..], &["--stubborn"]].concat());
        Run { place, engine, mark }
    }

    fn log(&self) -> PathBuf {
        self.place.path("log")
    }

    /// The program and its arguments: depth 7, three engines.
    fn command(&self, more: &[&str]) -> Command {
        let args = ["grow", "--engine", &self.engine, "--engine-depth", "5", "--distance", "20"];
        let args = [&args[..], &["--depth", "7", "--engines", "3"], more].concat();
        self.place.command(&args)
    }

    fn start(&self, more: &[&str]) -> Child {
        self.command(more).stdout(Stdio::null()).spawn().unwrap()
    }

    /// Starts in a terminal of its own, and returns its other end, too.
    fn start_in_terminal(&self) -> (Child, Pty) {
        let command = self.command(&[]);
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let envs = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let child = pty_process::blocking::Command::new(command.get_program())
            .args(command.get_args())
            .env_clear()
            .envs(envs)
            .env("TERM", "xterm")
            .current_dir(self.place.path(""))
            .spawn(pts)
            .unwrap();
        (child, pty)
    }

    /// Waits until this many searches have begun.
    fn wait_for_searches(&self, count: usize) {
        wait_until("searches", || searches(&self.log()) >= count);
    }

    /// Checks the state after every end: no engine, every answer kept but those under way, no lock.
    fn is_clean(&self) {
        assert_eq!(left_behind(&self.mark), [0_u32; 0], "an engine is left");
        let (asked, stored) = (asked(&self.log()), self.place.stored());
        let lost = asked.iter().filter(|go| !stored.contains(*go)).count();
        assert!(lost <= 3, "{lost} searches are lost where three engines work");
        let output = self.command(&["--max-searches", "0"]).output().unwrap();
        // Without answers there is no verdict yet.
        let said = stderr(&output);
        assert!(output.status.success() || said.contains("error: no verdict: "), "{said}");
        assert_eq!(self.place.run(&["verify"]).status.code(), Some(0));
    }
}

#[test]
fn ending_signals_leave_no_engine_and_no_lock() {
    for name in ["INT", "TERM", "HUP", "QUIT"] {
        let run = Run::new("10");
        let mut child = run.start(&[]);
        run.wait_for_searches(30);
        signal(i64::from(child.id()), name);
        assert_eq!(wait(&mut child).code(), Some(130), "{name}");
        run.is_clean();
    }
}

#[test]
fn a_closed_terminal_ends_the_run_as_a_signal_does() {
    let run = Run::new("10");
    let (mut child, pty) = run.start_in_terminal();
    run.wait_for_searches(30);
    drop(pty);
    assert_eq!(wait(&mut child).code(), Some(130));
    run.is_clean();
}

#[test]
fn terminal_ctrl_c_reaches_no_engine() {
    // A busy machine may take a second for 200 ms once, not always.
    let kept = (0..10).any(|_| {
        let run = Run::new("200");
        interrupt_on_the_terminal(&run);
        let all = searches(&run.log()) == run.place.stored().len();
        run.is_clean();
        all
    });
    assert!(kept, "searches of 200 ms are thrown away");
}

fn interrupt_on_the_terminal(run: &Run) {
    let (mut child, mut pty) = run.start_in_terminal();
    run.wait_for_searches(10);
    pty.write_all(b"\x03").unwrap();
    let mut screen = Vec::new();
    // The terminal is at its end when the program is: that is an error on Linux.
    let _ = pty.read_to_end(&mut screen);
    let screen = String::from_utf8_lossy(&screen);
    assert_eq!(wait(&mut child).code(), Some(130), "{screen}");
    assert!(screen.contains("interrupted: saving the answers"), "{screen}");
    // Written over the beginning of the live line: at its end it would go on to the next line, and
    // this one would stay.
    let before = screen.split("^C").next().unwrap();
    assert!(before.ends_with("\r") || before.ends_with("\r "), "{screen:?}");
}

#[test]
fn a_limit_of_time_leaves_nothing_behind() {
    let run = Run::new("10");
    let mut child = run.start(&["--for", "700ms"]);
    assert_eq!(wait(&mut child).code(), Some(0));
    run.is_clean();
}

#[test]
fn failed_engine_leaves_no_process() {
    let mut run = Run::new("5");
    let deadly = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    run.engine += &format!(" --fault 'die:epd={deadly},rank=1'");
    let output = run.command(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains(&format!("failed 3 times on {deadly} 0 1")), "{said}");
    let warning = format!("warning: attempt 2 at {deadly} 0 1 failed, trying again: ");
    assert!(said.contains(&warning), "{said}");
    assert_eq!(run.place.stored().iter().filter(|answer| answer.0 == deadly).count(), 1);
    assert_eq!(left_behind(&run.mark), [0_u32; 0]);
}

#[test]
fn killed_program_takes_stubborn_engines_with_it() {
    let run = Run::new("10");
    let mut child = run.start(&[]);
    run.wait_for_searches(30);
    // Answers that came just now are not kept yet; there are none while the engines stand still.
    let pid = child.id();
    for engine in processes_with(&run.mark).into_iter().filter(|process| *process != pid) {
        signal(i64::from(engine), "STOP");
    }
    wait_until("every answer in the database", || {
        run.place.stored().len() + 3 >= searches(&run.log())
    });
    signal(i64::from(child.id()), "KILL");
    wait(&mut child);
    run.is_clean();
}

#[test]
fn two_signals_during_the_start_leave_no_engine() {
    let mut run = Run::new("10");
    run.engine += " --fault mute-at-start";
    let mut child = run.start(&["--engine", &run.engine]);
    wait_until("two engines", || processes_with(&run.mark).len() == 3);
    for _ in 0..2 {
        signal(i64::from(child.id()), "TERM");
    }
    assert_eq!(wait(&mut child).code(), Some(130));
    assert_eq!(left_behind(&run.mark), [0_u32; 0]);
}

#[test]
fn closed_standard_error_does_not_end_a_run() {
    let run = Run::new("0");
    let mut child = run.start(&["--verbose", "--max-searches", "200"]);
    drop(child.stderr.take());
    assert_eq!(wait(&mut child).code(), Some(0));
    assert_eq!(run.place.stored().len(), 200);
    run.is_clean();
}
