//! An audit as PGN: a game for each finding, the line to it with the finding as a comment.

use std::io::{self, Write};

use shakmaty::uci::UciMove;

use crate::audit::Audited;
use crate::audit::text::FindingWords;
use crate::tree::movetext::Movetext;
use crate::tree::pgn::{start_tags, tag_value};
use deepanalyze_view::PointOfView;

/// Writes a game for each finding, in the order of text: gaps, own moves that score less, then the
/// tree's.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_audit_pgn(
    audited: &Audited<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let root = audited.tree.game.root();
    let mut number = 0;
    let mut write = |line: &[UciMove], uci: Option<UciMove>, words: &str| {
        if number > 0 {
            writeln!(out)?;
        }
        number += 1;
        write_finding(audited, number, words, line, uci, out)
    };
    if let Some(games) = audited.games {
        for gap in &games.gaps {
            write(&gap.line, Some(gap.uci), &gap.words(root))?;
        }
        for loss in &games.losses {
            write(&loss.line, Some(loss.own.0), &loss.words(root))?;
        }
    }
    audited.findings().into_iter().try_for_each(|(finding, met)| {
        let words = FindingWords::of(root, audited.side, (finding, met), pov).text();
        write(&finding.line, finding.uci, &words)
    })
}

fn write_finding(
    audited: &Audited<'_>,
    number: usize,
    words: &str,
    line: &[UciMove],
    uci: Option<UciMove>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let game = &audited.tree.game;
    let mut tag = |name: &str, value: &str| writeln!(out, "[{name} \"{}\"]", tag_value(value));
    tag("Event", words)?;
    tag("Site", "?")?;
    tag("Date", "????.??.??")?;
    tag("Round", &number.to_string())?;
    tag("White", "?")?;
    tag("Black", "?")?;
    tag("Result", "*")?;
    start_tags(game.start(), None).iter().try_for_each(|(name, value)| tag(name, value))?;
    writeln!(out)?;
    let mut text = Movetext::new(out);
    let moves = game.moves().iter().chain(line).chain(&uci);
    text.write_line(game.start(), moves, None)?;
    text.comment(words)?;
    text.end("*")
}
