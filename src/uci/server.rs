//! The commands of the GUI.

use std::thread::JoinHandle;
use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position as _};

use deepanalyze_core::chess::{Game, parse_uci, uci_of};
use deepanalyze_core::uci::{Command, Go, Position, king_takes_rook, parse};
use deepanalyze_runner::session::{
    Readiness, Report, SearchGoal, Session, SessionEvent, SessionQuestion, SessionSteering,
};

use super::GuiOutput;
use super::options::GuiOptions;

/// How long `uci` waits for the engine, whose options it lists.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// How long `isready` waits for the engines.
const READY: Duration = Duration::from_secs(30);

/// The engine as the GUI sees it.
pub struct GuiServer {
    session: Session,
    options: GuiOptions,
    /// True if the session has the present options.
    is_configured: bool,
    output: GuiOutput,
    /// The game up to the position to search, or what is wrong with the position that was given.
    game: Result<Game, String>,
    searching: Option<GuiSearch>,
}

/// A search, reported by a thread of its own.
struct GuiSearch {
    steering: SessionSteering,
    thread: JoinHandle<()>,
}

impl GuiServer {
    /// Nothing was said yet.
    pub fn new(session: Session, options: GuiOptions, output: GuiOutput) -> GuiServer {
        let game = Ok(Game::from_position(shakmaty::Chess::default()));
        GuiServer { session, options, is_configured: true, output, game, searching: None }
    }

