//! `deepanalyze uci`: the tree as an engine for any GUI; and `deepanalyze engine`, the built-in one.

mod options;
mod server;

use std::io;
use std::io::{BufReader, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, Subcommand};

use deepanalyze_core::chess::Score;
use deepanalyze_core::uci::{Info, best_move, for_each_line, note};
use deepanalyze_engine::{dismiss_guard, kill_all};
use deepanalyze_runner::session::{Report, Session, SessionEvent};
use deepanalyze_view::Line;

use super::args::tree::SessionArgs;
use super::error::CliError;
use super::starting::guard_engines;
use options::GuiOptions;
use server::GuiServer;

/// Use the tree as a UCI engine in your chess program
///
/// Add this command as an engine to your GUI. Positions you look at are searched as by `deepanalyze grow` and kept: a
/// position that was analysed before is answered at once. The options here are the defaults of those that the GUI
/// shows.
#[derive(Debug, Args)]
pub struct UciArgs {
    #[command(flatten)]
    session: SessionArgs,
}

/// Runs the command.
pub fn run(args: &UciArgs) -> Result<ExitCode, CliError> {
    let options = GuiOptions::new(args.session.clone())?;
    let session = Session::new(options.settings()?)?;
    guard_engines();
    // Engines are there when the GUI asks for them.
    session.prepare();
    let mut server = GuiServer::new(session, options, GuiOutput::new(io::stdout()));
    for_each_line(BufReader::new(io::stdin()), |line| server.obey(line));
    server.end();
    // An engine that is just being started has no owner yet.
    kill_all();
    dismiss_guard();
    Ok(ExitCode::SUCCESS)
}

/// Run the built-in UCI engine, for any chess program
#[derive(Debug, Args)]
pub struct BuiltinArgs {
    #[command(subcommand)]
    command: Option<BuiltinAction>,
}

#[derive(Debug, Subcommand)]
enum BuiltinAction {
    /// Measure its speed on a fixed set of positions
    Bench,
}

/// Runs the built-in engine.
pub fn builtin(args: &BuiltinArgs) -> Result<ExitCode, CliError> {
    match args.command {
        None => deepanalyze_builtin::uci::run(BufReader::new(io::stdin()), io::stdout()),
        Some(BuiltinAction::Bench) => deepanalyze_builtin::bench::run(io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where lines go.
#[derive(Clone)]
struct GuiOutput {
    out: Arc<Mutex<dyn Write + Send>>,
}

impl GuiOutput {
    /// Lines go there, each at once.
    pub fn new(out: impl Write + Send + 'static) -> GuiOutput {
        GuiOutput { out: Arc::new(Mutex::new(out)) }
    }

    /// Writes lines together. A reader that is gone is noticed by the end of the input.
    pub fn say(&self, lines: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "{lines}").and_then(|()| out.flush());
    }

    /// Tells people why something cannot be.
    pub fn complain(&self, reason: &str) {
        self.say(&note(&format!("error: {reason}")));
    }

    /// Tells people of something that goes on without what they have asked for.
    pub fn warn(&self, why: &str) {
        self.say(&note(&format!("warning: {why}")));
    }

    /// Passes on what comes of a search.
    pub fn tell(&self, told: &SessionEvent, shows_wdl: bool) {
        match told {
            SessionEvent::Report(report) => self.say(&lines_of(report, shows_wdl)),
            SessionEvent::Note(text) => self.say(&note(text)),
            SessionEvent::Best { best, ponder } => self.say(&best_move(*best, *ponder)),
        }
    }
}

/// The lines of a report, one below the other.
fn lines_of(report: &Report, shows_wdl: bool) -> String {
    let lines = report.lines.iter().enumerate();
    let lines: Vec<String> =
        lines.map(|(index, line)| line_of(report, index, line, shows_wdl)).collect();
    lines.join("\n")
}

fn line_of(report: &Report, index: usize, line: &Line, shows_wdl: bool) -> String {
    let score = line.score();
    if line.moves.is_empty() {
        // The game is over: there is a score, and nothing else.
        return match score {
            Score::Cp(cp) => format!("info depth 0 score cp {cp}"),
            Score::Mate(moves) => format!("info depth 0 score mate {moves}"),
        };
    }
    let info = Info {
        depth: report.depth,
        seldepth: report.seldepth,
        multipv: index + 1,
        score,
        bound: None,
        wdl: line.wdl.filter(|_| shows_wdl).map(|wdl| wdl.permille().map(i32::from)),
        nodes: report.nodes,
        // Answers are kept on disk, without a limit: no table fills.
        hashfull: 0,
        time: report.time,
        pv: &line.moves,
    };
    info.to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use deepanalyze_core::chess::{Value, parse_uci};
    use deepanalyze_core::search::WinDrawLoss;
    use shakmaty::Chess;

    fn report(lines: Vec<Line>) -> Report {
        let time = Duration::from_millis(20);
        Report { depth: 14, seldepth: 21, nodes: 400, time, lines }
    }

    #[test]
    fn each_line_of_a_report_is_an_info_line_of_its_own() {
        let line = |cp, uci| Line {
            root: Chess::default(),
            moves: vec![parse_uci(uci).unwrap()],
            value: Score::Cp(cp).into(),
            wdl: WinDrawLoss::new(100, 800, 100),
        };
        let report = report(vec![line(30, "e2e4"), line(-4, "d2d4")]);
        let text = lines_of(&report, true);
        let expected = [
            "info depth 14 seldepth 21 multipv 1 score cp 30 wdl 100 800 100 nodes 400 nps 20000 \
             hashfull 0 time 20 pv e2e4",
            "info depth 14 seldepth 21 multipv 2 score cp -4 wdl 100 800 100 nodes 400 nps 20000 \
             hashfull 0 time 20 pv d2d4",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_finished_game_has_a_score_alone() {
        let (moves, wdl) = (Vec::new(), Some(WinDrawLoss::LOST));
        let line = |value| Line { root: Chess::default(), moves: moves.clone(), value, wdl };
        let text = |value| lines_of(&report(vec![line(value)]), true);
        assert_eq!(text(Value::MATED), "info depth 0 score mate 0");
        assert_eq!(text(Value::EVEN), "info depth 0 score cp 0");
    }
}
