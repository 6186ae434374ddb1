//! The tree as PGN: the best line as the main line, everything else as variations.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Heading, Value, fen_of, is_chess960};
use deepanalyze_core::printable::printable;
use deepanalyze_core::tree::{Child, LineEnd, NodeId, Place};

use crate::tree::figures::figures_legend;
use crate::tree::layout::{Bests, TreeReport, uci_of};
use crate::tree::movetext::{Movetext, nag_of_end, nag_of_move};
use crate::tree::references::References;
use crate::tree::walk::note_line;
use deepanalyze_view::{
    ChosenBy, NamedMove, PointOfView, Shown, Verdict, after, describe_depth, describe_distance,
    describe_played, describe_profile, describe_wdl, seen, timestamp,
};

/// Explains the comments, before the first move.
const LEGEND: &str = "alpha: the value of a move on this line; idea: its value on any line; \
    eval: the engine's own; both where they differ. All in pawns,";

/// The longest value of a tag: the whole line should stay under 256 characters.
const TAG_LENGTH: usize = 200;

/// Writes a tree as one game. Idea and alpha stand in comments, for the mover; `[%eval]` is the
/// alpha from White's side, counted from the position behind the move, as in PGN everywhere. The lines of the first moves go on as the engine's own
/// search did, marked by a comment. Lay the tree out with the best line first: then
/// the main line is whole.
pub fn write_pgn(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_tags(report, out)?;
    let mut text = Movetext::new(out);
    let figures = figures_legend(report).map(|figures| format!(" {figures}."));
    text.comment(&format!(
        "{LEGEND} {}; [%eval] is alpha for White, counted from behind the move.{}",
        report.options.pov.whose(),
        figures.unwrap_or_default()
    ))?;
    let game = &report.tree.game;
    let position = text.write_line(game.start(), game.moves().iter().chain(&report.line), None)?;
    if let Some(known) = report.known(report.start_node()) {
        text.comment(known.words())?;
    }
    write_note(report, report.start_node(), &mut text)?;
    let (references, bests) = (References::new(report), Bests::new(report));
    // A repertoire has only moves of its owner.
    let told = report.told().filter(|told| told.other.is_some());
    let told = told.filter(|_| report.options.side.is_none());
    let comments = Comments { references, bests, told: told.as_ref() };
    write_places(&comments, position, &mut text)?;
    text.end("*")
}

fn write_tags(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (row, game) = (&report.tree.row, &report.tree.game);
    let settled = describe_depth(row.settled_depth);
    let mut tag = |name: &str, value: &str| writeln!(out, "[{name} \"{}\"]", tag_value(value));
    let distance = describe_distance(&row.settings.breadth, row.settings.draw);
    // A repertoire keeps the names of its source game.
    let chapter = report.only_chapter();
    let event = chapter.map(|chapter| chapter.event.clone()).filter(|event| !event.is_empty());
    let event = event.unwrap_or_else(|| format!("Deep analysis, {distance}, depth {settled}"));
    tag("Event", &event)?;
    tag("Site", "?")?;
    tag("Date", &date(row.changed_at))?;
    tag("Round", "-")?;
    tag("White", player(chapter.map(|chapter| &chapter.white)))?;
    tag("Black", player(chapter.map(|chapter| &chapter.black)))?;
    tag("Result", "*")?;
    start_tags(game.start(), None).iter().try_for_each(|(name, value)| tag(name, value))?;
    if let Some(opening) = report.opening() {
        tag("ECO", opening.eco)?;
        tag("Opening", opening.name)?;
    }
    tag("Annotator", &describe_profile(&row.profile))?;
    writeln!(out)
}

/// A player's name for a tag.
pub fn player(name: Option<&String>) -> &str {
    name.map(String::as_str).filter(|name| !name.is_empty()).unwrap_or("?")
}

/// True if one of these glyphs rates the move.
pub fn has_move_glyph(glyphs: &[u8]) -> bool {
    glyphs.iter().any(|glyph| (1..=9).contains(glyph))
}

