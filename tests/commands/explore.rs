//! `explore` on the built program, in a real terminal (tmux): keys, a tree that grows beside, and
//! how the terminal is left.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::program::{Place, signal, stderr};
use crate::support::{LONG, processes_with, scripted, wait_until};

/// A terminal with the program in it.
struct Terminal {
    place: Place,
}

impl Terminal {
    /// A terminal of a size that runs a shell command; `None` without tmux, which is only allowed
    /// if outside tools are not asked for.
    fn new(place: Place, columns: u32, rows: u32, shell: &str) -> Option<Terminal> {
        if !crate::support::readers::installed("tmux", &["-V"]) {
            return None;
        }
        let terminal = Terminal { place };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        terminal.tmux(&["-u", "new-session", "-d", "-x", &columns, "-y", &rows, shell]);
        Some(terminal)
    }

    /// `explore` in a terminal that shows its exit code when it has ended.
    fn explore(place: Place, size: (u32, u32), env: &str, args: &str) -> Option<Terminal> {
        let program = env!("CARGO_BIN_EXE_deepanalyze");
        let home = place.path("").display().to_string();
        let db = place.db().display().to_string();
        let shell = format!(
            "echo before; env -i TERM=$TERM HOME={home} {env} {program} explore --db {db} {args}; \
             echo exit=$?; stty -a | tr ' ;' '\\n\\n' | grep -x -e -echo -e echo; sleep 1000"
        );
        Terminal::new(place, size.0, size.1, &shell)
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", "test", "-f", "/dev/null"]).args(args).current_dir(self.place.path(""));
        tmux.env_remove("TMUX").env("TMUX_TMPDIR", self.place.path(""));
        let output = tmux.output().unwrap();
        assert!(output.status.success(), "tmux {args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"][..], keys].concat());
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The screen once it shows a text.
    fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(began.elapsed() < LONG, "no {what:?}:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let tmux = Command::new("tmux")
            .args(["-L", "test", "kill-server"])
            .env_remove("TMUX")
            .env("TMUX_TMPDIR", self.place.path(""))
            .output();
        drop(tmux);
    }
}

fn grown() -> Place {
    let place = Place::new();
    place.grow(&["--depth", "3", "--distance", "20"]);
    place
}

/// The best move of the root, and the whole best line, as `show` has them.
fn best_line(place: &Place) -> Vec<String> {
    let tree: serde_json::Value =
        serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    let mut line = Vec::new();
    let mut moves = &tree["moves"];
    while let Some(best) = moves.as_array().and_then(|moves| moves.first()) {
        line.push(best["san"].as_str().unwrap().to_owned());
        moves = &best["moves"];
    }
    line
}

#[test]
fn a_user_walks_the_tree_and_gets_the_terminal_back() {
    let place = grown();
    let best = best_line(&place);
    let Some(terminal) = Terminal::explore(place, (80, 24), "LANG=C.UTF-8", "") else { return };
    let screen = terminal.wait_for("the root");
    assert!(screen.contains("♜") && screen.contains("White to move"), "{screen}");
    assert!(!screen.contains("before"), "it has a screen of its own");
    terminal.keys(&["n"]);
    terminal.wait_for(&format!("line 1. {}", best[0]));
    terminal.keys(&["Enter"]);
    terminal.wait_for(&format!("line 1. {} {}", best[0], best[1]));
    terminal.keys(&["Left", "h"]);
    terminal.wait_for("the root");
    terminal.keys(&["/"]);
    terminal.keys(&["-l", &format!("1.{} {}", best[0], best[1])]);
    terminal.wait_for(&format!("/1.{} {}", best[0], best[1]));
    terminal.keys(&["Enter"]);
    terminal.wait_for(&format!("line 1. {} {}", best[0], best[1]));
    terminal.keys(&["?"]);
    terminal.wait_for("Esc leaves the help");
    terminal.keys(&["Escape"]);
    terminal.wait_until("no help", |screen| !screen.contains("leaves the help"));
    terminal.keys(&["c"]);
    let screen = terminal.wait_for("Esc leaves this");
    assert!(screen.contains("  holds   even if every score is off by"), "{screen}");
    terminal.keys(&["c"]);
    terminal.wait_until("the walk", |screen| !screen.contains("Esc leaves this"));
    terminal.keys(&["f"]);
    terminal.wait_for("h  g  f  e  d  c  b  a");
    terminal.keys(&["q"]);
    let screen = terminal.wait_for("exit=0\necho");
    assert!(screen.starts_with("before"), "what stood there is back: {screen}");
}

