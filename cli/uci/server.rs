//! What each command of the GUI does.

use std::thread::JoinHandle;
use std::time::Duration;

use shakmaty::Position as _;

use deepanalyze_core::chess::Game;
use deepanalyze_core::uci::{Command, Go, Position, parse};
use deepanalyze_runner::session::{Goal, Question, Readiness, Session, Steering};

use super::options::Options;
use super::output::Output;
use super::position::{game, search_moves};

/// How long `uci` waits for the engine, whose options it lists.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// How long `isready` waits for the engines.
const READY: Duration = Duration::from_secs(30);

/// The engine as the GUI sees it.
pub struct Server {
    session: Session,
    options: Options,
    /// Whether the session has the options that hold by now.
    is_configured: bool,
    output: Output,
    game: Game,
    searching: Option<Searching>,
}

/// A search, which is told of in a thread of its own.
struct Searching {
    steering: Steering,
    thread: JoinHandle<()>,
}

impl Server {
    /// Nothing was said yet.
    pub fn new(session: Session, options: Options, output: Output) -> Server {
        let game = Game::from_position(shakmaty::Chess::default());
        Server { session, options, is_configured: true, output, game, searching: None }
    }

    /// Carries out one line; false where it was `quit`.
    pub fn obey(&mut self, line: &str) -> bool {
        match parse(line) {
            Ok(Command::Nothing) => {}
            Ok(Command::Uci) => self.introduce(),
            Ok(Command::IsReady) => self.ready(),
            Ok(Command::NewGame) => self.prepare(),
            Ok(Command::SetOption { name, value }) => self.set(&name, &value),
            Ok(Command::Position(position)) => self.set_position(&position),
            Ok(Command::Go(go)) => self.go(&go),
            Ok(Command::Stop) => self.steer(Steering::stop),
            Ok(Command::PonderHit) => self.steer(Steering::ponder_hit),
            Ok(Command::Quit) => return false,
            Err(reason) => self.output.complain(&reason),
        }
        true
    }

    /// Ends: what was answered is kept.
    pub fn end(mut self) {
        self.end_search();
        self.session.end();
    }

    /// Ends a search, and waits until its move is told.
    fn end_search(&mut self) {
        if let Some(searching) = self.searching.take() {
            searching.steering.stop();
            // A thread that has panicked has said so on standard error.
            let _ = searching.thread.join();
        }
    }

    fn introduce(&mut self) {
        self.prepare();
        // Without the engine its options cannot be listed; they are taken all the same.
        let readiness = self.session.ready(INTRODUCTION);
        let offers = self.session.offers().unwrap_or_default();
        self.output.say(&format!("id name deepanalyze tree {}", env!("CARGO_PKG_VERSION")));
        self.output.say("id author the deepanalyze developers");
        for line in self.options.listing(&offers) {
            self.output.say(&line.to_string());
        }
        if let Readiness::Failed(why) = readiness {
            self.output.complain(&why);
        }
        if let Some(why) = &self.options.warning {
            self.output.warn(why);
        }
        self.output.say("uciok");
    }

    /// Has the session work with the options as they are, and start its engines.
    fn prepare(&mut self) {
        if !self.is_configured {
            match self.options.settings() {
                Ok(settings) => self.session.configure(settings),
                Err(error) => self.output.complain(&error.message()),
            }
            self.is_configured = true;
        }
        self.session.prepare();
    }

    /// Says that all is done that was said before; engines are waited for, but not by this thread, which is to
    /// hear what comes next.
    fn ready(&mut self) {
        self.prepare();
        if self.searching.is_some() || self.session.ready(Duration::ZERO) == Readiness::Ready {
            return self.output.say("readyok");
        }
        let (session, output) = (self.session.clone(), self.output.clone());
        let wait = move || {
            tell_failure(&output, &session.ready(READY));
            output.say("readyok");
        };
        if std::thread::Builder::new().name("isready".to_owned()).spawn(wait).is_err() {
            self.output.say("readyok");
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        match self.options.set(name, value) {
            Ok(is_other) => self.is_configured &= !is_other,
            Err(reason) => self.output.complain(&reason),
        }
    }

    fn set_position(&mut self, position: &Position) {
        match game(position) {
            Ok((game, wrong)) => {
                self.game = game;
                if let Some(wrong) = wrong {
                    self.output.complain(&wrong);
                }
            }
            Err(reason) => self.output.complain(&reason),
        }
    }

    fn steer(&self, steer: impl FnOnce(&Steering)) {
        if let Some(searching) = &self.searching {
            steer(&searching.steering);
        }
    }

    /// Begins with a search. One that goes on ends first: its move is told before.
    fn go(&mut self, go: &Go) {
        self.end_search();
        self.prepare();
        let (only, wrong) =
            search_moves(&self.game, go.search_moves.as_deref().unwrap_or_default());
        wrong.iter().for_each(|wrong| self.output.complain(wrong));
        let goal = Goal::of(go, self.game.root().turn(), self.options.move_overhead);
        let (game, lines) = (self.game.clone(), self.options.lines);
        let analysing = self.session.analyse(Question { game, lines, only, goal });
        let steering = analysing.steering();
        let (output, shows_wdl) = (self.output.clone(), self.options.shows_wdl);
        if analysing.is_instant() {
            return analysing.for_each(|told| output.tell(&told, shows_wdl));
        }
        let tell = move || analysing.for_each(|told| output.tell(&told, shows_wdl));
        match std::thread::Builder::new().name("search".to_owned()).spawn(tell) {
            Ok(thread) => self.searching = Some(Searching { steering, thread }),
            Err(error) => self.output.complain(&format!("cannot start a thread: {error}")),
        }
    }
}

fn tell_failure(output: &Output, readiness: &Readiness) {
    match readiness {
        Readiness::Ready => {}
        Readiness::Failed(why) => output.complain(why),
        Readiness::Starting => output.complain("the engine is not ready yet"),
    }
}
