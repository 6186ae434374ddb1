//! One search: it waits, answers, or goes wrong.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use deepanalyze_core::chess::{Score, legal_uci};
use shakmaty::uci::UciMove;

use crate::args::Args;
use crate::fault::{Kind, random};
use crate::output;
use crate::request::Request;
use crate::synthetic::{self, Scale};

/// How deep a search of some time is at once.
const FIRST_DEPTH: u32 = 4;

/// One search, in a thread of its own where it takes time.
pub struct Search {
    pub args: Args,
    pub request: Request,
    pub multipv: usize,
    pub says_wdl: bool,
    pub fault: Option<Kind>,
}

impl Search {
    /// True if it is answered at once, by the thread that reads the commands. A hang is, too: it
    /// must hear nothing.
    pub fn instant(&self) -> bool {
        let takes_time =
            matches!(self.fault, Some(Kind::Lost | Kind::Chatty | Kind::Slow | Kind::Held));
        let is_quick = self.args.delay_ms == 0 && self.args.jitter_ms == 0;
        is_quick && self.request.movetime.is_none() && !takes_time
            || matches!(self.fault, Some(Kind::Hang | Kind::Silent))
    }

    /// Takes its time, then says that it answers, and does.
    pub fn run(&self, stopped: &mpsc::Receiver<()>, answers: &AtomicBool) {
        let factor = if self.fault == Some(Kind::Slow) { 100 } else { 1 };
        let jitter = random() % (self.args.jitter_ms + 1);
        let delay = Duration::from_millis(self.args.delay_ms.max(1) * factor + jitter);
        let delay = self.request.movetime.map_or(delay, Duration::from_millis);
        if self.request.movetime.is_some() {
            output::print(&self.args, &self.infos(&self.lines(), FIRST_DEPTH));
        }
        match self.fault {
            Some(Kind::Lost) => sleep_for_ever(),
            Some(Kind::Chatty) => chat(&self.args),
            Some(Kind::Held) => self.wait_for_gate(),
            _ => {}
        }
        let _ = stopped.recv_timeout(delay);
        answers.store(true, Ordering::SeqCst);
        self.answer();
    }

