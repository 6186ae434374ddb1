//! What a database holds: a line for each root for people, an object for each for programs.

mod apart;
mod json;
mod long;
mod table;

use crate::analysis::ListedRoot;

pub use json::write_list_json;
pub use long::write_analysis;
pub use table::write_list;

/// What a root is called, whether it has a name or not.
pub fn called(root: &ListedRoot) -> String {
    let described = || root.game.as_ref().map(super::describe_root);
    root.name.clone().or_else(described).unwrap_or_else(|| root.row.root.clone())
}
