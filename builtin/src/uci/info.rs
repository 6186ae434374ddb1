//! Writing what a search tells.

use std::io::Write;

use super::shared::Shared;
use crate::moves::Move;
use crate::score::to_uci;
use crate::search::{Line, Listener};
use crate::table::Bound;
use crate::wdl::permille;
use deepanalyze_core::uci::Info;

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
    let info = Info {
        depth: line.depth as u32,
        seldepth: line.seldepth as u32,
        multipv: line.multi_pv,
        score: to_uci(line.score),
        bound: match line.bound {
            Bound::Lower => Some("lowerbound"),
            Bound::Upper => Some("upperbound"),
            Bound::Exact | Bound::None => None,
        },
        wdl: wdl.map(|phase| permille(line.score, phase)),
        nodes: line.nodes,
        hashfull: line.permille,
        time: line.time,
        pv: line.line,
    };
    info.to_string()
}
