//! The index: moves played in each position, sorted by the positions' keys and cut into blocks of
//! some KB.
//!
//! A position is the difference of its key to the one before (with a bit that marks a single move),
//! and its moves by their bits. A move of one game has the game's facts and number beside it: 14
//! bytes in all, and most are such. A move of more games has their tallies there, and behind them
//! the games, in a row of their own if they are many.

use crate::record::{GameFacts, GameResult, MOST_GAMES};
use crate::varint::{push, push_growing, take, take_array, take_growing, take_u32};

/// The most bytes of a block, unless one position alone has more: eight of them fill a page, with
/// 12 more of each row for the next row's key and the checksum.
const BLOCK: usize = 4050;
/// The games of a move stand beside its tallies up to this number.
const INLINE: u32 = 24;
/// Set in the bits of a move with one game.
const SINGLE: u16 = 1 << 15;

/// Totals of a move's games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) games: u32,
    pub(crate) white: u32,
    pub(crate) draws: u32,
    pub(crate) black: u32,
    /// Games with a rating, and the sum of those.
    pub(crate) rated: u32,
    pub(crate) ratings: u64,
    /// 0 if no game has a year.
    pub(crate) last_year: u32,
}

impl Tally {
    pub(crate) fn of(facts: GameFacts) -> Tally {
        let mut tally = Tally::default();
        tally.count(facts);
        tally
    }

    pub(crate) fn count(&mut self, facts: GameFacts) {
        self.games += 1;
        match facts.result() {
            GameResult::White => self.white += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Black => self.black += 1,
            GameResult::Unknown => {}
        }
        self.rated += u32::from(facts.rating() > 0);
        self.ratings += u64::from(facts.rating());
        self.last_year = self.last_year.max(facts.year());
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        let more = |all: &mut u32, other: u32| *all = all.saturating_add(other);
        more(&mut self.games, other.games);
        more(&mut self.white, other.white);
        more(&mut self.draws, other.draws);
        more(&mut self.black, other.black);
        more(&mut self.rated, other.rated);
        self.ratings = self.ratings.saturating_add(other.ratings);
        self.last_year = self.last_year.max(other.last_year);
    }

    /// Subtracts a part of the games; the last year stays.
    pub(crate) fn less(&mut self, part: &Tally) {
        let less = |all: &mut u32, part: u32| *all = all.saturating_sub(part);
        less(&mut self.games, part.games);
        less(&mut self.white, part.white);
        less(&mut self.draws, part.draws);
        less(&mut self.black, part.black);
        less(&mut self.rated, part.rated);
        self.ratings = self.ratings.saturating_sub(part.ratings);
    }

    pub(crate) fn mean_rating(&self) -> Option<u32> {
        let rated = u64::from(self.rated);
        (rated > 0).then(|| ((self.ratings + rated / 2) / rated) as u32)
    }

    /// The facts of the only game.
    fn facts(&self) -> GameFacts {
        let result = match (self.white, self.draws, self.black) {
            (1, _, _) => GameResult::White,
            (_, 1, _) => GameResult::Draw,
            (_, _, 1) => GameResult::Black,
            _ => GameResult::Unknown,
        };
        GameFacts::new(result, self.ratings as u32, self.last_year)
    }

    fn push_to(&self, out: &mut Vec<u8>) {
        for number in [self.games, self.white, self.draws, self.black, self.rated] {
            push(out, u64::from(number));
        }
        push(out, self.ratings);
        push(out, u64::from(self.last_year.saturating_sub(1800)));
    }

    fn take_from(bytes: &mut &[u8]) -> Option<Tally> {
        let mut next = || take_u32(bytes);
        let (games, white, draws, black, rated) = (next()?, next()?, next()?, next()?, next()?);
        let ratings = take(bytes)?;
        let last_year = match take_u32(bytes)? {
            0 => 0,
            year => year.checked_add(1800)?,
        };
        let decided = u64::from(white) + u64::from(draws) + u64::from(black);
        let is_possible = games <= MOST_GAMES
            && decided <= u64::from(games)
            && rated <= games
            && ratings <= u64::from(rated) << 12;
        is_possible.then_some(Tally { games, white, draws, black, rated, ratings, last_year })
    }
}

