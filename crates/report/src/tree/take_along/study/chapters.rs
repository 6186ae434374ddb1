//! Cuts a tree into chapters.

use hashbrown::HashMap;
use shakmaty::Position;

use crate::repertoire::reach::reach;
use crate::tree::layout::TreeReport;
use crate::tree::transpositions::shown;

/// A part of the tree: all behind a place, up to the start of other chapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chapter {
    /// The place that it begins at.
    pub start: usize,
    /// Its moves, including those to its beginning: each is a position.
    pub positions: usize,
}

/// The chapters of a tree.
#[derive(Debug)]
pub struct Chapters {
    /// The written ones, in their order.
    pub kept: Vec<Chapter>,
    /// Number left out.
    pub left: usize,
    /// The number of each chapter by its first place; `None` if left out.
    numbers: HashMap<usize, Option<usize>>,
}

impl Chapters {
    /// The chapter that begins at a place, if any, with its number if written.
    pub fn begins(&self, place: usize) -> Option<Option<usize>> {
        self.numbers.get(&place).copied()
    }
}

/// Cuts a report into chapters of at most this many positions: wherever more lies behind a place,
/// the largest parts of it become chapters of their own, and so do parts from another game of the
/// user's file. The first one comes first; of the others at most `most` are written, the likeliest
/// to be met if games are known, else the largest.
pub fn chapters(report: &TreeReport<'_>, positions: usize, most: usize) -> Chapters {
    let games = report.chapters_of_places();
    let mut all = cut(report, &games, positions);
    let first = all.iter().position(|chapter| chapter.start == 0).map(|first| all.remove(first));
    let growth = report.growth();
    let side = report.options.side.unwrap_or_else(|| report.tree.game.root().turn());
    if growth.counts().rules.is_some() {
        let reach = reach(growth, side);
        let of = |chapter: &Chapter| {
            let node = report.places.get(chapter.start).map(|place| place.node.index());
            node.and_then(|node| reach.get(node)).copied().unwrap_or(0.0)
        };
        all.sort_by(|a, b| of(b).total_cmp(&of(a)).then(a.start.cmp(&b.start)));
    } else {
        all.sort_by_key(|chapter| (std::cmp::Reverse(chapter.positions), chapter.start));
    }
    // Chapters of a game stay together, in the order of the user's file.
    all.sort_by_key(|chapter| games.get(chapter.start).copied().flatten());
    let all: Vec<Chapter> = first.into_iter().chain(all).collect();
    let number = |(index, chapter): (usize, &Chapter)| {
        (chapter.start, Some(index).filter(|index| *index < most))
    };
    let numbers = all.iter().enumerate().map(number).collect();
    let left = all.len().saturating_sub(most);
    Chapters { kept: all.into_iter().take(most).collect(), left, numbers }
}

/// Cuts from the ends of the lines to the first place, always a chapter. A part from another game
/// of the user's file than the moves before it is a chapter of its own, too.
fn cut(report: &TreeReport<'_>, games: &[Option<u32>], most: usize) -> Vec<Chapter> {
    let before = report.tree.game.moves().len();
    if report.places.is_empty() {
        return vec![Chapter { start: 0, positions: before + report.line.len() }];
    }
    let mut sizes: Vec<usize> = report.places.iter().map(shown).collect();
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
    let mut chapters = Vec::new();
    // Places follow those that lead to them.
    for (index, place) in report.places.iter().enumerate().rev() {
        let line = before + usize::try_from(place.ply).unwrap_or(usize::MAX);
        let mut size = sizes.get(index).copied().unwrap_or(0);
        let mut parts = behind.get_mut(index).map(std::mem::take).unwrap_or_default();
        parts.sort_by_key(|part| std::cmp::Reverse(sizes.get(*part).copied()));
        let of = |part: usize| sizes.get(part).copied().unwrap_or(0);
        size += parts.iter().map(|part| of(*part)).sum::<usize>();
        let game = |place: usize| games.get(place).copied().flatten();
        parts.sort_by_key(|part| game(*part) == game(index));
        for part in parts {
            if size + line <= most && game(part) == game(index) {
                break;
            }
            size -= of(part);
            chapters.push(Chapter { start: part, positions: of(part) + line + 1 });
        }
        sizes.get_mut(index).into_iter().for_each(|entry| *entry = size);
        match place.parent {
            Some((parent, _)) => {
                behind.get_mut(parent).into_iter().for_each(|parts| parts.push(index));
            }
            None => chapters.push(Chapter { start: index, positions: size + line }),
        }
    }
    chapters
}
