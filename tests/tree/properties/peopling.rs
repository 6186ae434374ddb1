//! Values against people, compared with the plainest reading of the page: all positions in every
//! round, and all walks one by one.

use deepanalyze_core::tree::{Graph, MoveCounts, Values};
use deepanalyze_view::{People, PeopleAsked, Trap, TrapLimits};
use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::Color;

use super::cases;
use super::naive;
use super::world::{Counting, World, node, uci, worlds};

/// How often moves are played, by place and by where they lead, whether the tree has them or not:
/// games, and a net's probability in thousandths.
type Games = Vec<Vec<(usize, u64, u16)>>;

/// The whole of a question.
struct Question<'a> {
    world: &'a World,
    games: &'a Games,
    side: Color,
    sound: u32,
    /// Number of games that the net stands for; 0 without one.
    weight: u32,
}

impl Question<'_> {
    fn is_own(&self, place: usize) -> bool {
        self.world.places[place].white == (self.side == Color::White)
    }

    fn scored(&self, place: usize, value: i32) -> f64 {
        let cp = if self.is_own(place) { value } else { -value };
        match cp {
            30_000.. => 1.0,
            ..=-30_000 => 0.0,
            _ => 1.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()),
        }
    }

    fn n(&self, (_, games, permille): &(usize, u64, u16)) -> f64 {
        *games as f64 + f64::from(self.weight) * f64::from(*permille) / 1000.0
    }

    fn all(&self, place: usize) -> f64 {
        self.games[place].iter().map(|played| self.n(played)).sum()
    }

    fn of(&self, place: usize, child: usize) -> f64 {
        let played = self.games[place].iter().find(|(to, ..)| *to == child);
        played.map_or(0.0, |played| self.n(played))
    }

    /// How likely each place is if the side plays towards it by sound or included moves: lines grow by
    /// a move in each round.
    fn aimed(&self, ideas: &[i32]) -> Vec<f64> {
        let world = self.world;
        let mut likely = vec![0.0; world.places.len()];
        likely[0] = 1.0;
        for _ in 0..world.places.len() {
            for place in (0..world.places.len()).filter(|place| world.is_analysed(*place)) {
                let moves = world.counting(place);
                let idea = |m: &Counting| naive::move_value(world, *m, ideas);
                let best = moves.iter().map(idea).max().unwrap();
                for m in moves {
                    let is_included = world.places[place].included.contains(&m.child);
                    let share = match self.is_own(place) {
                        true if is_included || idea(&m) >= best - self.sound as i32 => 1.0,
                        true => 0.0,
                        false if self.all(place) == 0.0 => 0.0,
                        false => self.of(place, m.child) / self.all(place),
                    };
                    likely[m.child] = f64::max(likely[m.child], likely[place] * share);
                }
            }
        }
        likely
    }

    /// The line leads to the place by moves as likely as is told, and values are those of the moves.
    fn check_trap(&self, ideas: &[i32], place: usize, child: usize, trap: &Trap) {
        let world = self.world;
        let idea = |m: &Counting| naive::move_value(world, *m, ideas);
        let best = |place: usize| world.counting(place).iter().map(idea).max().unwrap();
        let (mut at, mut likely, mut before) = (0, 1.0, None);
        for step in &trap.line {
            let m = world.counting(at).into_iter().find(|m| uci(m.child) == *step).unwrap();
            likely *= if self.is_own(at) { 1.0 } else { self.of(at, m.child) / self.all(at) };
            (before, at) = (Some(at), m.child);
        }
        assert!(at == place && near(likely, trap.reach), "{trap:?}");
        let error = world.counting(place).into_iter().find(|m| m.child == child).unwrap();
        assert_eq!(-i32::from(trap.after.get()), idea(&error), "{trap:?}");
        assert_eq!(-i32::from(trap.best.1.get()), best(place), "{trap:?}");
        let risk = before.map_or(0, |before| best(before) + best(place));
        assert_eq!(i64::from(trap.risk), i64::from(risk.max(0)), "{trap:?}");
        assert!(near(trap.share, self.of(place, child) / self.all(place)), "{trap:?}");
        let is_leaf = |place: usize| world.places[place].stopped || world.end(place).is_some();
        let first = || world.counting(child).into_iter().find(|m| idea(m) == best(child)).unwrap();
        let is_seen = |place: usize| is_leaf(place) || world.is_analysed(place);
        let is_deeper = world.is_analysed(child) && is_seen(first().child);
        let one_search = !is_leaf(child) && !is_deeper;
        assert_eq!(trap.one_search, one_search, "{trap:?}");
    }

    /// The place and the move of each trap, with how likely the place is.
    fn traps(&self, ideas: &[i32], limits: TrapLimits) -> Vec<(usize, usize, f64)> {
        let (world, likely) = (self.world, self.aimed(ideas));
        let mut traps = Vec::new();
        for place in (0..world.places.len()).filter(|place| world.is_analysed(*place)) {
            let moves = world.counting(place);
            let idea = |m: &Counting| naive::move_value(world, *m, ideas);
            let best = moves.iter().map(idea).max().unwrap();
            for m in moves.iter().filter(|_| !self.is_own(place) && likely[place] > 0.0) {
                let share = self.of(place, m.child) / self.all(place);
                if share >= limits.likely && idea(m) <= best - limits.loses as i32 {
                    traps.push((place, m.child, likely[place]));
                }
            }
        }
        traps
    }

    fn after(&self, place: usize, m: Counting, before: &[f64]) -> f64 {
        match self.world.end(m.child) {
            Some(_) if self.world.is_drawn_end(m.child) => 0.5,
            Some(end) => self.scored(m.child, end),
            None if self.world.is_analysed(m.child) => before[m.child],
            None => self.scored(place, m.eval),
        }
    }

    /// The moves followed at an own place, and whether that is because they are included.
    fn own(&self, place: usize, ideas: &[i32]) -> (Vec<Counting>, bool) {
        let moves = self.world.counting(place);
        let included = &self.world.places[place].included;
        let followed: Vec<Counting> =
            moves.iter().filter(|m| included.contains(&m.child)).copied().collect();
        if !followed.is_empty() {
            return (followed, true);
        }
        let idea = |m: &Counting| naive::move_value(self.world, *m, ideas);
        let best = moves.iter().map(idea).max().unwrap();
        let is_sound = |m: &&Counting| idea(m) >= best - self.sound as i32;
        (moves.iter().filter(is_sound).copied().collect(), false)
    }

    fn round(&self, place: usize, ideas: &[i32], before: &[f64]) -> f64 {
        if self.is_own(place) {
            let own = self.own(place, ideas).0.into_iter();
            return own.map(|m| self.after(place, m, before)).fold(f64::MIN, f64::max);
        }
        let moves = self.world.counting(place);
        let mut best = moves[0];
        for m in &moves {
            let idea = |m: Counting| naive::move_value(self.world, m, ideas);
            if idea(*m) > idea(best) {
                best = *m;
            }
        }
        let all = self.all(place) + 10.0;
        let (mut sum, mut left) = (0.0, 1.0);
        for m in moves {
            let weight = self.of(place, m.child) / all;
            sum += weight * self.after(place, m, before);
            left -= weight;
        }
        sum + left * self.after(place, best, before)
    }

    /// Children first equals rounds over everything, once all behind a circle is still: so each
    /// circle gets its hundred rounds when all behind it is done.
    fn expected(&self, ideas: &[i32]) -> Vec<f64> {
        let world = self.world;
        let reaches = closure(world);
        let analysed: Vec<usize> =
            (0..world.places.len()).filter(|place| world.is_analysed(*place)).collect();
        let mut expected = vec![f64::NAN; world.places.len()];
        let mut done: Vec<usize> = Vec::new();
        while done.len() < analysed.len() {
            let together = |a: usize, b: usize| a == b || reaches[a][b] && reaches[b][a];
            let is_ready = |place: &&usize| {
                let below = analysed.iter().filter(|other| reaches[**place][**other]);
                !done.contains(place)
                    && below
                        .into_iter()
                        .all(|other| done.contains(other) || together(**place, *other))
            };
            let first = *analysed.iter().find(is_ready).unwrap();
            let circle: Vec<usize> =
                analysed.iter().copied().filter(|other| together(first, *other)).collect();
            for place in &circle {
                expected[*place] = self.scored(*place, ideas[*place]);
            }
            for _ in 0..100 {
                let before = expected.clone();
                for place in &circle {
                    expected[*place] = self.round(*place, ideas, &before);
                }
            }
            done.extend(circle);
        }
        expected
    }

    /// Follows one walk, with its chance.
    fn walk(
        &self,
        told: &mut Told,
        expected: &[f64],
        ideas: &[i32],
        (place, likely, plies): (usize, f64, u32),
    ) {
        told.reach[place] += likely;
        if !self.world.is_analysed(place) {
            return;
        }
        if self.is_own(place) {
            let (own, included) = self.own(place, ideas);
            let score = |m: &Counting| self.after(place, *m, expected);
            let mut best = own[0];
            for m in &own {
                if score(m) > score(&best) {
                    best = *m;
                }
            }
            let follows = if included { own } else { vec![best] };
            for m in &follows {
                if plies > 0 {
                    let share = likely / follows.len() as f64;
                    self.walk(told, expected, ideas, (m.child, share, plies - 1));
                }
            }
            return;
        }
        let counting = self.world.counting(place);
        for played in &self.games[place] {
            let (child, share) = (&played.0, likely * self.n(played) / self.all(place));
            if counting.iter().all(|m| m.child != *child) {
                told.gaps.entry((place, *child)).and_modify(|sum| *sum += share).or_insert(share);
            } else if plies > 0 {
                self.walk(told, expected, ideas, (*child, share, plies - 1));
            }
        }
    }
}

