//! What tells several analyses of one root from each other.

use crate::analysis::ListedRoot;
use crate::chess::{Tables, epd_of};

/// For each root what it alone has, or not all of its analyses have: the engine, some of its options, the
/// distance. Nothing for a root that is there once.
pub(super) fn differences(roots: &[ListedRoot]) -> Vec<String> {
    let of_root = |root: &ListedRoot| {
        let others = roots.iter().filter(|other| is_same_root(root, other));
        let others: Vec<Vec<String>> = others.map(traits).collect();
        let in_all = |one: &String| others.iter().all(|other| other.contains(one));
        let own = traits(root).into_iter().filter(|one| !in_all(one));
        own.collect::<Vec<String>>().join(", ")
    };
    roots.iter().map(of_root).collect()
}

/// Whether two are analyses of the same position after the same game. The clocks of its start do not count.
fn is_same_root(one: &ListedRoot, other: &ListedRoot) -> bool {
    let start = |root: &ListedRoot| root.game.as_ref().map(|game| epd_of(game.start()));
    one.row.id == other.row.id
        || one.row.history == other.row.history
            && start(one).is_some()
            && start(one) == start(other)
}

/// The limit has a column of its own.
fn traits(root: &ListedRoot) -> Vec<String> {
    let profile = &root.row.profile;
    let options = profile.described_options().into_iter();
    let options = options.map(|(name, value)| format!("{name}={value}"));
    let engine = std::iter::once(profile.engine.clone());
    let tables =
        root.row.tables.map(|Tables { men, fifty }| format!("tables of {men} men, {fifty}"));
    engine.chain(options).chain([format!("distance {}", root.row.breadth)]).chain(tables).collect()
}
