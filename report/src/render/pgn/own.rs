//! How lines go on behind the tree's end: the engine's own moves, marked as such.

use std::io;

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::analysis::Prospect;
use crate::render::words::after;
use deepanalyze_core::chess::san_of;
use deepanalyze_core::tree::{LineEnd, NodeId};

use super::movetext::Movetext;

/// What the first of the engine's own moves behind the tree's end says.
const OWN: &str = "from here on the engine's own line";

/// How the engine goes on behind a move of a position, by its place in the list.
pub(super) type OwnLines<'a> = HashMap<(NodeId, usize), &'a [UciMove]>;

/// Of the lines of prospects.
pub(super) fn own_lines(prospects: &[Prospect]) -> OwnLines<'_> {
    let own = |prospect: &'_ Prospect| match prospect.end {
        LineEnd::Tree { position, rank } => Some((position, rank)),
        _ => None,
    };
    prospects.iter().filter_map(|p| Some((own(p)?, &*p.continuation))).collect()
}

/// The engine's own moves; the first says that they are.
pub(super) fn write_own(
    mut position: Chess,
    moves: &[UciMove],
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    for (index, uci) in moves.iter().enumerate() {
        text.write_move(&position, &san_of(&position, *uci))?;
        if index == 0 {
            text.comment(OWN)?;
        }
        position = after(&position, [uci]);
    }
    Ok(())
}
