//! Tests on a small tree with counts.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use deepanalyze_core::chess::{Game, PositionKey, Score, Value};
use deepanalyze_core::search::{Answer, Limit, Profile, WinDrawLoss};
use deepanalyze_core::tree::{CountFacts, Growth, Lists, PlayedRules, Wish, Wishes};
use deepanalyze_store::{NewAnswer, Store};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use super::testing::{GAMES, LISTS, before_the_bishop, bishops, counted, grown, kept};
use super::traps::deeper::{DeeperLook, DeeperSearches, Refuted};
use super::traps::{TrapLimits, Traps, describe_trap, traps_of};
use super::words::{advice, describe_people};
use super::{ExpectedScores, People, PeopleAsked};

#[test]
fn unanalysed_move_scores_by_the_engines_word() {
    let game = Game::from_start("startpos").unwrap();
    let lists: &Lists<'_> = &[("", &[("e2e4", 30)])];
    let counts = CountFacts::new(PlayedRules::default());
    let mut growth = grown(&game, lists, counts.clone(), Wishes::new(), 0);
    let score = |growth: &Growth, side| {
        let expected = People::of(growth, PeopleAsked::of(side)).expected(growth.root()).unwrap();
        let scores = ExpectedScores::of(growth, side).unwrap();
        let graph = growth.graph();
        let edge = graph.moves(growth.root()).first().unwrap();
        assert_eq!(scores.of_move(graph, growth.root(), edge), expected);
        expected
    };
    let curve = score(&growth, Color::White);
    let key = PositionKey::of(game.root());
    let wdl = WinDrawLoss::new(120, 810, 70).unwrap();
    growth.learn_said(vec![(key, "e2e4".parse().unwrap(), wdl)]);
    assert_eq!(score(&growth, Color::White), 0.525);
    assert!((score(&growth, Color::Black) - 0.475).abs() < 1e-12);
    // Behind it the tree goes on: the engine's word of the move is not used.
    let lists: &Lists<'_> = &[("", &[("e2e4", 30)]), ("e4", &[("e7e5", -30)])];
    let mut growth = grown(&game, lists, counts, Wishes::new(), 0);
    growth.learn_said(vec![(key, "e2e4".parse().unwrap(), wdl)]);
    assert_eq!(score(&growth, Color::White), curve);
}

/// The advice at the root, with some moves included there.
fn advised(included: &[&str], sound: u32) -> String {
    advised_among(&LISTS, included, sound)
}

/// The advice for other lists.
fn advised_among(lists: &Lists<'_>, included: &[&str], sound: u32) -> String {
    let game = before_the_bishop();
    let include = included.iter().map(|uci| uci.parse().unwrap()).collect();
    let wish = Wish { include, ..Wish::default() };
    let wishes = match included {
        [] => Wishes::new(),
        _ => Wishes::from([(PositionKey::of(game.root()), wish)]),
    };
    let counts = counted(&game, PlayedRules::default(), &GAMES);
    let growth = grown(&game, lists, counts, wishes, 2);
    let people = People::of(&growth, PeopleAsked { side: Color::White, sound });
    advice(&people, growth.root(), game.root()).unwrap()
}

#[test]
fn slightly_worse_move_that_scores_more_is_advised() {
    let words = "3. Bc4 is worth 56 points in 100 against these players, 4 more than 3. Bb5; it is 0.10 worse by the engine";
    assert_eq!(advised(&[], 30), words);
}

#[test]
fn nothing_is_advised_that_loses_more_than_is_sound() {
    let words =
        "3. Bb5 is best against people, too: it is worth 53 points in 100 against these players";
    assert_eq!(advised(&[], 9), words);
    let words = "3. d4, which you have included, is worth 46 points in 100 against these players; it loses 0.70, \
        more than is sound";
    assert_eq!(advised(&["d2d4"], 30), words);
    assert_eq!(advised(&["d2d4", "f1b5"], 30), advised(&[], 9));
}

/// The lists with 3... h6 losing this many centipawns: the more it does, the more the bishop on c4
/// scores.
fn with_h6_at(cp: i32) -> String {
    let answers = [("g8f6", -20), ("h7h6", -cp)];
    let after = [("d2d4", cp)];
    let lists: [(&str, &[(&str, i32)]); 5] =
        [LISTS[0], LISTS[1], ("Bc4", &answers), ("Bc4 h6", &after), LISTS[4]];
    advised_among(&lists, &[], 30)
}

