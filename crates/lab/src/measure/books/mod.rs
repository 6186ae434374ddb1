//! Opening books grown in advance, each from the same number of nodes: trees of `grow`, and a book as
//! people make one by hand. `lab games` plays with them.

mod by_hand;

use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use shakmaty::{Chess, Color};

use deepanalyze_core::chess::{Game, epd_of};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::{Pool, Settings};
use deepanalyze_report::{PrintOptions, TreeFormat, TreeReport};
use deepanalyze_runner::{ControlReceiver, Job, RunLimits, Schedule, grow};
use deepanalyze_store::Store;
use deepanalyze_view::load;

use super::recheck::positions;
use crate::failure::LabFailure;

/// The depth of trees in plies, as `grow` has it.
const DEPTH: u32 = 10;

/// Make opening books in advance, for `lab games --openings FOLDER/openings.epd`
#[derive(Debug, clap::Args)]
pub struct BooksArgs {
    /// The engine's command line
    #[arg(long, default_value = "stockfish")]
    engine: String,
    /// Its hash, in MiB
    #[arg(long, default_value_t = 16)]
    hash: u32,
    /// The openings, an EPD file
    #[arg(long)]
    openings: PathBuf,
    /// How many of them
    #[arg(long, default_value_t = 20)]
    positions: usize,
    /// Other seeds, other openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes for each opening
    #[arg(long, default_value_t = 50_000_000)]
    nodes: u64,
    /// How: a move distance of `grow` (10; 0+/20+ is two trees, one for each side's repertoire, with half of the
    /// nodes each), or by-hand: a search of a position of the player's, three of one of the opponent's, breadth
    /// first
    #[arg(long)]
    by: BookKind,
    /// The engine depth of trees, in plies; stages from 10 on where there is none
    #[arg(long)]
    engine_depth: Option<u32>,
    /// Nodes of a search by hand
    #[arg(long, default_value_t = 400_000)]
    search: u64,
    /// The folder for the books
    #[arg(long, short)]
    out: PathBuf,
    /// Openings side by side
    #[arg(long, default_value_t = 2)]
    lanes: usize,
}

#[derive(Debug, Clone)]
enum BookKind {
    Tree(Breadth),
    ByHand,
}

impl FromStr for BookKind {
    type Err = String;

    fn from_str(text: &str) -> Result<BookKind, String> {
        if text == "by-hand" {
            return Ok(BookKind::ByHand);
        }
        text.parse().map(BookKind::Tree).map_err(|wrong| format!("{wrong}; or by-hand"))
    }
}

/// The work on a book.
#[derive(Debug, Default, Clone, Copy)]
struct Made {
    searches: u64,
    nodes: u64,
    limit: Option<Limit>,
}

/// Runs the command.
pub fn run(args: &BooksArgs) -> Result<(), LabFailure> {
    let openings = positions(&args.openings, Some(args.positions), args.seed)?;
    std::fs::create_dir_all(&args.out)?;
    let text: String = openings.iter().map(|opening| epd_of(&opening.position) + "\n").collect();
    std::fs::write(args.out.join("openings.epd"), text)?;
    println!("{}, Hash {}, {} nodes for each opening", args.engine, args.hash, args.nodes);
    let next = AtomicUsize::new(0);
    let lane = || -> Result<(), LabFailure> {
        let mut engine = start(args)?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(index) else { return Ok(()) };
            for (side, made) in book(args, index, &opening.position, &mut engine)? {
                println!("{:>3} {side:5} {made}", index + 1);
            }
        }
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..args.lanes.max(1)).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().try_for_each(|lane| {
            lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7} searches {:>11} nodes", self.searches, self.nodes)?;
        self.limit.map_or(Ok(()), |limit| write!(f, ", {limit}"))
    }
}

fn start(args: &BooksArgs) -> Result<Pool, LabFailure> {
    let settings = Settings {
        options: vec![("Hash".to_owned(), args.hash.to_string())],
        ..Settings::new(&args.engine, Schedule::REFINED.first())
    };
    Ok(Pool::start(&settings)?)
}

/// The file of a side's book.
fn file_of(args: &BooksArgs, index: usize, side: Color) -> PathBuf {
    args.out.join(format!("{:03}-{side}.bin", index + 1))
}

/// Makes the books of both sides.
fn book(
    args: &BooksArgs,
    index: usize,
    opening: &Chess,
    engine: &mut Pool,
) -> Result<Vec<(Color, Made)>, LabFailure> {
    let [white, black] = Color::ALL.map(|side| file_of(args, index, side));
    let half = args.nodes / 2;
    match &args.by {
        BookKind::Tree(breadth) if breadth.white == breadth.black => {
            let made = grow_book(opening, breadth.clone(), (args, args.nodes), engine, &white)?;
            std::fs::copy(&white, &black)?;
            Ok(vec![(Color::White, made)])
        }
        BookKind::Tree(breadth) => {
            let other = Breadth {
                white: breadth.black.clone(),
                black: breadth.white.clone(),
                ..breadth.clone()
            };
            let of_white = grow_book(opening, breadth.clone(), (args, half), engine, &white)?;
            let of_black = grow_book(opening, other, (args, half), engine, &black)?;
            Ok(vec![(Color::White, of_white), (Color::Black, of_black)])
        }
        BookKind::ByHand => Color::ALL
            .into_iter()
            .map(|side| {
                let path = file_of(args, index, side);
                let made = by_hand::write(opening, side, [half, args.search], engine, &path)?;
                Ok((side, made))
            })
            .collect(),
    }
}

/// Grows a tree, and writes it as `export polyglot` does.
fn grow_book(
    opening: &Chess,
    breadth: Breadth,
    (args, nodes): (&BooksArgs, u64),
    engine: &mut Pool,
    path: &Path,
) -> Result<Made, LabFailure> {
    let folder = tempfile::Builder::new().prefix("deepanalyze-books-").tempdir()?;
    let mut store = Store::open_for_now(&folder.path().join("tree.db"))?;
    let game = Game::from_position(opening.clone());
    let of_depth = |depth| Schedule::Once(Limit::Depth(depth));
    let schedule = args.engine_depth.map_or(Schedule::REFINED, of_depth);
    let job = Job {
        limits: RunLimits { nodes: Some(nodes), ..RunLimits::default() },
        ..Job::new(game, breadth, schedule, DEPTH)
    };
    let never = ControlReceiver::never();
    let grown = grow(&job, &mut store, engine, &never, &mut |_| {})?;
    let Some(id) = grown.analysis else {
        return Err(LabFailure::new("no answer within the nodes"));
    };
    let tree = load(&store, id)?;
    let report = TreeReport::read(&store, &tree, PrintOptions::of(TreeFormat::Polyglot))
        .map_err(|error| LabFailure::new(error.to_string()))?;
    report.write(80, &mut BufWriter::new(File::create(path)?))?;
    Ok(Made { searches: grown.searches, nodes: grown.nodes, limit: Some(tree.row.profile.limit) })
}
