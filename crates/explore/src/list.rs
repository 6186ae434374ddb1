//! All directives of the root, as lines to walk through.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::directives::Directive;
use deepanalyze_view::{LinesToPositions, Tree};

/// A directive of the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveEntry {
    /// The directive's position.
    pub key: PositionKey,
    /// The directive.
    pub directive: Directive,
    /// A line from the root to the position; `None` if neither the tree nor directives lead there.
    pub line: Option<Vec<UciMove>>,
    /// Its text.
    pub words: String,
}

/// All directives, by the lines to their positions; unreached positions come last.
pub fn entries(tree: &Tree) -> Vec<DirectiveEntry> {
    let (root, set) = (tree.game.root(), &tree.directives);
    let lines = LinesToPositions::of(root, set, Some(&tree.growth));
    let entry = |(key, directive): (PositionKey, Directive)| {
        let words = lines.describe_directive(root, &key, &directive);
        let (line, words) = (lines.to(&key), format!("{:<8}{words}", directive.kind()));
        DirectiveEntry { key, line: line.map(<[UciMove]>::to_vec), words, directive }
    };
    let mut entries: Vec<DirectiveEntry> = set.each().map(entry).collect();
    entries.sort_by_cached_key(|entry| {
        let words = entry.line.as_ref().map(|line| line.iter().map(ToString::to_string).collect());
        (words.is_none(), words.unwrap_or_else(Vec::<String>::new))
    });
    entries
}
