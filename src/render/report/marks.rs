//! What the user has said of a printed move and of the position behind it.

use shakmaty::Color;

use crate::directives::Directives;
use crate::render::words::{count, one_line};
use crate::tree::NodeId;

use super::{Report, Shown};

/// What the user has said of a position, as the tree obeys it.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::render) struct Said<'a> {
    /// Its value in centipawns for White.
    pub value: Option<i32>,
    /// Whether nothing is asked there.
    pub stopped: bool,
    /// The user's text.
    pub note: Option<&'a str>,
}

impl<'a> Report<'a> {
    /// What the user has said of a position.
    pub(in crate::render) fn said(&self, node: NodeId) -> Said<'a> {
        let graph = self.growth().graph();
        let value = graph.end(node).filter(|_| graph.is_valued(node)).map(|value| value.get());
        let for_white = |value: i16| match graph.turn(node) {
            Color::White => i32::from(value),
            Color::Black => -i32::from(value),
        };
        Said {
            value: value.map(for_white),
            stopped: graph.is_stopped(node),
            note: self.notes.get(&node).copied(),
        }
    }

    /// How the game is over in a position: by the rules, or by the user's value.
    pub(in crate::render) fn end(&self, node: NodeId) -> Option<&'static str> {
        let graph = self.growth().graph();
        let by_rules = graph.ending(node).map(|ending| ending.name());
        by_rules.or_else(|| graph.is_valued(node).then_some("value"))
    }

    /// What the user has said of a move and of the position behind it, in words, notes apart.
    pub(in crate::render) fn marks(&self, shown: Shown<'_>) -> Vec<String> {
        let said = self.said(shown.node());
        let mut marks = Vec::new();
        if shown.is_excluded() {
            marks.push("excluded".to_owned());
        }
        if shown.is_included() {
            let waits = shown.child().is_none() && !said.stopped;
            marks.push(if waits { "included, not analysed yet" } else { "included" }.to_owned());
        }
        marks.extend(said.value.map(|value| format!("your value: {}", describe_value(value))));
        if said.stopped {
            marks.push("stopped here".to_owned());
        }
        marks
    }

    /// The directives that the tree was grown with, and the notes that its root has now.
    pub(in crate::render) fn directives(&self) -> Directives {
        let mut set = self.tree.directives.clone();
        for (key, said) in self.tree.said.positions() {
            said.note.iter().for_each(|note| {
                set.put(*key, crate::directives::Directive::Note(note.clone()));
            });
        }
        set
    }
}

/// A value of the user's in words: `+0.50 for White`, `draw`, `White wins`.
pub fn describe_value(white: i32) -> String {
    match white {
        0 => "draw".to_owned(),
        Directives::DECIDED => "White wins".to_owned(),
        value if value == -Directives::DECIDED => "Black wins".to_owned(),
        value => format!("{} for White", crate::chess::Score::Cp(value)),
    }
}

/// How many directives there are of each kind: `2 moves excluded, 1 position stopped`; none where there
/// are none.
pub fn describe_directives(set: &Directives) -> Option<String> {
    let mut counts = [0_u64; 5];
    for (_, said) in set.positions() {
        let of_position = [
            said.exclude.len(),
            said.include.len(),
            usize::from(said.value.is_some()),
            usize::from(said.stop),
            usize::from(said.note.is_some()),
        ];
        counts.iter_mut().zip(of_position).for_each(|(count, more)| *count += more as u64);
    }
    let [exclude, include, value, stop, note] = counts;
    let kinds = [
        (exclude, "move", " excluded"),
        (include, "move", " included"),
        (value, "position", " with a value"),
        (stop, "position", " stopped"),
        (note, "note", ""),
    ];
    let there = kinds.into_iter().filter(|(number, ..)| *number > 0);
    let words: Vec<String> =
        there.map(|(number, noun, what)| format!("{}{what}", count(number, noun))).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// What is said of a tree whose root has other directives by now.
pub const PENDING: &str =
    "the root has other directives by now: `deepanalyze grow` takes them over";

/// A note on one line.
pub(in crate::render) fn note_line(said: Said<'_>) -> Option<String> {
    said.note.map(one_line).filter(|note| !note.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_players_say_it() {
        let words = [0, 50, -125, 30_000, -30_000].map(describe_value);
        let expected = ["draw", "+0.50 for White", "-1.25 for White", "White wins", "Black wins"];
        assert_eq!(words, expected);
    }
}
