//! The names of openings that a page needs.

use std::io;

use hashbrown::HashMap;

use crate::chess::{Opening, Openings};
use crate::render::in_order::in_order;
use crate::render::report::{Report, uci_of};
use crate::render::words::after;

/// The names in use, each once, in the order in which the page comes to them.
#[derive(Default)]
pub struct Names {
    /// ECO code and name.
    pub list: Vec<(&'static str, &'static str)>,
    /// The name of the line to where printing begins.
    pub of_line: Option<usize>,
    index: HashMap<Opening, usize>,
}

/// Which names stand behind moves: by place and move, the name's place in the list.
pub type NameOfMove = HashMap<(usize, usize), usize>;

/// The names of a report. Nearly all positions of a large tree have none.
///
/// # Errors
///
/// None of its own.
pub fn names_of(report: &Report<'_>) -> io::Result<(Names, NameOfMove)> {
    let (mut names, mut of_moves) = (Names::default(), NameOfMove::new());
    names.of_line = report.opening().map(|opening| names.index(opening));
    let openings = Openings::new();
    let named = |places: Vec<usize>| {
        let named = places.into_iter().flat_map(|place| named_moves(report, &openings, place));
        named.collect::<Vec<_>>()
    };
    in_order(0..report.places.len(), named, |named| {
        of_moves.extend(named.into_iter().map(|(at, opening)| (at, names.index(opening))));
        Ok(())
    })?;
    Ok((names, of_moves))
}

/// The moves of a place that lead to a position with a name.
fn named_moves(
    report: &Report<'_>,
    openings: &Openings,
    index: usize,
) -> Vec<((usize, usize), Opening)> {
    let Some(place) = report.places.get(index) else {
        return Vec::new();
    };
    let position = report.position(place);
    let named = |(at, uci)| {
        let opening = openings.of(&after(&position, [&uci]))?;
        Some(((index, at), opening))
    };
    let aside = place.aside.iter().map(|aside| aside.uci.unpack());
    place.moves.iter().map(uci_of).chain(aside).enumerate().filter_map(named).collect()
}

impl Names {
    fn index(&mut self, opening: Opening) -> usize {
        *self.index.entry(opening).or_insert_with(|| {
            self.list.push((opening.eco, opening.name));
            self.list.len() - 1
        })
    }
}
