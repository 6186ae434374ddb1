//! A repertoire of a file as included moves of a tree.

use deepanalyze_core::chess::{PositionKey, epd_of};
use deepanalyze_core::directives::{Directives, Skeleton};

use crate::directing::DirectError;
use crate::words::figures::count;

/// So many positions of a file are taken without a question: each is analysed like a root.
pub const UNASKED: usize = 1000;

/// Includes what a file has, by its name; in words.
///
/// # Errors
///
/// [`DirectError`] where a move cannot be included.
pub fn include_skeleton(
    set: &mut Directives,
    root: &PositionKey,
    (name, skeleton): (&str, &Skeleton),
) -> Result<String, DirectError> {
    for (key, directive) in &skeleton.new {
        let position = key.position();
        set.add(root, &position, directive.clone())
            .map_err(|reason| DirectError::Refused { name: epd_of(&position), reason })?;
    }
    let Skeleton { new, new_moves, moves, positions, games, passing, .. } = skeleton;
    let games = match games {
        1 => String::new(),
        games => format!(" in {passing} of {}", count(*games as u64, "game")),
    };
    let all = count(*positions as u64, "position");
    let has = format!("{name}: {}, {all}{games}", count(*moves as u64, "move"));
    let notes = match new.len() - new_moves {
        0 => String::new(),
        notes => format!(", {}", count(notes as u64, "note")),
    };
    Ok(match new.len() {
        0 => format!("{has}; all of it is already included"),
        _ => format!("{has}; new: {}{notes}", count(*new_moves as u64, "move")),
    })
}
