//! The transposition table: what is known about positions already searched.
//!
//! Five entries share a cache line. The table serves one search thread, so nothing is locked.

use super::moves::Move;

/// What a stored score says about the true one.
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
    /// As UCI tells it, where the score is only a bound.
    pub fn word(self) -> Option<&'static str> {
        match self {
            BoundKind::Lower => Some("lowerbound"),
            BoundKind::Upper => Some("upperbound"),
            BoundKind::Exact | BoundKind::None => None,
        }
    }

    /// What the score of a search within a window says.
    pub fn of(score: i32, (alpha, beta): (i32, i32)) -> BoundKind {
        match score {
            s if s >= beta => BoundKind::Lower,
            s if s > alpha => BoundKind::Exact,
            _ => BoundKind::Upper,
        }
    }

    /// Whether a score with this bound is all that there is to know within a window.
    pub fn decides(self, score: i32, (alpha, beta): (i32, i32)) -> bool {
        match self {
            BoundKind::None => false,
            BoundKind::Upper => score <= alpha,
            BoundKind::Lower => score >= beta,
            BoundKind::Exact => true,
        }
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The best move, or the one that cut.
    pub best: Move,
    /// The score, mates counted from this node.
    pub score: i32,
    /// The static evaluation, or [`NO_EVALUATION`].
    pub evaluation: i32,
    /// How deep was searched.
    pub depth: i32,
    /// What the score says.
    pub bound: BoundKind,
}

/// Where no evaluation was made (in check).
pub const NO_EVALUATION: i32 = i16::MIN as i32;

#[derive(Clone, Copy, Default)]
struct Slot {
    check: u32,
    best: u16,
    score: i16,
    evaluation: i16,
    depth: i8,
    /// The bound in the two low bits, generation above.
    tag: u8,
}

const WAYS: usize = 5;

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// The table.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    generation: u8,
}

impl Slot {
    fn bound(self) -> BoundKind {
        match self.tag & 3 {
            0 => BoundKind::None,
            1 => BoundKind::Upper,
            2 => BoundKind::Lower,
            _ => BoundKind::Exact,
        }
    }

    /// How many searches ago this was written.
    fn age(self, generation: u8) -> i32 {
        i32::from(generation.wrapping_sub(self.tag >> 2) & 63)
    }

    fn is_empty(self) -> bool {
        self.tag == 0
    }
}

impl TranspositionTable {
    /// A table of so many mebibytes, at least one; of one where there is not enough memory.
    pub fn new(mebibytes: usize) -> TranspositionTable {
        let count = |mebibytes: usize| (mebibytes.max(1) << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        let enough = buckets.try_reserve_exact(count(mebibytes)).is_ok();
        buckets.resize(count(if enough { mebibytes } else { 1 }), Bucket::default());
        TranspositionTable { buckets, generation: 1 }
    }

    /// How large it is.
    pub fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// A table of so few buckets that everything collides, for tests.
    #[cfg(test)]
    pub fn tiny(buckets: usize) -> TranspositionTable {
        TranspositionTable { buckets: vec![Bucket::default(); buckets], generation: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
        self.generation = 1;
    }

    /// A new search begins: what older searches left may be overwritten first.
    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) & 63;
    }

    fn bucket(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// What is known about a position. Different positions can share an entry: the move may be
    /// illegal here and must be checked.
    pub fn probe(&self, key: u64) -> Option<TableEntry> {
        let check = key as u32;
        let bucket = &self.buckets[self.bucket(key)];
        let slot = bucket.0.iter().find(|slot| slot.check == check && !slot.is_empty())?;
        Some(TableEntry {
            best: Move::from_bits(slot.best),
            score: i32::from(slot.score),
            evaluation: i32::from(slot.evaluation),
            depth: i32::from(slot.depth),
            bound: slot.bound(),
        })
    }

    /// Keeps what was found. A deeper entry of the same position from this search stays, unless
    /// the new one is exact.
    pub fn store(&mut self, key: u64, entry: TableEntry) {
        let check = key as u32;
        let generation = self.generation;
        let index = self.bucket(key);
        let Some(slot) = Self::victim(&mut self.buckets[index].0, check, generation) else {
            return;
        };
        let same = slot.check == check && !slot.is_empty();
        let best = if same && !entry.best.is_some() { slot.best } else { entry.best.bits() };
        let deeper = i32::from(slot.depth) > entry.depth + 3 && slot.age(generation) == 0;
        if same && deeper && entry.bound != BoundKind::Exact {
            slot.best = best;
            return;
        }
        *slot = Slot {
            check,
            best,
            score: entry.score as i16,
            evaluation: entry.evaluation as i16,
            depth: entry.depth.clamp(-100, 127) as i8,
            tag: generation << 2 | entry.bound as u8,
        };
    }

    /// The slot to write: the position's own, else the least valuable.
    fn victim(slots: &mut [Slot; WAYS], check: u32, generation: u8) -> Option<&mut Slot> {
        let own = slots.iter().position(|slot| slot.check == check && !slot.is_empty());
        let value = |slot: &Slot| {
            if slot.is_empty() { -1000 } else { i32::from(slot.depth) - 8 * slot.age(generation) }
        };
        let index = own.or_else(|| (0..WAYS).min_by_key(|&i| value(&slots[i])))?;
        slots.get_mut(index)
    }

    /// How full the table is with this search's entries, in permille of a sample.
    pub fn permille(&self) -> usize {
        let sample = &self.buckets[..self.buckets.len().min(200)];
        let used = sample
            .iter()
            .flat_map(|bucket| bucket.0)
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
        let mut table = TranspositionTable::tiny(1);
        for (key, depth) in [(1, 9), (2, 3), (3, 7), (4, 8), (5, 6), (6, 5)] {
            table.store(key, entry(depth, 0));
        }
        assert_eq!(table.probe(2), None);
        assert!([1, 3, 4, 5, 6].iter().all(|&key| table.probe(key).is_some()));
    }

    #[test]
    fn what_older_searches_left_goes_before_shallow_new_entries() {
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
    fn a_move_survives_a_store_without_one() {
        let mut table = TranspositionTable::tiny(1);
        table.store(7, entry(4, 10));
        table.store(7, TableEntry { best: Move::NONE, ..entry(5, 20) });
        let found = table.probe(7).unwrap();
        assert_eq!((found.best, found.score), (Move::from_bits(796), 20));
    }
}