/// Place of a move's games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Games {
    /// Among the position's, from here, as many as the tally has.
    Here(usize),
    /// In a row of their own.
    Apart(i64),
}

/// A move that was played in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) bits: u16,
    pub(crate) tally: Tally,
    pub(crate) games: Games,
}

/// The moves played in a position, by their bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) moves: Vec<Played>,
    /// Game numbers, growing for each move.
    pub(crate) games: Vec<u32>,
}

impl Group {
    pub(crate) fn clear(&mut self) {
        self.moves.clear();
        self.games.clear();
    }

    /// A move's games, if here.
    pub(crate) fn games_of(&self, played: &Played) -> &[u32] {
        let Games::Here(from) = played.games else { return &[] };
        self.games.get(from..from + played.tally.games as usize).unwrap_or_default()
    }

    /// Begins a move, whose games are then pushed.
    pub(crate) fn begin(&mut self, bits: u16) {
        let games = Games::Here(self.games.len());
        self.moves.push(Played { bits, tally: Tally::default(), games });
    }

    /// Adds to the last move.
    pub(crate) fn push(&mut self, game: u32, facts: GameFacts) {
        if let Some(last) = self.moves.last_mut() {
            last.tally.count(facts);
            self.games.push(game);
        }
    }

    /// Appends a move with its games, which are greater than all that it has here.
    pub(crate) fn append(&mut self, bits: u16, tally: &Tally, games: &[u32]) {
        if self.moves.last().is_none_or(|last| last.bits != bits) {
            self.begin(bits);
        }
        if let Some(last) = self.moves.last_mut() {
            last.tally.add(tally);
            self.games.extend_from_slice(games);
        }
    }
}

/// A full block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The key of its first position.
    pub(crate) first: u64,
    pub(crate) bytes: Vec<u8>,
}

/// A move's games in a row of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GamesApart {
    pub(crate) id: i64,
    pub(crate) bytes: Vec<u8>,
}

/// Fills blocks.
#[derive(Debug)]
pub(crate) struct BlockWriter {
    block: Block,
    last: u64,
    position: Vec<u8>,
    next_apart: i64,
}

impl BlockWriter {
    /// `first_apart` is the first number for games in rows of their own.
    pub(crate) fn new(first_apart: i64) -> BlockWriter {
        let block = Block { first: 0, bytes: Vec::with_capacity(2 * BLOCK) };
        BlockWriter { block, last: 0, position: Vec::new(), next_apart: first_apart }
    }

    /// Takes the next position; returns the block that is now full, and games to be stored apart.
    ///
    /// # Errors
    ///
    /// If the games of a move do not grow.
    pub(crate) fn push(
        &mut self,
        key: u64,
        group: &Group,
        apart: &mut Vec<GamesApart>,
    ) -> Result<Option<Block>, Damaged> {
        self.position.clear();
        for played in &group.moves {
            self.push_move(group, played, apart).ok_or(Damaged)?;
        }
        let room = self.block.bytes.len() + self.position.len() + 10;
        // A difference has room for 63 bits, one less than a key has.
        let is_far = key.saturating_sub(self.last) >> 63 == 1;
        let is_full = (room > BLOCK || is_far) && !self.block.bytes.is_empty();
        let full = is_full.then(|| self.end());
        if self.block.bytes.is_empty() {
            self.block.first = key;
            self.last = key;
        }
        let difference = key.saturating_sub(self.last);
        push(&mut self.block.bytes, difference << 1 | u64::from(group.moves.len() == 1));
        if group.moves.len() != 1 {
            push(&mut self.block.bytes, group.moves.len() as u64);
        }
        self.block.bytes.extend_from_slice(&self.position);
        self.last = key;
        Ok(full)
    }

