//! Where games leave a repertoire, as text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use deepanalyze_core::chess::{Game, Value, fen_of};

use crate::review::player::names_and_games;
use crate::review::{Compared, Course, Departure, LeftBy, PlaceLeft, Review, ReviewedGame};
use deepanalyze_view::{
    PointOfView, count, describe_profile, hanging, name_of_game, numbered_line, numbered_move,
    pawns, seen, write_field,
};

const DIM: Style = Style::new().dimmed();
/// The columns of a header line's name.
const NAME_WIDTH: usize = 12;

/// Writes a header, the places where games left by their number, and then a line for each game.
/// Long lines are broken to a width in columns.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_review(
    review: &Review<'_>,
    pov: PointOfView,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(review, pov, width, out)?;
    let places = review.places();
    if !places.is_empty() {
        writeln!(out, "\n{DIM}games  where they left the repertoire{DIM:#}")?;
    }
    for place in &places {
        write_place(place, pov, width, out)?;
    }
    writeln!(out, "\n{DIM} game  how far it went{DIM:#}")?;
    review.games.iter().try_for_each(|game| write_game(game, width, out))
}

fn write_head(
    review: &Review<'_>,
    pov: PointOfView,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tree = review.tree;
    let mut field =
        |name: &str, value: &str| write_field(name, NAME_WIDTH, value, Some(width), &mut *out);
    field("root", &fen_of(tree.game.root()))?;
    if !tree.game.moves().is_empty() {
        field("history", &numbered_line(tree.game.start(), tree.game.moves()))?;
    }
    field("engine", &describe_profile(&tree.row.profile))?;
    if tree.is_pending() {
        let pending = "the tree was grown with other directives; what follows takes the present ones \
            into account. `deepanalyze grow` grows it again";
        field("directives", pending)?;
    }
    field("repertoire", &describe_repertoire(review))?;
    field("games", &describe_games(review))?;
    if !review.also.is_empty() {
        field("also", &names_and_games(&review.also))?;
    }
    field("left", &describe_left(review))?;
    field("scores", &format!("in pawns, {}", pov.whose()))
}

/// `for White: 57 positions; your included moves, else those that lose at most 0.30`.
pub fn describe_repertoire(review: &Review<'_>) -> String {
    let [white, black] = review.positions;
    let of = |name: &str, positions: Option<usize>| {
        positions.map(|number| format!("for {name}: {}", count(number as u64, "position")))
    };
    let sides: Vec<String> = of("White", white).into_iter().chain(of("Black", black)).collect();
    let lost = pawns(review.sound);
    format!("{}; your included moves, else those that lose at most {lost}", sides.join(", "))
}

/// The number of games, and their player.
pub fn describe_games(review: &Review<'_>) -> String {
    let number = count(review.games.len() as u64, "game");
    let of = review.player.as_ref().map_or(String::new(), |player| format!(" of {player}"));
    let elsewhere = match review.counts().elsewhere {
        0 => String::new(),
        1 => "; one never comes to the repertoire".to_owned(),
        more => format!("; {more} never come to the repertoire"),
    };
    format!("{number}{of}{elsewhere}")
}

/// The games left, by cause.
pub fn describe_left(review: &Review<'_>) -> String {
    let counts = review.counts();
    let end = match counts.at_end {
        0 => String::new(),
        1 => ", one came to the end of the tree".to_owned(),
        more => format!(", {more} came to the end of the tree"),
    };
    let stayed = match counts.stayed {
        0 => String::new(),
        1 => ", one was over before".to_owned(),
        more => format!(", {more} were over before"),
    };
    format!("{} by you, {} by opponents{end}{stayed}", counts.by_player, counts.by_opponent)
}

fn style_of(by: LeftBy) -> Style {
    match by {
        LeftBy::Player => AnsiColor::Yellow.on_default(),
        LeftBy::Opponent => AnsiColor::Cyan.on_default(),
        LeftBy::End => DIM,
    }
}

