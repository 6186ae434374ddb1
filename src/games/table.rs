//! Moves played in a position, as in every opening explorer.

use std::io::{self, Write};

use anstyle::Style;
use serde::Serialize;
use shakmaty::Position;

use deepanalyze_core::chess::{Game, fen_of, san_of};
use deepanalyze_games::{
    GameSet, GamesTally, LeftOut, MoveTally, PlayedHere, SetIdentity, Unjudged,
};
use deepanalyze_view::{
    Left, Right, cut, describe_root, grouped, last_opening, numbered_line, percent, table_lines,
};

use deepanalyze_view::count;

use super::human::Likely;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
/// The columns of the bar of results.
const BAR: u64 = 20;
/// The columns of a table that has them.
const WITH_BARS: usize = 76;

/// Writes the table for people.
pub(super) fn write_text(
    set: &SetIdentity,
    game: &Game,
    here: &PlayedHere,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let filter = if set.filter.is_empty() { String::new() } else { format!(" ({})", set.filter) };
    let head = format!("{}: {}{filter}", set.name, count(set.games, "game"));
    writeln!(out, "{}", cut(&head, width))?;
    writeln!(out, "{}", cut(&describe_line(game), width))?;
    let PlayedHere { all, moves } = here;
    if moves.is_empty() {
        return writeln!(out, "{}", nothing_played(game, set.max_ply));
    }
    writeln!(out)?;
    // The mean of all is no player's.
    let all = GamesTally { mean_rating: None, ..*all };
    let heading = ["move", "games", "share", "white", "draw", "black", "", "rating", "last"];
    let rows = std::iter::once(heading.map(str::to_owned))
        .chain(
            moves.iter().map(|tally| row(san_of(game.root(), tally.uci), &tally.played, all.games)),
        )
        .chain([row("all".to_owned(), &all, all.games)]);
    let alignments = [Left, Right, Right, Right, Right, Right, Left, Right, Right];
    // Where there is little room, figures are worth more than a bar.
    let rows = rows.map(|mut row| {
        if width < WITH_BARS {
            row[6].clear();
        }
        row
    });
    let lines = table_lines(alignments, rows);
    let last = lines.len() - 1;
    for (index, line) in lines.iter().enumerate() {
        match index {
            0 => writeln!(out, "{BOLD}{line}{BOLD:#}")?,
            index if index == last => writeln!(out, "{DIM}{line}{DIM:#}")?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// Why there are no moves: none was played, or a set does not count so far into a game.
fn nothing_played(game: &Game, max_ply: u32) -> String {
    let root = game.root();
    let moves_before = 2 * (root.fullmoves().get() - 1);
    let ply = moves_before.saturating_add(root.turn().fold_wb(0, 1));
    if ply < max_ply {
        return "no game reaches this position".to_owned();
    }
    format!(
        "this position comes after {ply} plies, and only the first {max_ply} of each game are counted\n\
         `deepanalyze games add SET FILE --max-ply {}` makes a set that counts it",
        ply + 1
    )
}

/// The moves that lead to the position, and its opening: `1. e4 c5 (Sicilian Defense)`.
fn describe_line(game: &Game) -> String {
    if game.moves().is_empty() {
        return describe_root(game);
    }
    let line = numbered_line(game.start(), game.moves());
    match last_opening(game, &[]) {
        Some(opening) => format!("{line} ({})", opening.name),
        None => line,
    }
}

/// A row; the share is of all games that came to the position, which may have played several of its moves.
fn row(name: String, tally: &GamesTally, all: u64) -> [String; 9] {
    let decided = tally.white + tally.draws + tally.black;
    let share = |part: u64| match decided {
        0 => String::new(),
        _ => format!("{}%", (200 * part + decided) / (2 * decided)),
    };
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    [
        name,
        grouped(tally.games),
        percent(tally.games, all),
        share(tally.white),
        share(tally.draws),
        share(tally.black),
        bar(tally),
        number(tally.mean_rating),
        number(tally.last_year),
    ]
}

/// White's part is full, draws are half, Black's part is empty.
fn bar(tally: &GamesTally) -> String {
    let decided = tally.white + tally.draws + tally.black;
    if decided == 0 {
        return String::new();
    }
    let columns = |part: u64| (2 * BAR * part + decided) / (2 * decided);
    let (white, drawn) = (columns(tally.white), columns(tally.white + tally.draws));
    let part = |sign: &str, columns: u64| sign.repeat(usize::try_from(columns).unwrap_or(0));
    [part("█", white), part("▒", drawn - white), part("·", BAR - drawn)].concat()
}

/// The table for programs.
#[derive(Serialize)]
struct TableObject<'t> {
    set: SetObject<'t>,
    root: String,
    history: Vec<String>,
    /// Where the history began; only where that was not the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// How many games have left the position by one of the moves below, each once, and what they come to.
    #[serde(flatten)]
    all: TallyObject,
    moves: Vec<MoveObject>,
    left_out: LeftOutObject,
    /// Games that the filter leaves out because they do not say what it asks for.
    unjudged: UnjudgedObject,
    /// Other names that may be the player's.
    also: Vec<NameObject<'t>>,
    /// How likely the moves are by a net, where one is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    human: Option<&'t Likely>,
}

/// Results of games.
#[derive(Serialize)]
struct TallyObject {
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
    mean_rating: Option<u32>,
    last_year: Option<u32>,
}

/// Games of a file that are not counted, and games with two results.
#[derive(Serialize)]
struct LeftOutObject {
    duplicates: u64,
    variants: u64,
    bad: u64,
    contradicting: u64,
}

#[derive(Serialize)]
struct UnjudgedObject {
    date: u64,
    rating: u64,
    time_control: u64,
    event: u64,
}

#[derive(Serialize)]
struct NameObject<'t> {
    name: &'t str,
    games: u64,
}

/// Source of the counts.
#[derive(Serialize)]
struct SetObject<'t> {
    name: &'t str,
    digest: &'t str,
    games: u64,
    filter: Option<&'t str>,
    max_ply: u32,
}

