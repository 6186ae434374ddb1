//! A tree with counts in text, JSON and PGN.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use shakmaty::Color;

use deepanalyze_core::tree::{PlayedRules, Wishes};

use crate::tree::layout::TreeReport;
use crate::tree::{PeopleWanted, PrintError, PrintOptions, TreeFormat};
use deepanalyze_view::testing::{
    GAMES, Kept, LISTS, before_the_bishop, bishops, counted, grown, kept,
};

/// The printed text, without styles.
fn printed(kept: &Kept, width: usize, options: PrintOptions<'_>) -> String {
    let report = TreeReport::read(&kept.store, &kept.tree, options).unwrap();
    let mut out = Vec::new();
    report.write(width, &mut out).unwrap();
    let mut text = String::from_utf8(out).unwrap();
    while let Some(start) = text.find('\u{1b}') {
        let end = text[start..].find('m').unwrap() + start;
        text.replace_range(start..=end, "");
    }
    text
}

fn people(format: TreeFormat, side: Option<Color>) -> PrintOptions<'static> {
    let people = Some(PeopleWanted { side, sound: 30 });
    PrintOptions { people, ..PrintOptions::of(format) }
}

#[test]
fn text_has_columns_for_games_and_a_line_in_words() {
    let kept = bishops();
    let text = printed(&kept, 100, people(TreeFormat::Text, None));
    println!("{text}");
    let head: Vec<&str> = text.lines().take(3).collect();
    let advised = "3. Bc4 is worth 56 points in 100 against these players, 4 more than 3. Bb5; it is 0.10 worse by the engine";
    assert_eq!((head[0], head[1..].join(" ")), ("3. Bb5 +0.30 for White", advised.to_owned()));
    let table = text.lines().skip_while(|line| !line.starts_with("  score")).take(4);
    let table: Vec<&str> = table.collect();
    assert_eq!(
        table[0],
        "  score  move    games  share  expected  reach  depth  positions  best line"
    );
    assert!(
        table[1].starts_with(
            "  +0.30  3. Bb5    600    60%     52.8%             2          2  3... a6"
        ),
        "{}",
        table[1]
    );
    assert!(table[2].starts_with("  +0.20  3. Bc4    300    30%     56.5%   100%"), "{}", table[2]);
    assert!(table[3].starts_with("  -0.40  3. d4       0     0%"), "{}", table[3]);
    assert!(
        text.contains(
            "games    club, 1,234 games; followed: Black's moves from 5% and 10 games on\n"
        ),
        "{text}"
    );
    let narrow = printed(&kept, 50, people(TreeFormat::Text, None));
    println!("{narrow}");
    // A FEN stays whole.
    let fits = |line: &str| line.chars().count() <= 50 || line.starts_with("root");
    assert!(narrow.lines().all(fits), "{narrow}");
    assert!(narrow.contains("expected  best line"), "{narrow}");
}

#[test]
fn without_people_there_are_games_and_shares() {
    let text = printed(&bishops(), 100, PrintOptions::of(TreeFormat::Text));
    assert!(text.contains("  score  move    games  share  depth  positions  best line"), "{text}");
    assert!(!text.contains("100 games"), "{text}");
}

#[test]
fn json_has_games_shares_and_scores_at_every_position() {
    let kept = bishops();
    let text = printed(&kept, 100, people(TreeFormat::Json, Some(Color::Black)));
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        json["games"],
        serde_json::json!({ "set": "club", "digest": "00ff", "games": 1234, "white": null, "black": "5%/10" })
    );
    let people = &json["people"];
    assert_eq!((&people["side"], &people["sound"]), (&"black".into(), &30.into()));
    assert!(people["advised"].is_null());
    let spanish = &json["moves"][0];
    assert_eq!((&spanish["games"], &spanish["share"]), (&600.into(), &0.6.into()));
    assert!(spanish.get("played").is_none(), "no rule follows White's moves");
    let h6 = json["moves"][1]["moves"].as_array().unwrap();
    let h6 = h6.iter().find(|m| m["uci"] == "h7h6").unwrap();
    assert_eq!(
        (&h6["games"], &h6["share"], &h6["played"]),
        (&210.into(), &0.7.into(), &true.into())
    );
    assert_eq!(h6["expected"], 0.413_432);
    assert!(h6.get("found").is_none());
    let plain: Value =
        serde_json::from_str(&printed(&kept, 100, PrintOptions::of(TreeFormat::Json))).unwrap();
    assert!(plain.get("people").is_none() && plain["moves"][0].get("expected").is_none());
    assert_eq!(plain["moves"][0]["games"], 600);
}

#[test]
fn json_has_whole_and_inside_coverage() {
    let game = before_the_bishop();
    let counts = counted(&game, PlayedRules::default(), &GAMES);
    let short = [LISTS[0], LISTS[1], LISTS[2], LISTS[4], LISTS[5]];
    let kept = kept(&game, grown(&game, &short, counts, Wishes::new(), 1));
    let json: Value =
        serde_json::from_str(&printed(&kept, 100, people(TreeFormat::Json, None))).unwrap();
    let told = &json["people"];
    assert_eq!((&told["coverage"], &told["coverage_inside"]), (&0.9.into(), &1.0.into()));
    let text = printed(&kept, 200, people(TreeFormat::Text, None));
    assert!(text.contains("Black plays as in the games\n"), "the tree ends there: {text}");
}

#[test]
fn pgn_has_games_and_shares_where_that_is_asked_for() {
    let kept = bishops();
    let counts = |counts| PrintOptions { counts, ..PrintOptions::of(TreeFormat::Pgn) };
    let text = printed(&kept, 100, counts(true)).replace('\n', " ");
    assert!(text.contains("3... h6"), "{text}");
    assert!(text.contains(", 210 games, 70%"), "{text}");
    assert!(!printed(&kept, 100, counts(false)).contains("games"));
}

#[test]
fn without_counts_people_are_left_out() {
    let mut kept = bishops();
    let game = kept.tree.game.clone();
    kept.tree.tree.growth = deepanalyze_core::tree::Growth::new(&game, 20).into();
    let error = TreeReport::read(&kept.store, &kept.tree, people(TreeFormat::Text, None));
    assert!(matches!(error, Err(PrintError::NoGames(1))));
}

#[test]
fn the_page_has_games_shares_and_points() {
    let kept = bishops();
    let text = printed(&kept, 100, people(TreeFormat::Html, None));
    let (_, data) = text.split_once("<script type=\"application/json\" id=\"tree-data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["games"], "club, 1,234 games; followed: Black's moves from 5% and 10 games on");
    assert_eq!(
        (&data["people"]["side"], &data["places"][0][1][10]),
        (&"White".into(), &serde_json::json!([300, 0.3, 0.564_579, null]))
    );
    let plain = printed(&kept, 100, PrintOptions::of(TreeFormat::Html));
    assert!(plain.contains("[600,0.6,null,null]") && plain.contains("\"people\":null"));
}
