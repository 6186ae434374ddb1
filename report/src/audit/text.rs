//! What the tree says of a repertoire, as text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::Color;

use deepanalyze_core::chess::fen_of;
use deepanalyze_core::directives::{Audit, Finding, FindingKind};

use crate::audit::Audited;
use crate::audit::words::FindingWords;
use crate::words::figures::grouped;
use crate::words::fit::{wrap, write_field};
use crate::words::manner::{describe_breadth, describe_profile};
use crate::words::moves::{PointOfView, numbered_line};

const DIM: Style = Style::new().dimmed();

/// The columns of a header line's name.
const NAME_WIDTH: usize = 11;

/// Writes a header, then a numbered line for each finding, in the audit's order. A terminal has a width
/// in columns, for which long lines are broken; without one nothing is.
pub fn write_audit(
    audited: &Audited<'_>,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = AuditPage { width, out };
    page.header(audited, pov)?;
    let findings = &audited.audit.findings;
    if !audited.has_moves() {
        page.paragraph("no move is included at this root: there is no repertoire to look through")?;
        return page.hint("`deepanalyze direct include --pgn FILE` takes one out of a PGN file");
    }
    if findings.is_empty() {
        return page.paragraph("nothing found: every reply is prepared, and no own move loses");
    }
    writeln!(page.out)?;
    let columns = findings.len().to_string().len();
    let root = audited.tree.game.root();
    for (index, finding) in findings.iter().enumerate() {
        let words = FindingWords::of(root, audited.side, finding, pov);
        page.finding(&format!("{:>columns$}  ", index + 1), finding, &words)?;
    }
    Ok(())
}

/// Where it is written.
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
        self.field("distance", &describe_breadth(&tree.row.breadth))?;
        if tree.is_pending() {
            let pending = "the tree was grown with other directives; the scores below take the \
                present ones into account. `deepanalyze grow` grows it again";
            self.field("directives", pending)?;
        }
        if audited.has_moves() {
            self.counts(audited.side, audited.most_lost, audit)?;
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
            ends => format!(", {} of them ends", number(ends)),
        };
        let positions = counted(audit.positions, "position");
        self.field("repertoire", &format!("for {own}: {positions}{ends}"))?;
        self.field("own moves", &own_moves(most_lost, audit))?;
        let unprepared = number(audit.unprepared);
        let replies = number(audit.replies);
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

    fn field(&mut self, name: &str, value: &str) -> io::Result<()> {
        write_field((name, NAME_WIDTH), value, self.width, self.out)
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

/// How many own moves there are, what is known of them, and how many lose.
fn own_moves(most_lost: u32, audit: &Audit) -> String {
    let mut text = number(audit.own_moves);
    if audit.priced_moves < audit.own_moves {
        text += &format!(", {} with a value", number(audit.priced_moves));
    }
    let more = match most_lost {
        0 => "against the best move".to_owned(),
        most => format!("more than {most} centipawns"),
    };
    let verb = if audit.losing == 1 { "loses" } else { "lose" };
    text += &format!(", {} {verb} {more}", number(audit.losing));
    match audit.several {
        0 => text,
        1 => text + "; in one position there are several",
        several => text + &format!("; in {} positions there are several", number(several)),
    }
}

fn style_of(kind: FindingKind) -> Style {
    match kind {
        FindingKind::Loss => AnsiColor::Yellow.on_default(),
        FindingKind::Unprepared => AnsiColor::Cyan.on_default(),
        FindingKind::Unreached => DIM,
    }
}

fn number(number: usize) -> String {
    grouped(u64::try_from(number).unwrap_or(u64::MAX))
}

/// A number with its noun: `1 position`, `1,200 positions`.
fn counted(amount: usize, noun: &str) -> String {
    let noun = if amount == 1 { noun.to_owned() } else { format!("{noun}s") };
    format!("{} {noun}", number(amount))
}