#[test]
fn worse_move_without_whole_points_is_not_advised() {
    let best =
        "3. Bb5 is best against people, too: it is worth 53 points in 100 against these players";
    // At 38 and 50 the bishop on c4 scores more, yet not a whole point.
    assert_eq!([30, 38, 50].map(with_h6_at), [best; 3]);
    let more = "3. Bc4 is worth 55 points in 100 against these players, 2 more than 3. Bb5; it is 0.10 worse by the engine";
    assert_eq!(with_h6_at(64), more);
}

#[test]
fn included_move_stands_beside_the_best_other() {
    let words = "3. d4, which you have included, is worth 46 points in 100 against these players, 7 fewer than 3. Bb5; it is \
        0.70 worse by the engine";
    assert_eq!(advised(&["d2d4"], 70), words);
    let words = "3. Bc4, which you have included, is worth 56 points in 100 against these players, 3 more than 3. Bb5; it is \
        0.10 worse by the engine";
    assert_eq!(advised(&["f1c4"], 30), words);
}

#[test]
fn advice_names_other_side_and_unknown_games() {
    let kept = bishops();
    let growth = &kept.tree.growth;
    let people = People::of(growth, PeopleAsked::of(Color::Black));
    let root = kept.tree.game.root();
    let words = advice(&people, growth.root(), root);
    assert_eq!(
        words.as_deref(),
        Some("Black's position is worth 48 points in 100 against these players")
    );
    let counts = CountFacts::new(PlayedRules::default());
    let game: Game = before_the_bishop();
    let growth = grown(&game, &LISTS, counts, Wishes::new(), 2);
    let people = People::of(&growth, PeopleAsked::of(Color::White));
    let words = advice(&people, growth.root(), root);
    assert_eq!(words.as_deref(), Some("no counted game goes on from here"));
}

#[test]
fn reach_coverage_and_gaps_follow_the_advised_move() {
    let kept = bishops();
    let growth = &kept.tree.growth;
    let people = People::of(growth, PeopleAsked::of(Color::White));
    let nodes = growth.walk(&["f1c4".parse().unwrap(), "h7h6".parse().unwrap()]);
    let reach: Vec<f64> = nodes.iter().map(|node| people.reach(*node)).collect();
    assert_eq!(reach, [1.0, 1.0, 0.7]);
    assert!((people.coverage() - 0.9).abs() < 1e-12);
    let gaps = people.gaps(9);
    let told: Vec<(String, u64)> =
        gaps.iter().map(|g| (g.uci.to_string(), g.games.unwrap())).collect();
    assert_eq!(told, [("d7d6".to_owned(), 30)]);
    let words = "for White, who loses 0.30 at most with a move; Black plays as in the games: \
        90 of 100 games stay to move 3";
    assert_eq!(describe_people(&people, kept.tree.game.root()), words);
}

#[test]
fn a_likely_losing_reply_is_a_trap() {
    let kept = bishops();
    let asked = |sound| PeopleAsked { side: Color::White, sound };
    let traps = |sound, loses| {
        let limits = TrapLimits { loses, ..TrapLimits::default() };
        let all = traps_of(&kept.tree.growth, &[asked(sound)], limits);
        Traps::read(&kept.store, &kept.tree, all, limits).unwrap().traps
    };
    let [trap] = &traps(30, 70)[..] else { panic!("{:?}", traps(30, 70)) };
    let uci = |uci: &str| -> UciMove { uci.parse().unwrap() };
    let [bishop, error, best] = ["f1c4", "h7h6", "g8f6"].map(uci);
    assert_eq!((&trap.line[..], trap.error, trap.best.0), (&[bishop][..], error, best));
    assert_eq!((trap.reach, trap.share, trap.games, trap.risk), (1.0, 0.7, Some(210), 10));
    let values = [trap.after, trap.best.1].map(|value| value.get());
    assert_eq!((values, trap.punishment), ([95, 20], Some(uci("d2d4"))));
    assert!((trap.weight() - 0.7 * trap.gain()).abs() < 1e-12 && trap.gain() > 6.0);
    assert!(traps(30, 100).is_empty(), "it loses 0.75");
    assert!(traps(9, 70).is_empty(), "3. Bc4 loses 0.10");
}

