//! Whole games in virtual time: an arm of several engines, or of one with more nodes, against one
//! engine; each engine has the same nodes for a move.
//!
//! The arm of K engines is the product's closing search without a tree: the shares of
//! [`Growth::root_shares`], and the choice of [`ranked_shares`]. An engine that has the threads of
//! others has the nodes of all of them. Each search begins with an empty hash, and knows the
//! position alone, not the game before it.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Outcome, Position};

use deepanalyze_core::chess::{Game, PositionKey, Value};
use deepanalyze_core::search::{Answer, Limit, Search};
use deepanalyze_core::tree::{Growth, ShareAnswer, ranked_shares};
use deepanalyze_engine::{
    EngineError, Engines, Event, LongEnd, LongSearch, Pool, Reason, Settings,
};

use super::recheck::positions;
use crate::duel::statistics::mean;
use crate::failure::LabFailure;

/// Adjudication of a win: the least score in centipawns, and its number of plies in a row.
const WON: (i32, u32) = (700, 4);
/// Adjudication of a draw: the greatest score in centipawns, its number of plies in a row, and the
/// ply of the game from which it counts.
const DRAWN: (i32, u32, usize) = (15, 8, 80);
/// A longer game is drawn; in plies.
const LONGEST: usize = 240;

/// Play whole games: several engines that split the moves against one
#[derive(Debug, clap::Args)]
pub struct GamesArgs {
    /// The engine's command line
    #[arg(long, default_value = "stockfish")]
    engine: String,
    /// Its hash, in MiB
    #[arg(long, default_value_t = 16)]
    hash: u32,
    /// The openings, an EPD file; each is played twice, with colours changed
    #[arg(long)]
    openings: PathBuf,
    /// Nodes of each engine for a move
    #[arg(long, value_delimiter = ',', default_value = "2000,20000,100000")]
    nodes: Vec<u64>,
    /// Opponents of one engine: x2, an engine with twice the nodes; t2, one with two threads and the nodes of both;
    /// 16, a closing search of as many engines; 16/1, one whose engines have one thread each, as on several
    /// computers
    #[arg(long, value_delimiter = ',', default_value = "x2,2,4,16")]
    arms: Vec<Arm>,
    /// The most pairs of games for each arm
    #[arg(long, default_value_t = 200)]
    pairs: usize,
    /// No pair begins later than this, in minutes, for each arm
    #[arg(long)]
    minutes: Option<u64>,
    /// Games side by side
    #[arg(long, default_value_t = 2)]
    lanes: usize,
    /// Other seeds, other openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// An opponent of one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arm {
    /// One engine with as many times the nodes.
    Nodes(u64),
    /// One engine with as many threads, each with the nodes.
    Threads(usize),
    /// A closing search of `engines`, of which one can have the threads of `threads`.
    Closing { engines: usize, threads: usize },
}

impl FromStr for Arm {
    type Err = String;

    fn from_str(text: &str) -> Result<Arm, String> {
        let wrong = |_| format!("{text:?} is not an arm: x2, t2, 16 or 16/1");
        if let Some(times) = text.strip_prefix('x') {
            return times.parse().map(Arm::Nodes).map_err(wrong);
        }
        if let Some(threads) = text.strip_prefix('t') {
            return threads.parse().map(Arm::Threads).map_err(wrong);
        }
        let (engines, threads) = text.split_once('/').unwrap_or((text, text));
        let engines = engines.parse().map_err(wrong)?;
        Ok(Arm::Closing { engines, threads: threads.parse().map_err(wrong)? })
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arm::Nodes(times) => write!(f, "x{times}"),
            Arm::Threads(threads) => write!(f, "t{threads}"),
            Arm::Closing { engines, threads } if engines == threads => write!(f, "{engines}"),
            Arm::Closing { engines, threads } => write!(f, "{engines}/{threads}"),
        }
    }
}

