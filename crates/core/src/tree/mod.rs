//! The algorithm, pure: no I/O, no clock, no thread.
//!
//! A [`Graph`] of positions and listed moves; the [`Values`] that play forces in it, with and
//! without a path ([`PathValues`]); the visit that says what to search ([`requests`]); what one
//! position's requests still need ([`Service`]); and the passes of a whole analysis
//! ([`Growth`]). Sections are those of the algorithm page, `docs/algorithm.md`.

mod ahead;
mod behind;
mod breadth;
mod drawn;
mod flip;
mod graph;
#[cfg(any(test, feature = "testing"))]
mod grown;
mod growth;
mod incremental;
mod move_counts;
mod one_sided;
mod passes;
mod places;
mod played;
mod plies;
mod positions;
mod recheck;
mod rescoring;
mod selection;
mod survey;
mod table;
mod values;
mod variation;
mod visit;
mod ways;
mod work;

pub use ahead::{Horizon, Outlook, Want, scenario};
pub use behind::{Behind, LineEnd, behind, line_end};
pub use breadth::{Breadth, Widths, WidthsError};
pub use drawn::{DrawnBest, DrawnBy, drawn_best};
pub use flip::{Flip, MOST_CHANGE, MovedLeaf, Stability, stability};
pub use graph::{Edge, Followed, Graph, NodeId, Wish};
#[cfg(any(test, feature = "testing"))]
pub use grown::{Lists, grown_of};
pub use growth::{
    CLOSING_MARGIN, Growth, IllegalMove, RootShare, SeenMove, Settled, ShareAnswer, ranked_shares,
};
pub use incremental::Incremental;
pub use move_counts::{MoveCount, MoveCounts};
pub use passes::{Served, Server, grow_by};
pub use places::{
    Aside, Child, Layout, Place, WrittenLines, aside, choices, places, places_by_lines,
};
pub use played::{
    CountFacts, NoPlayedRule, Played, PlayedRule, PlayedRules, WrittenRule, WrittenRules,
};
pub use recheck::{AskedLeaf, Errors, Margin, Recheck, RecheckState};
pub use rescoring::rescored::{Leaf, RescoredMove, Rescoring};
pub use selection::{Selection, TableFacts, Wishes};
pub use survey::{
    CircleFound, Disagreement, best_idea, best_idea_line, disagreements, is_decided,
    largest_circles,
};
pub use values::Values;
pub use values::components::components;
pub use values::paths::{Bound, PathSet, PathValues};
pub use variation::{
    RootMove, best_line_behind, best_root_move, first_lines, moves_behind, root_moves,
};
pub use visit::order::{Listed, RankedMove, is_within};
pub use visit::service::{Request, Service};
pub use visit::{Covering, count_visits, requests, requests_with};
pub use work::{Spent, Work};
