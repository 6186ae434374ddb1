//! Share of a clock for one move.

use super::command::Go;

/// Moves that a game is expected to last still.
const MOVES_LEFT: u64 = 24;
/// Cost of a move besides its search (reading, writing, waking threads): that much of an increment
/// is not for searching. With increments of this order, clocks sank to the reserve, and a computer
/// that was busy for a seventh of a second lost 2 of 600 games on time.
const BESIDE: u64 = 5;
/// Half a year in milliseconds is as good as for ever, and cannot overflow.
const FOR_EVER: u64 = 1 << 34;

/// The time for one move, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// Time that a move should take.
    pub soft: u64,
    /// Time that it may take at most.
    pub hard: u64,
}

impl Allotment {
    /// Time that a `go` allows the side of this clock (0 for White, 1 for Black), with `overhead`
    /// kept back for the way to and from the GUI; None if it says nothing of time.
    pub fn of(go: &Go, side: usize, overhead: u64) -> Option<Allotment> {
        if let Some(time) = go.move_time {
            return Some(Allotment::of_move(time, overhead));
        }
        let clock = go.clocks.get(side).copied().flatten()?;
        let increment = go.increments.get(side).copied().unwrap_or(0);
        Some(Allotment::of_clock(clock, increment, go.moves_to_go, overhead))
    }

    /// All the time that a move was given.
    pub fn of_move(time: u64, overhead: u64) -> Allotment {
        let time = time.min(FOR_EVER).saturating_sub(overhead).max(1);
        Allotment { soft: time, hard: time }
    }

    /// A share of a clock, with its increment per move, and the moves until the next time control.
    pub fn of_clock(
        clock: u64,
        increment: u64,
        moves_to_go: Option<u64>,
        overhead: u64,
    ) -> Allotment {
        let usable = clock.min(FOR_EVER).saturating_sub(overhead).max(1);
        let moves = moves_to_go.map_or(MOVES_LEFT, |moves| moves.clamp(1, MOVES_LEFT));
        let soft = usable / moves + increment.min(FOR_EVER).saturating_sub(BESIDE) * 3 / 4;
        let hard = soft * 4;
        let most = if moves == 1 { usable * 9 / 10 } else { usable * 2 / 5 };
        Allotment { soft: soft.min(most).max(1), hard: hard.min(most).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_never_exceeds_the_clock() {
        for time in [0, 1, 9, 11, 50, 1000, 60_000, u64::MAX] {
            for increment in [0, 100, 10_000, u64::MAX] {
                for moves in [None, Some(0), Some(1), Some(40), Some(u64::MAX)] {
                    let Allotment { soft, hard } = Allotment::of_clock(time, increment, moves, 10);
                    assert!(soft >= 1 && soft <= hard);
                    assert!(hard <= time.max(1), "{time} {increment} {moves:?}");
                }
            }
        }
    }

    /// However long a game goes on, increments refill the reserve for a moment in which the system
    /// is busy.
    #[test]
    fn shortest_increments_keep_a_reserve_on_the_clock() {
        let mut clock = 1000;
        for number in 0..400 {
            let Allotment { soft, .. } = Allotment::of_clock(clock, 10, None, 100);
            let beside = 3;
            clock = clock - soft - beside + 10;
            assert!(clock >= 180, "{clock} ms after {number} moves");
        }
    }

    #[test]
    fn a_share_is_a_few_percent_of_the_game() {
        let Allotment { soft, hard } = Allotment::of_clock(60_000, 0, None, 10);
        assert!((1_500..4_000).contains(&soft) && hard <= 24_000);
    }

    #[test]
    fn move_time_goes_before_clocks_and_own_clock_counts() {
        let go = Go { clocks: [Some(1000), None], move_time: Some(70), ..Go::default() };
        assert_eq!(Allotment::of(&go, 0, 20), Some(Allotment { soft: 50, hard: 50 }));
        let go = Go { move_time: None, ..go };
        assert_eq!(Allotment::of(&go, 0, 20), Some(Allotment::of_clock(1000, 0, None, 20)));
        assert_eq!(Allotment::of(&go, 1, 20), None);
    }
}
