//! The tree as CSV for spreadsheets: one row per move.

use std::io::{self, Write};

use serde::Serialize;

use deepanalyze_core::chess::{GivenValue, Score, Value, epd_of, san_of};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::Child;

use crate::tree::layout::TreeReport;
use crate::tree::walk::{TreeVisit, TreeWalk, note_line};
use deepanalyze_view::numbered_move;

/// One move. Scores are the mover's, in centipawns, or in moves to mate; one of both is empty.
#[derive(Default, Serialize)]
struct CsvRow<'a> {
    ply: u32,
    line: &'a str,
    epd: String,
    uci: String,
    san: String,
    rank: Option<usize>,
    alpha: Option<i32>,
    alpha_mate: Option<i32>,
    idea: Option<i32>,
    idea_mate: Option<i32>,
    eval: Option<i32>,
    eval_mate: Option<i32>,
    loss: Option<i32>,
    candidate: bool,
    end: &'static str,
    repetition: bool,
    transposition: bool,
    included: bool,
    excluded: bool,
    value: Option<GivenValue>,
    stopped: bool,
    note: String,
    wdl: Option<i8>,
    /// Of a thousand games, for the mover.
    wins: Option<u16>,
    draws: Option<u16>,
    losses: Option<u16>,
}

/// Writes a row of names, then one row per printed move, in the order of text. No cell begins with
/// a sign that a spreadsheet would take for a formula, except negative numbers.
pub fn write_csv(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&names()?)?;
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
    let mut line = LineText::new(report);
    for visit in TreeWalk::new(report).moves() {
        line.extend(&visit);
        csv.serialize(row(report, &visit, &line.text)).map_err(io_error)?;
    }
    csv.flush()
}

/// The header row.
fn names() -> io::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.serialize(CsvRow::default()).map_err(io_error)?;
    let text = csv.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    Ok(text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default().to_vec())
}

/// The crate's own conversion loses the kind of error; a closed pipe must keep it.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

fn row<'a>(report: &TreeReport<'_>, visit: &TreeVisit<'_>, line: &'a str) -> CsvRow<'a> {
    let shown = visit.shown;
    let (uci, said) = (shown.uci, report.said(shown.node));
    let (alpha, alpha_mate) = shown.alpha().map_or((None, None), columns);
    let (idea, idea_mate) = shown.idea().map_or((None, None), columns);
    let [wins, draws, losses] = match report.wdl(shown).map(WinDrawLoss::permille) {
        Some(numbers) => numbers.map(Some),
        None => [None; 3],
    };
    let (eval, eval_mate) = shown.eval.map_or((None, None), columns);
    CsvRow {
        ply: visit.place.ply,
        line,
        epd: epd_of(&visit.position),
        uci: uci.to_string(),
        san: san_of(&visit.position, uci),
        rank: shown.rank,
        alpha,
        alpha_mate,
        idea,
        idea_mate,
        eval,
        eval_mate,
        loss: shown.child.and_then(|child| loss(visit.place.moves.first(), child)),
        candidate: shown.is_candidate(),
        end: report.end(shown.node).unwrap_or_default(),
        repetition: shown.is_repetition(),
        transposition: shown.is_transposition(),
        included: shown.included,
        excluded: shown.excluded,
        value: said.value,
        stopped: said.stopped,
        note: note_line(said).map(no_formula).unwrap_or_default(),
        wdl: report.known(shown.node).map(|known| known.wdl.get()),
        wins,
        draws,
        losses,
    }
}

/// A text that no spreadsheet takes for a formula: an apostrophe precedes a sign that begins one.
fn no_formula(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

/// Centipawns and mate.
fn columns(value: Value) -> (Option<i32>, Option<i32>) {
    match Score::from(value) {
        Score::Cp(cp) => (Some(cp), None),
        Score::Mate(mate) => (None, Some(mate)),
    }
}

/// The move's loss against the best one, in centipawns; `None` between a mate and another value,
/// which have no difference.
fn loss(best: Option<&Child>, child: &Child) -> Option<i32> {
    let best = best?.alpha;
    match (Score::from(best), Score::from(child.alpha)) {
        _ if best == child.alpha => Some(0),
        (Score::Cp(best), Score::Cp(cp)) => Some(best - cp),
        _ => None,
    }
}

/// The line to the visited move, from the root: `1. e4 e5 2. Nf3`.
struct LineText {
    text: String,
    /// Length of the text before each level's move.
    ends: Vec<usize>,
}

impl LineText {
    fn new(report: &TreeReport<'_>) -> LineText {
        let text = deepanalyze_view::numbered_line(report.tree.game.root(), &report.line);
        LineText { ends: vec![text.len()], text }
    }

    fn extend(&mut self, visit: &TreeVisit<'_>) {
        self.ends.truncate(visit.level + 1);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        let uci = visit.shown.uci;
        let word = match (self.text.is_empty(), shakmaty::Position::turn(&visit.position)) {
            (false, shakmaty::Color::Black) => san_of(&visit.position, uci),
            _ => numbered_move(&visit.position, uci),
        };
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&word);
        self.ends.push(self.text.len());
    }
}
