use super::*;
use crate::chess::{Game, Score};
use crate::tree::grown_of;

const LISTS: [(&str, &[(&str, i32)]); 3] = [
    ("", &[("e2e4", 30), ("d2d4", 24)]),
    ("e4", &[("e7e5", -33), ("c7c5", -40)]),
    ("d4", &[("g8f6", -23), ("d7d5", -60)]),
];

fn cp(cp: i32) -> Value {
    Value::from(Score::Cp(cp))
}

fn of(margin: Margin) -> Recheck {
    let game = Game::from_position(shakmaty::Chess::default());
    let growth = grown_of(&game, 30, &LISTS);
    Recheck::new(growth.graph(), growth.values(), growth.root(), margin).unwrap()
}

fn uci(recheck: &Recheck, leaf: Leaf) -> String {
    recheck.place(leaf).1.to_string()
}

/// Asks until the end; the leaves in their order.
fn ask(recheck: &mut Recheck, answer: impl Fn(&str) -> i32) -> Vec<String> {
    let mut asked = Vec::new();
    while let Some(leaf) = recheck.next_leaf() {
        assert_eq!(recheck.state(), RecheckState::Open);
        let uci = uci(recheck, leaf);
        recheck.answer(leaf, cp(answer(&uci)));
        asked.push(uci);
    }
    asked
}

#[test]
fn best_move_stays_once_no_change_in_margin_beats_it() {
    let mut recheck = of(Margin::Fixed(6));
    assert_eq!((recheck.at_least(), recheck.state()), (6, RecheckState::Open));
    // It took Nf6 up by 6 and e5 down by 5; now d4 is worth 24, and e4 27 at least.
    let asked = ask(&mut recheck, |_| -24);
    assert_eq!((asked, recheck.state()), (vec!["g8f6".to_owned()], RecheckState::Stays));
    assert_eq!(recheck.at_least(), 10, "e5 up to -23 makes it 23");
    assert_eq!((recheck.tree_best(), recheck.causes()), (recheck.best_move(), Vec::new()));
    let nothing = of(Margin::Fixed(5));
    assert_eq!((nothing.next_leaf(), nothing.state()), (None, RecheckState::Stays));
}

#[test]
fn new_best_move_is_reported_once_it_stands() {
    let mut recheck = of(Margin::Fixed(6));
    let scores = |uci: &str| match uci {
        "g8f6" => -36,
        "e7e5" => -31,
        "c7c5" => -41,
        _ => -50,
    };
    assert_eq!(ask(&mut recheck, scores), ["g8f6", "e7e5"]);
    assert_eq!(recheck.state(), RecheckState::Changed);
    let [first, second] = &recheck.root_moves()[..] else { panic!() };
    assert_eq!((first.alpha, first.line[0]), (cp(36), recheck.best_move()));
    assert_eq!((second.alpha, recheck.asked().len()), (cp(31), 2));
    let causes = recheck.causes();
    assert_eq!(causes.len(), 1);
    assert_eq!((uci(&recheck, causes[0].leaf).as_str(), causes[0].new), ("g8f6", cp(-36)));
}

#[test]
fn a_new_mate_is_a_score_like_any_other() {
    let mut recheck = of(Margin::Fixed(6));
    let leaf = recheck.next_leaf().unwrap();
    recheck.answer(leaf, Value::from(Score::Mate(3)));
    // Black mates after 1. d4 Nf6.
    assert_eq!(
        (recheck.state(), recheck.best_move().to_string()),
        (RecheckState::Stays, "e2e4".to_owned())
    );
    assert_eq!(recheck.at_least(), MOST_CHANGE + 1);
    recheck.answer(leaf, cp(-400));
    assert_eq!(
        (recheck.asked().len(), recheck.leaves().score(leaf)),
        (1, Value::from(Score::Mate(3)))
    );
}

#[test]
fn leaves_ahead_are_asked_if_each_keeps_its_score() {
    let recheck = of(Margin::Fixed(40));
    let ahead = recheck.ahead(9);
    let mut then = recheck.clone();
    let mut asked = Vec::new();
    while let Some(leaf) = then.next_leaf() {
        then.answer(leaf, then.leaves().score(leaf));
        asked.push(leaf);
    }
    assert_eq!(ahead, asked);
    assert!(asked.len() > 2 && recheck.ahead(2) == asked[..2] && recheck.ahead(0).is_empty());
}

#[test]
fn the_margin_follows_what_the_leaves_have_shown() {
    let mut recheck = of(Margin::Shown(Errors::default()));
    assert_eq!(recheck.within(), 30);
    let mut scores = ask(&mut recheck, |_| -33);
    scores.sort();
    assert!(scores.len() > 1, "{scores:?}");
    let Margin::Shown(errors) = recheck.margin() else { panic!() };
    assert_eq!(errors.len(), recheck.asked().len());
}

#[test]
fn a_root_with_a_single_move_stays() {
    let game = Game::from_position(shakmaty::Chess::default());
    let growth = grown_of(&game, 30, &[("", &[("e2e4", 30)])]);
    let of = |root| Recheck::new(growth.graph(), growth.values(), root, Margin::Fixed(20));
    let recheck = of(growth.root()).unwrap();
    assert_eq!((recheck.state(), recheck.at_least()), (RecheckState::Stays, MOST_CHANGE + 1));
    let e4 = growth.walk(&["e2e4".parse().unwrap()])[1];
    assert!(of(e4).is_none(), "nothing is listed there");
}
