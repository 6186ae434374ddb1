//! The transposition table: results of positions already searched.
//!
//! Five entries share a cache line. Search threads share the table and nothing is locked: an entry's words are read and
//! written one by one, and its check is mixed with the others, so one that two threads wrote at once is not found.

use std::sync::atomic::{AtomicU32, Ordering};

use super::moves::Move;

/// Relation of a stored score to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BoundKind {
    /// Nothing; only a move or an evaluation is known.
    #[default]
    None,
    /// The true score is at most the stored one.
    Upper,
    /// The true score is at least the stored one.
    Lower,
    /// The stored score is the true one.
    Exact,
}

impl BoundKind {
    /// UCI's word, if the score is only a bound.
    pub fn word(self) -> Option<&'static str> {
        match self {
            BoundKind::Lower => Some("lowerbound"),
            BoundKind::Upper => Some("upperbound"),
            BoundKind::Exact | BoundKind::None => None,
        }
    }

    /// The bound of a score found within a window.
    pub fn of(score: i32, (alpha, beta): (i32, i32)) -> BoundKind {
        match score {
            s if s >= beta => BoundKind::Lower,
            s if s > alpha => BoundKind::Exact,
            _ => BoundKind::Upper,
        }
    }

    /// True if a score with this bound suffices within a window.
    pub fn decides(self, score: i32, (alpha, beta): (i32, i32)) -> bool {
        match self {
            BoundKind::None => false,
            BoundKind::Upper => score <= alpha,
            BoundKind::Lower => score >= beta,
            BoundKind::Exact => true,
        }
    }
}

/// Search result of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The best move, or the one that cut.
    pub best: Move,
    /// The score, mates counted from this node.
    pub score: i32,
    /// The static evaluation, or [`NO_EVALUATION`].
    pub evaluation: i32,
    /// The depth searched.
    pub depth: i32,
    /// The bound of the score.
    pub bound: BoundKind,
}

/// No evaluation was made (in check).
pub const NO_EVALUATION: i32 = i16::MIN as i32;

/// An entry as it lies in the table.
#[derive(Clone, Copy, Default)]
struct Packed {
    check: u32,
    best: u16,
    score: i16,
    evaluation: i16,
    depth: i8,
    /// The bound in the two low bits, generation above.
    tag: u8,
}

impl Packed {
    fn bound(self) -> BoundKind {
        match self.tag & 3 {
            0 => BoundKind::None,
            1 => BoundKind::Upper,
            2 => BoundKind::Lower,
            _ => BoundKind::Exact,
        }
    }

    /// Number of searches since this was written.
    fn age(self, generation: u8) -> i32 {
        i32::from(generation.wrapping_sub(self.tag >> 2) & 63)
    }

    fn is_empty(self) -> bool {
        self.tag == 0
    }

    fn is_of(self, check: u32) -> bool {
        self.check == check && !self.is_empty()
    }
}

/// The place of an entry: its check mixed with the two others, move and score, the rest.
#[derive(Default)]
struct Slot([AtomicU32; 3]);

impl Slot {
    fn read(&self) -> Packed {
        let [mixed, first, second] = self.0.each_ref().map(|word| word.load(Ordering::Relaxed));
        let [best_low, best_high, score_low, score_high] = first.to_le_bytes();
        let [evaluation_low, evaluation_high, depth, tag] = second.to_le_bytes();
        Packed {
            check: mixed ^ first ^ second,
            best: u16::from_le_bytes([best_low, best_high]),
            score: i16::from_le_bytes([score_low, score_high]),
            evaluation: i16::from_le_bytes([evaluation_low, evaluation_high]),
            depth: depth as i8,
            tag,
        }
    }

    fn write(&self, entry: Packed) {
        let first = u32::from(entry.best) | u32::from(entry.score as u16) << 16;
        let rest = u32::from(entry.depth as u8) << 16 | u32::from(entry.tag) << 24;
        let second = u32::from(entry.evaluation as u16) | rest;
        let words = [entry.check ^ first ^ second, first, second];
        for (word, value) in self.0.iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

const WAYS: usize = 5;

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// The table.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    generation: u8,
}

impl TranspositionTable {
    /// A table of this many mebibytes, at least one; of one if there is not enough memory.
    pub fn new(mebibytes: usize) -> TranspositionTable {
        let count = |mebibytes: usize| (mebibytes.max(1) << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        let enough = buckets.try_reserve_exact(count(mebibytes)).is_ok();
        buckets.resize_with(count(if enough { mebibytes } else { 1 }), Bucket::default);
        TranspositionTable { buckets, generation: 1 }
    }

    /// Size in mebibytes.
    pub fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// A table of so few buckets that everything collides, for tests.
    #[cfg(test)]
    pub fn tiny(buckets: usize) -> TranspositionTable {
        let buckets = (0..buckets).map(|_| Bucket::default()).collect();
        TranspositionTable { buckets, generation: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.generation = 1;
    }

    /// Begins a new search: older entries may be overwritten first.
    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) & 63;
    }