/// True if one of them rates the position.
fn has_position_glyph(glyphs: &[u8]) -> bool {
    glyphs.iter().any(|glyph| (10..=21).contains(glyph))
}

/// The tags for the start of a game, as readers of PGN want them; none for a game from the initial
/// position that does not call itself Chess960.
pub fn start_tags(start: &Chess, heading: Option<&Heading>) -> Vec<(&'static str, String)> {
    let is_chess960 = is_chess960(start) || heading.is_some_and(Heading::is_chess960);
    let mut tags = Vec::new();
    if is_chess960 {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    if is_chess960 || *start != Chess::default() {
        tags.extend([("SetUp", "1".to_owned()), ("FEN", fen_of(start))]);
    }
    tags
}

/// A tag's value: one line, with quotes and backslashes escaped.
pub fn tag_value(value: &str) -> String {
    let value: String = value.chars().take(TAG_LENGTH).collect();
    printable(&value).replace('\\', "\\\\").replace('"', "\\\"")
}

/// A date in PGN, UTC, from milliseconds since 1970.
pub fn date(milliseconds: i64) -> String {
    let day = timestamp(milliseconds);
    day.chars().take(10).map(|c| if c == '-' { '.' } else { c }).collect()
}

/// Work left, last first.
enum Pending<'a> {
    /// A move with its glyphs and comment.
    Move {
        position: Chess,
        place: &'a Place,
        shown: Shown<'a>,
    },
    /// All moves of a place after its first one, each a variation; then what follows the first.
    Alternatives {
        position: Chess,
        place: &'a Place,
        shown: Vec<Shown<'a>>,
    },
    /// The moves of a position.
    Place {
        position: Chess,
        place: &'a Place,
    },
    /// The engine's own moves behind the tree's end.
    Own {
        position: Chess,
        moves: Vec<UciMove>,
    },
    /// The line behind a move outside the tree.
    Told {
        position: Chess,
        moves: &'a [UciMove],
    },
    Open,
    Close,
}

/// A stack of steps instead of recursion: a line may be long.
fn write_places(comments: &Comments<'_>, start: Chess, text: &mut Movetext<'_>) -> io::Result<()> {
    let report = comments.references.report();
    let mut steps: Vec<Pending<'_>> = Vec::new();
    let elsewhere = comments.told.filter(|told| !comments.is_in_tree(told));
    match (elsewhere, report.places.first()) {
        // The verdict's move is not in the tree: the tree's moves are variations of it.
        (Some(told), Some(place)) => {
            let (first, behind) = told.choice.moves.split_at(1.min(told.choice.moves.len()));
            let position = text.write_line(&start, first, None)?;
            text.comment(&comments.told_words(told))?;
            steps.push(Pending::Told { position, moves: behind });
            push_variations(report, &start, place, Shown::of_place(place).collect(), &mut steps);
        }
        (_, place) => steps.extend(place.map(|place| Pending::Place { position: start, place })),
    }
    while let Some(step) = steps.pop() {
        match step {
            Pending::Open => text.open()?,
            Pending::Close => text.close()?,
            Pending::Own { position, moves } => {
                text.write_line(&position, &moves, Some(OWN))?;
            }
            Pending::Told { position, moves } => {
                text.write_line(&position, moves, None)?;
            }
            Pending::Move { position, place, shown } => {
                comments.write_move(&position, place, shown, text)?;
                write_note(report, shown.node, text)?;
            }
            Pending::Place { position, place } => {
                let shown = comments.in_order(place);
                let Some(first) = shown.first().copied() else {
                    continue;
                };
                steps.push(Pending::Alternatives { position: position.clone(), place, shown });
                steps.push(Pending::Move { position, place, shown: first });
            }
            Pending::Alternatives { position, place, mut shown } => {
                let first = shown.remove(0);
                steps.extend(first.child.and_then(|child| below(report, &position, place, child)));
                push_variations(report, &position, place, shown, &mut steps);
            }
        }
    }
    Ok(())
}

