//! The verdict: the same best move in every output.

use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position};

use super::*;
use crate::support::books::book;
use crate::support::serving::Server;
use deepanalyze_core::chess::{Score, parse_fen};

/// With it, tree and closing search choose different moves.
const SEED: &str = "2";

#[test]
fn every_output_has_the_same_best_move() {
    let place = Place::new();
    let closing = ["--closing-nodes", "700000"];
    let output = grow(&place, "log", &["--seed", SEED], &closing);
    let told = String::from_utf8(output.stdout.clone()).unwrap();
    succeeds(output);
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
    let differs = format!("the tree prefers 3... {} (", tree["san"].as_str().unwrap());
    assert!(told.starts_with(&name), "{told}");
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
    exports_tell(&place, &shown);
    reports_tell(&place, &shown);
    games_tell(&place, &shown);
    suites_tell(&place, &shown);
    servers_tell(&place, &shown);

    // It is the tree's again where that has grown to more than four times as much.
    place.sql("UPDATE analysis SET nodes = 1000000000");
    let shown = json(&place);
    let verdict = &shown["verdict"];
    assert_eq!((&verdict["by"], &verdict["uci"]), (&"tree".into(), &tree["uci"]), "{verdict}");
    assert_eq!((&verdict["score"], &verdict["agree"]), (&tree["alpha"], &false.into()));
    let text = place.stdout(&["show"]).replace('\n', " ");
    assert!(text.contains(&format!("the closing search prefers {}", name.trim())), "{text}");
    assert_eq!(heaviest(&place), tree["uci"]);
    let log = place.stdout(&["log"]);
    assert!(log.contains(" nodes: does not count\n"), "{log}");
}

/// The root's position, with the clocks of its game.
fn root() -> Chess {
    parse_fen(ROOT).unwrap()
}

fn score_of(told: &Value) -> Score {
    let number = |key| told["score"][key].as_i64().map(|number| i32::try_from(number).unwrap());
    number("cp").map(Score::Cp).or(number("mate").map(Score::Mate)).unwrap()
}

fn text_of(told: &Value, key: &str) -> String {
    told[key].as_str().unwrap().to_owned()
}

/// The root's move of the greatest weight in a book, in which no other one weighs as much.
fn heaviest(place: &Place) -> String {
    assert!(place.run(&["show", "--format", "polyglot", "-o", "out.bin"]).status.success());
    let bytes = std::fs::read(place.path("out.bin")).unwrap();
    let key = root().zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    let moves = book(place);
    let weights = bytes.chunks(16).map(|entry| u16::from_be_bytes([entry[10], entry[11]]));
    let of_root = moves.iter().zip(weights).filter(|((of, _), _)| *of == key);
    let mut of_root: Vec<(u16, u16)> = of_root.map(|((_, m), weight)| (weight, *m)).collect();
    of_root.sort_unstable();
    let [.., second, (weight, m)] = of_root[..] else { panic!("{of_root:?}") };
    assert!(weight == u16::MAX && second.0 < weight, "{of_root:?}");
    let square = |number: u16| shakmaty::Square::new(u32::from(number & 63));
    UciMove::Normal { from: square(m >> 6), to: square(m), promotion: None }.to_string()
}

/// Files for other programs.
fn exports_tell(place: &Place, shown: &Value) {
    let (verdict, tree) = (&shown["verdict"], &shown["moves"][0]);
    let (uci, san) = (text_of(verdict, "uci"), text_of(verdict, "san"));
    let words = format!("the tree prefers 3... {} (", tree["san"].as_str().unwrap());
    assert_eq!(heaviest(place), uci);
    let Score::Cp(cp) = score_of(verdict) else { panic!("{verdict}") };
    let epd = place.stdout(&["show", "--format", "epd"]);
    let first = epd.lines().next().unwrap();
    for part in [format!(" bm {san};"), format!(" ce {cp};"), format!("pv {san} "), words.clone()] {
        assert!(first.contains(&part), "no {part} in {first}");
    }
    let page = place.stdout(&["show", "--format", "html"]);
    assert!(page.contains(&format!("\"line\":\"{uci}")), "the page's headline");
    let chosen =
        format!("\"closing_moves\":[{{\"uci\":\"{uci}\",\"san\":\"{san}\",\"score\":{cp},");
    assert!(page.contains(&words) && page.contains(&chosen), "the page's table");
}

/// Reports on analyses.
fn reports_tell(place: &Place, shown: &Value) {
    let verdict = &shown["verdict"];
    let name = format!("3... {}", text_of(verdict, "san"));
    let text = place.stdout(&["compare", "1", "1"]);
    assert!(text.starts_with(&format!("A and B agree: {name}\n")), "{text}");
    assert_eq!(text.matches("chosen by the closing search; the tree prefers").count(), 2, "{text}");
    let json: Value =
        serde_json::from_str(&place.stdout(&["compare", "1", "1", "--format", "json"])).unwrap();
    let side = &json["roots"][0]["a"];
    assert_eq!([&side["verdict"], &side["value"]], [verdict, &verdict["score"]]);

    let text = place.stdout(&["log"]);
    let (_, behind) = text.split_once("closing search, 700,000 nodes: counts\n* ").expect(&text);
    assert!(behind.lines().next().unwrap().contains(&name), "{text}");
    assert!(behind.lines().nth(1).unwrap().starts_with(&format!("verdict  {name} ")), "{text}");
    let json: Value = serde_json::from_str(&place.stdout(&["log", "--format", "json"])).unwrap();
    assert_eq!([&json["verdict"], &json["closing"]], [verdict, &shown["closing"]]);
}

