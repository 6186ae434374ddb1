//! Walking a kept tree: where the user is, what is shown there, what a key does, and how it is
//! drawn. No terminal, clock or file: the command line has those.
#![deny(clippy::indexing_slicing)]

mod action;
mod change;
mod directing;
mod explorer;
mod findings;
mod future;
mod here;
mod list;
#[cfg(test)]
mod tests;
mod view;
mod walking;

pub use action::{Action, Ask, Mode, action_of};
pub use change::{Change, Step};
pub use explorer::{Effect, Explorer, Message};
pub use findings::Findings;
pub use here::{Here, ListedMove, Note};
pub use list::Entry;
pub use view::{Look, draw};
