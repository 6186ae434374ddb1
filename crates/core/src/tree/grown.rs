//! Trees for tests, from written lines and lists.

#![allow(clippy::unwrap_used)]

use super::{Growth, Selection};
use crate::chess::{Game, Score, Value};

/// Lines of SAN from the root, and the list behind each: moves in UCI with centipawns.
pub type Lists<'a> = [(&'a str, &'a [(&'a str, i32)])];

/// A tree of lists, each behind the line that leads to it.
pub fn grown_of(game: &Game, selection: impl Into<Selection>, lists: &Lists<'_>) -> Growth {
    let mut growth = Growth::new(game, selection);
    for (line, moves) in lists {
        let mut game = game.clone();
        game.play_line(line).unwrap();
        let node = growth.node_of(game.root());
        let value = |cp| Value::from(Score::Cp(cp));
        let moves = moves.iter().map(|(uci, cp)| (uci.parse().unwrap(), value(*cp)));
        growth.admit(vec![(node, moves.collect())]).unwrap();
    }
    growth
}