/// A game in which the verdict's move was played, the tree's best, or its worst.
fn games_tell(place: &Place, shown: &Value) {
    let (verdict, moves) = (&shown["verdict"], shown["moves"].as_array().unwrap());
    let mut found = Vec::new();
    for played in [verdict, &moves[0], moves.last().unwrap()] {
        let san = text_of(played, "san");
        let pgn = format!("[SetUp \"1\"]\n[FEN \"{ROOT}\"]\n\n3... {san} *\n");
        std::fs::write(place.path("game.pgn"), pgn).unwrap();
        let every = ["show", "--pgn", "game.pgn", "--every", "--format"];
        let json = place.stdout(&[&every[..], &["json"]].concat());
        let games: Value = serde_json::from_str(&json).unwrap();
        let position = &games[0]["positions"][0];
        assert_eq!([&position["value"], &position["by"]], [&verdict["score"], &"closing".into()]);
        assert_eq!(position["best"][0]["uci"], verdict["uci"]);
        // The tree's best is worth no more than the verdict that overrules it.
        let score = verdict["score"]["cp"].as_i64().unwrap();
        let is_worse = played["alpha"]["cp"].as_i64().is_some_and(|alpha| alpha < score);
        let value = if is_worse { &played["alpha"] } else { &verdict["score"] };
        assert_eq!(&position["played"]["value"], value, "{position}");
        let page = place.stdout(&[&every[..], &["html"]].concat());
        assert!(page.contains(&position["value"].to_string()), "{page}");
        let text = place.stdout(&[&every[..], &["pgn"]].concat()).replace('\n', " ");
        let is_told = text.contains(&format!("( 3... {} ", text_of(verdict, "san")));
        assert_eq!(position["played"]["glyph"].is_number(), is_told, "{text}");
        found.push(position["played"]["better"].as_bool().unwrap());
    }
    assert_eq!(found, [false, false, true]);
}

/// A suite that asks for the verdict's move, and for no other.
fn suites_tell(place: &Place, shown: &Value) {
    let verdict = &shown["verdict"];
    let (san, epd) = (text_of(verdict, "san"), epd_of(&root()));
    std::fs::write(place.path("suite.epd"), format!("{epd} bm {san};\n{epd} am {san};\n")).unwrap();
    let mut args = arguments(place, "suite", &["--seed", SEED], &["--epd", "suite.epd"]);
    args.retain(|arg| ![ROOT, "--root"].contains(&arg.as_str()));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let text = place.stdout(&args);
    assert!(text.contains("\nsolved: 1 of 2 (bm, am)\n"), "{text}");
    assert!(text.contains(&format!("  bm {san} closing search solved\n")), "{text}");
    let output = place.run(&[&args[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &json["roots"][0];
    assert_eq!([&first["verdict"], &first["value"]], [verdict, &verdict["score"]]);
    assert_eq!(
        [&first["best"]["uci"], &first["line"][0], &first["solved"]],
        [&verdict["uci"], &verdict["uci"], &true.into()]
    );
}

/// Cards, and the moves of the root that is open.
fn servers_tell(place: &Place, shown: &Value) {
    let verdict = &shown["verdict"];
    let server = Server::start(place, &[], &[]);
    let card = &server.get("/api/analyses")["analyses"][0];
    let root = server.get("/api/analyses/1/moves");
    for told in [&card["verdict"], &root["verdict"]] {
        for key in ["uci", "san", "score", "by", "agree"] {
            assert_eq!(told[key], verdict[key], "{told}");
        }
        assert_eq!(told["other"]["uci"], shown["moves"][0]["uci"], "{told}");
        let words = told["words"]["white"].as_str().unwrap();
        assert!(words.starts_with("chosen by the closing search; the tree prefers "), "{told}");
    }
    assert_eq!([&card["value"], &card["best"][0]["uci"]], [&verdict["score"], &verdict["uci"]]);
    let moves = root["moves"].as_array().unwrap();
    let chosen = moves.iter().find(|m| m["uci"] == verdict["uci"]);
    assert!(chosen.is_none_or(|m| m["closing"] == verdict["score"]), "{root}");
}

#[test]
fn tree_without_closing_has_its_own_verdict() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let shown = json(&place);
    let (verdict, best) = (&shown["verdict"], &shown["moves"][0]);
    assert_eq!((&verdict["by"], &verdict["agree"]), (&"tree".into(), &true.into()));
    assert_eq!((&verdict["uci"], &verdict["score"]), (&best["uci"], &best["alpha"]));
}