    fn bucket(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// Reads a word of the position's bucket and drops it: the processor fetches the bucket while other work is done.
    pub fn prefetch(&self, key: u64) {
        std::hint::black_box(self.buckets[self.bucket(key)].0[0].0[0].load(Ordering::Relaxed));
    }

    /// The entry of a position. Different positions can share one: the move may be illegal here and
    /// must be checked.
    pub fn probe(&self, key: u64) -> Option<TableEntry> {
        let check = key as u32;
        let bucket = &self.buckets[self.bucket(key)];
        let slot = bucket.0.iter().map(Slot::read).find(|slot| slot.is_of(check))?;
        Some(TableEntry {
            best: Move::from_bits(slot.best),
            score: i32::from(slot.score),
            evaluation: i32::from(slot.evaluation),
            depth: i32::from(slot.depth),
            bound: slot.bound(),
        })
    }

    /// Stores an entry. A deeper entry of the same position from this search stays, unless the new
    /// one is exact.
    pub fn store(&self, key: u64, entry: TableEntry) {
        let check = key as u32;
        let slots = &self.buckets[self.bucket(key)].0;
        let entries = slots.each_ref().map(Slot::read);
        let index = self.victim(&entries, check);
        let old = entries[index];
        let same = old.is_of(check);
        let best = if same && !entry.best.is_some() { old.best } else { entry.best.bits() };
        let deeper = i32::from(old.depth) > entry.depth + 3 && old.age(self.generation) == 0;
        if same && deeper && entry.bound != BoundKind::Exact {
            slots[index].write(Packed { best, ..old });
            return;
        }
        slots[index].write(Packed {
            check,
            best,
            score: entry.score as i16,
            evaluation: entry.evaluation as i16,
            depth: entry.depth.clamp(-100, 127) as i8,
            tag: self.generation << 2 | entry.bound as u8,
        });
    }

    /// The slot to write: the position's own, else the least valuable.
    fn victim(&self, entries: &[Packed; WAYS], check: u32) -> usize {
        let value = |entry: &Packed| {
            let age = entry.age(self.generation);
            if entry.is_empty() { -1000 } else { i32::from(entry.depth) - 8 * age }
        };
        let own = entries.iter().position(|entry| entry.is_of(check));
        own.or_else(|| (0..WAYS).min_by_key(|&i| value(&entries[i]))).unwrap_or(0)
    }

    /// Share of the table with this search's entries, in permille of a sample.
    pub fn permille(&self) -> usize {
        let sample = &self.buckets[..self.buckets.len().min(200)];
        let used = sample
            .iter()
            .flat_map(|bucket| bucket.0.each_ref().map(Slot::read))
            .filter(|slot| !slot.is_empty() && slot.age(self.generation) == 0)
            .count();
        used * 1000 / (sample.len() * WAYS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32, score: i32) -> TableEntry {
        TableEntry {
            best: Move::from_bits(796),
            score,
            evaluation: 12,
            depth,
            bound: BoundKind::Exact,
        }
    }

    #[test]
    fn an_entry_comes_back_as_it_was_stored() {
        let mut table = TranspositionTable::new(1);
        for key in (1..2000u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            let e = entry((key % 60) as i32, (key % 5000) as i32 - 2500);
            table.store(key, e);
            assert_eq!(table.probe(key), Some(e));
        }
        table.clear();
        assert_eq!(table.probe(0x9e37_79b9_7f4a_7c15), None);
        assert_eq!(table.permille(), 0);
    }

    #[test]
    fn in_a_full_bucket_the_shallowest_goes() {
        let table = TranspositionTable::tiny(1);
        for (key, depth) in [(1, 9), (2, 3), (3, 7), (4, 8), (5, 6), (6, 5)] {
            table.store(key, entry(depth, 0));
        }
        assert_eq!(table.probe(2), None);
        assert!([1, 3, 4, 5, 6].iter().all(|&key| table.probe(key).is_some()));
    }

    #[test]
    fn old_entries_are_replaced_before_shallow_new_ones() {
        let mut table = TranspositionTable::tiny(1);
        table.store(1, entry(6, 0));
        table.next_generation();
        for key in 2..=5 {
            table.store(key, entry(1, 0));
        }
        table.store(6, entry(1, 0));
        assert_eq!(table.probe(1), None);
    }

    #[test]
    fn an_entry_of_two_writers_is_not_found() {
        let (one, other) = (TranspositionTable::tiny(1), TranspositionTable::tiny(1));
        one.store(7, entry(4, 10));
        other.store(7, TableEntry { best: Move::from_bits(9), ..entry(5, 20) });
        let word = |table: &TranspositionTable, i: usize| {
            table.buckets[0].0[0].0[i].load(Ordering::Relaxed)
        };
        for i in 0..3 {
            let mixed = TranspositionTable::tiny(1);
            for j in 0..3 {
                let from = if i == j { &one } else { &other };
                mixed.buckets[0].0[0].0[j].store(word(from, j), Ordering::Relaxed);
            }
            assert_eq!(mixed.probe(7), None);
        }
    }

    #[test]
    fn a_move_survives_a_store_without_one() {
        let table = TranspositionTable::tiny(1);
        table.store(7, entry(4, 10));
        table.store(7, TableEntry { best: Move::NONE, ..entry(5, 20) });
        let found = table.probe(7).unwrap();
        assert_eq!((found.best, found.score), (Move::from_bits(796), 20));
    }
}