    fn wait_for_gate(&self) {
        while !self.args.gate.as_deref().is_some_and(Path::exists) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Answers at once, or does what the fault says.
    pub fn answer(&self) {
        if self.args.stderr_bytes > 0 {
            eprintln!("{}", "e".repeat(self.args.stderr_bytes));
        }
        let lines = self.lines();
        let depth = self.request.depth.unwrap_or(9);
        let (best, best_score) = lines[0];
        match self.fault {
            Some(Kind::Die) => std::process::exit(3),
            Some(Kind::Abort) => std::process::abort(),
            Some(Kind::Hang) => sleep_for_ever(),
            Some(Kind::Silent) => std::thread::sleep(Duration::from_secs(4)),
            Some(Kind::Garbage) => output::write_bytes(output::GARBAGE),
            Some(Kind::Flood) => {
                output::write_bytes(&vec![b'x'; 8 << 20]);
                output::print(&self.args, "\n");
            }
            Some(Kind::EndlessFlood) => loop {
                output::write_bytes(&[b'x'; 4096]);
            },
            Some(Kind::Illegal) => return self.say(depth, best_score, "e1e8"),
            Some(Kind::Excluded) => return self.say(depth, best_score, &self.excluded(best)),
            Some(Kind::None) => return self.say(depth, best_score, "(none)"),
            Some(Kind::Null) => return self.say(depth, best_score, "0000"),
            Some(Kind::Empty) => return output::print(&self.args, "bestmove\n"),
            Some(Kind::NoScore) => {
                let text = format!("info depth {depth} score cp 12.5\nbestmove {best}\n");
                return output::print(&self.args, &text);
            }
            _ => {}
        }
        let mut text = self.infos(&lines, depth);
        let said = if self.args.contradict { lines[lines.len() - 1].0 } else { best };
        let mut said = output::uci(&self.args, said);
        if self.fault == Some(Kind::Switch) {
            let other = self.all().last().unwrap().0;
            said = output::uci(&self.args, other);
            let pv = output::pv(&self.args, &self.request.position, other);
            text += &output::info(depth, 1, "cp 9000 lowerbound", self.nodes(), &pv);
        }
        text += &format!("bestmove {said} ponder a1a1\n");
        if self.fault == Some(Kind::Twice) {
            text += &format!("bestmove {said}\n");
        }
        output::print(&self.args, &text);
    }

    /// The seed of its scores.
    fn seed(&self) -> u64 {
        let lies = self.fault == Some(Kind::Lie);
        if lies { self.args.seed.wrapping_add(1) } else { self.args.seed }
    }

    /// All moves that are to be searched, best first.
    fn all(&self) -> Vec<(UciMove, Score)> {
        let scale = Scale { seed: self.seed(), spread: self.args.spread, noise: self.args.noise };
        let mut moves = synthetic::scored_moves(&self.request.position, scale);
        if let Some(only) = &self.request.searchmoves
            && !self.args.no_searchmoves
        {
            moves.retain(|(m, _)| only.contains(m));
        }
        moves
    }

    /// The lines to print: as many as `MultiPV` says.
    fn lines(&self) -> Vec<(UciMove, Score)> {
        let mut moves = self.all();
        moves.truncate(self.multipv.max(1));
        moves
    }

    /// Two iterations: the scores of the first are wrong, and its last line is a bound.
    fn infos(&self, lines: &[(UciMove, Score)], depth: u32) -> String {
        let mut text = String::new();
        for shallower in [1, 0] {
            for (index, (m, score)) in lines.iter().enumerate() {
                let pv = output::pv(&self.args, &self.request.position, *m);
                let mut said = match score {
                    Score::Cp(cp) => format!("cp {}", cp + shallower * 500),
                    Score::Mate(_) => output::score(*score),
                };
                if self.says_wdl {
                    said += &output::wdl(*score);
                }
                if self.fault == Some(Kind::Bounds) {
                    said += " upperbound";
                }
                let depth = depth.saturating_sub(u32::try_from(shallower).unwrap()).max(1);
                text += &output::info(depth, index + 1, &said, self.nodes(), &pv);
            }
        }
        if self.fault == Some(Kind::WdlBound) {
            let pv = output::pv(&self.args, &self.request.position, lines[0].0);
            let said = "cp 9000 wdl 1000 0 0 lowerbound";
            text += &output::info(depth, 1, said, self.nodes(), &pv);
        }
        text
    }

    /// A plain answer with another `bestmove`.
    fn say(&self, depth: u32, score: Score, bestmove: &str) {
        let pv = vec![bestmove.to_owned()];
        let info = output::info(depth, 1, &output::score(score), self.nodes(), &pv);
        output::print(&self.args, &format!("{info}bestmove {bestmove}\n"));
    }

    /// A legal move that `searchmoves` leaves out, or the best one.
    fn excluded(&self, best: UciMove) -> String {
        let only = self.request.searchmoves.as_deref().unwrap_or(&[]);
        let legal = legal_uci(&self.request.position);
        let left_out = legal.iter().find(|m| !only.is_empty() && !only.contains(m));
        left_out.unwrap_or(&best).to_string()
    }

    fn nodes(&self) -> u64 {
        let scale = Scale { seed: self.seed(), spread: 0, noise: 0 };
        let nodes = synthetic::nodes(&self.request.position, scale);
        self.args.report_nodes.or(self.request.nodes).unwrap_or(nodes)
    }
}

fn chat(args: &Args) -> ! {
    loop {
        output::print(args, "info depth 3 currmove e2e4 currmovenumber 1\n");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Does nothing any more.
pub fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