/// Totals of all walks.
struct Told {
    reach: Vec<f64>,
    gaps: std::collections::BTreeMap<(usize, usize), f64>,
}

/// The places reachable from each by one move or more.
fn closure(world: &World) -> Vec<Vec<bool>> {
    let len = world.places.len();
    let mut reaches = vec![vec![false; len]; len];
    for place in 0..len {
        for m in world.counting(place) {
            reaches[place][m.child] = world.is_analysed(m.child);
        }
    }
    for middle in 0..len {
        for from in 0..len {
            for to in 0..len {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
        }
    }
    reaches
}

fn games() -> impl Strategy<Value = Vec<Vec<(u64, u16)>>> {
    let games = prop_oneof![3 => Just(0_u64), 3 => 1..=12_u64, 1 => 100..=4000_u64];
    let likely = prop_oneof![3 => Just(0_u16), 3 => 1..=200_u16, 1 => 200..=999_u16];
    vec(vec((games, likely), 5), 14)
}

/// The counts of each place by where its legal moves lead.
fn played(world: &World, games: &[Vec<(u64, u16)>], weight: u32) -> Games {
    let of = |(place, games): (&super::world::Place, &Vec<(u64, u16)>)| {
        let children = place.moves.iter().map(|(child, _)| *child);
        let net = |permille| if weight > 0 { permille } else { 0 };
        let played = children.zip(games).map(|(child, (games, p))| (child, *games, net(*p)));
        played.filter(|(_, games, permille)| *games > 0 || *permille > 0).collect()
    };
    world.places.iter().zip(games).map(of).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 || a.is_nan() && b.is_nan()
}

fn check(question: &Question<'_>, graph: &Graph, plies: u32) {
    let values = Values::of(graph);
    let Question { world, games, side, sound, weight } = *question;
    let counts: Vec<MoveCounts> = games
        .iter()
        .map(|played| {
            let counted = played.iter().map(|(child, games, _)| (uci(*child), *games));
            let likely = played.iter().map(|(child, _, permille)| (uci(*child), *permille));
            match weight {
                0 => MoveCounts::new(counted),
                _ => MoveCounts::new(counted).with_human(&likely.collect::<Vec<_>>(), weight),
            }
        })
        .collect();
    let by_node = counts.iter().map(Some).collect();
    let asked = PeopleAsked { side, sound };
    let people = People::on(graph, &values, by_node, node(0), plies, asked);
    let ideas = naive::ideas(world);
    let expected = question.expected(&ideas);
    for (place, right) in expected.iter().enumerate() {
        let found = people.expected(node(place)).unwrap_or(f64::NAN);
        assert!(near(*right, found), "expected at {place}: {found} and not {right}");
    }
    // The best of two moves of equal scores depends on their last digits.
    let found: Vec<f64> =
        (0..world.places.len()).map(|p| people.expected(node(p)).unwrap_or(f64::NAN)).collect();
    let mut told = Told { reach: vec![0.0; world.places.len()], gaps: Default::default() };
    question.walk(&mut told, &found, &ideas, (0, 1.0, plies));
    for (place, right) in told.reach.iter().enumerate() {
        let found = people.reach(node(place));
        assert!(near(*right, found), "reach of {place}: {found} and not {right}");
    }
    let lost: f64 = told.gaps.values().sum();
    assert!(near(people.coverage(), 1.0 - lost), "{} and not {}", people.coverage(), 1.0 - lost);
    let gaps = people.gaps(usize::MAX);
    assert_eq!(gaps.len(), told.gaps.len());
    for ((place, child), right) in &told.gaps {
        let gap = gaps.iter().find(|gap| gap.node == node(*place) && gap.uci == uci(*child));
        assert!(near(gap.unwrap().leaves, *right), "{gap:?} and not {right}");
    }
    assert_eq!(people.gaps(2)[..], gaps[..gaps.len().min(2)]);
    let limits = TrapLimits { likely: 0.199, loses: 30 };
    let traps = people.traps(limits);
    let right = question.traps(&ideas, limits);
    assert_eq!(traps.len(), right.len(), "{traps:?} and not {right:?}");
    for (place, child, likely) in right {
        let trap = traps.iter().find(|t| t.node == node(place) && t.error == uci(child));
        let trap = trap.unwrap();
        assert!(near(trap.reach, likely), "{trap:?} and not {likely}");
        question.check_trap(&ideas, place, child, trap);
    }
    assert!(traps.is_sorted_by(|a, b| a.weight() >= b.weight()), "{traps:?}");
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn values_against_people_equal_the_page(
        world in worlds(4..=14),
        games in games(),
        white in any::<bool>(),
        sound in 0..=60_u32,
        plies in 0..=7_u32,
        weight in prop_oneof![Just(0_u32), 1..=50_u32],
    ) {
        let (graph, games) = (world.graph(), played(&world, &games, weight));
        let side = if white { Color::White } else { Color::Black };
        check(&Question { world: &world, games: &games, side, sound, weight }, &graph, plies);
    }
}