    fn push_move(
        &mut self,
        group: &Group,
        played: &Played,
        apart: &mut Vec<GamesApart>,
    ) -> Option<()> {
        let (out, games) = (&mut self.position, group.games_of(played));
        if let [game] = games {
            out.extend_from_slice(&(played.bits | SINGLE).to_le_bytes());
            let [a, b, c, _] = played.tally.facts().bits().to_le_bytes();
            out.extend_from_slice(&[a, b, c]);
            push(out, u64::from(*game));
            return Some(());
        }
        out.extend_from_slice(&played.bits.to_le_bytes());
        played.tally.push_to(out);
        if played.tally.games <= INLINE {
            return push_growing(out, games);
        }
        push(out, self.next_apart.unsigned_abs());
        let mut bytes = Vec::with_capacity(2 * games.len());
        push_growing(&mut bytes, games)?;
        apart.push(GamesApart { id: self.next_apart, bytes });
        self.next_apart += 1;
        Some(())
    }

    fn end(&mut self) -> Block {
        let next = Block { first: 0, bytes: Vec::with_capacity(2 * BLOCK) };
        std::mem::replace(&mut self.block, next)
    }

    /// The last block.
    pub(crate) fn finish(mut self) -> Option<Block> {
        (!self.block.bytes.is_empty()).then(|| self.end())
    }
}

/// Reads the positions of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockReader<'b> {
    key: u64,
    rest: &'b [u8],
}

/// A block that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

impl<'b> BlockReader<'b> {
    pub(crate) fn new(first: u64, bytes: &'b [u8]) -> BlockReader<'b> {
        BlockReader { key: first, rest: bytes }
    }

    /// The unread rest, to resume later.
    pub(crate) fn left(&self) -> (u64, usize) {
        (self.key, self.rest.len())
    }

    /// The key of the next position and its moves; `None` at the end.
    pub(crate) fn next(&mut self, group: &mut Group) -> Result<Option<u64>, Damaged> {
        group.clear();
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.read(group).ok_or(Damaged).map(Some)
    }

    fn read(&mut self, group: &mut Group) -> Option<u64> {
        let word = take(&mut self.rest)?;
        self.key = self.key.checked_add(word >> 1)?;
        let moves = if word & 1 == 1 { 1 } else { take(&mut self.rest)? };
        for _ in 0..moves {
            let bits = u16::from_le_bytes(take_array(&mut self.rest)?);
            let from = group.games.len();
            let (tally, games) = match bits & SINGLE {
                0 => self.several(group)?,
                _ => {
                    let [a, b, c] = take_array(&mut self.rest)?;
                    group.games.push(take_u32(&mut self.rest)?);
                    let facts = GameFacts::from_bits(u32::from_le_bytes([a, b, c, 0]));
                    (Tally::of(facts), Games::Here(from))
                }
            };
            group.moves.push(Played { bits: bits & !SINGLE, tally, games });
        }
        Some(self.key)
    }

    fn several(&mut self, group: &mut Group) -> Option<(Tally, Games)> {
        let (tally, from) = (Tally::take_from(&mut self.rest)?, group.games.len());
        if tally.games <= INLINE {
            take_growing(&mut self.rest, tally.games, &mut group.games)?;
            return Some((tally, Games::Here(from)));
        }
        let id = take(&mut self.rest)?.try_into().ok()?;
        Some((tally, Games::Apart(id)))
    }
}

/// The moves of a position in the block that would have it; `None` if absent.
pub(crate) fn find(first: u64, bytes: &[u8], key: u64) -> Result<Option<Group>, Damaged> {
    let (mut reader, mut group) = (BlockReader::new(first, bytes), Group::default());
    while let Some(found) = reader.next(&mut group)? {
        if found >= key {
            return Ok((found == key).then_some(group));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