fn write_place(
    place: &PlaceLeft<'_>,
    pov: PointOfView,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let PlaceLeft { games, first, departure } = place;
    let words = DepartureWords::of(&first.written.game, departure, pov);
    let number = format!("{games:>5}  ");
    let style = style_of(departure.by);
    for (index, line) in hanging(&number, &words.text(), width).iter().enumerate() {
        match line.strip_prefix(&format!("{number}{}", words.who)).filter(|_| index == 0) {
            Some(rest) => writeln!(out, "{number}{style}{}{style:#}{rest}", words.who)?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// A game: `   12  Lee–Smith 2024, 5. Bd3: you left`.
fn write_game(game: &ReviewedGame, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let number = format!("{:>5}  ", game.written.number);
    let lines = hanging(&number, &course_words(game), width);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Course of a game, behind its name.
pub fn course_words(game: &ReviewedGame) -> String {
    let (heading, whole) = (&game.written.heading, &game.written.game);
    let name = |ply: usize| {
        let known = name_of_game(heading, &whole.up_to(ply)).map(|name| format!("{name}: "));
        known.unwrap_or_default()
    };
    match &game.course {
        Course::Elsewhere => {
            format!("{}never in the repertoire", name(whole.moves().len()))
        }
        Course::Stayed => format!("{}over before it left", name(whole.moves().len())),
        Course::Left(departure) => {
            let who = match departure.by {
                LeftBy::Player => "you left",
                LeftBy::Opponent => "your opponent left",
                LeftBy::End => "the tree ends before it",
            };
            let lost = departure.lost().filter(|lost| *lost > 0);
            let lost = lost.map(|lost| format!(" ({})", pawns(lost))).unwrap_or_default();
            format!("{}{who}{lost}", name(departure.ply + 1))
        }
    }
}

/// How a game left, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepartureWords {
    /// The cause.
    pub by: LeftBy,
    /// The cause in words: `you`.
    pub who: &'static str,
    /// The move and place: ` played 5. Bd3 after 1. e4 c6`.
    pub what: String,
    /// The repertoire's moves, and the loss of the move.
    pub rest: String,
}

impl DepartureWords {
    /// The words for how a game left, with scores from a point of view.
    pub fn of(game: &Game, departure: &Departure, pov: PointOfView) -> DepartureWords {
        let before = game.moves().get(..departure.ply).unwrap_or_default();
        let line = numbered_line(game.start(), before);
        let after = if line.is_empty() { String::new() } else { format!(" after {line}") };
        let played = numbered_move(&departure.position, departure.played);
        let by = departure.by;
        match by {
            LeftBy::Player => DepartureWords {
                by,
                who: "you",
                what: format!(" played {played}{after}"),
                rest: format!("{}{}", right_words(departure, pov), lost_words(departure)),
            },
            LeftBy::Opponent => DepartureWords {
                by,
                who: "opponent",
                what: format!(" played {played}{after}"),
                rest: format!("; the tree does not have it{}", lost_words(departure)),
            },
            LeftBy::End => {
                let at = if line.is_empty() { "the root".to_owned() } else { line };
                DepartureWords {
                    by,
                    who: "the tree",
                    what: format!(" ends with {at}"),
                    rest: turn(departure),
                }
            }
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        let DepartureWords { who, what, rest, .. } = self;
        format!("{who}{what}{rest}")
    }

    /// A comment on the move itself.
    pub fn comment(&self) -> String {
        match self.by {
            LeftBy::Player => format!("you left the repertoire here{}", self.rest),
            LeftBy::Opponent => format!("your opponent left the repertoire here{}", self.rest),
            LeftBy::End => "the tree ends before this move".to_owned(),
        }
    }

    /// The repertoire's moves, and the move's loss, as single sentences.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        self.rest
            .split(';')
            .map(|one| one.trim_start_matches(':').trim())
            .filter(|sentence| !sentence.is_empty())
    }

    /// True if another move was to be played.
    pub fn has_right(&self) -> bool {
        self.by == LeftBy::Player
    }
}

/// The side to move, in words.
fn turn(departure: &Departure) -> String {
    let is_own = departure.turn() == departure.side;
    if is_own { ": your move" } else { ": your opponent's move" }.to_owned()
}

/// `; to be played: 5. Nf3 (+0.35) or 5. Nc3 (+0.31)`.
fn right_words(departure: &Departure, pov: PointOfView) -> String {
    let words = departure.right.iter().map(|m| {
        let score = m.value.map(|value| format!(" ({})", seen(value, departure.turn(), pov)));
        numbered_move(&departure.position, m.named.uci) + &score.unwrap_or_default()
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!("; to be played: {}", words.join(" or ")) }
}

/// `; it lost 0.12 by the tree, 0.20 by the engine`.
fn lost_words(departure: &Departure) -> String {
    let by = |compared: Option<Compared>, whose: &str| {
        compared.map(|compared| format!("{} by {whose}", lost_by(compared)))
    };
    let (tree, engine) = (by(departure.by_tree, "the tree"), by(departure.by_engine, "the engine"));
    let known = departure.by_tree.into_iter().chain(departure.by_engine);
    if departure.by_tree.is_some() && known.map(Compared::cost).all(|cost| cost == 0) {
        return "; it lost nothing".to_owned();
    }
    let all: Vec<String> = tree.into_iter().chain(engine).collect();
    if all.is_empty() { String::new() } else { format!("; it lost {}", all.join(", ")) }
}

/// The loss of a move in pawns, or a mate.
fn lost_by(compared: Compared) -> String {
    let Compared { played, best } = compared;
    match compared.cost() {
        0 => "nothing".to_owned(),
        _ if best.is_mate() && best > played && best > Value::EVEN => "a mate".to_owned(),
        _ if played.is_mate() => "the game".to_owned(),
        lost => pawns(lost),
    }
}
