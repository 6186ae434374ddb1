//! Writing what a search tells.

use std::fmt::Write as _;
use std::io::Write;

use super::shared::Shared;
use crate::builtin::moves::Move;
use crate::builtin::score::to_uci;
use crate::builtin::search::{Line, Listener};
use crate::builtin::table::Bound;
use crate::chess::Score;

/// A listener that writes UCI lines.
pub struct InfoWriter<'a, W> {
    shared: &'a Shared<W>,
    show_wdl: bool,
    phase: i32,
}

impl<'a, W> InfoWriter<'a, W> {
    /// A writer for searches of a position with so many pieces left.
    pub fn new(shared: &'a Shared<W>, show_wdl: bool, phase: i32) -> InfoWriter<'a, W> {
        InfoWriter { shared, show_wdl, phase }
    }
}

impl<W: Write> Listener for InfoWriter<'_, W> {
    fn line(&mut self, line: &Line<'_>) {
        let wdl = self.show_wdl.then_some(self.phase);
        self.shared.say(&format_line(line, wdl));
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        self.shared.say(&format!("info depth {depth} currmove {m} currmovenumber {number}"));
    }
}

fn format_line(line: &Line<'_>, wdl: Option<i32>) -> String {
    let millis = line.time.as_millis();
    let nps = u128::from(line.nodes) * 1000 / millis.max(1);
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score ",
        line.depth, line.seldepth, line.multi_pv
    );
    match to_uci(line.score) {
        Score::Cp(cp) => text += &format!("cp {cp}"),
        Score::Mate(moves) => text += &format!("mate {moves}"),
    }
    match line.bound {
        Bound::Lower => text += " lowerbound",
        Bound::Upper => text += " upperbound",
        Bound::Exact | Bound::None => {}
    }
    if let Some(phase) = wdl {
        let [win, draw, loss] = super::super::wdl::permille(line.score, phase);
        text += &format!(" wdl {win} {draw} {loss}");
    }
    let _ =
        write!(text, " nodes {} nps {nps} hashfull {} time {millis} pv", line.nodes, line.permille);
    for m in line.line {
        let _ = write!(text, " {m}");
    }
    text
}
