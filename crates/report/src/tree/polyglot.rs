//! The tree as an opening book in the Polyglot format, which most chess programs read.

use std::collections::BTreeSet;
use std::io::{self, Write};

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, File, FromSetup, Position, PositionError, Rank, Role,
    Square,
};

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Child, NodeId};

use crate::tree::PrintOptions;
use crate::tree::layout::{Bests, TreeReport, uci_of};
use deepanalyze_view::{ChosenBy, after, numbered_move};

/// One entry of a book; the fields are in the order of sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BookEntry {
    key: u64,
    /// Greater weights come first.
    weight: std::cmp::Reverse<u16>,
    m: u16,
}

/// Writes the analysed positions with the moves that lose at most `max_loss` centipawns against the
/// best one, whether that is in the book or not; without a loss, with the candidates, the moves
/// that the analysis followed. Included moves are there then whatever they lose, and so are
/// candidates, with the least weight if that is more than the distance; excluded ones never are.
///
/// The best move weighs 65535, and a weight falls in proportion to the loss, to just above 0 for
/// the greatest allowed one. A root move that a closing search has chosen is there whatever it
/// loses in the tree, and no other one weighs as much. A repertoire has the moves before it, too.
pub fn write_polyglot(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let PrintOptions { max_loss, side, .. } = report.options;
    let (keys, bests, chosen) = (keys(report), Bests::new(report), chosen_by_closing(report));
    let mut entries = if side.is_some() { entries_of_game(report) } else { BTreeSet::new() };
    for (index, place) in report.places.iter().enumerate() {
        let position = report.position(place);
        let Some(keys) = keys.get(&place.node) else {
            continue;
        };
        let breadth = report.growth().breadth();
        let limit = max_loss.unwrap_or_else(|| breadth.distance(position.turn(), place.visit_ply));
        let mut moves = Vec::new();
        for child in &place.moves {
            let by_loss = bests.at(place).and_then(|best| weight(best, child.alpha, limit));
            // The number of root moves makes candidates of moves that lose more than the distance.
            let weight = match max_loss {
                Some(_) => by_loss,
                None if child.candidate || child.included => by_loss.or(Some(1)),
                None => None,
            };
            moves.extend(weight.map(|weight| (uci_of(child), weight)));
        }
        // Their loss is not known.
        let waiting = place.aside.iter().filter(|aside| aside.listed.is_none());
        moves.extend(waiting.map(|aside| (aside.uci.unpack(), 1)));
        if let Some(uci) = chosen.filter(|_| index == 0) {
            put_first(uci, &mut moves);
        }
        for (uci, weight) in moves {
            let Some(m) = polyglot_move(&position, uci) else {
                continue;
            };
            let weight = std::cmp::Reverse(weight);
            entries.extend(keys.iter().map(|key| BookEntry { key: *key, weight, m }));
        }
    }
    entries.iter().try_for_each(|entry| entry.write(out))
}

/// The root's move that a closing search has chosen, if it counts. A repertoire with included root
/// moves has no others.
fn chosen_by_closing(report: &TreeReport<'_>) -> Option<UciMove> {
    let told = report.told().filter(|told| told.by == ChosenBy::Closing)?;
    let first = report.places.first()?;
    let is_own = report.options.side == Some(report.start().turn());
    let is_directed = is_own && first.moves.iter().any(|child| child.included);
    (!is_directed).then_some(told.best())
}

/// Gives a move the greatest weight, and every other one less.
fn put_first(uci: UciMove, moves: &mut Vec<(UciMove, u16)>) {
    moves.retain(|(other, _)| *other != uci);
    moves.iter_mut().for_each(|(_, weight)| *weight = (*weight).min(u16::MAX - 1));
    moves.push((uci, u16::MAX));
}

/// The included moves that lose too much for a book, with their numbers and values.
pub fn included_and_left_out(report: &TreeReport<'_>, max_loss: u32) -> Vec<String> {
    let bests = Bests::new(report);
    let mut left_out = Vec::new();
    for (index, place) in report.places.iter().enumerate() {
        let loses_too_much = |child: &&Child| {
            let best = bests.at(place).unwrap_or(child.alpha);
            child.included && weight(best, child.alpha, max_loss).is_none()
        };
        for child in place.moves.iter().filter(loses_too_much) {
            let position = after(report.tree.game.root(), &report.moves_to(index));
            let value = report.seen(child.alpha, position.turn());
            left_out.push(format!("{} ({value})", numbered_move(&position, uci_of(child))));
        }
    }
    left_out
}

/// The moves to where printing begins.
fn entries_of_game(report: &TreeReport<'_>) -> BTreeSet<BookEntry> {
    let game = &report.tree.game;
    let (mut entries, mut position) = (BTreeSet::new(), game.start().clone());
    let mut keys = keys_of_start(&position);
    for uci in game.moves().iter().chain(&report.line) {
        let weight = std::cmp::Reverse(u16::MAX);
        if let Some(m) = polyglot_move(&position, *uci) {
            entries.extend(keys.iter().map(|key| BookEntry { key: *key, weight, m }));
        }
        position = after(&position, [uci]);
        keys = keys_of(&position);
    }
    entries
}

impl BookEntry {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.key.to_be_bytes())?;
        out.write_all(&self.m.to_be_bytes())?;
        out.write_all(&self.weight.0.to_be_bytes())?;
        // The format's field for learning.
        out.write_all(&[0; 4])
    }
}

