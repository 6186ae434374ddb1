//! Whole games in virtual time: a node of each engine is a microsecond. An arm of several engines,
//! of one with more nodes, or of `grow` with its memo, against one engine.
//!
//! The arm of K engines is the product's closing search without a tree: the shares of
//! [`Growth::root_shares`](deepanalyze_core::tree::Growth::root_shares), and the choice of
//! [`ranked_shares`](deepanalyze_core::tree::ranked_shares). An engine that has the threads of
//! others has the nodes of all of them. A player knows the position alone, not the game before it.
//! Every search begins with an empty hash; `grow` alone keeps its answers from move to move.

mod arm;
mod book;
mod play;
mod player;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use shakmaty::Chess;

use deepanalyze_core::search::Limit;

use super::lanes::LaneArgs;
use super::recheck::positions;
use crate::duel::statistics::{SplitMix, ratio};
use crate::failure::LabFailure;

use arm::Arm;
use play::play;
use player::{Contestant, LaneEngines, Player, Spent};

/// Play whole games: several engines, or a tree with its memo, against one engine; each opening twice, with colours changed
#[derive(Debug, clap::Args)]
pub struct GamesArgs {
    #[command(flatten)]
    lanes: LaneArgs,
    /// Nodes of each engine for a move
    #[arg(long, value_delimiter = ',', default_value = "2000,20000,100000")]
    nodes: Vec<u64>,
    /// Players: x2, an engine with twice the nodes; t2, one with two threads and the nodes of both; 16, a closing
    /// search of as many engines; 16/1, one whose engines have one thread each, as on several computers; grow1/4,
    /// `grow` by one engine that keeps its memo, with one part in four for the tree; book:FOLDER, an engine with the
    /// books of `lab books`
    #[arg(long, value_delimiter = ',', default_value = "x2,2,4,16")]
    arms: Vec<Arm>,
    /// The opponent of each of them
    #[arg(long, default_value = "x1")]
    against: Arm,
    /// The most openings for each arm, with a pair of games each
    #[arg(long, default_value_t = 200)]
    pairs: usize,
    /// No pair begins later than this, in minutes, for each arm
    #[arg(long)]
    minutes: Option<u64>,
    /// How often each opening is played; more than once, the nodes of each move are up to a tenth more or fewer
    #[arg(long, default_value_t = 1)]
    repeats: usize,
}

