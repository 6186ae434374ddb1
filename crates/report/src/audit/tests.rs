//! A repertoire against people, in text, JSON and PGN.
#![allow(clippy::unwrap_used)]

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::tree::{PlayedRules, Wishes};
use serde_json::{Value, json};
use shakmaty::Color;

use super::pgn::write_audit_pgn;
use super::text::write_audit;
use super::{Audited, audited, games_audited, write_audit_json};
use deepanalyze_view::testing::{
    GAMES, Kept, LISTS, before_the_bishop, bishops, counted, grown, kept,
};
use deepanalyze_view::{PeopleAsked, PointOfView};

/// The bishops' tree, where White has included 3. Bb5.
fn spanish() -> Kept {
    let game = before_the_bishop();
    let key = PositionKey::of(game.root());
    let mut said = Directives::default();
    said.add(&key, game.root(), Directive::Include("f1b5".parse().unwrap())).unwrap();
    let counts = counted(&game, PlayedRules::default(), &GAMES);
    let wishes: Wishes = (*said.wishes()).clone();
    let mut kept = kept(&game, grown(&game, &LISTS, counts, wishes, 2));
    (kept.tree.tree.grown_with, kept.tree.tree.directives) = (said.clone(), said);
    kept
}

fn written(kept: &Kept, write: impl Fn(&Audited<'_>, &mut Vec<u8>)) -> String {
    let (tree, side) = (&kept.tree, Color::White);
    let audit = audited(tree, side, 0);
    let games = games_audited(tree, &audit, PeopleAsked::of(side), 10);
    let mut out = Vec::new();
    let games = games.as_ref();
    write(&Audited { tree, side, most_lost: 0, audit: &audit, games, ends: true }, &mut out);
    let text = String::from_utf8(out).unwrap();
    text.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "")
}

fn text(kept: &Kept, width: Option<usize>) -> String {
    written(kept, |audited, out| write_audit(audited, PointOfView::White, width, out).unwrap())
}

#[test]
fn without_a_repertoire_best_scoring_moves_are_used() {
    let text = text(&bishops(), None);
    println!("{text}");
    let told = [
        "games      club, 1,234 games; followed: Black's moves from 5% and 10 games on\n",
        "coverage   90 of 100 games stay to move 3\n",
        "expected   White's position is worth 56.5 points in 100 against these players\n",
        "taking the moves that score most as the repertoire\n",
        "replies of these opponents without an answer, the likeliest first:\n\
         1  one in 10 games leaves the tree with 3... d6 after 3. Bc4 (30 games, 10%)\n",
    ];
    told.iter().for_each(|told| assert!(text.contains(told), "{told}\n{text}"));
}

#[test]
fn an_included_move_that_scores_less_is_told() {
    let text = text(&spanish(), Some(60));
    println!("{text}");
    let told = "own moves that score less than others:\n\
        1  3. Bb5 at the root scores 52.8 in 100, 3. Bc4 56.5; every\n   \
        game comes there\n";
    assert!(text.contains(told), "{text}");
    assert!(
        text.contains(
            "1  one in 12 games leaves the tree with 3... f5 after 3. Bb5\n   (50 games, 8%)"
        ),
        "{text}"
    );
}

#[test]
fn programs_read_the_same() {
    let text = written(&spanish(), |audited, out| write_audit_json(audited, out).unwrap());
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["games"]["set"], "club");
    let games = &json["against_people"];
    let by_ply = json!([1.0, 0.916_667, 0.916_667, 0.916_667]);
    assert_eq!((&games["coverage"], &games["coverage_by_ply"]), (&json!(0.916_667), &by_ply));
    assert_eq!(games["coverage_inside"], json!(0.916_667));
    assert_eq!(games["coverage_by_move"], json!([{"move": 3, "stays": 0.916_667}]));
    assert_eq!((&games["gap_count"], &games["loss_count"]), (&json!(1), &json!(1)));
    let gap = json!({
        "line": ["f1b5"], "epd": "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -",
        "uci": "f7f5", "san": "f5", "games": 50, "share": 0.083_333, "leaves": 0.083_333, "cost": null,
    });
    assert_eq!(games["gaps"], json!([gap]));
    assert_eq!(games["losses"][0]["better"]["san"], "Bc4");
}

