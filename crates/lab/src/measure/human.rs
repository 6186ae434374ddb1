//! Do the nets predict what people play? The moves of rated games, by nets with and without the moves
//! before the position, by counts of the other games, and by both.
#![allow(clippy::unwrap_used, reason = "a tool for measurements")]

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use deepanalyze_core::chess::{Game, Games, PositionKey};
use deepanalyze_core::tree::MoveCounts;
use deepanalyze_human::{Net, Past, permille};
use shakmaty::uci::UciMove;

/// Measure how well nets and counts predict the moves of rated games
#[derive(Debug, clap::Args)]
pub struct HumanArgs {
    /// Games, PGN files; every second game is predicted, the others are counted
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The folder of maia-1100.pb.gz to maia-1900.pb.gz
    #[arg(long)]
    nets: PathBuf,
    /// Moves from this ply of the game on, to the one before `to`
    #[arg(long, default_value_t = 0)]
    from: usize,
    /// The ply behind the last one that is predicted
    #[arg(long, default_value_t = 40)]
    to: usize,
    /// The weight of a net beside counts, in games
    #[arg(long, default_value_t = 30)]
    weight: u32,
    /// Predict at most this many games of each rating
    #[arg(long, default_value_t = 60)]
    most: usize,
}

/// A probability below this counts as this: no way of predicting is ruined by one move.
const FLOOR: f64 = 0.001;
/// Ways of predicting.
const WAYS: [&str; 8] = [
    "with the game",
    "position alone",
    "1 ply before",
    "2 plies before",
    "counts alone",
    "counts and net alone",
    "counts and net, game",
    "where counted: counts",
];

/// Hits, logarithms of probabilities, and number of one way.
#[derive(Clone, Copy, Default)]
struct Tally {
    hits: u32,
    logs: f64,
    moves: u32,
}

impl Tally {
    fn add(&mut self, likely: &[(UciMove, f64)], played: UciMove) {
        let p = likely.iter().find(|(uci, _)| *uci == played).map_or(0.0, |(_, p)| *p);
        self.hits += u32::from(likely.first().is_some_and(|(uci, _)| *uci == played));
        self.logs += p.max(FLOOR).ln();
        self.moves += 1;
    }
}

/// A game with the rating of both players.
struct Rated {
    game: Game,
    ratings: [u32; 2],
}

/// Runs the command.
pub fn run(args: &HumanArgs) {
    let games: Vec<Rated> = args.games.iter().flat_map(read).collect();
    let (tested, counted): (Vec<_>, Vec<_>) =
        games.into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let counts = count(counted.iter().map(|(_, rated)| &rated.game));
    println!("{} games counted, {} to predict", counted.len(), tested.len());
    println!(
        "plies {} to {}; share of moves hit, mean logarithm of the probability",
        args.from, args.to
    );
    for rating in (1100..=1900).step_by(100) {
        let net = Net::open(&args.nets.join(format!("maia-{rating}.pb.gz"))).unwrap();
        let near = |of: u32| of.abs_diff(rating) < 50;
        let of_rating = tested.iter().filter(|(_, game)| game.ratings.into_iter().any(near));
        let mut tallies = [Tally::default(); WAYS.len()];
        let mut number = 0;
        for (_, Rated { game, ratings }) in of_rating.take(args.most) {
            number += 1;
            for ply in args.from..args.to.min(game.moves().len()) {
                if near(ratings[ply % 2]) {
                    predict(&net, game, ply, &counts, args.weight, &mut tallies);
                }
            }
        }
        println!("\nmaia-{rating}, {number} games");
        for (way, Tally { hits, logs, moves }) in WAYS.iter().zip(tallies) {
            let of = f64::from(moves.max(1));
            println!(
                "{way:<24} {:>5.1}% {:>7.3}  {moves} moves",
                100.0 * f64::from(hits) / of,
                logs / of
            );
        }
    }
}

fn read(path: &PathBuf) -> Vec<Rated> {
    let games = Games::new(BufReader::new(File::open(path).unwrap()));
    let rated = games.filter_map(|text| {
        let text = text.ok()?;
        let rating = |tag: &str| text.tag(tag)?.parse().ok();
        let ratings = [rating("WhiteElo")?, rating("BlackElo")?];
        let is_bullet = text.tag("Event").is_some_and(|event| event.contains("Bullet"));
        let game = text.main_line(None).ok().filter(|_| !is_bullet)?.game;
        Some(Rated { game, ratings })
    });
    rated.collect()
}

fn count<'a>(games: impl Iterator<Item = &'a Game>) -> HashMap<PositionKey, MoveCounts> {
    let mut all: HashMap<PositionKey, HashMap<UciMove, u64>> = HashMap::new();
    for game in games {
        let positions = std::iter::once(game.start().clone()).chain(game.positions());
        for (position, uci) in positions.zip(game.moves()) {
            *all.entry(PositionKey::of(&position)).or_default().entry(*uci).or_default() += 1;
        }
    }
    all.into_iter().map(|(key, counts)| (key, MoveCounts::new(counts))).collect()
}

/// A position of a game with the last plies before it alone.
fn with_plies(game: &Game, ply: usize, before: usize) -> Past {
    let start = game.up_to(ply.saturating_sub(before)).root().clone();
    let mut part = Game::from_position(start);
    for uci in game.moves().iter().take(ply).skip(ply.saturating_sub(before)) {
        part.play(uci.to_move(part.root()).unwrap());
    }
    Past::of_game(&part)
}

fn predict(
    net: &Net,
    game: &Game,
    ply: usize,
    counts: &HashMap<PositionKey, MoveCounts>,
    weight: u32,
    tallies: &mut [Tally; WAYS.len()],
) {
    let (here, played) = (game.up_to(ply), game.moves()[ply]);
    let key = PositionKey::of(here.root());
    let known = counts.get(&key).cloned().unwrap_or_default();
    let likely = |counts: &MoveCounts| -> Vec<(UciMove, f64)> {
        counts.iter().filter_map(|m| Some((m.uci, counts.share(m.uci)?))).collect()
    };
    let pasts = [
        Past::of_game(&here),
        Past::of_position(&key.position()),
        with_plies(game, ply, 1),
        with_plies(game, ply, 2),
    ];
    let asked = pasts.map(|past| permille(&net.evaluate(&past).unwrap()));
    for (tally, asked) in tallies.iter_mut().zip(&asked) {
        tally.add(&likely(&MoveCounts::default().with_human(asked, weight)), played);
    }
    tallies[4].add(&likely(&known), played);
    tallies[5].add(&likely(&known.with_human(&asked[1], weight)), played);
    tallies[6].add(&likely(&known.with_human(&asked[0], weight)), played);
    if !known.is_empty() {
        tallies[7].add(&likely(&known), played);
    }
}