/// A move's follow-up.
fn below<'a>(
    report: &'a TreeReport<'_>,
    position: &Chess,
    place: &'a Place,
    child: &Child,
) -> Option<Pending<'a>> {
    let position = after(position, [&uci_of(child)]);
    if let Some(place) = child.place.and_then(|place| report.places.get(place)) {
        return Some(Pending::Place { position, place });
    }
    let end = LineEnd::Tree { position: place.node, rank: child.rank? };
    let first = report.first.iter().find(|first| first.line_end == end)?;
    Some(Pending::Own { position, moves: NamedMove::ucis(first.own()) })
}

/// Moves of a place, each a variation.
fn push_variations<'a>(
    report: &'a TreeReport<'_>,
    position: &Chess,
    place: &'a Place,
    shown: Vec<Shown<'a>>,
    steps: &mut Vec<Pending<'a>>,
) {
    for shown in shown.into_iter().rev() {
        steps.push(Pending::Close);
        steps.extend(shown.child.and_then(|child| below(report, position, place, child)));
        steps.push(Pending::Move { position: position.clone(), place, shown });
        steps.push(Pending::Open);
    }
}

/// The words about moves.
struct Comments<'a> {
    references: References<'a>,
    bests: Bests,
    /// The verdict, if printing begins with the root and a closing search took part.
    told: Option<&'a Verdict>,
}

impl Comments<'_> {
    /// True if the verdict's move is in the tree.
    fn is_in_tree(&self, told: &Verdict) -> bool {
        let root = self.references.report().places.first();
        let mut moves = root.into_iter().flat_map(Shown::of_place);
        moves.any(|shown| shown.uci == told.best())
    }

    /// The moves of a place: in the order of the user's files, then by alpha; the root's verdict
    /// comes first.
    fn in_order<'p>(&self, place: &'p Place) -> Vec<Shown<'p>> {
        let mut shown = self.references.report().in_written_order(place);
        if let Some(told) = self.told.filter(|_| self.is_first(place)) {
            // Equal moves keep their order.
            shown.sort_by_key(|shown| shown.uci != told.best());
        }
        shown
    }

    fn is_first(&self, place: &Place) -> bool {
        let first = self.references.report().places.first();
        first.is_some_and(|first| std::ptr::eq(first, place))
    }

    /// The origin of the verdict, with the score that is not the tree's.
    fn told_words(&self, told: &Verdict) -> String {
        let report = self.references.report();
        let words = told.describe(report.options.pov).unwrap_or_default();
        match told.by {
            ChosenBy::Closing => {
                format!(
                    "closing search {}: {words}",
                    report.seen(told.choice.value, told.choice.root.turn())
                )
            }
            ChosenBy::Tree => words,
        }
    }

    fn write_move(
        &self,
        position: &Chess,
        place: &Place,
        shown: Shown<'_>,
        text: &mut Movetext<'_>,
    ) -> io::Result<()> {
        text.write_move(position, shown.uci)?;
        let own = self.references.report().glyphs(shown);
        own.iter().try_for_each(|glyph| text.nag(*glyph))?;
        if let Some(child) = shown.child {
            let best = self.bests.at(place).filter(|_| !has_move_glyph(own));
            if let Some(nag) = best.and_then(|best| nag_of_move(best, child.alpha)) {
                text.nag(nag)?;
            }
            if child.place.is_none() && !child.transposition && !has_position_glyph(own) {
                text.nag(nag_of_end(child.alpha, position.turn()))?;
            }
        }
        let mut comment = self.comment(position, shown);
        let is_told = |told: &&Verdict| told.best() == shown.uci && self.is_first(place);
        if let Some(told) = self.told.filter(is_told) {
            comment.push_str(&format!(" {}", self.told_words(told)));
        }
        text.comment(&comment)
    }

    fn comment(&self, position: &Chess, shown: Shown<'_>) -> String {
        let score = |value: Value| self.references.report().seen(value, position.turn());
        let mut comment = String::new();
        if let Some(child) = shown.child {
            if let Some(eval) = eval_tag(child.alpha, position.turn()) {
                comment.push_str(&format!("{eval} "));
            }
            comment.push_str(&format!("alpha {}", score(child.alpha)));
            if let Some(wdl) = self.references.report().wdl(shown) {
                let pov = self.references.report().options.pov;
                comment.push_str(&format!(" ({})", describe_wdl(wdl, position.turn(), pov)));
            }
            if let Some(idea) = shown.other_idea() {
                comment.push_str(&format!(" idea {}", score(idea)));
            }
        }
        if let Some(eval) = shown.eval.filter(|eval| Some(*eval) != shown.idea()) {
            let blank = if comment.is_empty() { "" } else { " " };
            comment.push_str(&format!("{blank}eval {}", score(eval)));
        }
        let mut remarks = self.references.report().marks(shown);
        remarks.extend(self.games(shown));
        let known = self.references.report().known_words(shown.node);
        remarks.extend(known.map(str::to_owned));
        if shown.is_repetition() {
            remarks.push("repetition".to_owned());
        } else if shown.is_transposition() {
            remarks.push(format!("see {}", self.references.line_to(shown.node)));
        }
        for remark in remarks {
            comment.push_str(if comment.is_empty() { "" } else { ", " });
            comment.push_str(&remark);
        }
        comment
    }
}