/// A move of the table.
#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    /// Of the games that came to the position; those of all moves may come to more than 1.
    share: f64,
    #[serde(flatten)]
    played: TallyObject,
}

impl From<GamesTally> for TallyObject {
    fn from(tally: GamesTally) -> TallyObject {
        let GamesTally { games, white, draws, black, mean_rating, last_year } = tally;
        TallyObject { games, white, draws, black, mean_rating, last_year }
    }
}

/// Writes the table for programs.
pub(super) fn write_json(
    set: &GameSet,
    game: &Game,
    here: &PlayedHere,
    human: Option<&Likely>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let PlayedHere { all, moves } = here;
    let object = |tally: &MoveTally| MoveObject {
        uci: tally.uci.to_string(),
        san: san_of(game.root(), tally.uci),
        share: (tally.played.games as f64 / all.games as f64 * 1e6).round() / 1e6,
        played: tally.played.into(),
    };
    let SetIdentity { name, digest, games, filter, max_ply } = set.identity();
    let filter = Some(filter.as_str()).filter(|filter| !filter.is_empty());
    let start = (*game.start() != shakmaty::Chess::default()).then(|| fen_of(game.start()));
    let LeftOut { duplicates, ref variants, bad, contradicting, .. } = *set.left_out();
    let Unjudged { date, rating, time_control, event } = set.unjudged();
    let also = set.also().iter().map(|(name, games)| NameObject { name, games: *games });
    let table = TableObject {
        set: SetObject { name, digest, games: *games, filter, max_ply: *max_ply },
        root: fen_of(game.root()),
        history: game.moves().iter().map(ToString::to_string).collect(),
        start,
        all: (*all).into(),
        moves: moves.iter().map(object).collect(),
        left_out: LeftOutObject { duplicates, variants: variants.games(), bad, contradicting },
        unjudged: UnjudgedObject { date, rating, time_control, event },
        also: also.collect(),
        human,
    };
    deepanalyze_view::write_json(&table, out)
}
