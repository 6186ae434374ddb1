//! A made-up engine in virtual time, for the tests of this room.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{PositionKey, Score, uci_of};
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{FakeEngines, FakeSearch};

/// A number that looks random and depends on nothing but its argument.
pub fn scramble(seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}

fn number_of(position: &Chess) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    PositionKey::of(position).hash(&mut hasher);
    hasher.finish()
}

/// The best move by made-up scores, with its own, for the mover.
fn best(position: &Chess, excluded: &[UciMove]) -> Option<(UciMove, i32)> {
    let moves = position.legal_moves();
    let all = moves.iter().map(|m| (uci_of(position, *m), m));
    let scored = all.filter(|(uci, _)| !excluded.contains(uci)).map(|(uci, m)| {
        let mut child = position.clone();
        child.play_unchecked(*m);
        (uci, i32::try_from(scramble(number_of(&child)) % 300).unwrap())
    });
    let least = scored.min_by_key(|(_, value)| *value);
    least.map(|(uci, value)| (uci, 40 - value / 3))
}

/// An engine whose principal variations foresee one reply in three.
pub fn answer(search: &Search) -> Answer {
    let (first, cp) = best(&search.position, &search.excluded).unwrap();
    let mut child = search.position.clone();
    child.play_unchecked(first.to_move(&child).unwrap());
    let number = number_of(&child);
    let doubt: Vec<UciMove> = match scramble(number ^ 1) % 3 {
        0 => Vec::new(),
        _ => best(&child, &[]).map(|(uci, _)| uci).into_iter().collect(),
    };
    let reply = best(&child, &doubt).map(|(uci, _)| uci);
    let pv = std::iter::once(first).chain(reply).collect();
    let score = Score::Cp(cp);
    Answer {
        best: first,
        score,
        wdl: None,
        depth: 1,
        seldepth: 1,
        nodes: 1,
        time: Duration::ZERO,
        pv,
    }
}

pub fn profile() -> Profile {
    let (engine, options, limit) = ("Made up".to_owned(), BTreeMap::new(), Limit::Depth(1));
    Profile { engine, options, limit, kept_hash: None }
}

/// `count` engines with these answers and times.
pub fn engines(count: usize, mut takes: impl FnMut(&Search) -> Duration + 'static) -> FakeEngines {
    FakeEngines::new(count, profile(), move |start| {
        FakeSearch::ending(Ok(answer(&start.search))).taking(takes(&start.search))
    })
}

/// Two engines whose searches take a day.
pub fn mute_engines() -> FakeEngines {
    engines(2, |_| Duration::from_hours(24))
}
