//! `deepanalyze traps`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shakmaty::Color;

use deepanalyze_report::{TrapsTold, write_trap_cards, write_traps, write_traps_json};
use deepanalyze_view::{LIKELY, LOSES, PeopleAsked, SOUND, Trap, TrapLimits, Tree, traps_of};

use crate::args::database::ChosenArgs;
use crate::args::games::OtherGamesArgs;
use crate::args::report::{ReportArgs, SIDES, one_of};
use crate::error::CliError;
use crate::printer::{Printer, printing};

/// Show where people go wrong: replies that many play and that lose much, behind moves that lose little
///
/// The analysis must know what people play: `deepanalyze grow --human maia-1500 --played -/5%` follows the likely replies
/// of Black, and finds White's traps; or --games. With --human here, a net is asked about the positions of an analysis
/// that knows nothing of people. Nothing is searched. The traps
/// that are worth most come first: how likely a game comes to the position if you aim at it, times the share of people
/// who go wrong there, times the points that it gains.
#[derive(Debug, Args)]
pub struct TrapsArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Side that sets the traps [default: the one whose opponent's replies the analysis follows, or both]
    #[arg(long, value_parser = one_of(SIDES), help_heading = "Traps")]
    side: Option<Color>,
    /// The least share of people who play the losing reply: 0.2 or 20%
    #[arg(long, value_name = "SHARE", default_value_t = LIKELY, value_parser = share, help_heading = "Traps")]
    min: f64,
    /// The reply loses at least this much against the best one, in pawns [default: 1.0]
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true, value_parser = pawns, help_heading = "Traps")]
    loss: Option<u32>,
    /// Your own moves lose at most this many centipawns each, if the reply is right
    #[arg(long, value_name = "CP", default_value_t = SOUND, allow_negative_numbers = true,
        help_heading = "Traps", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    sound: u32,
    /// List this many [default: 10; on cards: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Traps",
        value_parser = clap::value_parser!(u16).range(1..))]
    top: Option<u16>,
    #[command(flatten)]
    games: OtherGamesArgs,
    #[command(flatten)]
    report: ReportArgs<TrapFormat>,
}

/// Traps that are listed, unless the user says otherwise.
const TOP: usize = 10;

/// How traps are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrapFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// Flash cards for Anki: what punishes the losing reply
    Anki,
}

/// A share from 0 to 1, or in per cent.
fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim().parse::<f64>().ok().map(|number| number / whole);
    let share = share.filter(|share| (0.0..=1.0).contains(share) && *share > 0.0);
    share.ok_or_else(|| "a share is more than 0 and at most 1, or in per cent: 0.2, 20%".to_owned())
}

/// Pawns as centipawns.
fn pawns(text: &str) -> Result<u32, String> {
    let pawns = text.parse::<f64>().ok().filter(|pawns| (0.01..=300.0).contains(pawns));
    let wrong = || "a loss is a number of pawns from 0.01 to 300: 1.5".to_owned();
    // From 1 to 30000.
    pawns.map(|pawns| (100.0 * pawns).round() as u32).ok_or_else(wrong)
}

/// Runs the command.
pub fn run(args: &TrapsArgs) -> Result<ExitCode, CliError> {
    printing(false, |printer| show(args, printer))
}

/// The sides to whose opponent's likely replies the tree has answers; both, where it follows none.
fn sides_prepared(tree: &Tree) -> Vec<Color> {
    let rules = tree.row.settings.games.map(|games| games.rules).unwrap_or_default();
    let sides: Vec<Color> =
        Color::ALL.into_iter().filter(|side| rules.of(!*side).is_some()).collect();
    if sides.is_empty() { Color::ALL.to_vec() } else { sides }
}

fn show(args: &TrapsArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let mut tree = args.chosen.load(&store)?;
    args.games.count(&mut tree, &store, printer)?;
    if tree.growth.counts().rules.is_none() {
        return Err(CliError::missing(format!(
            "analysis {} was grown without games and nets, so it does not know what people play",
            tree.row.id.0
        ))
        .hint("--human maia-1500 asks a net now; `deepanalyze grow --human maia-1500 --played -/5%` follows likely replies"));
    }
    let limits = TrapLimits { likely: args.min, loses: args.loss.unwrap_or(LOSES) };
    let sides = args.side.map_or_else(|| sides_prepared(&tree), |side| vec![side]);
    let mut traps: Vec<(Color, Trap)> = Vec::new();
    for side in sides {
        let asked = PeopleAsked { side, sound: args.sound };
        let of_side = traps_of(&store, &tree, asked, limits)?;
        traps.extend(of_side.into_iter().map(|trap| (side, trap)));
    }
    traps.sort_by(|(_, a), (_, b)| b.weight().total_cmp(&a.weight()));
    let all = traps.len();
    let usual = if args.report.format == TrapFormat::Anki { all } else { TOP };
    traps.truncate(args.top.map_or(usual, usize::from));
    let told = TrapsTold { tree: &tree, traps, all };
    let (width, pov) = (output.width(), args.report.pov());
    output.write(|out| match args.report.format {
        TrapFormat::Text => write_traps(&told, pov, width, out),
        TrapFormat::Json => write_traps_json(&told, out),
        TrapFormat::Anki => write_trap_cards(&told, pov, out),
    })
}
