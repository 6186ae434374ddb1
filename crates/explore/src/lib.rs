//! Walking a stored tree: the place, its view, the keys and the drawing. [`walk`] alone has a
//! terminal, with a background thread that reads on and writes directives.
#![deny(clippy::indexing_slicing)]

mod action;
mod asking;
mod directing;
mod explorer;
mod findings;
mod navigation;
#[cfg(test)]
mod tests;
mod view;
mod walk;
mod watch;

pub use action::{Action, Mode, Prompt, action_of};
pub use asking::{AskEngine, AskedMove, MovePlace};
pub use directing::{DirectiveChange, DirectiveEntry};
pub use explorer::{Effect, Explorer, StatusMessage};
pub use findings::Findings;
pub use view::{Look, draw};
pub use walk::walk;
