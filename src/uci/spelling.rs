//! How moves are spelled for the GUI.

use shakmaty::Chess;

use deepanalyze_core::uci::king_takes_rook;
use deepanalyze_runner::session::{Report, SessionEvent};

/// An event of a search with castling written as the king taking its rook.
pub(super) fn spelled(root: &Chess, told: SessionEvent) -> SessionEvent {
    match told {
        SessionEvent::Report(report) => {
            let mut lines = report.lines;
            lines.iter_mut().for_each(|line| line.moves = king_takes_rook(root, &line.moves));
            SessionEvent::Report(Report { lines, ..report })
        }
        SessionEvent::Best { best, ponder } => {
            let line: Vec<_> = best.into_iter().chain(ponder).collect();
            let mut moves = king_takes_rook(root, &line).into_iter();
            SessionEvent::Best { best: moves.next(), ponder: moves.next() }
        }
        SessionEvent::Note(text) => SessionEvent::Note(text),
    }
}
