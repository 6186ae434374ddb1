//! `deepanalyze merge` with the built program: two people, their databases, and engines that tell
//! the truth or not.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::program::{Place, signal, stderr, wait};
use crate::support::{by_day_or_night, scripted, synthetic, wait_until};

/// Another person's database in a place of this name, with a tree after some moves.
fn friend(place: &Place, name: &str, moves: &str, depth: &str, flags: &[&str]) {
    let engine = scripted(flags);
    let always = ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "1"];
    let of_it = ["--db", name, "--moves", moves, "--depth", depth];
    let output = place.run(&[&always[..], &of_it].concat());
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Merges with an honest engine.
fn merge(place: &Place, args: &[&str]) -> Output {
    let engine = scripted(&[]);
    place.run(&[&["merge", "--engine", &engine, "--engines", "2"], args].concat())
}

fn merged(place: &Place, args: &[&str]) -> String {
    let output = merge(place, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON of `show` for a root, without a database's own numbers and times.
fn shown(place: &Place, db: &str, moves: &str) -> Value {
    let args = ["show", "--format", "json", "--db", db, "--moves", moves];
    let mut shown: Value = serde_json::from_str(&place.stdout(&args)).unwrap();
    let of_one = ["analysis", "changed_at", "regrown", "stages"];
    let whole = shown.as_object_mut().unwrap();
    of_one.iter().for_each(|key| drop(whole.remove(*key)));
    shown
}

fn is_proved(place: &Place, db: &str) {
    let output = place.run(&["verify", "--db", db]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn merged_tree_is_the_same_with_its_answers() {
    let place = Place::new();
    place.grow(&["--moves", "d4", "--depth", "2"]);
    friend(&place, "friend.db", "e4", "3", &[]);
    let (bytes, own) =
        (std::fs::read(place.path("friend.db")).unwrap(), shown(&place, "tree.db", "d4"));
    let said = merged(&place, &["friend.db", "--seed", "7"]);
    assert!(said.starts_with("friend.db: ") && said.contains(" added, 0 already here"), "{said}");
    assert!(said.contains("  checked: "), "{said}");
    assert!(said.contains("  analyses: 1 new\n"), "{said}");
    assert_eq!(shown(&place, "tree.db", "e4"), shown(&place, "friend.db", "e4"));
    assert_eq!(shown(&place, "tree.db", "d4"), own);
    is_proved(&place, "tree.db");
    assert_eq!(std::fs::read(place.path("friend.db")).unwrap(), bytes);
    // A second time, it does nothing.
    let again = merged(&place, &["friend.db"]);
    assert!(again.starts_with("friend.db: 0 answers added, "), "{again}");
}

#[test]
fn deeper_merged_tree_grows_from_its_answers() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "1"]);
    friend(&place, "friend.db", "e4", "3", &[]);
    let said = merged(&place, &["friend.db"]);
    assert!(said.contains("1 searched deeper than before") && !said.contains("more of"), "{said}");
    friend(&place, "friend.db", "e4", "4", &[]);
    let said = merged(&place, &["friend.db"]);
    assert!(said.contains("added to source friend.db: --take-back removes all of it"), "{said}");
    assert_eq!(shown(&place, "tree.db", "e4"), shown(&place, "friend.db", "e4"));
    is_proved(&place, "tree.db");
}

#[test]
fn one_false_answer_refuses_the_file_and_names_itself() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let before = place.stored();
    // An engine of the same name with other answers.
    friend(&place, "forged.db", "e4", "2", &["--seed", "99"]);
    let output = merge(&place, &["forged.db", "--check", "20"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: forged.db refused, nothing added: in "), "{said}");
    assert!(said.contains("whose answer here is") && said.contains("hint: "), "{said}");
    assert_eq!(place.stored(), before);
    // Trust merges it.
    let said = merged(&place, &["forged.db", "--trust"]);
    assert!(said.contains("  not checked: any of them may be false"), "{said}");
    assert!(place.stored().len() > before.len());
}

/// A forger who changes one answer of many escapes a small sample, but not where it decides.
#[test]
fn deciding_answers_are_always_checked() {
    let place = Place::new();
    friend(&place, "friend.db", "e4", "2", &[]);
    let told: Value =
        serde_json::from_str(&merged(&place, &["friend.db", "--check", "1", "--format", "json"]))
            .unwrap();
    let check = &told[0]["check"];
    assert_eq!(check["drawn"], 1);
    assert!(check["deciding"].as_u64().unwrap() > 0, "{told}");
    assert!(check["false_share"].as_f64().unwrap() > 0.9, "one says nothing: {told}");
}

#[test]
fn missing_engine_refuses_merge_with_hint() {
    let place = Place::new();
    friend(&place, "friend.db", "e4", "1", &["--name", "Elsewhere 3"]);
    let output = merge(&place, &["friend.db"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its answers are by Elsewhere 3, engine depth 5"), "{said}");
    assert!(said.contains("the engines here are: Scripted 1"), "{said}");
    assert!(said.contains("--trust takes the answers without a check"), "{said}");
    assert!(place.stored().is_empty());
}

#[test]
fn unrepeatable_answers_are_skipped_unless_trusted() {
    let place = Place::new();
    let engine = scripted(&[]);
    let grow =
        ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "1", "--db", "kept.db"];
    let output = place.run(&[&grow[..], &["--keep-hash"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let said = merged(&place, &["kept.db"]);
    assert!(said.starts_with("kept.db: 0 answers added"), "{said}");
    assert!(said.contains("cannot be repeated"), "{said}");
    assert!(place.stored().is_empty());
    let said = merged(&place, &["kept.db", "--trust"]);
    assert!(said.contains("not checked") && !place.stored().is_empty(), "{said}");
}

#[test]
fn removed_source_leaves_no_trace_in_any_tree() {
    let (place, without) = (Place::new(), Place::new());
    for place in [&place, &without] {
        place.grow(&["--depth", "2"]);
        place.grow(&["--moves", "e4", "--depth", "1"]);
    }
    friend(&place, "friend.db", "e4", "3", &[]);
    friend(&place, "other.db", "e4 e5", "2", &[]);
    merged(&place, &["friend.db", "--as", "Ann"]);
    merged(&place, &["other.db"]);
    assert_ne!(shown(&place, "tree.db", "e4"), shown(&without, "tree.db", "e4"));
    let said = place.stdout(&["list", "--sources"]);
    assert!(said.contains("Ann (database) · ") && said.contains("other.db (database)"), "{said}");
    for source in ["Ann", "other.db"] {
        let said = merged(&place, &["--take-back", source]);
        assert!(
            said.starts_with(&format!("{source}: ")) && said.contains(" removed; nothing more"),
            "{said}"
        );
    }
    assert_eq!(place.stored(), without.stored());
    for moves in ["", "e4"] {
        assert_eq!(shown(&place, "tree.db", moves), shown(&without, "tree.db", moves), "{moves:?}");
    }
    let roots = |place: &Place| place.stdout(&["list"]).lines().count();
    assert_eq!(roots(&place), roots(&without), "no analysis is left over");
    is_proved(&place, "tree.db");
    let output = merge(&place, &["friend.db", "--as", "Ann"]);
    let said = stderr(&output);
    assert!(
        said.contains("answers of Ann were removed here") && said.contains("--as NAME"),
        "{said}"
    );
    let again = stderr(&merge(&place, &["--take-back", "Ann"]));
    assert!(again.contains("the answers of Ann were removed before"), "{again}");
    let unknown = stderr(&merge(&place, &["--take-back", "nobody"]));
    assert!(unknown.contains("no answers of nobody"), "{unknown}");
}

/// Directs a root in a database.
fn direct(place: &Place, db: &str, moves: &str, args: &[&str]) -> String {
    place.stdout(&[&["direct", "--db", db, "--moves", moves], args].concat())
}

/// A root's directives in a database, without dates.
fn directed(place: &Place, db: &str, moves: &str) -> Vec<String> {
    let said = direct(place, db, moves, &["list"]);
    let dated = said.lines().filter(|line| line.starts_with("20"));
    let mut said: Vec<String> =
        dated.map(|line| line.split_once("  ").unwrap().1.to_owned()).collect();
    said.sort();
    said
}

/// A friend's database with a repertoire and a note, a copy of it in each of these places.
fn friend_with_directives(places: &[&Place]) {
    let maker = Place::new();
    friend(&maker, "friend.db", "e4", "1", &[]);
    direct(&maker, "friend.db", "e4", &["note", "e5", "open"]);
    direct(&maker, "friend.db", "e4", &["exclude", "c5"]);
    direct(&maker, "friend.db", "e4", &["include", "e6 d4 d5"]);
    maker.stdout(&["rename", "--db", "friend.db", "--moves", "e4", "King's pawn"]);
    friend(&maker, "friend.db", "e4", "1", &[]);
    for place in places {
        std::fs::copy(maker.path("friend.db"), place.path("friend.db")).unwrap();
    }
}

#[test]
fn untrusted_directives_are_left_and_told() {
    let place = Place::new();
    friend_with_directives(&[&place]);
    let said = merged(&place, &["friend.db"]);
    assert!(said.contains("1 note added"), "{said}");
    let left = "  skipped: 4 directives of 1 position, which change what a tree follows (--trust takes them)\n";
    assert!(said.contains(left), "{said}");
    assert_eq!(directed(&place, "tree.db", "e4"), ["note     1... e5: open"]);
    let told = merged(&place, &["friend.db", "--format", "json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let left = &told[0]["directives_left"][0];
    assert_eq!((&left["why"], &left["directives"]), (&"untrusted".into(), &4.into()));
    assert_eq!(left["command"], "deepanalyze merge --trust friend.db");
    // The advice works: also if the root is here by now.
    let said = merged(&place, &["friend.db", "--trust"]);
    assert!(said.contains("4 directives added") && !said.contains("skipped"), "{said}");
    assert_eq!(directed(&place, "tree.db", "e4"), directed(&place, "friend.db", "e4"));
    assert_eq!(shown(&place, "tree.db", "e4"), shown(&place, "friend.db", "e4"));
    assert!(place.stdout(&["list"]).contains("King's pawn"));
    is_proved(&place, "tree.db");
    // With the answers alone nothing else comes.
    let alone = Place::new();
    friend_with_directives(&[&alone]);
    merged(&alone, &["friend.db", "--answers-only"]);
    assert!(!alone.stored().is_empty());
    assert!(alone.stdout(&["list"]).starts_with("no analyses"));
    assert!(directed(&alone, "tree.db", "e4").is_empty());
}

#[test]
fn trusted_directives_come_into_a_root_that_has_none() {
    let place = Place::new();
    friend_with_directives(&[&place]);
    place.grow(&["--moves", "e4", "--depth", "1"]);
    let own = shown(&place, "tree.db", "e4");
    let said = merged(&place, &["friend.db", "--trust"]);
    assert!(said.contains("4 directives added") && said.contains("1 note added"), "{said}");
    assert!(said.contains("1 tree grown") && !said.contains("deeper"), "{said}");
    assert_ne!(own["directives"], shown(&place, "tree.db", "e4")["directives"]);
    assert_eq!(shown(&place, "tree.db", "e4"), shown(&place, "friend.db", "e4"));
    let listed = direct(&place, "tree.db", "e4", &["list"]);
    assert_eq!(listed.matches("\n20").count(), 5, "{listed}");
    let theirs = direct(&place, "friend.db", "e4", &["list"]);
    assert_eq!(listed.split("\n\n").nth(1), theirs.split("\n\n").nth(1), "with their dates");
    is_proved(&place, "tree.db");
}

#[test]
fn ones_own_directives_stay_and_what_differs_is_told() {
    let place = Place::new();
    friend_with_directives(&[&place]);
    place.grow(&["--moves", "e4", "--depth", "1"]);
    direct(&place, "tree.db", "e4", &["exclude", "c5"]);
    direct(&place, "tree.db", "e4", &["note", "e5", "closed"]);
    let own = directed(&place, "tree.db", "e4");
    let output = merge(&place, &["friend.db", "--trust"]);
    let (said, hints) = (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output));
    let left = "  skipped: 3 directives and 1 note after 1. e4: others are here, and yours stay\n";
    assert!(said.contains(left) && !said.contains("added\n  "), "{said}");
    assert_eq!(directed(&place, "tree.db", "e4"), own);
    let told = "hint: this replaces your directives and notes after 1. e4: ";
    let command = hints.split_once(told).unwrap().1.lines().next().unwrap().to_owned();
    let right = "deepanalyze direct --db friend.db --moves e2e4 export | deepanalyze direct --moves e2e4 apply -";
    assert_eq!(command, right);
    // Without trust it is left out for that reason: --trust would not help.
    let said = merged(&place, &["friend.db"]);
    assert!(said.contains(left) && !said.contains("--trust takes them"), "{said}");
    let exported = direct(&place, "friend.db", "e4", &["export"]);
    std::fs::write(place.path("theirs.json"), exported).unwrap();
    direct(&place, "tree.db", "e4", &["apply", "theirs.json"]);
    assert_eq!(directed(&place, "tree.db", "e4"), directed(&place, "friend.db", "e4"));
    let said = merged(&place, &["friend.db", "--trust"]);
    assert!(!said.contains("directive") && !said.contains("note"), "nothing differs: {said}");
}

#[test]
fn directives_come_with_analyses_that_do_not() {
    let place = Place::new();
    std::fs::write(place.path("games.pgn"), "[Result \"1-0\"]\n\n1. e4 c6 2. d4 d5 1-0\n").unwrap();
    let engine = scripted(&[]);
    let grow = ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "1"];
    let of_friend = ["--db", "friend.db", "--moves", "e4", "--games", "games.pgn"];
    let output = place.run(&[&grow[..], &of_friend].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    direct(&place, "friend.db", "e4", &["include", "c6 d4 d5"]);
    direct(&place, "friend.db", "e4", &["note", "c6", "mine"]);
    // Also for a root that was never grown.
    direct(&place, "friend.db", "d4", &["exclude", "d5"]);
    let said = merged(&place, &["friend.db", "--trust"]);
    assert!(said.contains("  4 directives added\n  1 note added\n"), "{said}");
    assert!(said.contains("1 tree not grown: they need their games"), "{said}");
    for moves in ["e4", "d4"] {
        let (here, there) =
            (directed(&place, "tree.db", moves), directed(&place, "friend.db", moves));
        assert!(here == there && !here.is_empty(), "{moves}: {here:?}");
    }
    is_proved(&place, "tree.db");
}

#[test]
fn merged_directives_go_with_their_source() {
    let (place, without) = (Place::new(), Place::new());
    friend_with_directives(&[&place]);
    for place in [&place, &without] {
        place.grow(&["--moves", "e4", "--depth", "1"]);
    }
    merged(&place, &["friend.db", "--trust"]);
    assert_ne!(shown(&place, "tree.db", "e4"), shown(&without, "tree.db", "e4"));
    // A repeated directive is ours.
    for place in [&place, &without] {
        direct(place, "tree.db", "e4", &["note", "e5", "mine"]);
    }
    let said = merged(&place, &["--take-back", "friend.db"]);
    assert!(said.contains("  deleted 4 directives that came with it\n"), "{said}");
    assert!(!said.contains("note"), "{said}");
    assert_eq!(directed(&place, "tree.db", "e4"), ["note     1... e5: mine"]);
    assert_eq!(shown(&place, "tree.db", "e4"), shown(&without, "tree.db", "e4"));
    is_proved(&place, "tree.db");
}

#[test]
fn diff_tells_which_directives_differ() {
    let place = Place::new();
    friend_with_directives(&[&place]);
    place.grow(&["--moves", "e4", "--depth", "1"]);
    direct(&place, "tree.db", "e4", &["exclude", "c5"]);
    direct(&place, "tree.db", "e4", &["exclude", "d5"]);
    direct(&place, "tree.db", "e4", &["note", "e5", "closed"]);
    let said = place.stdout(&["diff", "friend.db"]);
    let right = "
directives and notes after 1. e4
  1 in both, 1 in A alone, 3 in B alone, 1 different
  A  exclude  1... d5
  B  include  1... e6
  B  include  1... e6 2. d4
  B  include  1... e6 2. d4 d5
  A  note     1... e5: closed
  B  note     1... e5: open
";
    assert!(said.ends_with(right), "{said}");
    let told = place.stdout(&["diff", "friend.db", "--format", "json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let of_root = &told["directives"][0];
    assert_eq!((&of_root["same"], &of_root["history"][0]), (&1.into(), &"e2e4".into()));
    assert_eq!(of_root["only_a"][0]["uci"], "d7d5");
    assert_eq!(of_root["only_b"].as_array().unwrap().len(), 3);
    assert_eq!(of_root["different"][0]["b"]["note"], "open");
    std::fs::copy(place.path("friend.db"), place.path("same.db")).unwrap();
    let same = place.stdout(&["diff", "friend.db", "same.db"]);
    assert!(!same.contains("directive"), "{same}");
}

#[test]
fn conflicts_are_listed_and_ones_own_answers_stay() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "1"]);
    let own = shown(&place, "tree.db", "e4");
    friend(&place, "other.db", "e4", "1", &["--seed", "5"]);
    let said = merged(&place, &["other.db", "--trust"]);
    assert!(said.contains("conflict") && said.contains("your own answers stay"), "{said}");
    assert_eq!(shown(&place, "tree.db", "e4"), own);
    let listed = place.stdout(&["list", "--conflicts"]);
    assert!(
        listed.contains("\n  here  1... ") && listed.contains("\n  other.db  1... "),
        "{listed}"
    );
    let json: Value =
        serde_json::from_str(&place.stdout(&["list", "--conflicts", "--format", "json"])).unwrap();
    assert_eq!((&json[0]["rank"], &json[0]["there"]["source"]), (&0.into(), &"other.db".into()));
    let json: Value =
        serde_json::from_str(&place.stdout(&["list", "--sources", "--format", "json"])).unwrap();
    assert_eq!((&json[0]["name"], &json[0]["kind"]), (&"other.db".into(), &"database".into()));
    is_proved(&place, "tree.db");
}

/// Killed at any moment, it leaves complete parts, and the same command continues.
#[test]
#[ignore = "slow: runs in .ci/run"]
fn killed_merge_leaves_whole_parts_and_resumes() {
    let place = Place::new();
    large(&place.path("large.db"));
    let all = count(&place.path("large.db"));
    let mut killed = 0;
    for part in 1..5 {
        let mut child = place.start(&["merge", "large.db", "--trust", "--answers-only", "--quiet"]);
        let least = all * part / 6;
        wait_until("some answers", || {
            child.try_wait().unwrap().is_some() || count(&place.db()) >= least
        });
        if child.try_wait().unwrap().is_none() {
            signal(i64::from(child.id()), "KILL");
            killed += 1;
        }
        wait(&mut child);
        is_proved(&place, "tree.db");
    }
    assert!(killed > 0, "it was always faster");
    merged(&place, &["large.db", "--trust", "--answers-only"]);
    assert_eq!(count(&place.db()), all);
    is_proved(&place, "tree.db");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn two_merges_and_a_grower_at_once_lose_nothing() {
    let place = Place::new();
    large(&place.path("large.db"));
    friend(&place, "friend.db", "e4", "4", &[]);
    let engine = scripted(&[]);
    let mut grow =
        vec!["grow", "--engine", &engine, "--engine-depth", "5", "--moves", "e4", "--depth", "4"];
    // Its guesses are its own.
    grow.push("--no-look-ahead");
    let mut children = [
        place.start(&grow),
        place.start(&["merge", "large.db", "--trust"]),
        place.start(&["merge", "friend.db", "--trust"]),
    ];
    children.iter_mut().for_each(|child| assert!(wait(child).success()));
    assert_eq!(shown(&place, "tree.db", "e4"), shown(&place, "friend.db", "e4"));
    let [all, of_large, of_friend] =
        ["tree.db", "large.db", "friend.db"].map(|name| count(&place.path(name)));
    assert_eq!(all, of_large + of_friend);
    is_proved(&place, "tree.db");
}

#[test]
fn own_files_and_non_databases_are_refused() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    std::fs::write(place.path("diary.db"), "Dear diary").unwrap();
    std::os::unix::fs::symlink("tree.db", place.path("link.db")).unwrap();
    for (name, words) in [
        ("diary.db", "diary.db is not a deepanalyze database"),
        ("none.db", "there is no file none.db"),
        ("tree.db", "tree.db is the database itself"),
        ("link.db", "tree.db is the database itself"),
    ] {
        let output = merge(&place, &[name]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains(words), "{name}: {said}");
    }
    let several = merge(&place, &["a.db", "b.db", "--as", "one"]);
    assert_eq!(several.status.code(), Some(2), "{}", stderr(&several));
    let nothing = merge(&place, &[]);
    assert_eq!(nothing.status.code(), Some(2), "{}", stderr(&nothing));
}

/// A database with some thousands of answers.
fn large(path: &Path) {
    let positions = by_day_or_night(4000, 12_000);
    synthetic::grow(path, "startpos", 250, 1, |growth| growth.analysed() >= positions);
}

/// Number of answers in a database.
fn count(path: &Path) -> u64 {
    let db = rusqlite::Connection::open(path).unwrap();
    db.query_row("SELECT count(*) FROM answer", [], |row| row.get(0)).unwrap_or(0)
}