#[test]
fn pgn_has_a_game_for_each_finding() {
    let text = written(&spanish(), |audited, out| {
        write_audit_pgn(audited, PointOfView::White, out).unwrap();
    });
    println!("{text}");
    let joined = text.replace('\n', " ");
    assert!(
        joined.contains(
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 f5 { one in 12 games leaves the tree with 3... f5"
        ),
        "{text}"
    );
    let games = deepanalyze_core::chess::Games::new(text.as_bytes());
    let lines: Vec<_> = games.map(|game| game.unwrap().main_line(None).unwrap()).collect();
    assert_eq!(lines.len(), 4);
}

/// White's repertoire: 3. Bc4 h6 4. d4, with 3... Nf6 in the tree, and a line to its end.
fn italian() -> Kept {
    let game = before_the_bishop();
    let (root, mut said, mut line) =
        (PositionKey::of(game.root()), Directives::default(), game.clone());
    for san in ["Bc4", "h6", "d4"] {
        let before = line.root().clone();
        line.play_line(san).unwrap();
        said.add(&root, &before, Directive::Include(*line.moves().last().unwrap())).unwrap();
    }
    let counts = counted(&game, PlayedRules::default(), &GAMES);
    let end = ("Bc4 h6 d4", &[("e5d4", -95), ("d7d6", -96)][..]);
    let lists: Vec<_> = LISTS.into_iter().chain([end]).collect();
    let mut kept = kept(&game, grown(&game, &lists, counts, said.wishes().as_ref().clone(), 2));
    (kept.tree.tree.grown_with, kept.tree.tree.directives) = (said.clone(), said);
    kept
}

fn italian_text(ends: bool) -> String {
    let (kept, side) = (italian(), Color::White);
    let audit = audited(&kept.tree, side, 0);
    let games = games_audited(&kept.tree, &audit, PeopleAsked::of(side), 10);
    let (tree, games) = (&kept.tree, games.as_ref());
    let mut out = Vec::new();
    let audited = Audited { tree, side, most_lost: 0, audit: &audit, games, ends };
    write_audit(&audited, PointOfView::White, None, &mut out).unwrap();
    let mut text = String::from_utf8(out).unwrap();
    while let Some(start) = text.find('\u{1b}') {
        let end = text[start..].find('m').unwrap() + start;
        text.replace_range(start..=end, "");
    }
    text
}

#[test]
fn what_games_play_comes_first_and_ends_on_demand() {
    let text = italian_text(false);
    println!("{text}");
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    let gaps = place("1  one in 10 games leaves the tree with 3... d6");
    let met = place("not prepared: 3... Nf6 after 3. Bc4");
    let own = place("own move: 3. Bc4 at the root");
    assert!(gaps < met && met < own, "{text}");
    assert!(text.contains("; one in 5 games (60 games, 20%)"), "{text}");
    assert!(
        text.contains(
            "line ends  1 line ends with 2 replies without an answer (--ends lists them)"
        ),
        "{text}"
    );
    assert!(!text.contains("no reply is prepared there"), "{text}");
    let text = italian_text(true);
    assert!(text.contains("no reply is prepared there") && !text.contains("--ends"), "{text}");
}

#[test]
fn the_widest_gaps_are_included_with_their_answers() {
    let (kept, side) = (italian(), Color::White);
    let audit = audited(&kept.tree, side, 0);
    let games = games_audited(&kept.tree, &audit, PeopleAsked::of(side), 9).unwrap();
    let include = |most| {
        let mut set = kept.tree.directives.clone();
        let root = kept.tree.game.root();
        let told = crate::include_widest_gaps(&mut set, root, &audit, &games, most).unwrap();
        (told, set.len() - kept.tree.directives.len())
    };
    // 3... Nf6 is in the tree; 3... d6 is not.
    let (told, new) = include(1);
    assert!(told[0].starts_with("included 3. Bc4 Nf6") && new == 1, "{told:?}");
    let (told, new) = include(9);
    assert!(
        told[1].starts_with("included 3. Bc4 d6 ") && told[1].ends_with(": one in 10 games"),
        "{told:?}"
    );
    assert_eq!((told.len(), new), (2, 2));
}