/// Runs the command.
pub fn run(args: &GamesArgs) -> Result<(), LabFailure> {
    let openings = positions(&args.lanes.openings, Some(args.pairs), args.lanes.seed)?;
    let (engine, against) = (&args.lanes.engine, &args.against);
    println!(
        "{engine}, Hash {}, {}, against {against}",
        args.lanes.hash,
        name_of(&args.lanes.openings)
    );
    println!("{:>8} {:>8} {:>6} {:>6} {:>6} {:>6}  Elo", "nodes", "arm", "pairs", "+", "=", "-");
    for nodes in &args.nodes {
        for arm in &args.arms {
            let minutes = args.minutes.map(|minutes| Duration::from_secs(60 * minutes));
            let games = Match {
                args,
                nodes: *nodes,
                own: Contestant::new(arm)?,
                other: Contestant::new(against)?,
                openings: openings.iter().map(|entry| &entry.position).collect(),
                until: minutes.map(|time| Instant::now() + time),
                next: AtomicUsize::new(0),
                played: Mutex::default(),
            };
            let Played { results, own, other } = games.play()?;
            println!("{nodes:>8} {arm:>8} {}", describe(&results, args.lanes.seed));
            println!("{:>17} {}", "", describe_work(own, other));
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Pairs of games, each opening as often as is asked for.
struct Match<'a> {
    args: &'a GamesArgs,
    nodes: u64,
    own: Contestant,
    other: Contestant,
    openings: Vec<&'a Chess>,
    /// No pair begins later.
    until: Option<Instant>,
    next: AtomicUsize,
    played: Mutex<Played>,
}

/// Games played.
#[derive(Debug, Default)]
struct Played {
    /// Results of pairs, for the arm (1 won, 0 drawn, −1 lost), with the number of the opening.
    results: Vec<(usize, [i64; 2])>,
    /// Work of the arm, and of its opponent.
    own: Spent,
    other: Spent,
}

impl Match<'_> {
    fn play(self) -> Result<Played, LabFailure> {
        self.args.lanes.run(|| self.lane())?;
        Ok(self.played.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn lane(&self) -> Result<(), LabFailure> {
        let mut engines = LaneEngines::start(self.args.lanes.settings(Limit::Depth(1)))?;
        let all = self.openings.len() * self.args.repeats.max(1);
        loop {
            let pair = self.next.fetch_add(1, Ordering::Relaxed);
            if pair >= all || self.until.is_some_and(|until| until <= Instant::now()) {
                return Ok(());
            }
            if let Some(opening) = self.openings.get(pair % self.openings.len()) {
                self.pair(opening, pair, &mut engines)?;
            }
        }
    }

    fn pair(
        &self,
        opening: &Chess,
        pair: usize,
        engines: &mut LaneEngines,
    ) -> Result<(), LabFailure> {
        let mut seeds = SplitMix::new(self.args.lanes.seed.wrapping_add(pair as u64));
        let mut players = || {
            let mut seed = || (self.args.repeats > 1).then(|| seeds.bits());
            (Player::new(&self.own, seed()), Player::new(&self.other, seed()))
        };
        let (mut white, mut against) = players();
        let first = play(opening, &mut white, &mut against, self.nodes, engines)?;
        let (mut black, mut with) = players();
        let second = -play(opening, &mut with, &mut black, self.nodes, engines)?;
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        played.results.push((pair % self.openings.len().max(1), [first, second]));
        [white, black].iter().for_each(|player| played.own += player.spent);
        [against, with].iter().for_each(|player| played.other += player.spent);
        eprintln!("{}", describe(&played.results, self.args.lanes.seed));
        Ok(())
    }
}

/// Number of pairs, games won, drawn and lost, and the difference in Elo with its 95 % interval.
fn describe(played: &[(usize, [i64; 2])], seed: u64) -> String {
    let results = || played.iter().flat_map(|(_, games)| games);
    let count = |result: i64| results().filter(|one| **one == result).count();
    let (won, drawn, lost) = (count(1), count(0), count(-1));
    // The games of one opening are alike: openings are drawn again, not pairs.
    let mut openings: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
    for (opening, [white, black]) in played {
        let (points, pairs) = openings.entry(*opening).or_default();
        (*points, *pairs) = (*points + white + black, *pairs + 1);
    }
    let openings: Vec<(i64, i64)> = openings.into_values().collect();
    let elo = ratio(&openings, seed).map(|points| {
        let [value, low, high] = [points.value, points.low, points.high].map(elo_of);
        format!("{value:+.0} ({low:+.0} to {high:+.0})")
    });
    let elo = elo.unwrap_or_default();
    format!("{:>6} {won:>6} {drawn:>6} {lost:>6}  {elo}", played.len())
}

/// The nodes of both for a move, and how long their books last; of trees the part of the answers
/// that were there before the move, and what decided.
fn describe_work(own: Spent, other: Spent) -> String {
    let [nodes, others] = [own, other].map(|spent| {
        let books = match spent.by_book {
            0 => String::new(),
            all => format!(" ({:.1} moves a game of its book)", per(all, spent.games)),
        };
        let searched = spent.moves - spent.by_book;
        let of_tree = match spent.answers {
            0 => String::new(),
            answers => format!(
                " ({:.0} % of a tree's answers there before; {:.0} % of moves without a tree, the \
                 tree chose {:.0} %, agreed with the choice in {:.0} %)",
                100.0 * per(spent.known, answers),
                100.0 * per(spent.without_tree, searched),
                100.0 * per(spent.by_tree, searched),
                100.0 * per(spent.agreed, searched),
            ),
        };
        format!("{:.0} nodes a search{books}{of_tree}", per(spent.nodes, searched))
    });
    format!("{nodes}, the opponent {others}")
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn per(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The difference in Elo that a mean result of pairs stands for, from −2 to 2.
fn elo_of(result: f64) -> f64 {
    let share = (result / 4.0 + 0.5).clamp(0.001, 0.999);
    // No negative zero.
    0.0 - 400.0 * (1.0 / share - 1.0).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_and_told_in_elo() {
        let played = [(0, [1, 0]), (1, [0, 0]), (2, [1, -1]), (3, [1, 0])];
        let told = describe(&played, 1);
        assert!(told.starts_with("     4      3      4      1  +89 (+0 to "), "{told}");
        assert_eq!(elo_of(0.0), 0.0);
        assert!((elo_of(1.0) - 190.8).abs() < 0.1, "three quarters of the points");
        assert!(elo_of(2.0).is_finite() && (elo_of(-2.0) + elo_of(2.0)).abs() < 0.1);
    }

    #[test]
    fn work_is_told_for_a_move_and_books_for_a_game() {
        let own = Spent { games: 2, moves: 10, by_book: 5, nodes: 1000, ..Spent::default() };
        let other = Spent { games: 2, moves: 10, nodes: 2000, ..Spent::default() };
        assert_eq!(
            describe_work(own, other),
            "200 nodes a search (2.5 moves a game of its book), the opponent 200 nodes a search"
        );
        let grown = Spent { answers: 8, known: 2, by_tree: 1, agreed: 6, ..other };
        assert_eq!(
            describe_work(grown, other).split_once(')').unwrap().0,
            "200 nodes a search (25 % of a tree's answers there before; 0 % of moves without a tree, \
             the tree chose 10 %, agreed with the choice in 60 %"
        );
        let again = [(0, [1, 0]), (0, [1, 0]), (0, [1, 0])];
        assert!(describe(&again, 1).ends_with("(+191 to +191)"), "one opening, however often");
    }
}
