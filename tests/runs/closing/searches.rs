//! Closing searches, by one engine and shared by several.

use super::*;

#[test]
fn a_closing_search_of_the_root_changes_no_tree() {
    let plain = Place::new();
    succeeds(grow(&plain, "log", &[], &["--engines", "1"]));
    let place = Place::new();
    let told = succeeds(grow(&place, "log", &[], &["--engines", "1", "--closing-nodes", "70000"]));
    let program = program("nodes 70000");
    let hashes = since_cleared(&place, "log");
    assert_eq!(hashes.last().unwrap(), &program);
    assert!(hashes.iter().all(|searches| searches.len() == 1));

    let mut shown = json(&place);
    let closing = shown.as_object_mut().unwrap().remove("closing").unwrap();
    let mut without = json(&plain);
    for shown in [&mut shown, &mut without] {
        shown.as_object_mut().unwrap().remove("verdict").unwrap();
    }
    assert_eq!(shown, without, "the tree is what it is without");
    let best = deepanalyze_core::chess::parse_fen(ROOT).unwrap();
    let (uci, san) = (closing["uci"].as_str().unwrap(), closing["san"].as_str().unwrap());
    assert_eq!(deepanalyze_core::chess::san_of(&best, uci.parse().unwrap()), san);
    assert_eq!(closing["limit"]["nodes"], 70_000);
    assert_eq!(closing["passes"], shown["passes"]);
    let words = format!("closing   3... {san} ");
    assert!(told.lines().any(|line| line.starts_with(&words)), "{told}");
    assert!(place.stdout(&["show"]).contains(&format!("\nclosing  3... {san} ")));

    let again = succeeds(grow(&place, "again", &[], &["--closing-nodes", "70000"]));
    assert_eq!(searches(&place, "again"), 0, "{again}");
    assert!(again.contains(&words), "{again}");
    let verified = place.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn impossible_row_is_damage() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--engines", "1", "--closing-nodes", "70000"]));
    place.sql("UPDATE closing_share SET cp = cp + 1");
    let verified = place.run(&["verify"]);
    let said = String::from_utf8_lossy(&verified.stdout);
    assert_eq!(verified.status.code(), Some(1), "{said}");
    assert!(said.contains("closing search 1, engine 1: the row was changed"), "{said}");
    place.sql("UPDATE closing_share SET move = 'xyz'");
    let output = place.run(&["show"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("a move or number in closing search 1"), "{said}");
}

#[test]
fn closing_does_not_depend_on_how_tree_grew() {
    let one = Place::new();
    succeeds(grow(&one, "log", &[], &["--engines", "1"]));
    succeeds(grow(&one, "closed", &[], &["--engines", "3", "--closing-depth", "9"]));
    let other = Place::new();
    let jitter = ["--jitter-ms", "2"];
    succeeds(grow(&other, "first", &jitter, &["--engines", "3", "--max-searches", "60"]));
    assert_eq!(json(&other).get("closing"), None);
    succeeds(grow(&other, "second", &jitter, &["--engines", "3"]));
    succeeds(grow(&other, "closed", &jitter, &["--engines", "3", "--closing-depth", "9"]));
    assert_eq!(json(&one), json(&other));
    let asked = [&one, &other].map(|place| {
        let transcript = std::fs::read_to_string(place.path("closed-transcript")).unwrap();
        let searches = transcript.lines().filter_map(|line| line.split_once("go depth 9"));
        let mut shares: Vec<String> = searches
            .map(|(_, moves)| sorted(moves.trim().trim_start_matches("searchmoves ")))
            .collect();
        shares.sort();
        shares
    });
    assert_eq!((asked[0].len(), &asked[0]), (3, &asked[1]));
}

/// The expected searches of engines that share the closing search of the tree in a place.
fn shared_program(place: &Place, engines: usize, limit: &str) -> Vec<String> {
    let store = Store::open(&place.db()).unwrap();
    let row = store.analyses().unwrap().remove(0);
    let tree = load(&store, row.id).unwrap();
    let root = epd_of(tree.game.root());
    let of_share = |share: RootShare| {
        let moves: Vec<String> = share.moves.iter().map(ToString::to_string).collect();
        if share.all {
            format!("{root}: {limit}")
        } else {
            format!("{root}: {limit} searchmoves {}", sorted(&moves.join(" ")))
        }
    };
    let mut all: Vec<String> =
        tree.growth.root_shares(engines, 1).into_iter().map(of_share).collect();
    all.sort();
    all
}

/// Words in the order of the alphabet.
fn sorted(words: &str) -> String {
    let mut words: Vec<&str> = words.split(' ').collect();
    words.sort_unstable();
    words.join(" ")
}

/// The searches to a limit in several logs, each on a hash of its own, whichever engine made it.
fn each_asked(place: &Place, logs: &[String], limit: &str) -> Vec<String> {
    let hashes = logs.iter().flat_map(|log| since_cleared(place, log));
    let mut all: Vec<String> = hashes
        .filter(|searches| searches.iter().any(|asked| asked.contains(limit)))
        .map(|searches| {
            assert_eq!(searches.len(), 1, "{searches:?}");
            match searches[0].split_once(" searchmoves ") {
                Some((before, moves)) => format!("{before} searchmoves {}", sorted(moves)),
                None => searches[0].clone(),
            }
        })
        .collect();
    all.sort();
    all
}

/// Closes the tree of a root with this many engines, and checks their searches; returns the output.
fn closed_by_all(place: &Place, root: &str, engines: usize) -> String {
    let logs: Vec<String> = (1..=engines).map(|number| format!("engine-{number}")).collect();
    let engines = logs.iter().map(|log| {
        let transcript = place.path(&format!("{log}-transcript"));
        format!("1*{}", scripted(&["--transcript", transcript.to_str().unwrap()]))
    });
    let commands: Vec<String> = engines.collect();
    let commands = commands.iter().flat_map(|engine| ["--engine", engine]);
    let tree = ["grow", "--engine-depth", "5", "--distance", "20", "--root", root, "--depth", "3"];
    let closing = ["--closing-nodes", "70000"].into_iter();
    let all: Vec<&str> = tree.into_iter().chain(commands).chain(closing).collect();
    let told = succeeds(place.run(&all));
    let program = shared_program(place, logs.len(), "nodes 70000");
    let asked = each_asked(place, &logs, "nodes 70000");
    assert_eq!((asked, program.len()), (program, logs.len()));
    let closed = json(place)["closing"].clone();
    assert_eq!(
        (&closed["engines"], &closed["limit"]["nodes"]),
        (&logs.len().into(), &70_000.into())
    );
    told
}

#[test]
fn engines_share_root_moves_and_lines() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let told = closed_by_all(&place, ROOT, 3);
    assert!(told.contains("(70,000 nodes on each of 3 engines, after pass "), "{told}");
    // Each of the two that share the moves out has chosen one, and one of these may be the best.
    let others = json(&place)["closing"]["others"].as_array().unwrap().len();
    assert!((1..=2).contains(&others) && told.contains("); next 3... "), "{told}");
    // The tree follows what was found, and is closed anew; the same command comes to rest.
    let closing = ["--engines", "3", "--closing-nodes", "70000"];
    let rests = |run: &usize| {
        let log = format!("again-{run}");
        succeeds(grow(&place, &log, &[], &closing));
        searches(&place, &log) == 0
    };
    assert!((1..12).any(|run| rests(&run)));
    succeeds(grow(&place, "four", &[], &["--engines", "4", "--closing-nodes", "70000"]));
    assert_eq!(json(&place)["closing"]["engines"], 4, "it has more nodes");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn closing_uses_at_most_one_engine_more_than_moves() {
    // In check, with two moves.
    let root = "4k3/8/8/8/7r/8/8/6BK w - - 0 1";
    let place = Place::new();
    let engine = scripted(&["--log", place.path("log").to_str().unwrap()]);
    let six = ["grow", "--engine", &engine, "--engines", "6", "--root", root, "--depth", "3"];
    let close = ["--closing-nodes", "70000", "--engine-depth", "5", "--distance", "20"];
    let told = succeeds(place.run(&[&six[..], &close].concat()));
    assert!(told.contains("(70,000 nodes on each of 3 engines, after pass "), "{told}");
    let closing = json(&place)["closing"].clone();
    // Each of the two moves is one engine's: both are told, with lines that begin with them.
    let others = closing["others"].as_array().unwrap();
    assert_eq!((&closing["engines"], others.len()), (&3.into(), 1), "{closing}");
    for chosen in [&closing, &others[0]] {
        assert_eq!(chosen["line"][0], chosen["uci"]);
    }
}

#[test]
fn an_excluded_move_is_not_searched() {
    let place = Place::new();
    let close = ["--closing-depth", "9"];
    succeeds(grow(&place, "log", &[], &close));
    let first = json(&place)["closing"].clone();
    let direct = ["direct", "--root", ROOT];
    place.stdout(&[&direct[..], &["exclude", first["san"].as_str().unwrap()]].concat());
    for (log, engines) in [("alone", "1"), ("two", "2")] {
        let told =
            succeeds(grow(&place, log, &[], &[&close[..], &["--engines", engines]].concat()));
        let closing = json(&place)["closing"].clone();
        assert_eq!(closing["engines"].to_string(), engines, "{told}");
        assert_ne!(closing["uci"], first["uci"], "{told}");
    }
    let transcripts = ["alone", "two"]
        .map(|log| std::fs::read_to_string(place.path(&format!("{log}-transcript"))).unwrap());
    let closings = transcripts.iter().flat_map(|all| all.lines());
    let shares = closings.filter_map(|line| line.split_once("go depth 9 searchmoves "));
    let shares: Vec<Vec<&str>> = shares.map(|(_, moves)| moves.split(' ').collect()).collect();
    assert_eq!(shares.len(), 3);
    let excluded = first["uci"].as_str().unwrap();
    assert!(!shares.iter().any(|moves| moves.contains(&excluded)), "{shares:?}");
    let root = deepanalyze_core::chess::parse_fen(ROOT).unwrap();
    let allowed = deepanalyze_core::chess::legal_uci(&root).len() - 1;
    let mut sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [allowed - 1, allowed, allowed], "all of them, or all but the best");
    // Earlier answers count again as soon as the move does.
    place.stdout(&[&direct[..], &["undo", "--all"]].concat());
    succeeds(grow(&place, "again", &[], &close));
    assert_eq!((json(&place)["closing"].clone(), searches(&place, "again")), (first, 0));
}

