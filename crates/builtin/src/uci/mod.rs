//! The UCI loop: one thread reads, one searches, both write whole lines. Also converts a position
//! and a `go` to this engine's board.

mod settings;
mod worker;

use std::io::{BufRead, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};

use super::board::Board;
use super::moves::Move;
use super::options::Options;
use super::search::Task;
use super::time::Limits;
use deepanalyze_core::chess::parse_fen;
use deepanalyze_core::uci::{Command, Go, Position, for_each_line, parse};
use worker::{SearchJob, SearchThread, SharedOutput};

/// The loop's own state.
struct UciLoop<'a, W> {
    shared: &'a SharedOutput<W>,
    jobs: Sender<SearchJob>,
    options: Options,
    /// The board and the keys of the positions before it, or the error of the given position.
    position: Result<(Board, Vec<u64>), String>,
}

/// Answers UCI commands until `quit` or the end of the input.
pub fn run(input: impl BufRead + Send, output: impl Write + Send) {
    let shared = SharedOutput::new(output);
    let (jobs, received) = channel();
    std::thread::scope(|scope| {
        let shared = &shared;
        scope.spawn(move || SearchThread::new(shared).serve(&received));
        let mut server = UciLoop {
            shared,
            jobs,
            options: Options::default(),
            position: Ok((Board::new(&shakmaty::Chess::default()), Vec::new())),
        };
        for_each_line(input, |line| server.obey(line));
        // Leaving the scope drops the server and its sender: the worker ends, too.
        shared.signals.stop.store(true, Ordering::Relaxed);
    });
}

