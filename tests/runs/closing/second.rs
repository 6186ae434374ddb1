//! A second engine behind the closing search.

use super::*;

/// Grows with a closing search, and this second engine behind it.
fn grow_beside(place: &Place, second: &[&str], args: &[&str]) -> Output {
    let second = scripted(&[&["--name", "Other 2"], second].concat());
    let beside = ["--closing", "70000n", "--second", &second];
    grow(place, "log", &[], &[&beside, args].concat())
}

fn verdict_of(place: &Place) -> Value {
    json(place)["verdict"].clone()
}

#[test]
fn second_engine_says_what_it_would_play() {
    let place = Place::new();
    let log = place.path("second");
    let flags = ["--seed", "3", "--log", log.to_str().unwrap()];
    let output = grow_beside(&place, &flags, &[]);
    let told = String::from_utf8(output.stdout.clone()).unwrap();
    succeeds(output);
    let verdict = verdict_of(&place);
    let second = &verdict["second"];
    assert_eq!((&second["engine"], &second["agree"]), (&"Other 2".into(), &false.into()));
    assert_ne!(second["uci"], verdict["uci"]);
    assert!(second["score_of_verdict"]["cp"].is_i64(), "{second}");
    let limit = |line: &String| line.split('\t').nth(1).unwrap().to_owned();
    let looks: Vec<String> = log_lines(&log).iter().map(limit).collect();
    assert_eq!(looks, ["nodes 17500", "nodes 8750"], "a quarter, and half as much for one move");

    let word = format!("Other 2 would play 3... {} (", second["san"].as_str().unwrap());
    let given = format!("and gives 3... {} ", verdict["san"].as_str().unwrap());
    let pgn = place.stdout(&["export", "pgn"]);
    let list = place.stdout(&["list"]);
    for (what, text) in [("grow", told), ("show", place.stdout(&["show"])), ("pgn", pgn)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&word) && text.contains(&given), "{what}: {text}");
    }
    assert!(list.contains(word.trim_end_matches(" (")), "{list}");
    let verified = place.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));

    // Its answers are kept: nothing is searched again. The next tree follows its move.
    let again = succeeds(grow_beside(&place, &flags, &["--depth", "4"]));
    let moves = json(&place)["moves"].clone();
    let mut moves = moves.as_array().unwrap().iter();
    assert!(moves.any(|one| one["uci"] == second["uci"]), "{again}");

    // An excluded move is told no more.
    place.stdout(&["direct", "--root", ROOT, "exclude", second["san"].as_str().unwrap()]);
    assert_eq!(verdict_of(&place)["second"], Value::Null);
}

#[test]
fn second_engine_that_dies_is_named() {
    let place = Place::new();
    let told = succeeds(grow_beside(&place, &["--fault", "die:every=1"], &[]));
    assert!(told.contains("warning: no word from the second engine \"Other 2\": "), "{told}");
    assert_eq!(verdict_of(&place)["second"], Value::Null);
    for (closing, words, status) in [
        ("70000n", "cannot start engine \"no-such-engine\"", 1),
        ("no", "--second has no effect: this run makes no closing search", 2),
    ] {
        let refused = ["--closing", closing, "--second", "no-such-engine"];
        let refused = grow(&place, "log", &[], &refused);
        assert!(stderr(&refused).contains(words), "{}", stderr(&refused));
        assert_eq!(refused.status.code(), Some(status));
    }
}
