//! How often people play the moves of a position: in games, and by a net of human play.

use shakmaty::uci::UciMove;

/// How often each move of a position is played: in how many games, and how likely a net of human
/// play takes it to be. n(p, m) is the games with the move and the move's part of the games that the
/// net stands for. Greatest n first, equal ones by their UCI text. Empty if no game has been there
/// and no net was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveCounts {
    pub(super) moves: Box<[MoveCount]>,
    /// Number of games that have left the position by a move, each once.
    here: u64,
    /// Number of games that a net's probabilities stand for; 0 without a net.
    pub(super) weight: u32,
}

/// How often a move is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveCount {
    /// The move.
    pub uci: UciMove,
    /// Number of games with it.
    pub games: u64,
    /// How likely a net takes it to be, in thousandths; 0 without a net.
    pub permille: u16,
}

impl MoveCount {
    pub(super) fn thousandths(&self, weight: u32) -> u64 {
        let likely = u64::from(self.permille) * u64::from(weight);
        self.games.saturating_mul(1000).saturating_add(likely)
    }
}

impl MoveCounts {
    /// Game counts in any order; each move comes once. No game has played two of them.
    pub fn new(counts: impl IntoIterator<Item = (UciMove, u64)>) -> MoveCounts {
        let counts = counts.into_iter().map(|(uci, games)| MoveCount { uci, games, permille: 0 });
        MoveCounts::weighted(counts, 0)
    }

    /// Counts with the probabilities of a net that stands for `weight` games, in any order; each
    /// move comes once.
    pub fn weighted(counts: impl IntoIterator<Item = MoveCount>, weight: u32) -> MoveCounts {
        let mut counts: Vec<MoveCount> = counts.into_iter().collect();
        counts.sort_by_cached_key(|m| (u64::MAX - m.thousandths(weight), m.uci.to_string()));
        let here = sum(counts.iter().map(|m| m.games));
        MoveCounts { moves: counts.into(), here, weight }
    }

    /// These counts and the probabilities of a net, in thousandths, that stands for `weight` games.
    #[must_use]
    pub fn with_human(&self, likely: &[(UciMove, u16)], weight: u32) -> MoveCounts {
        let permille = |uci| likely.iter().find(|(other, _)| *other == uci).map_or(0, |(_, p)| *p);
        let counted = self.moves.iter().map(|m| MoveCount { permille: permille(m.uci), ..*m });
        let others = likely.iter().filter(|(uci, _)| self.moves.iter().all(|m| m.uci != *uci));
        let others =
            others.map(|(uci, permille)| MoveCount { uci: *uci, games: 0, permille: *permille });
        MoveCounts::weighted(counted.chain(others), weight).with_games(self.here)
    }

    /// The counts of this many games, some of which have come back to the position and played
    /// another move.
    #[must_use]
    pub fn with_games(self, games: u64) -> MoveCounts {
        let least = self.moves.iter().map(|m| m.games).max().unwrap_or_default();
        MoveCounts { here: games.clamp(least, self.games().max(least)), ..self }
    }

    /// True if n(p) is 0: no game has been there and no net was asked.
    pub fn is_empty(&self) -> bool {
        self.thousandths() == 0
    }

    /// Number of games that a net's probabilities stand for; 0 without a net.
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Number of games that have left the position by a move, each once: the base of shares of
    /// games.
    pub fn games_here(&self) -> u64 {
        self.here
    }

    /// Share of these games that have played a move, from 0 to 1; None if no game has been there.
    /// Shares of all moves may come to more than 1.
    pub fn share_of_games(&self, uci: UciMove) -> Option<f64> {
        part(self.of(uci), self.here)
    }

    /// Probability of a move by the net, from 0 to 1; None without one.
    pub fn human(&self, uci: UciMove) -> Option<f64> {
        let permille = self.find(uci).map_or(0, |m| m.permille);
        (self.weight > 0).then(|| f64::from(permille) / 1000.0)
    }

    /// The sum of the games over the moves. A game that has played two of them is in it twice.
    pub fn games(&self) -> u64 {
        sum(self.moves.iter().map(|m| m.games))
    }

    /// Number of games with a move; 0 if there is none.
    pub fn of(&self, uci: UciMove) -> u64 {
        self.find(uci).map_or(0, |m| m.games)
    }

    /// n(p, m) of a move.
    pub fn n(&self, uci: UciMove) -> f64 {
        whole(self.find(uci).map_or(0, |m| m.thousandths(self.weight)))
    }

    /// n(p): the sum of n(p, m), by which moves are followed and games go on.
    pub fn n_of_all(&self) -> f64 {
        whole(self.thousandths())
    }

    /// Probability that a game goes on with a move: its part of n(p), from 0 to 1; None if the counts
    /// are empty.
    pub fn share(&self, uci: UciMove) -> Option<f64> {
        part(self.find(uci).map_or(0, |m| m.thousandths(self.weight)), self.thousandths())
    }

    /// True if a move has at least this share of n(p), in per cent.
    pub fn has_share(&self, uci: UciMove, percent: u64) -> bool {
        let n = self.find(uci).map_or(0, |m| m.thousandths(self.weight));
        100 * u128::from(n) >= u128::from(percent) * u128::from(self.thousandths())
    }

    /// The moves with their games and probabilities.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = MoveCount> + '_ {
        self.moves.iter().copied()
    }

    fn find(&self, uci: UciMove) -> Option<&MoveCount> {
        self.moves.iter().find(|m| m.uci == uci)
    }

    fn thousandths(&self) -> u64 {
        sum(self.moves.iter().map(|m| m.thousandths(self.weight)))
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

#[expect(clippy::cast_precision_loss, reason = "games are fewer than 2⁴³")]
fn whole(thousandths: u64) -> f64 {
    thousandths as f64 / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "games are fewer than 2⁴³")]
fn part(games: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| games as f64 / all as f64)
}
