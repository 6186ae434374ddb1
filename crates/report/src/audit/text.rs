//! An audit as text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Value, fen_of};
use deepanalyze_core::directives::{Audit, Finding, FindingKind};

use crate::audit::games::{GamesAudit, Met};
use crate::audit::{Audited, LineEnds};
use deepanalyze_view::{
    PointOfView, after, describe_breadth, describe_coverage, describe_known_games,
    describe_profile, grouped, numbered_line, numbered_move, pawns, seen, wrap, write_field,
};

const DIM: Style = Style::new().dimmed();

/// The columns of a header line's name.
const NAME_WIDTH: usize = 11;

/// Writes a header, then a numbered line for each finding, in the audit's order. Long lines are
/// broken to a terminal's width in columns, if there is one.
pub fn write_audit(
    audited: &Audited<'_>,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = AuditPage { width, out };
    page.header(audited, pov)?;
    match (audited.has_moves(), audited.games) {
        (false, None) => {
            page.paragraph(
                "no repertoire to check: no move is included at this position",
            )?;
            page.hint("`deepanalyze direct include --pgn FILE` reads one from a PGN file")?;
        }
        (false, Some(_)) => page.paragraph(
            "no move is included at this position: taking the moves that score most as the repertoire",
        )?,
        (true, _) => {}
    }
    let root = audited.tree.game.root();
    audited.games.map_or(Ok(()), |games| page.games(root, games))?;
    if audited.has_moves() { page.findings(audited, pov) } else { Ok(()) }
}

/// State of the writing.
struct AuditPage<'a> {
    width: Option<usize>,
    out: &'a mut dyn Write,
}

