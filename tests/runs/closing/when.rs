//! When a run has a closing search, for how long, and what ends it.

use super::*;

/// The arguments of a run in stages, with an engine whose searches take a little.
fn timed<'a>(engine: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let always = ["grow", "--engine", engine, "--engines", "2", "--distance", "20", "--root", ROOT];
    [&always[..], rest].concat()
}

/// The nodes that the tree's searches of the longest rehearsal took, of so many.
fn longest_rehearsal(place: &Place, engines: usize) -> u64 {
    let store = Store::open(&place.db()).unwrap();
    let row = store.analyses().unwrap().remove(0);
    let nodes = |position: &_| {
        store.priced_answer(row.profile_id, position, 0).unwrap().map_or(0, |answer| answer.nodes)
    };
    let shares = load(&store, row.id).unwrap().growth.root_shares(engines);
    shares.iter().map(|share| share.rehearsal.iter().map(nodes).sum()).max().unwrap()
}

#[test]
fn a_time_is_as_many_nodes_as_the_engines_of_the_tree_search_in_it() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let stats = place.stdout(&["stats", "--analysis", "1", "--format", "json"]);
    let cost: Value = serde_json::from_str(&stats).unwrap();
    let of = |figure: &str| cost[figure].as_u64().unwrap();
    // Of each search's time half a millisecond is missing.
    let all = 2 * of("nodes") * 5_000 / (of("searches") + 2 * of("engine_time_ms"));
    // What goes through the lines is paid from it.
    let mut expected = all - longest_rehearsal(&place, 2);
    assert!(expected < all && expected > all / 2, "{expected} of {all}");
    let unit = 10_u64.pow(expected.ilog10() - 1);
    expected = expected / unit * unit;
    let closing = ["--engines", "2", "--closing-time", "5s"];
    let told = succeeds(grow(&place, "timed", &[], &closing));
    let closed = json(&place)["closing"].clone();
    assert_eq!((&closed["limit"]["nodes"], &closed["engines"]), (&expected.into(), &2.into()));
    assert!(told.contains(" on each of 2 engines, for about 5"), "{told}");
    let refused = grow(&place, "both", &[], &["--closing-time", "5s", "--closing-depth", "9"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn of_several_closing_searches_that_of_the_most_nodes_is_shown() {
    let place = Place::new();
    let shown = |option: &str, limit: &str| {
        succeeds(grow(&place, "log", &[], &[option, limit]));
        json(&place)["closing"].clone()
    };
    assert_eq!(shown("--closing-nodes", "100")["limit"]["nodes"], 100);
    let deep = shown("--closing-depth", "9");
    assert_eq!(deep["limit"]["depth"], 9);
    assert!(deep["nodes"].as_u64().unwrap() > 300, "{deep}");
    assert_eq!(shown("--closing-nodes", "200"), deep, "it has more nodes");
    assert_eq!(shown("--closing-nodes", "9000000")["limit"]["nodes"], 9_000_000);
}

#[test]
fn a_deeper_stage_shows_the_closing_search_of_another() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--closing-nodes", "70000"]));
    let first = json(&place)["closing"].clone();
    assert_eq!(first["tree_limit"]["depth"], 5);
    let engine = scripted(&[]);
    let deeper = ["grow", "--engine", &engine, "--engine-depth", "7", "--distance", "20"];
    let rest = ["--root", ROOT, "--depth", "3", "--engines", "1"];
    succeeds(place.run(&[&deeper[..], &rest].concat()));
    let shown = json(&place);
    assert_eq!((&shown["engine"]["limit"]["depth"], &shown["closing"]), (&7.into(), &first));
    let text = place.stdout(&["show"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let words = format!("(70000 nodes, after pass {} with engine depth 5)", first["passes"]);
    assert!(text.contains(&words), "{text}");
    // Other distances are another question.
    let wider = ["grow", "--engine", &engine, "--engine-depth", "7", "--distance", "30"];
    succeeds(place.run(&[&wider[..], &rest].concat()));
    assert_eq!(json(&place).get("closing"), None);
}

#[test]
fn the_second_half_of_a_time_is_for_a_closing_search() {
    let place = Place::new();
    let engine = scripted(&["--jitter-ms", "20"]);
    // There is a tree before the time begins.
    let told = succeeds(place.run(&timed(&engine, &["--max-searches", "60"])));
    assert!(!told.contains("closing"), "{told}");
    let told = succeeds(place.run(&timed(&engine, &["--for", "4s"])));
    let begins = "time      2.0s for the tree, then 2.0s for a closing search (--no-closing: none)";
    assert!(told.lines().any(|line| line == begins), "{told}");
    let shown = json(&place);
    let closing = &shown["closing"];
    assert_eq!((&closing["engines"], &closing["passes"]), (&2.into(), &shown["passes"]), "{told}");
    let nodes = closing["limit"]["nodes"].as_u64().unwrap();
    assert!(
        told.contains(&format!("closing   {nodes} nodes on each of 2 engines, for about 1.")),
        "{told}"
    );
    let told = succeeds(place.run(&timed(&engine, &["--for", "200ms", "--no-closing"])));
    assert!(!told.contains("closing"), "{told}");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn where_a_closing_search_would_not_fit_the_tree_has_all_of_the_time() {
    let place = Place::new();
    let engine = scripted(&["--jitter-ms", "20"]);
    succeeds(place.run(&timed(&engine, &["--max-searches", "60"])));
    // Searches of an hour each.
    place.sql("UPDATE search SET time_ms = 3600000");
    let told = succeeds(place.run(&timed(&engine, &["--for", "4s"])));
    let note = "note: too little time for a closing search of this tree; the tree has all of it";
    assert_eq!(told.lines().filter(|line| *line == note).count(), 1, "{told}");
    assert_eq!(json(&place).get("closing"), None);
    assert_eq!(told.matches("this run").count(), 1, "{told}");
    let line = told.lines().find(|line| line.starts_with("this run  ")).unwrap();
    let seconds = line.rsplit(' ').next().unwrap().trim_end_matches('s').parse::<f64>().unwrap();
    assert!(seconds >= 4.0, "both halves: {told}");
}

#[test]
fn where_a_closing_search_fails_the_tree_has_the_rest_of_the_time() {
    let place = Place::new();
    let args = |engine: &str, limit: [&'static str; 2]| {
        let mut args: Vec<String> = timed(engine, &limit).into_iter().map(Into::into).collect();
        args[4] = "1".to_owned();
        args
    };
    let run = |args: &[String]| place.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    succeeds(run(&args(&scripted(&["--jitter-ms", "20"]), ["--max-searches", "60"])));
    // The processes of the closing search die at their third search, those of the tree do not.
    let starts = place.path("starts");
    let starts = ["--jitter-ms", "20", "--starts", starts.to_str().unwrap()];
    let dies = scripted(&[&starts[..], &["--fault", "die:go=3,from=2,until=4"]].concat());
    let told = succeeds(run(&args(&dies, ["--for", "4s"])));
    let at = |text: &str| told.find(text).unwrap_or_else(|| panic!("no {text:?}: {told}"));
    assert!(at("warning: the closing search failed: engine") < at("note: the tree has the "));
    assert_eq!(told.matches("this run  ").count(), 2, "{told}");
    assert!(at("note: the tree has the ") < told.rfind("this run  ").unwrap(), "{told}");
    let searches = told.lines().filter_map(|line| line.strip_prefix("this run  "));
    assert!(searches.clone().all(|searches| !searches.starts_with("0 ")), "{told}");
    assert_eq!(json(&place).get("closing"), None);
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn a_run_that_reaches_a_limit_is_closed_too_unless_it_has_no_answer() {
    let place = Place::new();
    let closing = ["--engines", "1", "--closing-depth", "9"];
    succeeds(grow(&place, "none", &[], &[&closing[..], &["--max-searches", "0"]].concat()));
    assert!(place.stdout(&["list"]).starts_with("no analysis in "), "nothing is kept");
    succeeds(grow(&place, "some", &[], &[&closing[..], &["--max-searches", "20"]].concat()));
    let shown = json(&place);
    assert_eq!(shown["closing"]["passes"], shown["passes"]);
    assert_eq!(since_cleared(&place, "some").last(), Some(&program(&place, "depth 9")));
    let place = Place::new();
    let told = grow(&place, "log", &[], &[&closing[..], &["--quiet"]].concat());
    assert_eq!(
        (succeeds(told).as_str(), &json(&place)["closing"]["limit"]["depth"]),
        ("", &9.into())
    );
}

#[test]
fn a_machine_that_is_down_is_passed_over() {
    let place = Place::new();
    let log = place.path("log");
    let engine = format!("1*{}", scripted(&["--log", log.to_str().unwrap()]));
    let args = ["grow", "--engine", "1*false", "--engine", &engine, "--engine-depth", "5"];
    let rest = ["--distance", "20", "--root", ROOT, "--depth", "2", "--closing-depth", "9"];
    let told = succeeds(place.run(&[&args[..], &rest].concat()));
    let warning = |line: &&str| line.starts_with("warning: ") && line.contains("false");
    let last = told.lines().rfind(warning).unwrap();
    assert!(last.ends_with("; the other engines take its moves"), "{told}");
    let closing = json(&place)["closing"].clone();
    assert_eq!((&closing["limit"]["depth"], &closing["engines"]), (&9.into(), &2.into()));
}

#[test]
fn a_signal_while_the_engine_starts_is_heeded() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let starts = place.path("starts");
    let mute = ["--starts", starts.to_str().unwrap(), "--fault", "mute-at-start:start=2"];
    let closing = ["--engines", "1", "--closing-depth", "9"];
    let args = arguments(&place, "mute", &mute, &closing);
    let child =
        place.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    wait_until("a second start", || std::fs::metadata(&starts).is_ok_and(|file| file.len() == 2));
    signal(i64::from(child.id()), "TERM");
    let output = child.wait_with_output().unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "else the engine was waited for: {told}");
    assert!(no_process(&place.path("mute")));
}

#[test]
fn an_interrupt_ends_the_closing_search_and_the_same_command_makes_it() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let before = json(&place);
    let closing = ["--closing-depth", "9"];
    let args = arguments(&place, "slow", &["--fault", "held:logged=2"], &closing);
    let child =
        place.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    wait_until("the second search", || searches(&place, "slow") == 2);
    signal(i64::from(child.id()), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("closing   interrupted: the next run makes one at its end"), "{told}");
    assert!(no_process(&place.path("slow")));
    assert_eq!(json(&place), before);
    succeeds(grow(&place, "last", &[], &closing));
    assert_eq!(since_cleared(&place, "last"), [program(&place, "depth 9")]);
    assert_eq!(json(&place)["closing"]["limit"]["depth"], 9);
}

fn no_process(log: &Path) -> bool {
    crate::support::left_behind(log.to_str().unwrap()).is_empty()
}

#[test]
fn what_a_closing_search_does_not_go_with_is_refused() {
    let place = Place::new();
    std::fs::write(place.path("roots.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap();
    for (args, words) in [
        (vec!["--closing-depth", "0"], "'0' for '--closing-depth <N>'"),
        (vec!["--closing-nodes", "0"], "'0' for '--closing-nodes <N>'"),
        (vec!["--closing-depth", "9", "--closing-nodes", "9"], "cannot be used with"),
        (vec!["--closing-depth", "9", "--no-closing"], "cannot be used with"),
        (vec!["--closing-depth", "9", "--keep-hash"], "cannot be used with '--keep-hash'"),
    ] {
        let output = grow(&place, "log", &[], &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    }
    let engine = scripted(&[]);
    let batch = ["grow", "--engine", &engine, "--epd", "roots.epd", "--closing-depth", "9"];
    let output = place.run(&batch);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("needs a single position, not a batch"),
        "{}",
        stderr(&output)
    );
    assert!(!place.db().exists());
    // A finished root has nothing to search.
    let mate = ["--root", "7k/5KQ1/8/8/8/8/8/8 b - -", "--closing-depth", "9"];
    let engine = scripted(&[]);
    let told = succeeds(place.run(&[&["grow", "--engine", &engine], &mate[..]].concat()));
    assert!(!told.contains("closing"), "{told}");
}

#[test]
fn stockfish_closes_the_same_tree_in_the_same_way_every_time() {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    for closing in [1, 3] {
        let shown = [2, 1].map(|growing| {
            let place = Place::new();
            let always = ["grow", "--engine", "stockfish", "--engine-depth", "6", "--depth", "2"];
            let run = |engines: u32, more: &[&str]| {
                let args = ["--root", ROOT, "--engines", &engines.to_string()];
                succeeds(place.run(&[&always[..], &args, more].concat()));
            };
            run(growing, &[]);
            run(closing, &["--closing-nodes", "20000"]);
            json(&place)
        });
        let nodes = shown[0]["closing"]["nodes"].as_u64().unwrap();
        assert!(nodes >= 20_000 * u64::from(closing), "{}", shown[0]["closing"]);
        assert_eq!(shown[0], shown[1]);
    }
}
