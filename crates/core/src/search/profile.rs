//! Profiles, which make scores comparable: engine, options, limit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use super::Limit;

/// The identity of a set of answers: those of the same engine, with the same options, to the same
/// limit, are comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The engine's own name (`id name`).
    pub engine: String,
    /// The options that the user set, in the engine's own spelling. Options that the program itself
    /// always sets (`Threads 1`, no book, …) are no part of it.
    pub options: BTreeMap<String, String>,
    /// The limit of one search.
    pub limit: Limit,
    /// The contents of the hash, if it was not cleared before each search. Answers depend on it: a
    /// kept hash makes a profile of its own.
    pub kept_hash: Option<KeptHash>,
}

/// Contents of a kept hash: the searches made since it was last cleared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeptHash {
    /// Unknown searches.
    Unknown,
    /// These searches, in their order. The same contents, the same searches.
    Of(HashContents),
}

/// The searches on a kept hash, by the tree that asked for them. As JSON, with sorted keys and
/// without absent fields, it is part of a key in the database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashContents {
    /// The directives that the tree was grown with, as their file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directives: Option<serde_json::Value>,
    /// The tree's move distance in centipawns, if both sides have the same plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The limit of its searches, if it is not that of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The UCI moves from the start to the root, separated by blanks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub moves: String,
    /// The engine nodes after which it was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The positions searched.
    pub of: HashOf,
    /// The passes after which it was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// Least number of root moves, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_moves: Option<u32>,
    /// The root moves searched, if several engines split them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Box<MoveShare>>,
    /// The engines that grew the tree within one time: closing searches in older duels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_by_side: Option<Box<serde_json::Value>>,
    /// EPD of the position in which its game began.
    pub start: String,
    /// The tree's use of tablebases: men, fifty-move rule, and round of facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
    /// White's distances and Black's, if there is no plain one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widths: Option<Box<[String; 2]>>,
}

impl HashContents {
    /// Searches for a tree whose game begins in a position (EPD), with all else absent.
    pub fn new(of: HashOf, start: String) -> HashContents {
        HashContents { of, start, ..HashContents::default() }
    }
}

/// The moves that one of several engines searches, all of which search the same position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveShare {
    /// Number of engines that split the moves.
    pub engines: u32,
    /// The moves of this one in UCI, in their order, separated by blanks.
    pub moves: String,
    /// Number of this engine, from 1: the order in which moves are dealt.
    pub number: u32,
}

impl MoveShare {
    /// The share of an engine with its number, from 1, and their count.
    pub fn new((number, engines): (u32, u32), moves: &[UciMove]) -> MoveShare {
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        MoveShare { engines, moves: moves.join(" "), number }
    }
}

/// Searches of a tree on a kept hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HashOf {
    /// All, as the tree asked for them.
    #[serde(rename = "tree")]
    Tree,
    /// Its best lines once more, on a hash that held nothing: closing searches of older databases.
    #[serde(rename = "best lines")]
    BestLines,
    /// None: the hash holds nothing when the search begins.
    #[default]
    #[serde(rename = "nothing")]
    Nothing,
}

/// Option that stands for a kept hash among the described ones.
const KEEP_HASH: &str = "keep-hash";

impl Profile {
    /// The profile of answers on a kept hash.
    #[must_use]
    pub fn on_kept_hash(self, kept: KeptHash) -> Profile {
        Profile { kept_hash: Some(kept), ..self }
    }

    /// True if two profiles have the same engine and options, whatever the limit.
    pub fn is_same_engine(&self, other: &Profile) -> bool {
        (&self.engine, &self.options, &self.kept_hash)
            == (&other.engine, &other.options, &other.kept_hash)
    }

    /// The options as people read them; `keep-hash` is among them if the hash was kept.
    pub fn described_options(&self) -> BTreeMap<&str, &str> {
        let options = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let kept = self.kept_hash.as_ref().map(|_| (KEEP_HASH, "true"));
        options.chain(kept).collect()
    }
}