#[test]
fn the_screen_follows_the_size_of_the_window() {
    let Some(terminal) = Terminal::explore(grown(), (80, 24), "LANG=C.UTF-8", "") else { return };
    terminal.wait_for("   a  b  c  d  e  f  g  h");
    terminal.tmux(&["resize-window", "-x", "200", "-y", "50"]);
    terminal.wait_for("      a       b       c       d       e       f       g       h");
    for (x, y) in [("30", "8"), ("5", "3"), ("1", "1"), ("80", "24")] {
        terminal.tmux(&["resize-window", "-x", x, "-y", y]);
        std::thread::sleep(Duration::from_millis(50));
    }
    terminal.wait_for("   a  b  c  d  e  f  g  h");
    terminal.keys(&["C-c"]);
    terminal.wait_for("exit=0\necho");
}

#[test]
fn without_utf_8_and_colours_there_are_none() {
    let env = "LANG=C NO_COLOR=1";
    let Some(terminal) = Terminal::explore(grown(), (80, 24), env, "--pov white") else { return };
    let screen = terminal.wait_for("scores for White");
    assert!(screen.is_ascii() && screen.contains("8  r  n  b  q  k  b  n  r"), "{screen}");
    let styled = terminal.tmux(&["capture-pane", "-p", "-e"]);
    // Back to the usual colours, no colour; bold, dim, underlined, reversed.
    for code in styled.split("\u{1b}[").skip(1).filter_map(|rest| rest.split('m').next()) {
        let plain = ["0", "1", "2", "4", "7", "39", "49", ""];
        assert!(code.split(';').all(|code| plain.contains(&code)), "{code}: {styled:?}");
    }
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for name in ["TERM", "HUP"] {
        let place = grown();
        let mark = format!("explore --db {}", place.db().display()).replace(' ', "\0");
        let Some(terminal) = Terminal::explore(place, (80, 24), "LANG=C.UTF-8", "") else { return };
        terminal.wait_for("the root");
        let program = processes_with(&mark);
        assert_eq!(program.len(), 1, "{program:?}");
        signal(i64::from(program[0]), name);
        let screen = terminal.wait_for("exit=130\necho");
        assert!(screen.starts_with("before"), "{name}: {screen}");
    }
}

