//! The verdict: one move is told as the best, by whoever tells of a root.

use super::*;

/// With it, tree and closing search choose different moves.
const SEED: &str = "2";

#[test]
fn whoever_tells_of_a_root_tells_the_same_move() {
    let place = Place::new();
    let closing = ["--closing-nodes", "700000"];
    let told = succeeds(grow(&place, "log", &["--seed", SEED], &closing));
    let shown = json(&place);
    let (verdict, tree) = (&shown["verdict"], &shown["moves"][0]);
    let of = |key: &str| verdict[key].as_str().unwrap().to_owned();
    let (uci, san) = (of("uci"), of("san"));
    assert_eq!((of("by").as_str(), &verdict["agree"]), ("closing", &false.into()), "{verdict}");
    assert_eq!(
        [&verdict["uci"], &verdict["score"]],
        [&shown["closing"]["uci"], &shown["closing"]["score"]]
    );
    assert_ne!(tree["uci"], verdict["uci"]);
    let name = format!("3... {san} ");
    let differs = format!("the tree's best move is 3... {} (", tree["san"].as_str().unwrap());
    assert!(told.lines().any(|line| line.starts_with(&format!("verdict   {name}"))), "{told}");
    assert!(told.contains(&differs), "{told}");

    let text = place.stdout(&["show"]);
    assert!(text.starts_with(&name), "{text}");
    assert!(text.replace('\n', " ").contains(&differs), "{text}");
    assert!(place.stdout(&["show", "--all"]).starts_with(&name));
    let list = place.stdout(&["list"]);
    assert!(list.contains(name.trim()), "{list}");
    let list: Value = serde_json::from_str(&place.stdout(&["list", "--format", "json"])).unwrap();
    assert_eq!((&list[0]["verdict"], &list[0]["best"]), (verdict, &uci.clone().into()));
    assert_eq!(list[0]["value"], verdict["score"]);
    let pgn = place.stdout(&["show", "--format", "pgn"]);
    let (_, moves) = pgn.split_once("behind the move. }").unwrap();
    let moves = moves.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(moves.starts_with(&name) && moves.contains(&differs), "{moves}");
    let page = place.stdout(&["show", "--format", "html"]);
    assert!(page.contains(&format!("\"line\":\"{uci}")), "the page's headline");

    // It is the tree's again where that has grown to more than four times as much.
    place.sql("UPDATE analysis SET nodes = 1000000000");
    let shown = json(&place);
    let verdict = &shown["verdict"];
    assert_eq!((&verdict["by"], &verdict["uci"]), (&"tree".into(), &tree["uci"]), "{verdict}");
    assert_eq!((&verdict["score"], &verdict["agree"]), (&tree["alpha"], &false.into()));
    let text = place.stdout(&["show"]).replace('\n', " ");
    assert!(text.contains(&format!("the closing search says {}", name.trim())), "{text}");
}

#[test]
fn a_tree_alone_has_a_verdict_that_nobody_contradicts() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let shown = json(&place);
    let (verdict, best) = (&shown["verdict"], &shown["moves"][0]);
    assert_eq!((&verdict["by"], &verdict["agree"]), (&"tree".into(), &true.into()));
    assert_eq!((&verdict["uci"], &verdict["score"]), (&best["uci"], &best["alpha"]));
}
