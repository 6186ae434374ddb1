//! A search as it stands in messages.

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, PositionKey, epd_of, parse_fen, parse_uci};
use deepanalyze_core::search::{Limit, Search};

/// What is searched, and how long; the hash is cleared before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub struct Asked {
    /// The position and the moves that are left out.
    pub search: Search,
    /// How long it goes on.
    pub limit: Limit,
}

impl Asked {
    /// What makes two of them the same.
    pub fn key(&self) -> (PositionKey, Vec<UciMove>, Limit) {
        (PositionKey::of(&self.search.position), self.search.excluded.clone(), self.limit)
    }
}

impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        self.key() == other.key()
    }
}

/// As it is written: moves with a blank between two.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    position: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    excluded: String,
    limit: Limit,
}

impl From<Asked> for Text {
    fn from(asked: Asked) -> Text {
        let excluded = moves_as_text(&asked.search.excluded);
        Text { position: epd_of(&asked.search.position), excluded, limit: asked.limit }
    }
}

impl TryFrom<Text> for Asked {
    type Error = String;

    fn try_from(text: Text) -> Result<Asked, String> {
        let position = parse_fen(&text.position).map_err(|error| error.to_string())?;
        let search = Search { position, excluded: moves_of(&text.excluded)? };
        if let Some(illegal) = search.excluded.iter().find(|uci| search.legal(**uci).is_none()) {
            return Err(format!("excluded move {illegal} is not legal in {}", text.position));
        }
        if Ending::of(&search.position).is_some() || search.allowed().is_empty() {
            return Err(format!("there is nothing to search in {}", text.position));
        }
        if matches!(text.limit, Limit::Depth(0 | 256..) | Limit::Nodes(0)) {
            return Err(format!("no search goes on to {}", text.limit));
        }
        Ok(Asked { search, limit: text.limit })
    }
}

/// Moves with a blank between two.
pub(super) fn moves_as_text(moves: &[UciMove]) -> String {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    words.join(" ")
}

/// Reads moves with blanks between them.
pub(super) fn moves_of(text: &str) -> Result<Vec<UciMove>, String> {
    let read = |word| parse_uci(word).ok_or_else(|| format!("{word:?} is no move"));
    text.split_whitespace().map(read).collect()
}
