//! The tree as PGN: the best line as the main line, everything else as variations.

use std::io::{self, Write};

use shakmaty::{Chess, Color, Position};

use crate::chess::{Score, fen_of, san_of};
use crate::tree::{Child, Place};

use super::report::{PointOfView, Report, after, seen, uci_of};
use super::text::describe_profile;

/// No line is longer, as the PGN export format asks.
const LINE_WIDTH: usize = 79;

/// Writes a tree as one game. Idea and alpha stand in comments, for the mover; `[%eval]` is the
/// alpha from White's side, as in PGN everywhere.
///
/// # Errors
///
/// Where `out` cannot be written.
pub fn write_pgn(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_tags(report, out)?;
    let mut text = Movetext { out, column: 0, number_due: true };
    let game = &report.tree.game;
    let mut position = game.start().clone();
    for uci in game.moves().iter().chain(&report.line) {
        text.write_move(&position, &san_of(&position, *uci))?;
        position = after(&position, [uci]);
    }
    write_places(report, position, &mut text)?;
    text.token("*")?;
    writeln!(text.out)
}

fn write_tags(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (row, game) = (&report.tree.row, &report.tree.game);
    let settled = row.settled_depth.map_or("none".to_owned(), |depth| depth.to_string());
    let mut tag = |name: &str, value: &str| {
        writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
    };
    tag("Event", &format!("Deep analysis, distance {}, depth {settled}", row.distance))?;
    tag("Site", "?")?;
    tag("Date", "????.??.??")?;
    tag("Round", "?")?;
    tag("White", "?")?;
    tag("Black", "?")?;
    tag("Result", "*")?;
    if *game.start() != Chess::default() {
        tag("SetUp", "1")?;
        tag("FEN", &fen_of(game.start()))?;
    }
    tag("Annotator", &describe_profile(&row.profile))?;
    writeln!(out)
}

/// What is still to be written, last first.
enum Step<'a> {
    /// A move with its comment.
    Move {
        position: Chess,
        child: &'a Child,
    },
    /// All moves of a place after its first one, each a variation; then what follows the first.
    Alternatives {
        position: Chess,
        place: &'a Place,
    },
    /// The moves of a position.
    Place {
        position: Chess,
        place: &'a Place,
    },
    Open,
    Close,
}

/// A stack of steps instead of recursion: a line may be long.
fn write_places(report: &Report<'_>, start: Chess, text: &mut Movetext<'_>) -> io::Result<()> {
    let below = |position: &Chess, child: &Child| {
        let place = child.place.and_then(|place| report.places.get(place))?;
        Some(Step::Place { position: after(position, [&uci_of(child)]), place })
    };
    let mut steps: Vec<Step<'_>> = Vec::new();
    steps.extend(report.places.first().map(|place| Step::Place { position: start, place }));
    while let Some(step) = steps.pop() {
        match step {
            Step::Open => text.open()?,
            Step::Close => text.close()?,
            Step::Move { position, child } => {
                text.write_move(&position, &san_of(&position, uci_of(child)))?;
                text.comment(&comment(&position, child))?;
            }
            Step::Place { position, place } => {
                let Some(child) = place.moves.first() else {
                    continue;
                };
                steps.push(Step::Alternatives { position: position.clone(), place });
                steps.push(Step::Move { position, child });
            }
            Step::Alternatives { position, place } => {
                steps.extend(place.moves.first().and_then(|first| below(&position, first)));
                for child in place.moves.iter().skip(1).rev() {
                    steps.push(Step::Close);
                    steps.extend(below(&position, child));
                    steps.push(Step::Move { position: position.clone(), child });
                    steps.push(Step::Open);
                }
            }
        }
    }
    Ok(())
}

fn comment(position: &Chess, child: &Child) -> String {
    let white = seen(child.alpha, position.turn(), PointOfView::White);
    let mut comment = format!(
        "[%eval {}] alpha {} idea {}",
        eval_tag(white),
        Score::from(child.alpha),
        Score::from(child.idea)
    );
    if child.edge.eval != child.idea {
        comment.push_str(&format!(" eval {}", Score::from(child.edge.eval)));
    }
    if child.repetition {
        comment.push_str(", repetition");
    } else if child.transposition {
        comment.push_str(", transposition");
    }
    comment
}

/// `[%eval]` has pawns with a point, or `#` and moves.
fn eval_tag(score: Score) -> String {
    score.to_string().trim_start_matches('+').to_owned()
}

/// Movetext, broken into lines.
struct Movetext<'a> {
    out: &'a mut dyn Write,
    column: usize,
    /// Whether Black's next move needs its number: at the start, after a comment or a variation.
    number_due: bool,
}

impl Movetext<'_> {
    fn write_move(&mut self, position: &Chess, san: &str) -> io::Result<()> {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => self.token(&format!("{number}."))?,
            Color::Black if self.number_due => self.token(&format!("{number}..."))?,
            Color::Black => {}
        }
        self.number_due = false;
        self.token(san)
    }

    fn comment(&mut self, comment: &str) -> io::Result<()> {
        self.number_due = true;
        self.token("{")?;
        let mut rest = comment;
        while !rest.is_empty() {
            // Programs look for `[%eval 0.17]` on one line.
            let command = rest.starts_with('[').then(|| rest.find(']').map(|at| at + 1)).flatten();
            let end = command.or_else(|| rest.find(' ')).unwrap_or(rest.len());
            let (word, tail) = rest.split_at(end);
            self.token(word)?;
            rest = tail.trim_start();
        }
        self.token("}")
    }

    fn open(&mut self) -> io::Result<()> {
        self.number_due = true;
        self.token("(")
    }

    fn close(&mut self) -> io::Result<()> {
        self.number_due = true;
        self.token(")")
    }

    fn token(&mut self, token: &str) -> io::Result<()> {
        let width = token.chars().count();
        if self.column > 0 && self.column + 1 + width > LINE_WIDTH {
            writeln!(self.out)?;
            self.column = 0;
        } else if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        self.column += width;
        write!(self.out, "{token}")
    }
}
