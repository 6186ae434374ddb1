//! All directives of the root, as lines to walk through.

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, epd_of, san_of};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_view::{Tree, after, describe_value, numbered_line, one_line};

/// A directive of the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveEntry {
    /// The position that it belongs to.
    pub key: PositionKey,
    /// What is said of it.
    pub directive: Directive,
    /// A line from the root to the position; none where neither the tree nor directives lead there.
    pub line: Option<Vec<UciMove>>,
    /// All of it in words.
    pub words: String,
}

impl DirectiveEntry {
    /// The move that it is about.
    pub fn uci(&self) -> Option<UciMove> {
        match self.directive {
            Directive::Exclude(uci) | Directive::Include(uci) => Some(uci),
            _ => None,
        }
    }
}

/// All directives, by the lines to their positions; those that nothing leads to come last.
pub fn entries(tree: &Tree) -> Vec<DirectiveEntry> {
    let ways = ways(&tree.directives);
    let mut entries = Vec::new();
    for (key, said) in tree.directives.positions() {
        let line = line_to(tree, &ways, key);
        entries.extend(said.each().map(|directive| entry(tree, *key, line.clone(), directive)));
    }
    entries.sort_by_cached_key(|entry| {
        let words = entry.line.as_ref().map(|line| line.iter().map(ToString::to_string).collect());
        (words.is_none(), words.unwrap_or_else(Vec::<String>::new))
    });
    entries
}

/// From which position and by which directed move one comes to a position.
type Ways = BTreeMap<PositionKey, (PositionKey, UciMove)>;

fn ways(set: &Directives) -> Ways {
    let mut ways = Ways::new();
    for (key, said) in set.positions() {
        for uci in said.include.iter().chain(&said.exclude) {
            let child = PositionKey::of(&after(&key.position(), [uci]));
            ways.entry(child).or_insert((*key, *uci));
        }
    }
    ways
}

/// The tree's shortest line to a position, or one along moves of which something is said.
fn line_to(tree: &Tree, ways: &Ways, key: &PositionKey) -> Option<Vec<UciMove>> {
    let (mut at, mut behind) = (*key, Vec::new());
    loop {
        let node = tree.growth.find(&at).filter(|node| tree.growth.ply(*node) < u32::MAX);
        if let Some(node) = node {
            behind.reverse();
            return Some([tree.growth.first_line(node), behind].concat());
        }
        let (before, uci) = ways.get(&at)?;
        behind.push(*uci);
        if behind.len() > ways.len() {
            return None;
        }
        at = *before;
    }
}

fn entry(
    tree: &Tree,
    key: PositionKey,
    line: Option<Vec<UciMove>>,
    directive: Directive,
) -> DirectiveEntry {
    let (kind, uci, more) = match &directive {
        Directive::Exclude(uci) => ("exclude", Some(*uci), String::new()),
        Directive::Include(uci) => ("include", Some(*uci), String::new()),
        Directive::Value(value) => ("value", None, format!(": {}", describe_value(*value))),
        Directive::Stop => ("stop", None, String::new()),
        Directive::Note(text) => ("note", None, format!(": {}", one_line(text))),
    };
    let place = match &line {
        Some(line) => {
            let line: Vec<UciMove> = line.iter().copied().chain(uci).collect();
            numbered_line(tree.game.root(), &line)
        }
        None => match uci {
            Some(uci) => format!("{} in {}", san_of(&key.position(), uci), epd_of(&key.position())),
            None => epd_of(&key.position()),
        },
    };
    let place = if place.is_empty() { "the root".to_owned() } else { place };
    DirectiveEntry { key, words: format!("{kind:<8}{place}{more}"), directive, line }
}
