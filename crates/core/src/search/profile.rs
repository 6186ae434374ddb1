//! What makes two scores comparable: engine, options, limit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use super::Limit;

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
    /// What was on the hash, where it was not cleared before each search. Answers depend on it: a kept hash
    /// makes a profile of its own.
    pub kept_hash: Option<KeptHash>,
}

/// What a kept hash holds: the searches made since it was last cleared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeptHash {
    /// Whatever was searched before: nobody knows.
    Unknown,
    /// These searches, in their order. The same contents, the same searches.
    Of(HashContents),
}

/// The searches on a kept hash, by the tree that asked for them. As JSON, with sorted keys and without what
/// there is none of, it is part of a key in the database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashContents {
    /// The directives that the tree was grown with, as their file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directives: Option<serde_json::Value>,
    /// The tree's move distance in centipawns, where both sides have the same plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The limit of its searches, where it is not that of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The UCI moves from the start to the root, with a blank between two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub moves: String,
    /// The engine nodes after which it was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Which of its positions.
    pub of: HashOf,
    /// The passes after which it was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// How many moves the root has at least, where that is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_moves: Option<u32>,
    /// Which of the root's moves are searched, where several engines share them out among themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Box<MoveShare>>,
    /// Which engines grew the tree within one time, in a duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_by_side: Option<Box<SideBySide>>,
    /// EPD of the position in which its game began.
    pub start: String,
    /// How far the tree goes by tablebases: men, fifty-move rule, and round of facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
    /// White's distances and Black's, where there is no plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widths: Option<Box<[String; 2]>>,
}

impl HashContents {
    /// Searches for a tree whose game begins in a position (EPD), with nothing else said of it.
    pub fn new(of: HashOf, start: String) -> HashContents {
        HashContents { of, start, ..HashContents::default() }
    }
}

/// Engines that grew a tree side by side within one time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideBySide {
    /// How many they were.
    pub engines: u32,
    /// The engine depth of its first stage, where it was grown in stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<u32>,
}

/// The moves that one of several engines searches, all of which search the same position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveShare {
    /// How many engines share the moves.
    pub engines: u32,
    /// The moves of this one in UCI, in their order, with a blank between two.
    pub moves: String,
    /// Which of them it is, from 1: the order in which moves are dealt to them.
    pub number: u32,
}

impl MoveShare {
    /// The share of the engine of that number, from 1, of so many.
    pub fn new((number, engines): (u32, u32), moves: &[UciMove]) -> MoveShare {
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        MoveShare { engines, moves: moves.join(" "), number }
    }
}

/// Which searches of a tree a hash is kept of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HashOf {
    /// All, as the tree asked for them.
    #[serde(rename = "tree")]
    Tree,
    /// A rehearsal: its best lines once more, on a hash that held nothing.
    #[serde(rename = "best lines")]
    BestLines,
    /// None: the hash holds nothing when the search begins.
    #[default]
    #[serde(rename = "nothing")]
    Nothing,
}

/// What a profile's options say of a hash whose contents nobody knows.
const KEEP_HASH: &str = "keep-hash";

impl Profile {
    /// The profile of answers on a kept hash.
    #[must_use]
    pub fn on_kept_hash(self, kept: KeptHash) -> Profile {
        Profile { kept_hash: Some(kept), ..self }
    }

    /// Whether two profiles are answers of one engine with the same options, whatever the limit.
    pub fn is_same_engine(&self, other: &Profile) -> bool {
        (&self.engine, &self.options, &self.kept_hash)
            == (&other.engine, &other.options, &other.kept_hash)
    }

    /// The options as people read them; `keep-hash` is among them where the hash was kept.
    pub fn described_options(&self) -> BTreeMap<&str, &str> {
        let options = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let kept = self.kept_hash.as_ref().map(|_| (KEEP_HASH, "true"));
        options.chain(kept).collect()
    }
}
