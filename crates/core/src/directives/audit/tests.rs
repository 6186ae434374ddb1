//! Tests of audits with lines of chess.

mod plain_walk;

use std::sync::Arc;

use shakmaty::Chess;

use super::*;
use crate::chess::{DrawValue, Game, GivenValue, Score};
use crate::directives::Directive;
use crate::tree::{Breadth, Lists, Selection, grown_of};

fn after(start: &Game, line: &str) -> Chess {
    let mut game = start.clone();
    game.play_line(line).unwrap();
    game.root().clone()
}

fn start() -> Game {
    Game::from_position(Chess::default())
}

/// A set that includes each move of each line, and has other directives.
fn set(game: &Game, lines: &[&str], others: &[(&str, Directive)]) -> Directives {
    let (root, mut set) = (PositionKey::of(game.root()), Directives::default());
    for line in lines {
        let mut played = game.clone();
        for word in line.split_whitespace() {
            let before = played.root().clone();
            played.play_line(word).unwrap();
            let uci = *played.moves().last().unwrap();
            set.add(&root, &before, Directive::Include(uci)).unwrap();
        }
    }
    for (line, directive) in others {
        set.add(&root, &after(game, line), directive.clone()).unwrap();
    }
    set
}

fn grown(game: &Game, set: &Directives, lists: &Lists<'_>) -> Growth {
    let selection = Selection { wishes: set.wishes(), ..Breadth::from(20).into() };
    grown_of(game, selection, lists)
}

/// A finding in a word, with the better move or the tree's answer: `Loss e2e4 e7e5: g1f3 12 (d2d4)`.
fn word(finding: &Finding) -> String {
    let line: Vec<String> = finding.line.iter().map(UciMove::to_string).collect();
    let uci = finding.uci.map_or("-".to_owned(), |uci| uci.to_string());
    let cost = finding.cost.map_or("-".to_owned(), |cost| cost.to_string());
    let other = if finding.kind == FindingKind::Loss { finding.best } else { finding.answer };
    let other = other.map_or("-".to_owned(), |uci| uci.to_string());
    format!("{:?} {}: {uci} {cost} ({other})", finding.kind, line.join(" "))
}

fn words(audit: &Audit) -> Vec<String> {
    audit.findings.iter().map(word).collect()
}

const LISTS: [(&str, &[(&str, i32)]); 6] = [
    ("", &[("d2d4", 30), ("e2e4", 28), ("g2g4", -90)]),
    ("e4", &[("e7e5", -20), ("c7c5", -25), ("e7e6", -35), ("d7d5", -60)]),
    ("e4 e5", &[("g1f3", 20), ("f1c4", 5)]),
    ("e4 e5 Nf3", &[("g8f6", -20), ("b8c6", -22)]),
    ("e4 c5", &[("g1f3", 25)]),
    ("e4 d5", &[("e4d5", 60)]),
];

#[test]
fn draw_value_decides_the_cost_of_a_drawing_move() {
    let set = set(&start(), &["Nf3"], &[]);
    let lists: &Lists<'_> = &[
        ("", &[("g1f3", 40), ("f2f4", -15)]),
        ("Nf3", &[("g8f6", 0)]),
        ("Nf3 Nf6", &[("f3g1", 5)]),
        ("Nf3 Nf6 Ng1", &[("f6g8", 0)]),
    ];
    for (draw, expected) in [(0, &[][..]), (-15, &[]), (-40, &["Loss : g1f3 25 (f2f4)"])] {
        let draw = DrawValue::new(draw).unwrap();
        let selection = Selection { draw, wishes: set.wishes(), ..Breadth::from(20).into() };
        let growth = grown_of(&start(), selection, lists);
        let losing = words(&audit(&growth, &set, Color::White, 0));
        let losing: Vec<String> = losing.into_iter().filter(|word| word.starts_with("L")).collect();
        assert_eq!(losing, expected, "{draw}");
    }
}