impl<W: Write + Send> UciLoop<'_, W> {
    /// Executes one line; false if it was `quit`.
    fn obey(&mut self, line: &str) -> bool {
        match parse(line) {
            Ok(Command::Nothing) => {}
            Ok(Command::Uci) => self.introduce(),
            Ok(Command::IsReady) => self.ready(),
            Ok(Command::NewGame) => self.send(SearchJob::Clear),
            Ok(Command::SetOption { name, value }) => self.set(&name, &value),
            Ok(Command::Position(position)) => {
                let chess960 = self.options.chess960;
                self.set_position(position.and_then(|position| play(&position, chess960)));
            }
            Ok(Command::Go(go)) => self.go(&go),
            Ok(Command::Stop) => self.shared.signals.stop.store(true, Ordering::Relaxed),
            Ok(Command::PonderHit) => self.shared.signals.pondering.store(false, Ordering::Relaxed),
            Ok(Command::Quit) => return false,
            Err(reason) => self.shared.complain(&reason),
        }
        true
    }

    fn send(&self, job: SearchJob) {
        // The worker lives as long as the scope.
        let _ = self.jobs.send(job);
    }

    fn introduce(&self) {
        // Answers of builds that search differently are not comparable: the name tells them apart.
        let (version, signature) = (env!("CARGO_PKG_VERSION"), crate::bench::SIGNATURE);
        self.shared.say(&format!("id name deepanalyze {version} ({signature})"));
        self.shared.say("id author the deepanalyze developers");
        for line in settings::listing() {
            self.shared.say(&line);
        }
        self.shared.say("uciok");
    }

    /// Answers at once during a search; other work is finished first.
    fn ready(&self) {
        if self.shared.searching.load(Ordering::Acquire) {
            self.shared.say("readyok");
        } else {
            self.send(SearchJob::Ready);
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        match settings::set(&mut self.options, name, value) {
            Ok(Some(job)) => self.send(job),
            Ok(None) => {}
            Err(reason) => self.shared.complain(&reason),
        }
    }

    /// An invalid position replaces the one before: that one must not be searched.
    fn set_position(&mut self, position: Result<(Board, Vec<u64>), String>) {
        if let Err(reason) = &position {
            self.shared.complain(reason);
        }
        self.position = position;
    }

    fn go(&mut self, go: &Go) {
        let (board, earlier) = match &self.position {
            Ok(position) => position.clone(),
            Err(reason) => {
                self.stop_and_wait();
                self.shared.complain(&format!("nothing to search: {reason}"));
                return self.shared.say("bestmove 0000");
            }
        };
        self.stop_and_wait();
        let (limits, wrong) = limits_of(go, &board);
        go.ignored.iter().chain(&wrong).for_each(|ignored| self.shared.complain(ignored));
        self.shared.signals.stop.store(false, Ordering::Relaxed);
        self.shared.signals.pondering.store(limits.ponder, Ordering::Relaxed);
        self.shared.searching.store(true, Ordering::Release);
        let task = Task { board, earlier, limits };
        self.send(SearchJob::Search(Box::new((self.options.clone(), task))));
    }

    /// A second `go` ends the first.
    fn stop_and_wait(&self) {
        while self.shared.searching.load(Ordering::Acquire) {
            self.shared.signals.stop.store(true, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

/// The limits for a position, and the illegal ones of its search moves. If none is legal, all are
/// searched.
fn limits_of(go: &Go, board: &Board) -> (Limits, Vec<String>) {
    let side = usize::from(board.turn() == shakmaty::Color::Black);
    let mut limits = Limits {
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        move_time: go.move_time,
        clock: go.clocks[side],
        increment: go.increments[side],
        moves_to_go: go.moves_to_go,
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: Vec::new(),
    };
    let mut wrong = Vec::new();
    for text in go.search_moves.iter().flatten() {
        match legal(board, text) {
            Some(m) => limits.search_moves.push(m),
            None => wrong.push(format!("{text:?} is not legal here")),
        }
    }
    if go.search_moves.is_some() && limits.search_moves.is_empty() {
        wrong.push("go searchmoves names no legal move: all are searched".to_owned());
    }
    (limits, wrong)
}

fn legal(board: &Board, text: &str) -> Option<Move> {
    let text = text.to_ascii_lowercase();
    let is_meant = |m: &Move| m.to_string() == text;
    let castles = |m: &Move| m.is_castle() && board.spellings(*m).iter().any(is_meant);
    let moves = board.legal_moves();
    // A king's step may look like castling.
    moves.iter().find(|m| is_meant(m)).or_else(|| moves.iter().find(|m| castles(m))).copied()
}

/// The position after all moves, and the keys of those before; in Chess960, castling is written onto the rook from the
/// first position on.
///
/// # Errors
///
/// The error of the FEN, or the first illegal move.
fn play(position: &Position, chess960: bool) -> Result<(Board, Vec<u64>), String> {
    let start = match &position.fen {
        Some(fen) => parse_fen(fen).map_err(|error| error.to_string())?,
        None => shakmaty::Chess::default(),
    };
    let mut board = Board::new(&start);
    if chess960 {
        board = board.with_chess960();
    }
    let mut earlier = Vec::new();
    for (index, text) in position.moves.iter().enumerate() {
        let m = legal(&board, text)
            .ok_or_else(|| format!("move {} of the position, {text:?}, is not legal", index + 1))?;
        earlier.push(board.key());
        board = board.play(m);
    }
    Ok((board, earlier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_played_and_refused() {
        let at = |line: &str| match parse(line)? {
            Command::Position(position) => play(&position?, false),
            other => panic!("{other:?}"),
        };
        let (board, earlier) = at("position startpos moves e2e4 e7e5 g1f3").unwrap();
        assert_eq!(earlier.len(), 3);
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        assert_eq!(at(&format!("position fen {fen}")).unwrap().0, board);
        assert!(at("position startpos moves e2e5").unwrap_err().contains("move 1"));
        assert!(at("position fen 8/8/8/8/8/8/8/8 w - - 0 1").is_err());
        assert!(at("position").is_err());
        let chess960 = "position fen 4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1 moves";
        let after = |m: &str| at(&format!("{chess960} {m}")).unwrap().0;
        assert_eq!(after("f1b1"), after("f1c1"));
        assert!(after("f1h1") != after("f1g1"), "a step is no castling");
        let start = "position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 moves";
        assert_eq!(at(&format!("{start} e1a1")).unwrap(), at(&format!("{start} e1c1")).unwrap());
        let (board, _) = at("position fen 8/P6k/8/8/8/8/7K/8 w - - 0 1 moves a7a8Q").unwrap();
        assert!(board.role_at(shakmaty::Square::A8) == Some(shakmaty::Role::Queen));
    }
}