#[test]
fn a_trap_is_marked_at_the_move_that_sets_it() {
    let game = before_the_bishop();
    let lists = [LISTS[0], ("Bc4", &[("g8f6", -20), ("h7h6", -420)][..])];
    let by_rules = |rules, games: &[(&str, u64)]| {
        let counts = counted(&game, rules, &[("Bc4", games)]);
        grown(&game, &lists, counts, Wishes::new(), 1)
    };
    let growth = |games| by_rules(PlayedRules::default(), games);
    let mark = |growth: &Growth, idea: i64| {
        let nodes = growth.walk(&["f1c4".parse().unwrap()]);
        let idea = Value::new(idea).unwrap();
        describe_trap(growth, &Refuted::new(), growth.root(), *nodes.last().unwrap(), idea)
    };
    let likely = growth(&[("h7h6", 3), ("g8f6", 7)]);
    let words = "trap: 30% play h6, which loses 4.00";
    assert_eq!(mark(&likely, 20).as_deref(), Some(words));
    assert_eq!(mark(&likely, -40), None, "the move itself loses too much");
    assert_eq!(mark(&growth(&[("h7h6", 1), ("g8f6", 9)]), 20), None, "too few play it");
    let rule = Some("5%/2".parse().unwrap());
    for (rules, is_marked) in [
        (PlayedRules { white: rule, black: None }, false),
        (PlayedRules { white: None, black: rule }, true),
        (PlayedRules { white: rule, black: rule }, true),
    ] {
        let growth = by_rules(rules, &[("h7h6", 3), ("g8f6", 7)]);
        assert_eq!(mark(&growth, 20).is_some(), is_marked, "White is prepared: {rules:?}");
    }
}

/// An answer of a search.
fn searched(uci: &str, cp: i32) -> Answer {
    let best: UciMove = uci.parse().unwrap();
    let (score, pv) = (Score::Cp(cp), vec![best]);
    Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 1, time: Duration::ZERO, pv }
}

#[test]
fn a_trap_holds_as_far_as_deeper_searches_say() {
    let game = before_the_bishop();
    let lists = [LISTS[0], ("Bc4", &[("g8f6", -20), ("h7h6", -420)][..])];
    let rules = PlayedRules { white: None, black: Some("5%/10".parse().unwrap()) };
    let counts = counted(&game, rules, &GAMES);
    let mut kept = kept(&game, grown(&game, &lists, counts, Wishes::new(), 1));
    let tree = &kept.tree;
    let (growth, profile, limits) = (&tree.growth, &tree.row.profile, TrapLimits::default());
    let all = traps_of(growth, &[PeopleAsked::of(Color::White)], limits);
    let read = |store: &Store| {
        let read = Traps::read(store, tree, all.clone(), limits).unwrap();
        let refuted = DeeperSearches::than(profile, store).unwrap().refuted(growth).unwrap();
        let nodes = growth.walk(&["f1c4".parse().unwrap()]);
        let (setter, idea) = (*nodes.last().unwrap(), Value::new(20).unwrap());
        let mark = describe_trap(growth, &refuted, growth.root(), setter, idea);
        assert_eq!((read.traps.len() + read.refuted, mark.is_some()), (1, read.refuted == 0));
        read.traps.first().map(|trap| trap.look)
    };
    let nodes = growth.walk(&["f1c4", "h7h6"].map(|uci| uci.parse().unwrap()));
    let positions = [nodes[1], nodes[2]].map(|node| growth.position(node));
    let mut keep = |position: &Chess, depth, uci: &str, cp| {
        let profile = Profile { limit: Limit::Depth(depth), ..profile.clone() };
        let profile = kept.store.profile_id(&profile).unwrap();
        let answer = searched(uci, cp);
        let (position, excluded) = (position.clone(), Vec::new());
        let new = NewAnswer { position, excluded, answer, worker: None };
        kept.store.keep(profile, &[new]).unwrap();
        read(&kept.store)
    };
    let [before, behind] = &positions;
    assert_eq!(keep(before, 10, "g8f6", -20), Some(None), "the reply is not searched deeper");
    assert_eq!(keep(behind, 9, "d2d4", 119), None, "it loses 0.99");
    let [after, best] = [120, 20].map(|value| Value::new(value).unwrap());
    let look = DeeperLook { after, best, limit: Limit::Depth(10) };
    assert_eq!(keep(behind, 12, "d2d4", 120), Some(Some(look)), "the deepest search counts");
}

