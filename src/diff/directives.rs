//! Directives and notes of roots that only one of two databases has, or that differ.

use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, fen_of};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_store::{Incoming, Store, StoreError};
use deepanalyze_view::{LinesToPositions, count, describe_root, grouped, numbered_line};

use crate::args::root::root_key;
use crate::direct::{SaidObject, describe_said};

/// The directives of a root that are told in text.
const TOLD: usize = 20;

/// Differences of two databases' directives for a root.
#[derive(Serialize)]
pub struct DirectivesDiff {
    root: String,
    /// UCI notation, from `start`, or the initial position.
    history: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// Directives and notes that both have.
    same: u64,
    only_a: Vec<SaidObject>,
    only_b: Vec<SaidObject>,
    /// Values and notes that both give to a position, but not the same.
    different: Vec<SaidOtherwise>,
    /// True if those of the second one are not legal: they are not counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    b_damaged: bool,
    #[serde(skip)]
    place: String,
    /// The differences in words, each with its database.
    #[serde(skip)]
    words: Vec<String>,
}

/// Two values, or two notes, of one position.
#[derive(Serialize)]
struct SaidOtherwise {
    a: SaidObject,
    b: SaidObject,
}

/// The roots of which two databases do not say the same.
///
/// # Errors
///
/// [`StoreError`] where one of them fails.
pub fn directives(store: &Store, incoming: &Incoming) -> Result<Vec<DirectivesDiff>, StoreError> {
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    for game in store.directed_games()?.into_iter().chain(incoming.directed_games()?) {
        if !seen.insert(root_key(&game)) {
            continue;
        }
        let (a, b) = (store.directives(&game)?, incoming.directives(&game)?);
        if b.as_ref() != Some(&a) {
            all.push(DirectivesDiff::of(&game, &a, b));
        }
    }
    Ok(all)
}

/// True if a position has at most one of them: a value or a note.
fn is_single(directive: &Directive) -> bool {
    matches!(directive, Directive::Value(_) | Directive::Note(_))
}

impl DirectivesDiff {
    fn of(game: &Game, a: &Directives, b: Option<Directives>) -> DirectivesDiff {
        let (b_damaged, b) = (b.is_none(), b.unwrap_or_default());
        let lines =
            LinesToPositions::of(game.root(), &Directives::of(a.each().chain(b.each())), None);
        let missing = |from: &Directives, of: &Directives| {
            let mut missing: Vec<(PositionKey, Directive)> = from.without(of).collect();
            missing.sort_by_key(|(key, _)| lines.to(key).map_or(usize::MAX, <[UciMove]>::len));
            missing
        };
        let (mut only_a, mut only_b) = (missing(a, &b), missing(&b, a));
        let same = (a.len() - only_a.len()) as u64;
        let mut different = Vec::new();
        only_a.retain(|(key, said)| {
            let is_other = |(place, other): &(PositionKey, Directive)| {
                place == key && is_single(said) && said.kind() == other.kind()
            };
            let Some(other) = only_b.iter().position(is_other) else { return true };
            different.push(((*key, said.clone()), only_b.remove(other)));
            false
        });
        let mut words = Vec::new();
        let mut tell = |which: &str, (key, said): &(PositionKey, Directive)| {
            words.push(format!("{which}  {}", describe_said(key, said, &lines, game.root())));
        };
        only_a.iter().for_each(|said| tell("A", said));
        only_b.iter().for_each(|said| tell("B", said));
        for (of_a, of_b) in &different {
            tell("A", of_a);
            tell("B", of_b);
        }
        let object = |(key, said): &(PositionKey, Directive)| SaidObject::of(key, said, &lines);
        let otherwise = |(a, b): &(_, _)| SaidOtherwise { a: object(a), b: object(b) };
        DirectivesDiff {
            root: fen_of(game.root()),
            history: game.moves().iter().map(ToString::to_string).collect(),
            start: (*game.start() != Chess::default()).then(|| fen_of(game.start())),
            same,
            only_a: only_a.iter().map(object).collect(),
            only_b: only_b.iter().map(object).collect(),
            different: different.iter().map(otherwise).collect(),
            b_damaged,
            place: match game.moves() {
                [] => format!("at {}", describe_root(game)),
                moves => format!("after {}", numbered_line(game.start(), moves)),
            },
            words,
        }
    }

    /// For people.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let DirectivesDiff { same, only_a, only_b, different, place, words, .. } = self;
        let [same, a, b] = [*same, only_a.len() as u64, only_b.len() as u64].map(grouped);
        writeln!(out, "\ndirectives and notes {place}")?;
        write!(out, "  {same} in both, {a} in A alone, {b} in B alone")?;
        match different.len() {
            0 => writeln!(out)?,
            n => writeln!(out, ", {n} different")?,
        }
        if self.b_damaged {
            writeln!(out, "  not counted: those of B (damaged)")?;
        }
        words.iter().take(TOLD).try_for_each(|words| writeln!(out, "  {words}"))?;
        match words.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => writeln!(out, "  and {} more", count(more as u64, "line")),
        }
    }
}