impl AuditPage<'_> {
    fn header(&mut self, audited: &Audited<'_>, pov: PointOfView) -> io::Result<()> {
        let (tree, audit) = (audited.tree, audited.audit);
        self.field("root", &fen_of(tree.game.root()))?;
        if !tree.game.moves().is_empty() {
            self.field("history", &numbered_line(tree.game.start(), tree.game.moves()))?;
        }
        self.field("engine", &describe_profile(&tree.row.profile))?;
        self.field("distance", &describe_breadth(&tree.row.settings))?;
        if tree.is_pending() {
            let pending = "the tree was grown with other directives; the scores below take the \
                present ones into account. `deepanalyze grow` grows it again";
            self.field("directives", pending)?;
        }
        if let Some(games) = audited.games {
            let followed = describe_known_games(&tree.row);
            followed.map_or(Ok(()), |followed| self.field("games", &followed))?;
            let left_out = games.left_out.as_deref();
            left_out.map_or(Ok(()), |left_out| self.field("left out", left_out))?;
            let coverage = describe_coverage(&games.by_move);
            coverage.map_or(Ok(()), |coverage| self.field("coverage", &coverage))?;
            let side = audited.side.fold_wb("White", "Black");
            let expected = games.expected.map(|score| {
                format!(
                    "{side}'s position is worth {:.1} points in 100 against these players",
                    100.0 * score
                )
            });
            expected.map_or(Ok(()), |expected| self.field("expected", &expected))?;
        }
        if audited.has_moves() {
            self.counts(audited.side, audited.most_lost, audit)?;
            let LineEnds { positions, replies } = audited.line_ends();
            if replies > 0 {
                let verb = if positions == 1 { "line ends" } else { "lines end" };
                let replies = counted_as(replies, "reply", "replies");
                let more = if audited.ends { "" } else { " (--ends lists them)" };
                let ends = format!(
                    "{} {verb} with {replies} without an answer{more}",
                    grouped(positions as u64)
                );
                self.field("line ends", &ends)?;
            }
            self.field("scores", &format!("in pawns, {}", pov.whose()))?;
        }
        Ok(())
    }

    fn counts(&mut self, side: Color, most_lost: u32, audit: &Audit) -> io::Result<()> {
        let (own, other) = match side {
            Color::White => ("White", "Black"),
            Color::Black => ("Black", "White"),
        };
        let ends = match audit.ends {
            0 => String::new(),
            1 => ", one of them an end".to_owned(),
            ends => format!(", {} of them ends", grouped(ends as u64)),
        };
        let positions = counted(audit.positions, "position");
        self.field("repertoire", &format!("for {own}: {positions}{ends}"))?;
        self.field("own moves", &own_moves(most_lost, audit))?;
        let unprepared = grouped(audit.unprepared as u64);
        let replies = grouped(audit.replies as u64);
        let replies =
            format!("{replies} of {other}'s within the distance, {unprepared} not prepared");
        self.field("replies", &replies)?;
        match audit.unreached {
            0 => Ok(()),
            unreached => {
                let positions = counted(unreached, "position");
                self.field("unreached", &format!("{positions} that the tree has not analysed yet"))
            }
        }
    }

    fn findings(&mut self, audited: &Audited<'_>, pov: PointOfView) -> io::Result<()> {
        let findings = audited.findings();
        let ends = audited.line_ends().replies > 0 && !audited.ends;
        match (findings.is_empty(), audited.games.is_some()) {
            (true, _) if ends => {
                return self.paragraph("nothing found before the ends of the lines");
            }
            (true, _) => {
                let nothing = "nothing found: every reply is prepared, and no own move loses";
                return self.paragraph(nothing);
            }
            (false, true) => {
                self.paragraph("by the tree's scores, what these opponents play first:")?
            }
            (false, false) => writeln!(self.out)?,
        }
        let columns = findings.len().to_string().len();
        let root = audited.tree.game.root();
        for (index, told) in findings.into_iter().enumerate() {
            let words = FindingWords::of(root, audited.side, told, pov);
            self.finding(&format!("{:>columns$}  ", index + 1), told.0, &words)?;
        }
        Ok(())
    }

    /// Writes gaps against people, and own moves that could score more.
    fn games(&mut self, root: &Chess, games: &GamesAudit) -> io::Result<()> {
        let gaps: Vec<String> = games.gaps.iter().map(|gap| gap.words(root)).collect();
        let of = (gaps.len(), games.gap_count);
        self.list("replies of these opponents without an answer, the likeliest first", of, &gaps)?;
        let losses: Vec<String> = games.losses.iter().map(|loss| loss.words(root)).collect();
        let of = (losses.len(), games.loss_count);
        self.list("own moves that score less than others", of, &losses)
    }

    /// A heading with the listed and total numbers, and a numbered line for each; nothing if empty.
    fn list(&mut self, what: &str, (told, all): (usize, usize), rows: &[String]) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let part = if told < all {
            format!(" ({told} of {})", grouped(all as u64))
        } else {
            String::new()
        };
        self.paragraph(&format!("{what}{part}:"))?;
        let columns = told.to_string().len() + 2;
        let room = self.width.map(|width| width.saturating_sub(columns));
        for (index, row) in rows.iter().enumerate() {
            let mut number = format!("{:>1$}  ", index + 1, columns - 2);
            for line in wrap(row, room) {
                writeln!(self.out, "{DIM}{number}{DIM:#}{line}")?;
                number = " ".repeat(columns);
            }
        }
        Ok(())
    }

    fn field(&mut self, name: &str, value: &str) -> io::Result<()> {
        write_field(name, NAME_WIDTH, value, self.width, self.out)
    }

    fn finding(&mut self, number: &str, finding: &Finding, words: &FindingWords) -> io::Result<()> {
        let style = style_of(finding.kind);
        let room = self.width.map(|width| width.saturating_sub(number.len()));
        for (index, line) in wrap(&words.text(), room).iter().enumerate() {
            match line.strip_prefix(words.kind).filter(|_| index == 0) {
                Some(rest) => {
                    writeln!(self.out, "{DIM}{number}{DIM:#}{style}{}{style:#}{rest}", words.kind)?;
                }
                None if index == 0 => writeln!(self.out, "{DIM}{number}{DIM:#}{line}")?,
                None => writeln!(self.out, "{:1$}{line}", "", number.len())?,
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        wrap(text, self.width).iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    fn hint(&mut self, text: &str) -> io::Result<()> {
        let text = format!("hint: {text}");
        let mut lines = wrap(&text, self.width).into_iter();
        lines.try_for_each(|line| writeln!(self.out, "{DIM}{line}{DIM:#}"))
    }
}

/// The numbers of own moves, of known ones, and of losing ones.
fn own_moves(most_lost: u32, audit: &Audit) -> String {
    let mut text = grouped(audit.own_moves as u64);
    if audit.priced_moves < audit.own_moves {
        text += &format!(", {} analysed", grouped(audit.priced_moves as u64));
    }
    let more = match most_lost {
        0 => "against the best move".to_owned(),
        most => format!("more than {most} centipawns"),
    };
    let verb = if audit.losing == 1 { "loses" } else { "lose" };
    text += &format!(", {} {verb} {more}", grouped(audit.losing as u64));
    match audit.several {
        0 => text,
        1 => text + "; in one position there are several",
        several => text + &format!("; in {} positions there are several", grouped(several as u64)),
    }
}

fn style_of(kind: FindingKind) -> Style {
    match kind {
        FindingKind::Loss => AnsiColor::Yellow.on_default(),
        FindingKind::Unprepared => AnsiColor::Cyan.on_default(),
        FindingKind::Unreached => DIM,
    }
}

/// A number with its noun: `1 position`, `1,200 positions`.
fn counted(amount: usize, noun: &str) -> String {
    counted_as(amount, noun, &format!("{noun}s"))
}

fn counted_as(amount: usize, one: &str, several: &str) -> String {
    format!("{} {}", grouped(amount as u64), if amount == 1 { one } else { several })
}

/// A finding in words, in a repertoire that begins at a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingWords {
    /// Its kind: `not prepared`.
    pub kind: &'static str,
    /// The move that it is about, or the line if there is none: `5. Bd3`.
    pub what: String,
    /// Place of that move: ` after 1. e4 c6`, ` at the root`, or nothing.
    pub place: String,
    /// Further words: `: +0.35, loses 0.12 against 3... c5 (+0.23)`, or nothing.
    pub rest: String,
}

impl FindingWords {
    /// The words for a finding, with scores from a point of view.
    pub fn of(
        root: &Chess,
        side: Color,
        (finding, met): (&Finding, Option<Met>),
        pov: PointOfView,
    ) -> FindingWords {
        let position = after(root, &finding.line);
        let line = numbered_line(root, &finding.line);
        let Some(uci) = finding.uci else {
            let what = if line.is_empty() { "the root".to_owned() } else { line };
            let kind = kind_words(finding.kind);
            return FindingWords { kind, what, place: String::new(), rest: String::new() };
        };
        let place =
            if line.is_empty() { " at the root".to_owned() } else { format!(" after {line}") };
        let scale = ScoreScale { side, mover: position.turn(), pov };
        let compared = match finding.kind {
            FindingKind::Loss => scale.loss(&position, finding),
            _ => scale.reply(&position, finding),
        };
        let score = finding.value.map_or("?".to_owned(), |value| scale.score(value));
        FindingWords {
            kind: kind_words(finding.kind),
            what: numbered_move(&position, uci),
            place,
            rest: format!(
                ": {score}, {compared}{}{}",
                answer(&position, uci, finding.answer),
                met.map_or(String::new(), |met| met.words())
            ),
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        let FindingWords { kind, what, place, rest } = self;
        format!("{kind}: {what}{place}{rest}")
    }
}

/// Its words.
fn kind_words(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Loss => "own move",
        FindingKind::Unprepared => "not prepared",
        FindingKind::Unreached => "not reached yet",
    }
}

/// Form of values of the repertoire's side beside a move.
struct ScoreScale {
    side: Color,
    mover: Color,
    pov: PointOfView,
}

impl ScoreScale {
    fn score(&self, value: Value) -> String {
        let value = if self.mover == self.side { value } else { -value };
        seen(value, self.mover, self.pov).to_string()
    }

    /// The loss of an own move.
    fn loss(&self, position: &Chess, finding: &Finding) -> String {
        let against = self.against(position, finding);
        match finding.value.zip(finding.against) {
            Some((value, _)) if is_lost(value) => format!("allows a mate against {against}"),
            Some((_, best)) if best.is_mate() => format!("misses the mate of {against}"),
            _ => format!(
                "loses {} against {against}",
                pawns(finding.cost.unwrap_or(0).unsigned_abs())
            ),
        }
    }

    /// The cost of an unanswered reply.
    fn reply(&self, position: &Chess, finding: &Finding) -> String {
        let (Some(cost), Some((value, best))) = (finding.cost, finding.value.zip(finding.against))
        else {
            return "no reply is prepared there".to_owned();
        };
        let than = format!("the best prepared reply {}", self.against(position, finding));
        match cost {
            0 => format!("as strong as {than}"),
            _ if value.is_mate() || best.is_mate() => {
                format!("{} than {than}", if cost > 0 { "stronger" } else { "weaker" })
            }
            1.. => format!("costs {} against {than}", pawns(cost.unsigned_abs())),
            _ => format!("weaker by {} than {than}", pawns(cost.unsigned_abs())),
        }
    }

    /// The move to compare, and its score.
    fn against(&self, position: &Chess, finding: &Finding) -> String {
        let best = finding.best.map_or("?".to_owned(), |uci| numbered_move(position, uci));
        let score = finding.against.map_or("?".to_owned(), |value| self.score(value));
        format!("{best} ({score})")
    }
}

/// The tree's answer to a reply.
fn answer(position: &Chess, uci: UciMove, answer: Option<UciMove>) -> String {
    let there = after(position, [&uci]);
    answer.map_or(String::new(), |answer| {
        format!("; the tree answers {}", numbered_move(&there, answer))
    })
}

/// True if the side is mated.
fn is_lost(value: Value) -> bool {
    value.is_mate() && value < Value::EVEN
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Score;
    use deepanalyze_core::directives::cost;

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    /// A finding at the initial position, comparing 1. e4 with 1. d4; scores are the side's.
    fn told(side: Color, kind: FindingKind, value: Score, against: Score) -> String {
        let (value, against) = (Value::from(value), Value::from(against));
        let finding = Finding {
            kind,
            line: Vec::new(),
            epd: String::new(),
            uci: Some(uci("e2e4")),
            value: Some(value),
            best: Some(uci("d2d4")),
            against: Some(against),
            answer: None,
            cost: Some(cost(value, against)),
        };
        FindingWords::of(&Chess::default(), side, (&finding, None), PointOfView::Mover).rest
    }

    #[test]
    fn mates_have_words_and_no_pawns() {
        let loss = |value, against| told(Color::White, FindingKind::Loss, value, against);
        assert_eq!(
            loss(Score::Mate(-2), Score::Cp(10)),
            ": #-2, allows a mate against 1. d4 (+0.10)"
        );
        assert_eq!(loss(Score::Cp(900), Score::Mate(3)), ": +9.00, misses the mate of 1. d4 (#3)");
        let reply = |value, against| told(Color::Black, FindingKind::Unprepared, value, against);
        let than = "than the best prepared reply 1. d4";
        assert_eq!(
            reply(Score::Mate(-2), Score::Cp(-10)),
            format!(": #2, stronger {than} (+0.10)")
        );
        assert_eq!(reply(Score::Cp(-10), Score::Mate(-2)), format!(": +0.10, weaker {than} (#2)"));
        assert_eq!(
            reply(Score::Cp(-10), Score::Cp(-10)),
            ": +0.10, as strong as the best prepared reply 1. d4 (+0.10)"
        );
    }
}
