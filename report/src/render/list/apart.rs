//! What tells several analyses of one root from each other.

use std::collections::HashMap;

use shakmaty::uci::UciMove;

use crate::analysis::ListedRoot;
use deepanalyze_core::chess::{Tables, epd_of};

/// For each root what it alone has, or not all of its analyses have: the engine, some of its options, the
/// distance. Nothing for a root that is there once.
pub(super) fn differences(roots: &[ListedRoot]) -> Vec<String> {
    let keys: Vec<Option<Key<'_>>> = roots.iter().map(key).collect();
    let mut alike: HashMap<&Key<'_>, Vec<Vec<String>>> = HashMap::new();
    for (root, key) in roots.iter().zip(&keys) {
        if let Some(key) = key {
            alike.entry(key).or_default().push(traits(root));
        }
    }
    let of_root = |(root, key): (&ListedRoot, &Option<Key<'_>>)| {
        let others = key.as_ref().and_then(|key| alike.get(key));
        let others = others.filter(|others| others.len() > 1)?;
        let in_all = |one: &String| others.iter().all(|other| other.contains(one));
        let own: Vec<String> = traits(root).into_iter().filter(|one| !in_all(one)).collect();
        Some(own.join(", "))
    };
    roots.iter().zip(&keys).map(|root| of_root(root).unwrap_or_default()).collect()
}

/// Where a game began, and its moves. The clocks of its start do not count.
type Key<'a> = (String, &'a [UciMove]);

/// None where the game cannot be played.
fn key(root: &ListedRoot) -> Option<Key<'_>> {
    Some((epd_of(root.game.as_ref()?.start()), &root.row.history))
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
