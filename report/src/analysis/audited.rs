//! What a kept tree says of the repertoire that its root has now.

use std::borrow::Cow;

use shakmaty::Color;

use deepanalyze_core::directives::{Audit, audit};
use deepanalyze_core::tree::{Growth, IllegalMove};

use super::kept::KeptTree;

/// Looks through a side's repertoire; own moves that lose more than so many centipawns are findings.
/// Where the root has other directives than those that the tree was grown with, it is what the present
/// tree says under them, so that what has just been included counts.
///
/// # Errors
///
/// Where an included move is not legal.
pub fn audited(tree: &KeptTree, side: Color, most_lost: u32) -> Result<Audit, IllegalMove> {
    let growth: Cow<'_, Growth> = match tree.is_pending() {
        true => Cow::Owned(tree.growth.under(tree.said.wishes())?),
        false => Cow::Borrowed(&tree.growth),
    };
    Ok(audit(&growth, &tree.said, side, most_lost))
}
