use super::json::write_review_json;
use super::pgn::write_review_pgn;
use super::text::write_review;
use super::*;
use deepanalyze_core::chess::{Game, Games};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Lists, grown_of};
use deepanalyze_view::PointOfView;
use deepanalyze_view::testing::kept_of;

/// A tree for White; 2. Nf3 and 2. Nc3 transpose, and 3... Nf6 is not followed.
const LISTS: &Lists<'_> = &[
    ("", &[("e2e4", 30), ("d2d4", 20), ("f2f4", -40)]),
    ("e4", &[("e7e5", -30), ("c7c6", -35), ("a7a6", -90)]),
    ("e4 e5", &[("g1f3", 31), ("b1c3", 25), ("f2f4", -60)]),
    ("e4 c6", &[("d2d4", 35)]),
    ("e4 e5 Nf3", &[("b8c6", -31), ("g8f6", -80)]),
    ("e4 e5 Nf3 Nc6", &[("b1c3", 31), ("f1b5", 30)]),
    ("e4 e5 Nc3", &[("b8c6", -25)]),
    ("e4 e5 Nc3 Nc6", &[("g1f3", 25)]),
    ("e4 e5 Nf3 Nc6 Nc3", &[("g8f6", -31)]),
];

const GAMES: &str = r#"
[White "Lee, Ann"]
[Black "Smith, Bob"]
[Date "2024.03.01"]
[Result "1-0"]

1. e4 e5 2. f4 {bold} (2. Bc4) exf4 1-0

[White "Lee, Ann"]
[Black "Jones"]
[Date "2024.04.01"]
[Result "0-1"]

1. e4 e5 2. Nf3 d6 3. d4 0-1

[White "Lee, Ann"]
[Black "Jones"]
[Date "2025.04.01"]
[Result "*"]

1. Nc3 e5 2. e4 Nc6 3. Nf3 *

[White "Lee, Ann"]
[Black "Jones"]
[Result "*"]

1. e4 e5 2. Nf3 Nf6 3. d4 *

[White "Lee, Ann"]
[Black "Miller"]
[Date "2025.05.01"]
[Result "*"]

1. e4 e5 2. f4 d5 *

[White "Lee, Ann"]
[Black "Jones"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[Result "*"]

1. e4 *
"#;

fn tree() -> Tree {
    let game = Game::from_start("startpos").unwrap();
    kept_of(&game, grown_of(&game, 10, LISTS), Directives::default()).tree
}

fn reviewed(tree: &Tree) -> Review<'_> {
    let games = Games::new(GAMES.as_bytes()).map(|text| text.unwrap().main_line(None).unwrap());
    let games = games.map(|game| (game, Color::White)).collect();
    let asked = ReviewAsked { player: Some("Ann Lee".to_owned()), also: Vec::new(), sound: 30 };
    review(tree, games, asked, &EngineScores::None).unwrap()
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text).unwrap();
    plain(&String::from_utf8(text).unwrap())
}

/// Without styles.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn a_game_leaves_after_its_last_position_inside() {
    let tree = tree();
    let told = |game: &ReviewedGame| match &game.course {
        Course::Elsewhere => "elsewhere".to_owned(),
        Course::Stayed => "stayed".to_owned(),
        Course::Left(left) => {
            let right: Vec<String> = left.right.iter().map(|m| m.named.uci.to_string()).collect();
            let (tree, engine) =
                (left.by_tree.map(Compared::cost), left.by_engine.map(Compared::cost));
            let right = right.join(" ");
            format!("{:?} {} {} {tree:?} {engine:?} {right}", left.by, left.ply, left.played)
        }
    };
    let review = reviewed(&tree);
    let all: Vec<String> = review.games.iter().map(told).collect();
    assert_eq!(
        all,
        [
            "Player 2 f2f4 Some(91) Some(91) g1f3 b1c3",
            "Opponent 3 d7d6 None None b8c6",
            "stayed",
            "End 4 d2d4 None None ",
            "Player 2 f2f4 Some(91) Some(91) g1f3 b1c3",
            "elsewhere",
        ]
    );
    let places = review.places().into_iter();
    let places: Vec<_> =
        places.map(|place| (place.games, place.departure.played.to_string())).collect();
    let right = [(2, "f2f4"), (1, "d7d6"), (1, "d2d4")].map(|(n, uci)| (n, uci.to_owned()));
    assert_eq!(places, right);
}

#[test]
fn a_review_is_told_in_eighty_columns() {
    let tree = tree();
    let text = written(|out| write_review(&reviewed(&tree), PointOfView::White, 80, out));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn games_keep_comments_and_get_the_right_moves() {
    let tree = tree();
    insta::assert_snapshot!(written(|out| write_review_pgn(
        &reviewed(&tree),
        PointOfView::White,
        out
    )));
}

#[test]
fn a_page_has_a_board_per_place_and_a_row_per_game() {
    let tree = tree();
    let page =
        written(|out| super::page::write_review_page(&reviewed(&tree), PointOfView::White, out));
    assert_eq!((page.matches("<svg").count(), page.matches("<tr>").count()), (3, 6));
    assert!(page.contains("<p>to be played: 2. Nf3 (+0.31) or 2. Nc3 (+0.31)</p>"), "{page}");
    assert!(page.contains("<p>it lost 0.91 by the tree, 0.91 by the engine</p>"), "{page}");
}

#[test]
fn programs_read_places_and_games() {
    let tree = tree();
    let text = written(|out| write_review_json(&reviewed(&tree), out));
    let told: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        told["counts"],
        serde_json::json!(
            {"games": 6, "elsewhere": 1, "stayed": 1, "player": 2, "opponent": 1, "end": 1}
        )
    );
    let place = &told["places"][0];
    assert_eq!((place["games"].as_u64(), place["played"]["san"].as_str()), (Some(2), Some("f4")));
    assert_eq!(
        place["tree"],
        serde_json::json!({"played": {"cp": -60}, "best": {"cp": 31}, "cost": 91})
    );
    assert_eq!(told["reviewed"][2]["left"], serde_json::Value::Null);
    assert_eq!(told["reviewed"][3]["left"]["by"], "end");
}