#[test]
fn a_repertoire_is_looked_through_for_either_side() {
    let set = set(&start(), &["e4 e5 Bc4", "e4 e6 d4", "e4 e5 Nf3"], &[]);
    let growth = grown(&start(), &set, &LISTS);
    let white = audit(&growth, &set, Color::White, 0);
    // 1...e5 is worth +0.20 for White, 1...c5 +0.25.
    let expected = [
        "Loss e2e4 e7e5: f1c4 15 (g1f3)",
        "Loss : e2e4 10 (d2d4)",
        "Unprepared e2e4: c7c5 -5 (g1f3)",
        "Unreached e2e4 e7e6: - - (-)",
        "Unreached e2e4 e7e5 f1c4: - - (-)",
        "Unprepared e2e4 e7e5 g1f3: g8f6 - (-)",
        "Unprepared e2e4 e7e5 g1f3: b8c6 - (-)",
        "Unreached e2e4 e7e6 d2d4: - - (-)",
    ];
    assert_eq!(words(&white), expected);
    let prepared = white.findings.iter().find(|finding| finding.cost == Some(-5));
    assert_eq!(prepared.unwrap().best.unwrap().to_string(), "e7e5", "the strongest with an answer");
    let Audit { positions, ends, own_moves, priced_moves, losing, replies, .. } = white;
    assert_eq!((positions, ends, own_moves, priced_moves, losing), (7, 0, 4, 3, 2));
    assert_eq!(white.several, 1, "2.Bc4 and 2.Nf3");
    assert_eq!((replies, white.unprepared, white.unreached), (5, 3, 3));
    assert_eq!(audit(&growth, &set, Color::White, 10).losing, 1, "10 is not more than 10");
    let black = audit(&growth, &set, Color::Black, 0);
    let expected = ["Loss e2e4: e7e6 15 (e7e5)", "Unprepared : d2d4 10 (-)"];
    assert_eq!(words(&black)[..2], expected);
}

#[test]
fn a_transposition_is_prepared_and_one_position() {
    let lines = ["d4 Nf6 c4 e6 Nc3", "c4 e6 Nc3"];
    let set = set(&start(), &lines, &[]);
    let lists: [(&str, &[(&str, i32)]); 4] = [
        ("", &[("d2d4", 30), ("c2c4", 30)]),
        ("c4", &[("g8f6", -30), ("e7e6", -30)]),
        ("c4 Nf6", &[("d2d4", 30)]),
        ("d4 Nf6", &[("c2c4", 30)]),
    ];
    let growth = grown(&start(), &set, &lists);
    let found = words(&audit(&growth, &set, Color::White, 0));
    assert!(found.contains(&"Unprepared c2c4: g8f6 0 (d2d4)".to_owned()), "{found:?}");
    // With 2.d4 included behind 1.c4 Nf6, both orders end in one position.
    let set = self::set(&start(), &[lines[0], lines[1], "c4 Nf6 d4"], &[]);
    let growth = grown(&start(), &set, &lists);
    let audit = audit(&growth, &set, Color::White, 0);
    assert!(!words(&audit).iter().any(|word| word.starts_with("Unprepared c2c4:")));
    assert_eq!(audit.positions, 10);
}

#[test]
fn ends_are_no_findings() {
    let game = Game::from_start("startpos").unwrap();
    let others =
        [("e4 c5", Directive::Value(GivenValue::Centipawns(40))), ("e4 e5", Directive::Stop)];
    let set = set(&game, &["e4 e5 Nf3", "e4 e6 d4", "f3 e5 g4 Qh4"], &others);
    let growth = grown(&game, &set, &LISTS);
    let audit = audit(&growth, &set, Color::White, 30);
    let found = words(&audit);
    assert_eq!(audit.ends, 2, "stopped and mated, and nothing behind them");
    let rest = [
        "Unreached f2f3: - - (-)",
        "Unreached e2e4 e7e6: - - (-)",
        "Unreached f2f3 e7e5: - - (-)",
        "Unreached e2e4 e7e6 d2d4: - - (-)",
        "Unreached f2f3 e7e5 g2g4: - - (-)",
    ];
    assert_eq!(found, rest);
}

