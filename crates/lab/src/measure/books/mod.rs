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
use deepanalyze_engine::Pool;
use deepanalyze_report::{PrintOptions, TreeFormat, TreeReport};
use deepanalyze_runner::{ControlReceiver, Job, RunLimits, Schedule, grow};
use deepanalyze_store::Store;
use deepanalyze_view::load;

use super::lanes::LaneArgs;
use super::recheck::positions;
use crate::failure::LabFailure;

use by_hand::Budget;

/// The depth of trees in plies, as `grow` has it.
const DEPTH: u32 = 10;

/// Make opening books in advance, for `lab games --openings FOLDER/openings.epd`
#[derive(Debug, clap::Args)]
pub struct BooksArgs {
    #[command(flatten)]
    lanes: LaneArgs,
    /// How many openings
    #[arg(long, default_value_t = 20)]
    positions: usize,
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
    let openings = positions(&args.lanes.openings, Some(args.positions), args.lanes.seed)?;
    std::fs::create_dir_all(&args.out)?;
    let text: String = openings.iter().map(|opening| epd_of(&opening.position) + "\n").collect();
    std::fs::write(args.out.join("openings.epd"), text)?;
    println!(
        "{}, Hash {}, {} nodes for each opening",
        args.lanes.engine, args.lanes.hash, args.nodes
    );
    let next = AtomicUsize::new(0);
    let lane = || -> Result<(), LabFailure> {
        let mut engine = Pool::start(&args.lanes.settings(Schedule::REFINED.first()))?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = openings.get(index) else { return Ok(()) };
            for (side, made) in book(args, index, &opening.position, &mut engine)? {
                println!("{:>3} {side:5} {made}", index + 1);
            }
        }
    };
    args.lanes.run(lane)
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7} searches {:>11} nodes", self.searches, self.nodes)?;
        self.limit.map_or(Ok(()), |limit| write!(f, ", {limit}"))
    }
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
    let budget = Budget { whole: half, search: args.search };
    match &args.by {
        BookKind::Tree(breadth) if breadth.white == breadth.black => {
            let made = grow_book(&args.job(opening, breadth.clone(), args.nodes), engine, &white)?;
            std::fs::copy(&white, &black)?;
            Ok(vec![(Color::White, made)])
        }
        BookKind::Tree(breadth) => {
            let other = Breadth {
                white: breadth.black.clone(),
                black: breadth.white.clone(),
                ..breadth.clone()
            };
            let of_white = grow_book(&args.job(opening, breadth.clone(), half), engine, &white)?;
            let of_black = grow_book(&args.job(opening, other, half), engine, &black)?;
            Ok(vec![(Color::White, of_white), (Color::Black, of_black)])
        }
        BookKind::ByHand => Color::ALL
            .into_iter()
            .map(|side| {
                let path = file_of(args, index, side);
                let made = by_hand::write(opening, side, budget, engine, &path)?;
                Ok((side, made))
            })
            .collect(),
    }
}

impl BooksArgs {
    /// The tree of a book.
    fn job(&self, opening: &Chess, breadth: Breadth, nodes: u64) -> Job {
        let of_depth = |depth| Schedule::Once(Limit::Depth(depth));
        let schedule = self.engine_depth.map_or(Schedule::REFINED, of_depth);
        Job {
            limits: RunLimits { nodes: Some(nodes), ..RunLimits::default() },
            ..Job::new(Game::from_position(opening.clone()), breadth, schedule, DEPTH)
        }
    }
}

/// Grows a tree, and writes it as `export polyglot` does.
fn grow_book(job: &Job, engine: &mut Pool, path: &Path) -> Result<Made, LabFailure> {
    let folder = tempfile::Builder::new().prefix("deepanalyze-books-").tempdir()?;
    let mut store = Store::open_for_now(&folder.path().join("tree.db"))?;
    let never = ControlReceiver::never();
    let grown = grow(job, &mut store, engine, &never, &mut |_| {})?;
    let Some(id) = grown.analysis else {
        return Err(LabFailure::new("no answer within the nodes"));
    };
    let tree = load(&store, id)?;
    let report = TreeReport::read(&store, &tree, PrintOptions::of(TreeFormat::Polyglot))
        .map_err(|error| LabFailure::new(error.to_string()))?;
    report.write(80, &mut BufWriter::new(File::create(path)?))?;
    Ok(Made { searches: grown.searches, nodes: grown.nodes, limit: Some(tree.row.profile.limit) })
}
