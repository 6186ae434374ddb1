//! The arguments of tools, as clients write them.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::Value;

/// A root.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RootAsked {
    /// The root's name: a number from `analyses`, or the name that `new_root` gave.
    pub root: String,
}

/// A position behind a root.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LineAsked {
    /// The root's name: a number from `analyses`, or the name that `new_root` gave.
    pub root: String,
    /// Moves from the root to the position ("Nf6 d4"); empty for the root itself.
    #[serde(default)]
    pub line: String,
}

/// A move in a position.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MoveAsked {
    /// The root's name: a number from `analyses`, or the name that `new_root` gave.
    pub root: String,
    /// Moves from the root to the position ("Nf6 d4"); empty for the root itself.
    #[serde(default)]
    pub line: String,
    /// The move ("Bg5").
    #[serde(rename = "move")]
    pub word: String,
}

/// A claim about a root.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ClaimAsked {
    /// The root's name: a number from `analyses`.
    pub root: String,
    /// One of these, with "at": moves from the root, like "Nf6 d4". Scores are centipawns for White.
    /// {"claim":"score","at":"","at_least":20}; {"claim":"best","at":"","move":"Bg5"};
    /// {"claim":"worse","at":"","move":"a4","by_at_least":30}; {"claim":"line","at":"","moves":"Bg5 dxe4"};
    /// {"claim":"ends","at":"","by":"checkmate"} (stalemate, material, repetition);
    /// {"claim":"legal","at":"","move":"Bg5"}; {"claim":"captures","at":"","move":"exd5"};
    /// {"claim":"check","at":"Bb5"}; {"claim":"material","at":"","is":0};
    /// {"claim":"played","at":"","move":"Bg5","at_least":20} (percent of games).
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub claim: Value,
}

/// A time in the past.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SinceAsked {
    /// The root's name: a number from `analyses`.
    pub root: String,
    /// How long ago ("24h", "7days"), or a time ("2026-11-30T08:00:00Z").
    pub since: String,
}

/// A game whose last position is to be a root.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GameAsked {
    /// Moves from the initial position ("e4 e5 Nf3").
    #[serde(default)]
    pub moves: String,
    /// A game in PGN instead; its last position is the root.
    #[serde(default)]
    pub pgn: String,
}

/// Time for a tree.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GrowAsked {
    /// The root's name: a number from `analyses`, or the name that `new_root` gave.
    pub root: String,
    /// Seconds, from 1 to 120.
    pub seconds: u64,
}

/// A directive.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DirectiveAsked {
    /// The root's name: a number from `analyses`, or the name that `new_root` gave.
    pub root: String,
    /// Moves from the root; the last one is the move that is excluded or included.
    pub line: String,
    /// exclude, include, value, stop, note or undo.
    pub action: String,
    /// With value: pawns for White ("+0.50"), "draw", "white" or "black"; with note: the text.
    #[serde(default)]
    pub text: String,
}