#[test]
fn a_third_occurrence_is_an_end() {
    let mut game = start();
    game.play_line("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1").unwrap();
    let set = set(&game, &["Ng8 e4"], &[]);
    let lists: [(&str, &[(&str, i32)]); 1] = [("", &[("f6g8", 0), ("e7e5", -10)])];
    let growth = grown(&game, &set, &lists);
    let audit = audit(&growth, &set, Color::White, 0);
    assert_eq!((audit.positions, audit.ends, audit.replies), (2, 1, 1));
    assert_eq!(words(&audit), ["Unprepared : e7e5 - (-)"]);
}

#[test]
fn mates_cost_most_and_slower_ones_nothing() {
    let value = |score| Value::from(score);
    let (mate, slow) = (value(Score::Mate(2)), value(Score::Mate(5)));
    assert_eq!(cost(slow, mate), 0);
    assert_eq!(cost(-mate, -slow), 0);
    assert!(cost(value(Score::Cp(900)), mate) > 30_000);
    assert!(cost(-mate, mate) > 60_000);
    assert_eq!(cost(value(Score::Cp(-20)), value(Score::Cp(15))), 35);
}

#[test]
fn trees_with_other_wishes_are_audited() {
    let set = set(&start(), &["e4 e5 Nf3"], &[]);
    let none = Arc::default();
    let growth = Growth::new(&start(), Selection { wishes: none, ..Breadth::from(20).into() });
    let audit = audit(&growth, &set, Color::White, 0);
    assert_eq!((audit.positions, audit.unreached, audit.own_moves), (4, 4, 2));
}

#[test]
fn included_positions_are_counted_without_ends() {
    let game = start();
    let none = grown(&game, &Directives::default(), &[("", &[("e2e4", 30)])]);
    assert_eq!(included_positions(&none, &Directives::default()), None);
    let set = set(&game, &["e4 e5 Nf3", "f3 e5 g4 Qh4"], &[]);
    let growth = grown(&game, &set, &[("", &[("e2e4", 30)]), ("e4", &[("e7e5", -30)])]);
    // Seven positions, one of them mate.
    let found = included_positions(&growth, &set).unwrap();
    assert_eq!(found, IncludedPositions { all: 7, analysed: 2 });
}

#[test]
fn lines_are_called_as_the_file_has_them() {
    use crate::directives::{BadGames, Skeleton};

    let game = start();
    let pgn = "1. e4 (1. Nf3 d5 2. e4) 1... d5 2. Nf3 c6 *";
    let (root, mut set) =
        (PositionKey::of(game.root()), set(&game, &["e4 d5 Nf3 c6", "Nf3 d5 e4"], &[]));
    let end = |set: &Directives| {
        let lists: &Lists<'_> = &[("", &[("e2e4", 30)])];
        let growth = grown(&game, set, lists);
        let mut paths = PathValues::new(growth.graph(), growth.values());
        let spots = spots(&growth, set, &mut paths);
        let there = PositionKey::of(&after(&game, "e4 d5 Nf3 c6"));
        let index = spots.iter().position(|spot| spot.key == there).unwrap();
        let words: Vec<String> = line_to(&spots, index).iter().map(UciMove::to_string).collect();
        (words.join(" "), spots.len())
    };
    let pgns = [pgn, "1. Nf3 d5 2. e4 c6 (2... e6) *\n\n1. e4 d5 2. Nf3 c6 *"];
    let [main, transposed] = pgns.map(|pgn| {
        let bad = BadGames::Refuse;
        Skeleton::read(|| pgn.as_bytes(), &root, &Directives::default(), false, bad)
            .unwrap()
            .written
    });
    assert_eq!(end(&set), ("e2e4 d7d5 g1f3 c7c6".to_owned(), 7), "letters decide");
    set.written_mut().add(&transposed);
    assert_eq!(end(&set), ("g1f3 d7d5 e2e4 c7c6".to_owned(), 7));
    *set.written_mut() = Default::default();
    set.written_mut().add(&main);
    assert_eq!(end(&set), ("e2e4 d7d5 g1f3 c7c6".to_owned(), 7), "the main line goes first");
    // The move that leads there is undone: the other one is left.
    set.undo_move(&PositionKey::of(&after(&game, "e4")), "d7d5".parse().unwrap());
    assert_eq!(end(&set), ("g1f3 d7d5 e2e4 c7c6".to_owned(), 6));
}