    /// Carries out one line; false where it was `quit`.
    pub fn obey(&mut self, line: &str) -> bool {
        match parse(line) {
            Ok(Command::Nothing) => {}
            Ok(Command::Uci) => self.introduce(),
            Ok(Command::IsReady) => self.ready(),
            Ok(Command::NewGame) => self.prepare(),
            Ok(Command::SetOption { name, value }) => self.set(&name, &value),
            Ok(Command::Position(position)) => {
                self.set_position(position.and_then(|position| game(&position)));
            }
            Ok(Command::Go(go)) => self.go(&go),
            Ok(Command::Stop) => self.steer(SessionSteering::stop),
            Ok(Command::PonderHit) => self.steer(SessionSteering::ponder_hit),
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

    /// Ends a search, and waits until its move is sent.
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

    /// A position that is none takes the place of the one before: that one is not what is meant.
    fn set_position(&mut self, given: Result<(Game, Option<String>), String>) {
        let wrong = given.as_ref().map_or_else(Some, |(_, wrong)| wrong.as_ref());
        wrong.into_iter().for_each(|wrong| self.output.complain(wrong));
        self.game = given.map(|(game, _)| game);
    }

    fn steer(&self, steer: impl FnOnce(&SessionSteering)) {
        if let Some(searching) = &self.searching {
            steer(&searching.steering);
        }
    }

    /// Begins a search. A running one ends first, and sends its move.
    fn go(&mut self, go: &Go) {
        self.end_search();
        self.prepare();
        go.ignored.iter().for_each(|ignored| self.output.warn(ignored));
        let game = match &self.game {
            Ok(game) => game.clone(),
            Err(reason) => return self.answer_nothing(&format!("nothing to search: {reason}")),
        };
        let (only, wrong) = search_moves(&game, go.search_moves.as_deref().unwrap_or_default());
        wrong.iter().for_each(|wrong| self.output.complain(wrong));
        let goal = SearchGoal::of(go, game.root().turn(), self.options.move_overhead);
        let lines = self.options.lines;
        let root = self.options.is_chess960.then(|| game.root().clone());
        let analysing = self.session.analyse(SessionQuestion { game, lines, only, goal });
        let steering = analysing.steering();
        let (output, shows_wdl) = (self.output.clone(), self.options.shows_wdl);
        let tell = move |told| match &root {
            Some(root) => output.tell(&spelled(root, told), shows_wdl),
            None => output.tell(&told, shows_wdl),
        };
        if analysing.is_instant() {
            return analysing.for_each(tell);
        }
        let tell = move || analysing.for_each(tell);
        match std::thread::Builder::new().name("search".to_owned()).spawn(tell) {
            Ok(thread) => self.searching = Some(GuiSearch { steering, thread }),
            Err(error) => self.answer_nothing(&format!("cannot start a thread: {error}")),
        }
    }

    /// Reports why there is no move: every `go` is answered.
    fn answer_nothing(&self, reason: &str) {
        self.output.complain(reason);
        self.output.tell(&SessionEvent::Best { best: None, ponder: None }, false);
    }
}

fn tell_failure(output: &GuiOutput, readiness: &Readiness) {
    match readiness {
        Readiness::Ready => {}
        Readiness::Failed(why) => output.complain(why),
        Readiness::Starting => output.complain("the engine is not ready yet"),
    }
}

/// The game up to a position. If a move is not legal, the game has the moves before it, and an
/// error comes with it: GUIs of all kinds send such, and an engine goes on with what it
/// understands.
///
/// # Errors
///
/// The error in the FEN.
fn game(position: &Position) -> Result<(Game, Option<String>), String> {
    let start = position.fen.as_deref().unwrap_or("startpos");
    let mut game = Game::from_start(start).map_err(|error| error.to_string())?;
    for (index, text) in position.moves.iter().enumerate() {
        let Some(m) = parse_uci(text).and_then(|uci| uci.to_move(game.root()).ok()) else {
            let wrong = format!("move {} of the position, {text:?}, is not legal", index + 1);
            return Ok((game, Some(wrong)));
        };
        game.play(m);
    }
    Ok((game, None))
}

/// The moves of `searchmoves` that are legal, each once; with what is wrong with the others.
fn search_moves(game: &Game, texts: &[String]) -> (Vec<UciMove>, Vec<String>) {
    let (mut moves, mut wrong) = (Vec::new(), Vec::new());
    for text in texts {
        match parse_uci(text).and_then(|uci| uci.to_move(game.root()).ok()) {
            Some(m) => {
                let uci = uci_of(game.root(), m);
                if !moves.contains(&uci) {
                    moves.push(uci);
                }
            }
            None => wrong.push(format!("{text:?} is not legal here")),
        }
    }
    (moves, wrong)
}

/// An event of a search with castling written as the king taking its rook.
pub(super) fn spelled(root: &Chess, told: SessionEvent) -> SessionEvent {
    match told {
        SessionEvent::Report(report) => {
            let mut lines = report.lines;
            lines.iter_mut().for_each(|line| line.moves = king_takes_rook(root, &line.moves));
            SessionEvent::Report(Report { lines, ..report })
        }
        SessionEvent::Best { best, ponder } => {
            let line: Vec<_> = best.into_iter().chain(ponder).collect();
            let mut moves = king_takes_rook(root, &line).into_iter();
            SessionEvent::Best { best: moves.next(), ponder: moves.next() }
        }
        SessionEvent::Note(text) => SessionEvent::Note(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> Result<(Game, Option<String>), String> {
        match parse(line)? {
            Command::Position(position) => game(&position?),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn moves_before_an_illegal_one_are_the_game() {
        let (whole, none) = given("position startpos moves e2e4 e7e5 g1f3\r").unwrap();
        assert_eq!((whole.moves().len(), none), (3, None));
        let (part, wrong) = given("position startpos moves e2e4 e7e6 e4e6 g1f3").unwrap();
        assert_eq!(part.moves().len(), 2);
        assert!(wrong.is_some_and(|wrong| wrong.contains("move 3") && wrong.contains("e4e6")));
        assert!(given("position fen 8/8/8/8/8/8/8/8 w - - 0 1").is_err());
        let (castled, _) =
            given("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1h1 e8e7").unwrap();
        assert_eq!(castled.moves()[0].to_string(), "e1g1");
    }

    #[test]
    fn moves_to_search_that_are_not_legal_are_left_out() {
        let (start, _) = given("position startpos").unwrap();
        let texts = ["e2e4", "e2e5", "e2e4", "xyz"].map(str::to_owned);
        let (moves, wrong) = search_moves(&start, &texts);
        assert_eq!((moves.len(), wrong.len()), (1, 2));
    }
}