#[test]
fn failed_engine_leaves_other_shares() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    // One engine has all moves, and the other one leaves the best out.
    let closing = ["--engines", "2", "--closing-nodes", "500"];
    let output = grow(&place, "dies", &["--fault", "die:rank=1"], &closing);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("the closing search failed: engine"), "{}", stderr(&output));
    let half = json(&place)["closing"].clone();
    assert_eq!((&half["complete"], &half["others"]), (&false.into(), &Value::Array(Vec::new())));
    let words = " by 2 engines so far, after pass ";
    let text = place.stdout(&["show"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(words), "{text}");
    succeeds(grow(&place, "well", &[], &closing));
    let whole = json(&place)["closing"].clone();
    assert_eq!((&whole["engines"], &whole["complete"]), (&2.into(), &true.into()));
    let hashes = since_cleared(&place, "well");
    let roots = hashes.iter().flatten().filter(|asked| asked.contains("nodes 500"));
    assert_eq!(roots.count(), 1, "the other half was known");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn growing_tree_keeps_its_closing_until_a_newer() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--closing-depth", "9"]));
    let first = json(&place)["closing"].clone();
    succeeds(grow(&place, "log", &[], &["--depth", "5"]));
    let grown = json(&place);
    assert_eq!(grown["closing"], first);
    assert!(grown["passes"].as_u64() > first["passes"].as_u64());
    succeeds(grow(&place, "last", &[], &["--depth", "5", "--closing-depth", "9"]));
    assert_eq!(json(&place)["closing"]["passes"], grown["passes"]);
    assert_eq!(since_cleared(&place, "last"), [program("depth 9")]);
    // Another game to the same root has a tree of its own.
    let moves = ["--root", "startpos", "--moves", "e4 e5 Nf3 Nc6 Bc4"];
    let engine = scripted(&[]);
    let other = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    succeeds(place.run(&[&other[..], &["--depth", "3"], &moves].concat()));
    let shown = place.stdout(&[&["show", "--format", "json"], &moves[..]].concat());
    assert!(shown.contains("\"history\":[\"e2e4\"") && !shown.contains("closing"), "{shown}");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_dying_engine_s_closing_search_is_made_again() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--closing-depth", "9"]));
    let program = program("depth 9");
    let other = Place::new();
    succeeds(grow(&other, "log", &[], &[]));
    let starts = other.path("starts");
    // The tree is complete: nothing else is asked.
    let dies = ["--starts", starts.to_str().unwrap(), "--fault", "die:go=1,start=1"];
    let closing = ["--engines", "1", "--closing-depth", "9"];
    let told = succeeds(grow(&other, "dies", &dies, &closing));
    assert_eq!(told.matches("trying again").count(), 1, "{told}");
    let hashes = since_cleared(&other, "dies");
    assert_eq!(hashes.last().unwrap(), &program);
    assert_eq!(searches(&other, "dies"), 2);
    assert_eq!(json(&place), json(&other));
    // One that always dies there ends the run, and what was grown is kept.
    let starts = Place::new();
    let starts = starts.path("starts");
    let dies = ["--starts", starts.to_str().unwrap(), "--fault", "die:go=1"];
    let closing = ["--engines", "1", "--closing-depth", "10"];
    let other = Place::new();
    succeeds(grow(&other, "log", &[], &[]));
    let grown = json(&other);
    let output = grow(&other, "always", &dies, &closing);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("see it    deepanalyze show"), "{told}");
    assert!(
        told.contains("error: the tree is kept, but the closing search failed: engine"),
        "{told}"
    );
    assert_eq!(json(&other), grown);
}

#[test]
fn failed_share_goes_to_another_engine() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    // Two processes die of it, and a third one answers.
    let closing = ["--engines", "2", "--closing-nodes", "500"];
    let struck = place.path("struck");
    let dies = ["--struck", struck.to_str().unwrap(), "--fault", "die:rank=1,most=2"];
    let told = succeeds(grow(&place, "dies", &dies, &closing));
    assert_eq!(json(&place)["closing"]["engines"], 2, "{told}");
}