impl Comments<'_> {
    /// Games with a move, if requested and known: `210 games, 70%`.
    fn games(&self, shown: Shown<'_>) -> Option<String> {
        let report = self.references.report();
        let played = shown.played(report.growth()).filter(|_| report.options.counts)?;
        Some(describe_played(played.games, played.share))
    }
}

/// The user's note on a position, as a comment of its own.
fn write_note(report: &TreeReport<'_>, node: NodeId, text: &mut Movetext<'_>) -> io::Result<()> {
    match note_line(report.said(node)) {
        Some(note) => text.comment(&as_comment(&note)),
        None => Ok(()),
    }
}

/// A user's text that neither ends its comment nor looks like a command.
pub fn as_comment(text: &str) -> String {
    text.replace("[%", "(%").replace('{', "(").replace('}', ")")
}

/// `[%eval]` behind a move of this value for its mover: pawns with a point, or `#` and the moves
/// left, for White. `None` for a checkmate.
pub fn eval_tag(alpha: Value, mover: Color) -> Option<String> {
    let behind = alpha.behind();
    let eval = seen(behind, !mover, PointOfView::White).to_string();
    (behind != Value::MATED).then(|| format!("[%eval {}]", eval.trim_start_matches('+')))
}

/// The comment on the first of the engine's moves behind the tree's end.
const OWN: &str = "from here on the engine's own line";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tag_breaks_its_line() {
        assert_eq!(tag_value("a\"b\\c\nd\u{1b}"), "a\\\"b\\\\c d ");
        assert_eq!(tag_value(&"x".repeat(1000)).len(), TAG_LENGTH);
    }

    #[test]
    fn mates_count_behind_the_move_and_checkmate_has_none() {
        use deepanalyze_core::chess::Score;
        let tag = |score, mover| eval_tag(Value::from(score), mover);
        for (score, mover, expected) in [
            (Score::Mate(2), Color::Black, Some("[%eval #-1]")),
            (Score::Mate(-1), Color::White, Some("[%eval #-1]")),
            (Score::Mate(1), Color::Black, None),
            (Score::Mate(1), Color::White, None),
            (Score::Mate(3), Color::White, Some("[%eval #2]")),
            (Score::Mate(-3), Color::Black, Some("[%eval #3]")),
            (Score::Cp(33), Color::White, Some("[%eval 0.33]")),
            (Score::Cp(33), Color::Black, Some("[%eval -0.33]")),
        ] {
            assert_eq!(tag(score, mover).as_deref(), expected, "{score} {mover:?}");
        }
    }

    #[test]
    fn a_note_stays_in_its_comment_and_commands_nothing() {
        assert_eq!(as_comment("a {b} [%eval 9]; c"), "a (b) (%eval 9]; c");
    }

    #[test]
    fn a_date_is_a_day_of_utc() {
        assert_eq!(date(1_763_683_199_999), "2025.11.20");
        assert_eq!(date(-1), "1970.01.01");
        assert_eq!(date(i64::MAX), "9999.12.31");
    }
}
