//! Walking a kept tree: where the user is, what is shown there, what a key does, and how it is
//! drawn. [`walk`] alone has a terminal, and beside it a thread that reads on and writes what is directed.
#![deny(clippy::indexing_slicing)]

mod action;
mod directing;
mod explorer;
mod findings;
mod list;
#[cfg(test)]
mod tests;
mod view;
mod walk;
mod walking;
mod watch;

pub use action::{Action, Mode, Prompt, action_of};
pub use directing::DirectiveChange;
pub use explorer::{Effect, Explorer, StatusMessage};
pub use findings::Findings;
pub use list::DirectiveEntry;
pub use view::{Look, draw};
pub use walk::walk;
