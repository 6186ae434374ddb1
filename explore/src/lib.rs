//! Walking a kept tree: where the user is, what is shown there, what a key does, and how it is
//! drawn. [`walk`] alone has a terminal, and beside it a thread that reads on and writes what is directed.
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
mod walk;
mod walking;
mod watch;

pub use action::{Action, Ask, Mode, action_of};
pub use change::{Change, Step};
pub use explorer::{Effect, Explorer, Message};
pub use findings::Findings;
pub use here::{Here, ListedMove, Note};
pub use list::Entry;
pub use view::{Look, draw};
pub use walk::walk;