#[test]
fn a_punishment_goes_on_by_tree_then_by_engine() {
    let game = before_the_bishop();
    let counts = || counted(&game, PlayedRules::default(), &GAMES);
    let limits = TrapLimits { loses: 70, ..TrapLimits::default() };
    let follows = |lists: &Lists<'_>, pv: &str| {
        let kept = kept(&game, grown(&game, lists, counts(), Wishes::new(), 2));
        let (tree, profile) = (&kept.tree, kept.tree.row.profile_id);
        let nodes = tree.growth.walk(&["f1c4", "h7h6"].map(|uci| uci.parse().unwrap()));
        let position = tree.growth.position(*nodes.last().unwrap());
        let mut answer = searched("d2d4", 95);
        answer.pv = pv.split(' ').map(|uci| uci.parse().unwrap()).collect();
        let new = NewAnswer { position, excluded: Vec::new(), answer, worker: None };
        kept.store.keep(profile, &[new]).unwrap();
        let all = traps_of(&tree.growth, &[PeopleAsked::of(Color::White)], limits);
        let read = Traps::read(&kept.store, tree, all, limits).unwrap();
        let [trap] = &read.traps[..] else { panic!("{read:?}") };
        assert_eq!(trap.punishment.unwrap().to_string(), "d2d4");
        trap.follows.iter().map(UciMove::to_string).collect::<Vec<_>>()
    };
    let pv = "d2d4 e5d4 c2c3 d4c3 b1c3 d7d6";
    assert_eq!(follows(&LISTS, pv), ["e5d4", "c2c3", "d4c3", "b1c3"]);
    let deeper = [&LISTS[..], &[("Bc4 h6 d4", &[("d7d6", -95)][..])]].concat();
    assert_eq!(follows(&deeper, pv), ["d7d6"]);
}

/// The bishops' tree without the list behind 3. Bc4 h6.
const SHORT: [(&str, &[(&str, i32)]); 5] = [LISTS[0], LISTS[1], LISTS[2], LISTS[4], LISTS[5]];

#[test]
fn leaving_at_the_trees_end_is_no_gap() {
    let game = before_the_bishop();
    let counts = counted(&game, PlayedRules::default(), &GAMES);
    let growth = grown(&game, &SHORT, counts, Wishes::new(), 1);
    let people = People::of(&growth, PeopleAsked::of(Color::White));
    assert_eq!(
        (people.plies_inside(), people.gaps(9).len(), people.gaps_inside(9).len()),
        (1, 1, 0)
    );
    assert!((people.coverage() - 0.9).abs() < 1e-12 && people.coverage_inside() == 1.0);
    assert_eq!((people.gap_count_inside(), people.coverage_by_move(game.root())), (0, vec![]));
}

/// The wishes with a line included.
fn included(line: &str) -> Wishes {
    let mut game = before_the_bishop();
    let mut wishes = Wishes::new();
    for san in line.split_whitespace() {
        let key = PositionKey::of(game.root());
        game.play_line(san).unwrap();
        let uci = *game.moves().last().unwrap();
        wishes.insert(key, Wish { include: [uci].into(), ..Wish::default() });
    }
    wishes
}

#[test]
fn an_included_line_is_followed_behind_the_depth() {
    let game = before_the_bishop();
    let counts = || counted(&game, PlayedRules::default(), &GAMES);
    let growth = grown(&game, &SHORT, counts(), included("Bc4"), 0);
    let people = People::of(&growth, PeopleAsked::of(Color::White));
    let told: Vec<u64> = people.gaps_inside(9).iter().filter_map(|gap| gap.games).collect();
    assert_eq!((told, people.plies_inside()), (vec![30], 2), "no depth is settled behind 3. Bc4");
    let growth = grown(&game, &LISTS, counts(), included("Bc4 h6 d4"), 0);
    let people = People::of(&growth, PeopleAsked::of(Color::White));
    let reach = growth.walk(&["f1c4", "h7h6", "d2d4"].map(|uci| uci.parse().unwrap()));
    let reach: Vec<f64> = reach.iter().map(|node| people.reach(*node)).collect();
    assert_eq!(reach, [1.0, 1.0, 0.7, 0.7]);
}

#[test]
fn gaps_of_one_or_two_games_stand_behind_the_others() {
    let game = before_the_bishop();
    let games: [(&str, &[(&str, u64)]); 2] =
        [("Bc4", &[("h7h6", 5), ("d7d6", 2)]), ("Bc4 h6 d4", &[("e5d4", 90), ("d7d5", 3)])];
    let counts = counted(&game, PlayedRules::default(), &games);
    let lists = [LISTS[0], LISTS[2], LISTS[3], ("Bc4 h6 d4", &[("e5d4", -95)][..])];
    let growth = grown(&game, &lists, counts, included("Bc4 h6 d4 exd4"), 0);
    let people = People::of(&growth, PeopleAsked::of(Color::White));
    let uci =
        |gaps: Vec<super::Gap>| gaps.iter().map(|gap| gap.uci.to_string()).collect::<Vec<_>>();
    assert_eq!(uci(people.gaps_inside(9)), ["d7d5", "d7d6"]);
    assert_eq!(uci(people.gaps(9)), ["d7d6", "d7d5"], "the answers have them by their width");
    assert_eq!(uci(people.gaps_inside(1)), ["d7d5"]);
}
