//! Work of looking ahead, counted step by step, so that it can be broken off at each.

/// Steps done and allowed. A step is about as much as a look at a move: some hundredths of a
/// microsecond where it lies at hand, a tenth where the memory must fetch it.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    done: u64,
    most: u64,
}

/// The work is spent: half-done changes are to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent;

impl Work {
    /// No limit.
    pub const UNLIMITED: Work = Work::up_to(u64::MAX);

    /// A limit of steps, none of which is done.
    pub const fn up_to(most: u64) -> Work {
        Work { done: 0, most }
    }

    /// Counts steps that come next.
    ///
    /// # Errors
    ///
    /// [`Spent`] if they are too many, from then on always.
    pub fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.done = self.done.saturating_add(steps);
        if self.is_spent() { Err(Spent) } else { Ok(()) }
    }

    /// The steps that were done; those among them that were one too many were not.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// True if more was wanted than was allowed.
    pub fn is_spent(&self) -> bool {
        self.done > self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_stays_spent() {
        let mut work = Work::up_to(5);
        assert_eq!((work.spend(5), work.is_spent()), (Ok(()), false));
        assert_eq!((work.spend(1), work.is_spent()), (Err(Spent), true));
        assert_eq!(work.spend(0), Err(Spent));
        assert_eq!({ Work::UNLIMITED }.spend(u64::MAX), Ok(()));
    }
}