/// Runs the command.
pub fn run(args: &GamesArgs) -> Result<(), LabFailure> {
    let openings = positions(&args.openings, Some(args.pairs), args.seed)?;
    println!("{}, Hash {}, {}", args.engine, args.hash, name_of(&args.openings));
    println!("{:>8} {:>6} {:>6} {:>6} {:>6} {:>6}  Elo", "nodes", "arm", "pairs", "+", "=", "-");
    for nodes in &args.nodes {
        for arm in &args.arms {
            let openings: Vec<&Chess> = openings.iter().map(|entry| &entry.position).collect();
            let played = play_all(args, *nodes, *arm, &openings)?;
            println!("{nodes:>8} {arm:>6} {}", describe(&played, args.seed));
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Results of the pairs of games, for the arm: 1 won, 0 drawn, −1 lost.
fn play_all(
    args: &GamesArgs,
    nodes: u64,
    arm: Arm,
    openings: &[&Chess],
) -> Result<Vec<[i64; 2]>, LabFailure> {
    let until = args.minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let next = AtomicUsize::new(0);
    let played = Mutex::new(Vec::new());
    let lane = || -> Result<(), EngineError> {
        let mut engines = LaneEngines::start(args)?;
        while let Some(opening) = openings.get(next.fetch_add(1, Ordering::Relaxed)) {
            if until.is_some_and(|until| until <= Instant::now()) {
                break;
            }
            let of_white = play(opening, Some(arm), None, nodes, &mut engines)?;
            let of_black = -play(opening, None, Some(arm), nodes, &mut engines)?;
            played.lock().unwrap_or_else(PoisonError::into_inner).push([of_white, of_black]);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..args.lanes.max(1)).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().try_for_each(|lane| {
            lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok(played.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Number of pairs, games won, drawn and lost, and the difference in Elo with its 95 % interval.
fn describe(played: &[[i64; 2]], seed: u64) -> String {
    let count = |result: i64| played.iter().flatten().filter(|one| **one == result).count();
    let (won, drawn, lost) = (count(1), count(0), count(-1));
    let pairs: Vec<i64> = played.iter().map(|[white, black]| white + black).collect();
    let elo = mean(&pairs, seed).map(|points| {
        let [value, low, high] = [points.value, points.low, points.high].map(elo_of);
        format!("{value:+.0} ({low:+.0} to {high:+.0})")
    });
    let elo = elo.unwrap_or_default();
    format!("{:>6} {won:>6} {drawn:>6} {lost:>6}  {elo}", pairs.len())
}

/// The difference in Elo that a mean result of pairs stands for, from −2 to 2.
fn elo_of(result: f64) -> f64 {
    let share = (result / 4.0 + 0.5).clamp(0.001, 0.999);
    // No negative zero.
    0.0 - 400.0 * (1.0 / share - 1.0).log10()
}

/// A game's result for White. Each side is an arm, or one engine.
fn play(
    opening: &Chess,
    white: Option<Arm>,
    black: Option<Arm>,
    nodes: u64,
    engines: &mut LaneEngines,
) -> Result<i64, EngineError> {
    let mut position = opening.clone();
    let mut seen: HashMap<PositionKey, u32> = HashMap::new();
    let (mut winning, mut losing, mut even) = (0, 0, 0);
    for ply in 0..LONGEST {
        match position.outcome() {
            Outcome::Known(known) => {
                return Ok(known.winner().map_or(0, |winner| winner.fold_wb(1, -1)));
            }
            Outcome::Unknown => {}
        }
        let times = seen.entry(PositionKey::of(&position)).or_default();
        *times += 1;
        if *times == 3 || position.halfmoves() >= 100 {
            return Ok(0);
        }
        let arm = if position.turn() == Color::White { white } else { black };
        let (uci, value) = engines.choose(&position, arm, nodes)?;
        let score = i32::from(value.get());
        let score = position.turn().fold_wb(score, -score);
        let (won, plies) = WON;
        winning = if score >= won { winning + 1 } else { 0 };
        losing = if score <= -won { losing + 1 } else { 0 };
        if winning.max(losing) >= plies {
            return Ok(if winning >= plies { 1 } else { -1 });
        }
        let (drawn, plies, after) = DRAWN;
        even = if score.abs() <= drawn { even + 1 } else { 0 };
        if even >= plies && ply >= after {
            return Ok(0);
        }
        match uci.to_move(&position) {
            Ok(m) => position.play_unchecked(m),
            Err(_) => return Ok(position.turn().fold_wb(-1, 1)),
        }
    }
    Ok(0)
}

/// The processes of a lane: one thread each, but for the first one, which has those of others.
struct LaneEngines {
    one: Pool,
    first: Pool,
    ticket: u64,
}

impl LaneEngines {
    fn start(args: &GamesArgs) -> Result<LaneEngines, EngineError> {
        let settings = Settings {
            options: vec![("Hash".to_owned(), args.hash.to_string())],
            ..Settings::new(&args.engine, Limit::Depth(1))
        };
        let [one, first] = [Pool::start(&settings)?, Pool::start(&settings)?];
        Ok(LaneEngines { one, first, ticket: 0 })
    }

    /// The move of a side, and its value for it.
    fn choose(
        &mut self,
        position: &Chess,
        arm: Option<Arm>,
        nodes: u64,
    ) -> Result<(UciMove, Value), EngineError> {
        let (engines, threads) = match arm {
            None => return self.ask_alone(position, 1, nodes),
            Some(Arm::Nodes(times)) => return self.ask_alone(position, 1, nodes * times),
            Some(Arm::Threads(threads)) => return self.ask_alone(position, threads, nodes),
            Some(Arm::Closing { engines, threads }) => (engines, threads),
        };
        let tree = Growth::new(&Game::from_position(position.clone()), 0);
        let mut answers = Vec::new();
        for share in tree.root_shares(engines, threads) {
            let search = Search { position: position.clone(), excluded: share.elsewhere };
            let answer = self.ask(search, share.threads, nodes)?;
            let (uci, value) = (answer.best, Value::from(answer.score));
            answers.push(ShareAnswer { all: share.all, uci, value });
        }
        let best = ranked_shares(&answers).first().and_then(|place| answers.get(*place));
        // A position that is not over has a move.
        let nothing = || EngineError::new("any", Reason::NothingToSearch(String::new()));
        best.map(|best| (best.uci, best.value)).ok_or_else(nothing)
    }

    /// The choice of one engine with all moves.
    fn ask_alone(
        &mut self,
        position: &Chess,
        threads: usize,
        nodes: u64,
    ) -> Result<(UciMove, Value), EngineError> {
        let search = Search { position: position.clone(), excluded: Vec::new() };
        let answer = self.ask(search, threads, nodes)?;
        Ok((answer.best, Value::from(answer.score)))
    }

    fn ask(&mut self, search: Search, threads: usize, nodes: u64) -> Result<Answer, EngineError> {
        self.ticket += 1;
        let pool = if threads == 1 { &mut self.one } else { &mut self.first };
        let nodes = nodes.saturating_mul(threads.try_into().unwrap_or(u64::MAX));
        let (end, rehearsal_limit) = (LongEnd::At(Limit::Nodes(nodes)), Limit::Depth(1));
        let long = LongSearch { search, end, rehearsal: Vec::new(), rehearsal_limit, threads };
        pool.submit_long(self.ticket, long);
        loop {
            match pool.events().recv() {
                Ok(Event::Answered { answer, .. }) => return Ok(answer),
                Ok(Event::Failed { error, .. }) => return Err(error),
                Ok(_) => {}
                Err(_) => return Err(EngineError::new("any", Reason::Stopped)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_written_as_they_are_read() {
        for text in ["x2", "t2", "16", "16/1", "4/2"] {
            assert_eq!(text.parse::<Arm>().unwrap().to_string(), text);
        }
        assert_eq!("4".parse(), Ok(Arm::Closing { engines: 4, threads: 4 }));
        for text in ["", "x", "y", "4/", "1.5"] {
            assert!(text.parse::<Arm>().unwrap_err().contains("is not an arm"), "{text}");
        }
    }

    #[test]
    fn pairs_are_counted_and_told_in_elo() {
        let played = [[1, 0], [0, 0], [1, -1], [1, 0]];
        let told = describe(&played, 1);
        assert!(told.starts_with("     4      3      4      1  +89 (+0 to "), "{told}");
        assert_eq!(elo_of(0.0), 0.0);
        assert!((elo_of(1.0) - 190.8).abs() < 0.1, "three quarters of the points");
        assert!(elo_of(2.0).is_finite() && (elo_of(-2.0) + elo_of(2.0)).abs() < 0.1);
    }
}