/// The number of positions that the screen tells.
fn positions(screen: &str) -> u64 {
    let before = screen.split(" positions").next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn growing_tree_is_followed_and_place_kept() {
    let place = grown();
    let best = best_line(&place);
    let (log, gate) = (place.path("log"), place.path("gate"));
    // It is held until it is seen to grow: on a busy machine it might be over before.
    let flags = ["--delay-ms", "10", "--fault", "held:logged=5"];
    let files = ["--log", log.to_str().unwrap(), "--gate", gate.to_str().unwrap()];
    let engine = scripted(&[&flags[..], &files].concat());
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    let more = ["--depth", "5", "--quiet", "--engines", "1"];
    let line = format!("--line \"{} {}\"", best[0], best[1]);
    let Some(terminal) = Terminal::explore(place, (100, 30), "LANG=C.UTF-8", &line) else {
        return;
    };
    let kept = format!("line 1. {} {}", best[0], best[1]);
    let first = positions(&terminal.wait_for(&kept));
    let mut grow = terminal.place.start(&[&args[..], &more].concat());
    terminal.wait_for("growing");
    std::fs::write(&gate, "").unwrap();
    let screen = terminal.wait_until("more positions", |screen| positions(screen) > first);
    assert!(screen.contains(&kept), "{screen}");
    // Keys work while trees are read.
    terminal.keys(&["?"]);
    terminal.wait_for("Esc leaves the help");
    terminal.keys(&["Escape"]);
    let status = grow.wait().unwrap();
    assert!(status.success());
    let screen = terminal.wait_until("its end", |screen| {
        !screen.contains("growing") && screen.contains("depth 5 of 5 ")
    });
    assert!(screen.contains(&kept), "{screen}");
    let list: serde_json::Value =
        serde_json::from_str(&terminal.place.stdout(&["show", "--format", "json"])).unwrap();
    assert_eq!(Some(positions(&screen)), list["positions"].as_u64());
}

#[test]
fn directives_by_key_are_stored_and_used_next_run() {
    let place = grown();
    let first = best_line(&place)[0].clone();
    let Some(terminal) = Terminal::explore(place, (100, 30), "LANG=C.UTF-8", "") else { return };
    let kept = |terminal: &Terminal| -> Vec<String> {
        let db = rusqlite::Connection::open(terminal.place.db()).unwrap();
        let mut query = db.prepare("SELECT kind FROM directive ORDER BY created_at, kind").unwrap();
        let rows = query.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    terminal.wait_for("the root");
    terminal.keys(&["x"]);
    terminal.wait_for(&format!("excluded 1. {first}; `grow` follows"));
    terminal.wait_until("the tree without it", |screen| {
        screen.contains(" pending") && screen.contains("  excluded")
    });
    assert_eq!(kept(&terminal), ["exclude"]);
    terminal.keys(&["n", "v"]);
    terminal.wait_for("value (+0.50, draw, white, black):");
    terminal.keys(&["-l", "+1"]);
    terminal.keys(&["Escape"]);
    terminal.wait_until("the line editor gone", |screen| !screen.contains("value (+0.50"));
    terminal.keys(&["t"]);
    terminal.keys(&["-l", "to be \"looked\" at"]);
    terminal.keys(&["Enter"]);
    terminal.wait_for("noted");
    assert_eq!(kept(&terminal), ["exclude", "note"]);
    // Another program holds the database: the change waits, and says why.
    let holder = rusqlite::Connection::open(terminal.place.db()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    terminal.keys(&["s"]);
    terminal.wait_for("another program has locked it");
    assert_eq!(kept(&terminal), ["exclude", "note"]);
    holder.execute_batch("ROLLBACK").unwrap();
    wait_until("the change that waited", || kept(&terminal).contains(&"stop".to_owned()));
    terminal.keys(&["0", "s"]);
    terminal.wait_for("the root cannot be given a value or stopped");
    terminal.keys(&["d"]);
    terminal.wait_for(&format!("exclude 1. {first}"));
    terminal.keys(&["q"]);
    terminal.place.grow(&["--depth", "3", "--distance", "20"]);
    terminal.wait_until("the tree as it was grown", |screen| {
        !screen.contains(" pending") && screen.contains("White to move")
    });
    terminal.keys(&["q"]);
    terminal.wait_for("exit=0\necho");
}

#[test]
fn explore_fails_before_touching_the_terminal() {
    let place = grown();
    for (args, code, says) in [
        (&["explore"][..], 2, "explore needs a terminal"),
        (&["explore", "--line", "e4 Ke3"], 2, "Ke3 is illegal there"),
        (&["explore", "--root", "8/8/4k3/8/8/3K4/4P3/8 w - -"], 1, "there is no analysis of"),
        (&["explore", "--analysis", "9"], 1, "there is no analysis 9"),
        (&["explore", "--db", "missing.db"], 1, "missing.db"),
    ] {
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        let text = stderr(&output);
        assert!(text.contains(says), "{args:?}: {text}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
