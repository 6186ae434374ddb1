//! What makes two scores comparable: engine, options, limit.

use std::collections::BTreeMap;

use super::limit::Limit;

/// The identity of a set of answers: what was searched by the same engine, with the same options,
/// to the same limit, is comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Profile {
    /// What the engine calls itself (`id name`).
    pub engine: String,
    /// The options that the user set, in the engine's own spelling. What the program itself always
    /// sets (`Threads 1`, no book, …) is no part of it.
    pub options: BTreeMap<String, String>,
    /// The limit of one search.
    pub limit: Limit,
}

/// A kept hash makes answers depend on their order: it is a profile of its own.
const KEEP_HASH: &str = "keep-hash";

impl Profile {
    /// The profile of answers on a kept hash; `since` says what it was kept of, `true` where nobody
    /// knows.
    #[must_use]
    pub fn on_kept_hash(mut self, since: &str) -> Profile {
        self.options.insert(KEEP_HASH.to_owned(), since.to_owned());
        self
    }

    /// The profile without its kept hash, and what that one was kept of, where it is one.
    pub fn without_kept_hash(mut self) -> (Profile, Option<String>) {
        let since = self.options.remove(KEEP_HASH);
        (self, since)
    }
}