/// The keys of each position. Polyglot counts an en passant square if a pawn stands ready to take,
/// pinned or not; for the tree that is the same position with and without, so that it may have two
/// keys.
fn keys(report: &TreeReport<'_>) -> HashMap<NodeId, BTreeSet<u64>> {
    let mut keys: HashMap<NodeId, BTreeSet<u64>> = HashMap::new();
    for (index, place) in report.places.iter().enumerate() {
        let position = if index == 0 { report.start() } else { report.position(place) };
        let is_start = index == 0 && report.line.is_empty() && report.tree.game.moves().is_empty();
        keys.entry(place.node).or_default().extend(if is_start {
            keys_of_start(&position)
        } else {
            keys_of(&position)
        });
        for child in &place.moves {
            let next = after(&position, [&uci_of(child)]);
            let key = key_of(&next, EnPassantMode::PseudoLegal);
            keys.entry(child.edge.child).or_default().insert(key);
        }
    }
    keys
}

fn keys_of(position: &Chess) -> BTreeSet<u64> {
    BTreeSet::from([EnPassantMode::Legal, EnPassantMode::PseudoLegal].map(|m| key_of(position, m)))
}

/// The keys of a position without a known last move: that may have been a pawn's double step, as a
/// FEN may tell. If no pawn can take, the position is the same.
fn keys_of_start(position: &Chess) -> BTreeSet<u64> {
    let rank = position.turn().fold_wb(Rank::Sixth, Rank::Third);
    let stepped = File::ALL.into_iter().filter_map(|file| {
        let mut setup = position.to_setup(EnPassantMode::Legal);
        setup.ep_square = Some(Square::from_coords(file, rank));
        let stepped = Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_invalid_castling_rights);
        stepped.ok().filter(|stepped| stepped.ep_square(EnPassantMode::Legal).is_none())
    });
    keys_of(position).into_iter().chain(stepped.flat_map(|stepped| keys_of(&stepped))).collect()
}

/// The format's key of a position in play.
pub fn polyglot_key(position: &Chess) -> u64 {
    key_of(position, EnPassantMode::PseudoLegal)
}

fn key_of(position: &Chess, mode: EnPassantMode) -> u64 {
    position.zobrist_hash::<Zobrist64>(mode).0
}

/// From 65535 for no loss down to the share of one centipawn more than is allowed; none beyond.
fn weight(best: Value, alpha: Value, max_loss: u32) -> Option<u16> {
    let loss = u64::try_from(i32::from(best.get()) - i32::from(alpha.get())).ok()?;
    let max_loss = u64::from(max_loss);
    let left = max_loss.checked_sub(loss)?;
    u16::try_from((u64::from(u16::MAX) * (left + 1)) / (max_loss + 1)).ok().map(|w| w.max(1))
}

/// A move in the format's 16 bits: to, from, promotion; castling is the king's move to its rook.
/// `None` if it is not legal.
pub fn polyglot_move(position: &Chess, uci: UciMove) -> Option<u16> {
    let m = uci.to_move(position).ok()?;
    let promotion = match m.promotion() {
        None => 0,
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(_) => 4,
    };
    let (from, to) = (u16::from(m.from()?), u16::from(m.to()));
    Some(promotion << 12 | from << 6 | to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(cp: i64) -> Value {
        Value::new(cp).unwrap()
    }

    #[test]
    fn an_included_move_losing_the_distance_has_a_weight() {
        use crate::tree::TreeFormat;
        use crate::tree::layout::ReportStart;
        use deepanalyze_core::chess::{Game, PositionKey};
        use deepanalyze_core::tree::{Selection, Wish, Wishes, grown_of};
        use deepanalyze_view::testing::kept_of;

        let game = Game::from_start("startpos").unwrap();
        let lists = [("", &[("e2e4", 30), ("d2d4", 0), ("c2c4", -1)][..])];
        let include = ["d2d4", "c2c4"].map(|uci| uci.parse().unwrap()).into();
        let wish = Wish { include, ..Wish::default() };
        let wishes = Wishes::from([(PositionKey::of(game.root()), wish)]);
        let selection = Selection { wishes: wishes.into(), ..30.into() };
        let growth = grown_of(&game, selection, &lists);
        let tree = kept_of(&game, growth, Default::default());
        let options = PrintOptions::of(TreeFormat::Polyglot);
        let report = TreeReport::new(&tree, ReportStart::behind(&tree, "").unwrap(), options);
        let mut book = Vec::new();
        write_polyglot(&report, &mut book).unwrap();
        let weight = |entry: &[u8]| u16::from_be_bytes([entry[10], entry[11]]);
        let weights: Vec<u16> = book.chunks(16).map(weight).collect();
        // 65535 / 31 for the whole distance, the least one beyond it.
        assert_eq!(weights, [65_535, 2114, 1]);
    }

    #[test]
    fn weights_fall_with_the_loss() {
        assert_eq!(weight(value(30), value(30), 0), Some(65_535));
        assert_eq!(weight(value(30), value(29), 0), None);
        assert_eq!(weight(value(30), value(30), 19), Some(65_535));
        assert_eq!(weight(value(30), value(20), 19), Some(32_767));
        assert_eq!(weight(value(30), value(11), 19), Some(3276));
        assert_eq!(weight(value(30), value(10), 19), None);
        assert_eq!(weight(value(30_000), value(-30_000), 30_000), None);
        assert_eq!(weight(value(30_000), value(0), 30_000), Some(2));
        // The greatest move distance.
        assert_eq!(weight(value(30), value(30), 100_000), Some(65_535));
        assert_eq!(weight(value(25_000), value(-25_000), 100_000), Some(32_767));
    }
}
