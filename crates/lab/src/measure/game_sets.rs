//! Measures sets of games: their size on disk, and the time of their tables.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool for measurements")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use deepanalyze_core::chess::PositionKey;
use deepanalyze_games::{Filter, GameSet};
use shakmaty::{Chess, Position};

/// Time the tables of a set of games
#[derive(Debug, clap::Args)]
pub struct GameSetArgs {
    /// The set
    set: PathBuf,
    /// How many positions are looked up, on walks along the moves that were played
    #[arg(long, default_value_t = 1000)]
    positions: usize,
    /// Games of this player alone
    #[arg(long)]
    player: Option<String>,
    /// Games whose players have this rating at least
    #[arg(long)]
    min_rating: Option<u32>,
}

/// Runs the command.
pub fn run(args: &GameSetArgs) {
    let filter =
        Filter { player: args.player.clone(), min_rating: args.min_rating, ..Filter::default() };
    let begun = Instant::now();
    let set = GameSet::open(&args.set, &filter).unwrap();
    println!("opened in {:?}: {} games", begun.elapsed(), set.identity().games);
    let info = set.info();
    let bytes = info.bytes as f64 / info.moves as f64;
    println!("{} positions, {} moves, {bytes:.1} bytes for each", info.positions, info.moves);
    let (mut times, mut seed) = (Vec::new(), 1_u64);
    while times.len() < args.positions {
        walk(&set, &mut seed, &mut times, args.positions);
    }
    let (first, again): (Vec<Duration>, Vec<Duration>) = times.into_iter().unzip();
    for (name, mut times) in [("looked up", first), ("again", again)] {
        let initial = times[0];
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        let (median, most, worst) = (at(0.5), at(0.99), at(1.0));
        println!(
            "{name:<10} median {median:?}, 99 in 100 {most:?}, worst {worst:?}, initial position {initial:?}"
        );
    }
}

/// A walk from the initial position along random moves that were played.
fn walk(set: &GameSet, seed: &mut u64, times: &mut Vec<(Duration, Duration)>, most: usize) {
    let mut position = Chess::default();
    while times.len() < most {
        let key = PositionKey::of(&position);
        let timed = || {
            let begun = Instant::now();
            (set.table(&key).unwrap().moves, begun.elapsed())
        };
        let (table, first) = timed();
        // Excludes other work on the machine.
        let again = (0..5).map(|_| timed().1).min().unwrap();
        times.push((first, again));
        if table.is_empty() {
            return;
        }
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let tally = &table[(*seed >> 33) as usize % table.len()];
        position.play_unchecked(tally.uci.to_move(&position).unwrap());
    }
}
