//! The engine: reads commands, searches (that is, waits), answers.

use std::fs::OpenOptions;
use std::io::{BufRead, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use deepanalyze_core::chess::{epd_of, is_chess960};
use shakmaty::Chess;

use crate::args::Args;
use crate::fault::{Fault, Kind, Moment};
use crate::output;
use crate::request;
use crate::search::{Search, sleep_for_ever};

struct Engine {
    args: Args,
    position: Chess,
    multipv: usize,
    chess960: bool,
    shows_wdl: bool,
    start: u64,
    go: u64,
    search: Option<Running>,
}

/// A search that takes its time.
struct Running {
    stop: mpsc::Sender<()>,
    /// True while its answer is on its way: later commands may have come because of it.
    answers: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Serves stdin until `quit` or its end.
pub fn run(args: Args) {
    let start = args.starts.as_deref().map_or(1, count_start);
    let (position, multipv, chess960, shows_wdl) = (Chess::default(), 1, false, false);
    let mut engine =
        Engine { args, position, multipv, chess960, shows_wdl, start, go: 0, search: None };
    if engine.strikes(Kind::DieAtStart) {
        eprintln!("scripted: cannot open the network file\nscripted: giving up");
        std::process::exit(3);
    }
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if let Some(path) = &engine.args.transcript {
            append(path, format!("> {line}\n").as_bytes());
        }
        engine.command(&line);
    }
    if engine.args.stubborn {
        sleep_for_ever();
    }
    std::process::exit(0);
}

impl Engine {
    fn command(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "uci" => self.introduce(),
            "isready" => self.ready(),
            "ucinewgame" => self.idle_only(word),
            "setoption" => self.set_option(rest),
            "position" => {
                self.idle_only(word);
                self.position = request::position(rest).unwrap_or_else(|why| violation(&why));
            }
            "go" => self.go(line),
            "stop" => self.stop(),
            "quit" if !self.args.stubborn => std::process::exit(0),
            "quit" => {}
            _ => violation(&format!("unknown command {line:?}")),
        }
    }

    fn introduce(&self) {
        if self.strikes(Kind::MuteAtStart) {
            return;
        }
        let mut text = String::new();
        if !self.args.name.is_empty() {
            let other = if self.strikes(Kind::OtherName) { " other" } else { "" };
            text += &format!("id name {}{other}\n", self.args.name);
        }
        text += "id author nobody\n\n";
        text += "option name Hash type spin default 16 min 1 max 1024\n";
        text += "option name Threads type spin default 2 min 1 max 8\n";
        text += "option name OwnBook type check default true\n";
        text += "option name UCI_ShowWDL type check default true\n";
        text += "option name Ponder type check default true\n";
        text += "option name Clear Hash type button\n";
        text +=
            "option name Style type combo default Normal var Solid var Normal var Variety Show\n";
        text += "option name Eval File type string default <empty>\n";
        if !self.args.no_chess960 {
            text += "option name UCI_Chess960 type check default false\n";
        }
        if self.args.max_multipv > 0 {
            let max = self.args.max_multipv;
            text += &format!("option name MultiPV type spin default 1 min 1 max {max}\n");
        }
        for line in &self.args.option_line {
            text += &format!("{line}\n");
        }
        let ok =
            if self.strikes(Kind::GreenAtStart) { "\u{1b}[32muciok\u{1b}[0m" } else { "uciok" };
        output::print(&self.args, &format!("{text}{ok}\n"));
    }

    fn ready(&self) {
        if self.search.is_some() || !self.strikes(Kind::NotReady) {
            output::print(&self.args, "readyok\n");
        }
    }

    fn set_option(&mut self, rest: &str) {
        self.idle_only("setoption");
        let rest = rest.strip_prefix("name ").unwrap_or_else(|| violation(rest));
        let (name, value) = rest.split_once(" value ").unwrap_or((rest, ""));
        match name {
            "MultiPV" if self.args.max_multipv > 0 => {
                self.multipv = value.parse().unwrap_or_else(|_| violation(rest));
            }
            "UCI_ShowWDL" => self.shows_wdl = value == "true",
            "Hash" | "Threads" | "OwnBook" | "Ponder" | "Clear Hash" | "Style" | "Eval File" => {}
            "UCI_Chess960" if !self.args.no_chess960 => self.chess960 = value == "true",
            _ if self.args.option_line.iter().any(|line| line.contains(name)) => {}
            _ => violation(&format!("unknown option {name:?}")),
        }
    }

    fn go(&mut self, line: &str) {
        self.idle_only("go");
        if is_chess960(&self.position) != self.chess960 {
            violation("UCI_Chess960 does not fit the position");
        }
        self.go += 1;
        let request = request::go(line, &self.position).unwrap_or_else(|why| violation(&why));
        if let Some(path) = &self.args.log {
            append(path, request.log_line().as_bytes());
        }
        let (rank, epd) = (request.excluded(), epd_of(&self.position));
        let struck = self.args.struck.as_deref().map_or(0, |path| times(path, &epd, rank));
        // Counted where it matters alone: the log of a long run takes a while to read.
        let counts = self.args.fault.iter().any(Fault::counts_log);
        let logged = self.args.log.as_deref().filter(|_| counts).map_or(0, lines);
        let now = Moment { go: self.go, start: self.start, rank, epd, struck, logged };
        let fault =
            self.args.fault.iter().find(|fault| !at_start(fault.kind) && fault.strikes(&now));
        if let (Some(fault), Some(path)) = (fault, &self.args.struck) {
            append(path, format!("|{:?}\t{}\t{rank}\n", fault.kind, now.epd).as_bytes());
        }
        let search = Search {
            args: self.args.clone(),
            request,
            multipv: self.multipv,
            says_wdl: self.args.wdl && self.shows_wdl,
            fault: fault.map(|fault| fault.kind),
        };
        if search.instant() {
            return search.answer();
        }
        let (stop, stopped) = mpsc::channel();
        let answers = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&answers);
        let thread = std::thread::spawn(move || search.run(&stopped, &told));
        self.search = Some(Running { stop, answers, thread });
    }

    fn stop(&mut self) {
        if let Some(search) = self.search.take() {
            let _ = search.stop.send(());
            let _ = search.thread.join();
        }
    }

    /// Ends the engine where a search is still running.
    fn idle_only(&mut self, word: &str) {
        let Some(search) = self.search.take() else { return };
        if !search.answers.load(Ordering::SeqCst) {
            violation(&format!("{word} during a search"));
        }
        let _ = search.thread.join();
    }

    /// True if a fault without a search strikes.
    fn strikes(&self, kind: Kind) -> bool {
        let now = Moment { go: self.go, start: self.start, ..Moment::default() };
        let mut faults = self.args.fault.iter();
        faults.any(|fault| fault.kind == kind && fault.strikes(&now))
    }
}

fn at_start(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DieAtStart
            | Kind::MuteAtStart
            | Kind::GreenAtStart
            | Kind::OtherName
            | Kind::NotReady
    )
}

fn violation(what: &str) -> ! {
    eprintln!("protocol violation: {what}");
    std::process::exit(70);
}

/// Adds a byte to the file; its length is the number of this start.
fn count_start(path: &Path) -> u64 {
    append(path, b".");
    std::fs::metadata(path).unwrap().len()
}

/// How often a search stands in the file of those that were struck.
fn times(path: &Path, epd: &str, rank: usize) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let end = format!("\t{epd}\t{rank}");
    text.lines().filter(|line| line.ends_with(&end)).count()
}

/// How many lines a file has.
fn lines(path: &Path) -> usize {
    std::fs::read(path).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
}

/// One write in append mode: lines of several processes never mix. A kill may still cut one; so lines
/// begin with a sign, and what stands between such a sign and the next line's is no line.
fn append(path: &Path, bytes: &[u8]) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.unwrap().write_all(bytes).unwrap();
}
