//! Traps searched deeper.

use deepanalyze_core::chess::{PositionKey, Score};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{PlayedRules, Wishes};
use deepanalyze_engine::{Engines, FakeEngines, FakeSearch};
use deepanalyze_view::testing::{Kept, before_the_bishop, counted, grown, kept};
use deepanalyze_view::{PeopleAsked, Trap, TrapLimits, Traps, traps_of};
use shakmaty::{Chess, Color};

use super::{answer, ms};
use crate::control::{ControlReceiver, control};
use crate::one_move::PositionEnd;
use crate::trap_looks::{TrapQuestion, search_traps};

const LISTS: [(&str, &[(&str, i32)]); 3] = [
    ("", &[("f1b5", 30), ("f1c4", 20)]),
    ("Bb5", &[("a7a6", -30), ("f7f5", -330)]),
    ("Bc4", &[("g8f6", -20), ("h7h6", -520)]),
];

/// Two traps: 3. Bc4 h6, worth most, and 3. Bb5 f5.
fn place() -> (Kept, Vec<Trap>) {
    let game = before_the_bishop();
    let rules = PlayedRules { white: None, black: Some("5%/10".parse().unwrap()) };
    let games =
        [("Bc4", &[("h7h6", 70), ("g8f6", 30)][..]), ("Bb5", &[("f7f5", 50), ("a7a6", 50)])];
    let counts = counted(&game, rules, &games);
    let kept = kept(&game, grown(&game, &LISTS, counts, Wishes::new(), 1));
    let traps =
        traps_of(&kept.tree.growth, &[PeopleAsked::of(Color::White)], TrapLimits::default());
    let errors: Vec<String> = traps.iter().map(|trap| trap.error.to_string()).collect();
    assert_eq!(errors, ["h7h6", "f7f5"]);
    (kept, traps)
}

/// An engine for which each ply doubles the time, depth 10 takes 100 ms; behind a move it sees nothing lost.
fn engines(kept: &Kept, harmless: Chess) -> FakeEngines {
    let profile = Profile { limit: Limit::Depth(8), ..kept.tree.row.profile.clone() };
    let harmless = PositionKey::of(&harmless);
    FakeEngines::new(1, profile, move |start| {
        let Limit::Depth(depth) = start.limit else { panic!("{:?}", start.limit) };
        let position = &start.search.position;
        let is_white = shakmaty::Position::turn(position) == Color::White;
        let cp = if PositionKey::of(position) == harmless || !is_white { 20 } else { 400 };
        let score = Score::Cp(if is_white { cp } else { -cp });
        let answer = deepanalyze_core::search::Answer { score, ..answer(&start.search) };
        FakeSearch::ending(Ok(answer)).taking(ms(100) * 2_u32.pow(depth - 10))
    })
}

fn ask(
    kept: &mut Kept,
    engines: &mut FakeEngines,
    control: &ControlReceiver,
    traps: &[Trap],
    wanted: usize,
    millis: u64,
) -> (usize, PositionEnd) {
    let limits = TrapLimits::default();
    let until = engines.now() + ms(millis);
    let question = TrapQuestion { tree: &kept.tree, traps, limits, wanted, until };
    search_traps(&mut kept.store, engines, control, question).unwrap()
}

fn told(kept: &Kept, traps: Vec<Trap>) -> (usize, Vec<(String, Option<Limit>)>) {
    let read = Traps::read(&kept.store, &kept.tree, traps, TrapLimits::default()).unwrap();
    let told = |trap: Trap| (trap.error.to_string(), trap.look.map(|look| look.limit));
    (read.refuted, read.traps.into_iter().map(told).collect())
}

#[test]
fn a_refuted_trap_gives_its_place_to_the_next() {
    let (mut kept, traps) = place();
    let mut engines = engines(&kept, traps[0].behind(&kept.tree.growth));
    let control = ControlReceiver::never();
    let began = engines.now();
    let ended = ask(&mut kept, &mut engines, &control, &traps, 1, 1300);
    assert_eq!(ended, (2, PositionEnd::Time));
    // Depth 10 and 11 of the first position, in half of the time; 10 to 12 behind its move; then what is left for the other.
    let deeper = ("f7f5".to_owned(), Some(Limit::Depth(10)));
    assert_eq!(told(&kept, traps), (1, vec![deeper]));
    assert_eq!(engines.now() - began, ms(300 + 700 + 100 + 100));
}

#[test]
fn a_second_look_goes_deeper() {
    let (mut kept, traps) = place();
    let mut engines = engines(&kept, Chess::default());
    let control = ControlReceiver::never();
    assert_eq!(ask(&mut kept, &mut engines, &control, &traps[..1], 1, 300).0, 1);
    let at = |depth| (0, vec![("h7h6".to_owned(), Some(Limit::Depth(depth)))]);
    assert_eq!(told(&kept, traps[..1].to_vec()), at(10));
    assert_eq!(ask(&mut kept, &mut engines, &control, &traps[..1], 1, 900).0, 1);
    assert_eq!(told(&kept, traps[..1].to_vec()), at(12), "depth 10 is not searched again");
}

#[test]
fn a_request_ends_the_search_of_traps() {
    let (mut kept, traps) = place();
    let mut engines = engines(&kept, Chess::default());
    let (sender, receiver) = control();
    sender.end();
    let ended = ask(&mut kept, &mut engines, &receiver, &traps, 2, 5000);
    assert_eq!(ended, (0, PositionEnd::Interrupted));
    assert_eq!(told(&kept, traps).1, [("h7h6".to_owned(), None), ("f7f5".to_owned(), None)]);
}
