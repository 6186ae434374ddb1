//! Alternatives.

use deepanalyze_core::chess::parse_fen;
use serde_json::Value;

use super::{Kind, centipawns, judged, result, synthetic};
use crate::support::program::{Place, stderr};
use crate::support::{assert_well, scripted};

const EPD: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - id \"Italian\";\n\
    rnbqkb1r/pp2pppp/2pp1n2/8/2PP4/8/PP1NPPPP/R1BQKBNR w KQkq - id \"Queen's pawn\";\n\
    8/8/8/8/8/2k4p/8/K7 w - - id \"two moves\";\n\
    8/5k2/8/8/3R4/8/2r5/1K6 b - - id \"rooks\";\n";

const ALTERNATIVES: Kind = Kind { epd: EPD, arguments };

const PLAYER: synthetic::Scale = synthetic::Scale { seed: 1, spread: 60, noise: 30 };

/// The judge's scale: more noise, so that it agrees with the arms in part.
const JUDGE: synthetic::Scale = synthetic::Scale { seed: 1, spread: 60, noise: 45 };

const TREES: [&str; 4] =
    ["--tree", "engine-depth=5 distance=15", "--tree", "engine-depth=4 distance=10 root-moves=4"];

fn arguments(place: &Place, log: &str, flags: &[&str], more: &[&str]) -> Vec<String> {
    let (of_player, of_judge) = (place.path(log), place.path(&format!("{log}-judge")));
    let player = ["--log", of_player.to_str().unwrap(), "--name", "Player", "--noise", "30"];
    let player = scripted(&[&player[..], flags].concat());
    let judge = ["--log", of_judge.to_str().unwrap(), "--name", "Judge", "--seed", "1"];
    let judge = scripted(&[&judge[..], &["--noise", "45"], flags].concat());
    let mut args = vec!["duel", "--epd", "suite.epd", "--engine", &player, "--nodes", "40000"];
    args.extend(["--alternatives", "4", "--judge", &judge, "--judge-nodes", "800001"]);
    args.extend(["--margin", "8", "--json", "duel.json"]);
    args.extend(TREES);
    args.extend_from_slice(more);
    args.into_iter().map(str::to_owned).collect()
}

/// Moves and centipawns of a list in the JSON.
fn list(json: &Value) -> Vec<(String, i64)> {
    let moves = json.as_array().unwrap().iter();
    moves
        .map(|of| (of["uci"].as_str().unwrap().to_owned(), of["centipawns"].as_i64().unwrap()))
        .collect()
}

fn of_engine(fen: &str, scale: synthetic::Scale, moves: usize) -> Vec<(String, i64)> {
    let scored = synthetic::scored_moves(&parse_fen(fen).unwrap(), scale).into_iter().take(moves);
    scored.map(|(uci, score)| (uci.to_string(), centipawns(score))).collect()
}

#[test]
fn judges_moves_are_its_lists_best_searched_alone() {
    let place = ALTERNATIVES.place();
    let (text, json) = ALTERNATIVES.result(&place, "log", &[], &[]);
    assert!(text.contains("MultiPV 6, then each of its moves alone with 200000 nodes"), "{text}");
    assert_eq!(json["kind"], "alternatives");
    assert_eq!(
        (&json["judge"]["listed"], &json["judge"]["nodes_of_each"]),
        (&6.into(), &200_000.into())
    );
    let mut other_order = 0;
    for position in json["positions"].as_array().unwrap() {
        let fen = position["fen"].as_str().unwrap();
        let listed = of_engine(fen, JUDGE, 6);
        let mut expected: Vec<(String, i64)> =
            listed.iter().map(|(uci, _)| (uci.clone(), judged(fen, uci, JUDGE))).collect();
        expected.sort_by_key(|(_, cp)| -cp);
        expected.truncate(4);
        assert_eq!(list(&position["judged"]), expected, "{fen}");
        other_order += usize::from(expected[0].0 != listed[0].0);
        assert_eq!(list(&position["lists"][0]["moves"]), of_engine(fen, PLAYER, 4), "{fen}");
    }
    assert!(other_order > 0, "the judge's own list is as good as its scores");
    let log = std::fs::read_to_string(place.path("log-judge")).unwrap();
    assert_eq!(log.matches("\tnodes 800001\t").count(), 4, "one list a position");
    assert_well(&place);
}

/// The sum and the number of counts in all positions.
#[derive(Default, Clone, Copy)]
struct Sum(f64, f64);

impl Sum {
    fn add(&mut self, value: f64) {
        *self = Sum(self.0 + value, self.1 + 1.0);
    }

    fn is(self, estimate: &Value, what: &str) {
        let value = estimate["value"].as_f64().unwrap();
        assert!(self.1 > 0.0 && (value - self.0 / self.1).abs() < 1e-9, "{what}: {estimate}");
        let [low, high] = ["low", "high"].map(|end| estimate[end].as_f64().unwrap());
        assert!(low <= value && value <= high, "{what}: {estimate}");
    }
}

fn truth(of: bool) -> f64 {
    f64::from(u8::from(of))
}

/// True if a list has two moves the other way round; half if it has neither.
fn wrong(list: &[(String, i64)], better: &str, worse: &str) -> f64 {
    let place = |uci: &str| list.iter().position(|(listed, _)| listed == uci).unwrap_or(99);
    match place(better).cmp(&place(worse)) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    }
}

#[test]
fn every_figure_can_be_worked_out_from_the_positions() {
    let place = ALTERNATIVES.place();
    let (_, json) = ALTERNATIVES.result(&place, "log", &[], &["--fleet", "3"]);
    let arms = json["arms"].as_array().unwrap();
    let names: Vec<String> = arms
        .iter()
        .map(|arm| format!("{} {} {}", arm["multipv_nodes"], arm["engines"], arm["tree"]))
        .collect();
    let tree = |name: &str| format!("null 3 \"{name}\"");
    assert_eq!(
        names,
        ["40000 null null".to_owned(), "120000 null null".to_owned(), tree("A"), tree("B")]
    );
    let mut differ = 0;
    for (index, arm) in arms.iter().enumerate() {
        let (mut listed, mut error, mut order, mut all) =
            (Sum::default(), Sum::default(), Sum::default(), Sum::default());
        let (mut second, mut missed, mut less) = (Sum::default(), Sum::default(), Sum::default());
        for position in json["positions"].as_array().unwrap() {
            let judge = list(&position["judged"]);
            let own = list(&position["lists"][index]["moves"]);
            let long = list(&position["lists"][1]["moves"]);
            assert!(own.len() <= 4);
            let of = |list: &[(String, i64)], uci: &str| {
                list.iter().find(|(of, _)| of == uci).map(|(_, cp)| *cp)
            };
            for (uci, cp) in &judge {
                let score = of(&own, uci);
                listed.add(truth(score.is_some()));
                if judge[0].1 - cp <= 20 {
                    missed.add(truth(score.is_none()));
                }
                #[allow(clippy::cast_precision_loss)]
                if let Some(score) = score {
                    error.add((score - cp).abs() as f64);
                    if let Some(other) = of(&long, uci) {
                        less.add(((score - cp).abs() - (other - cp).abs()) as f64);
                    }
                }
            }
            for (rank, (better, of_better)) in judge.iter().enumerate() {
                for (worse, of_worse) in &judge[rank + 1..] {
                    if of_better - of_worse > 8 {
                        all.add(wrong(&own, better, worse));
                        if of(&own, better).is_some() && of(&own, worse).is_some() {
                            order.add(wrong(&own, better, worse));
                        }
                    }
                }
            }
            second.add(truth(own.iter().take(2).any(|(uci, _)| *uci == judge[1].0)));
        }
        listed.is(&arm["listed"], "listed");
        error.is(&arm["error"], "error");
        order.is(&arm["wrong_order"], "order");
        all.is(&arm["wrong_order_of_all"], "order of all");
        second.is(&arm["second_found"], "second");
        missed.is(&arm["near_missed"], "missed");
        if arm["tree"].is_string() {
            let beside = &arm["less"].as_array().unwrap()[1];
            assert_eq!(beside["multipv_nodes"], 120_000);
            less.is(&beside["error"], "less");
            differ += usize::from(less.0 != 0.0);
        }
    }
    assert!(differ > 0, "no tree has another score than the search");
}

#[test]
fn it_repeats_without_a_search_at_any_number_of_lanes() {
    let place = ALTERNATIVES.repeats(&[], 60);
    // A known list is no answer of another duel: its own search takes the best move alone.
    let stored = place.stored();
    assert!(stored.iter().any(|(_, rank)| *rank == 5), "six moves of the judge's list");
}

#[test]
fn killed_again_and_again_it_gives_the_same_bytes() {
    ALTERNATIVES.survives_kills(&["--fleet", "2"], 14, 9, 3);
}

#[test]
fn what_makes_no_sense_is_refused_and_makes_nothing() {
    let place = ALTERNATIVES.place();
    let engine = scripted(&[]);
    let base = ["duel", "--epd", "suite.epd", "--engine", &engine, "--nodes", "900"];
    let judge = ["--judge", &engine, "--judge-nodes", "9000"];
    let tree = ["--tree", "engine-depth=5"];
    for (more, words) in [
        (&["--alternatives", "1"][..], "'1' for '--alternatives <N>'"),
        (&["--alternatives", "9"], "'9' for '--alternatives <N>'"),
        (&["--alternatives", "4", "--judge-all"], "cannot be used with"),
        (&["--alternatives", "4", "--threads", "--fleet", "2"], "cannot be used with"),
        (&["--alternatives", "4", "--split", "--fleet", "2"], "cannot be used with"),
        (&["--alternatives", "4", "--tree", "stages=5"], "which only --fleet takes"),
        (
            &["--alternatives", "4", "--tree", "engine-depth=5 closing=1/2"],
            "without a closing search of one engine",
        ),
        (
            &["--alternatives", "4", "--fleet", "1,3", "--tree", "engine-depth=5 closing=1/2"],
            "without a closing search of one engine",
        ),
        (
            &["--alternatives", "4", "--fleet", "2", "--tree", "engine-depth=5 hash=kept"],
            "hash=cleared",
        ),
    ] {
        let output = place.run(&[&base[..], &judge, &tree, more].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {said}");
        assert!(said.replace('\n', " ").contains(words), "{more:?}: {said}");
        assert!(!place.db().exists(), "{more:?} made a database");
    }
    let output = place.run(&[&base[..], &tree, &["--alternatives", "4"]].concat());
    assert!(output.status.code() == Some(2) && stderr(&output).contains("--judge <CMD>"));
    let few = scripted(&["--max-multipv", "3"]);
    let args =
        ["duel", "--epd", "suite.epd", "--engine", &few, "--nodes", "900", "--alternatives", "4"];
    let output = place.run(&[&args[..], &judge, &tree].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("cannot list 4 moves: its MultiPV ends at 3"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn text_has_lists_figures_and_the_trees_differences() {
    let place = ALTERNATIVES.place();
    let (text, _) = ALTERNATIVES.result(&place, "log", &[], &["--fleet", "2"]);
    for words in [
        "arms      the 4 best moves with their scores: 40000 nodes of one engine; virtual time",
        "judge     Judge, 800001 nodes, 10 times those of the longest list:",
        "order     moves that the judge has within 8 centipawns are in none",
        "tree B    engine-depth=4 distance=10 root-moves=4 hash=cleared",
        "judge | MultiPV 40000 | MultiPV 80000 | tree A, 2 engines | tree B, 2 engines\n",
        "\nMultiPV 4, 80000 nodes\n  listed        ",
        " of the listed pairs; tau ",
        "\n  less MultiPV 4, 40000 nodes:\n    listed ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let row = text.lines().find(|line| line.starts_with("two moves")).unwrap();
    assert_eq!(row.matches(" | ").count(), 4, "{row}");
    assert!(row.contains("Kb1 ") && row.contains("Ka2 "), "{row}");
}

#[test]
fn stockfish_and_its_trees_name_moves() {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    let place = ALTERNATIVES.place();
    std::fs::write(place.path("suite.epd"), EPD.split_inclusive('\n').take(2).collect::<String>())
        .unwrap();
    let args = ["duel", "--epd", "suite.epd", "--engine", "stockfish", "--nodes", "20000"];
    let judge = ["--judge", "stockfish", "--judge-nodes", "400000", "--alternatives", "4"];
    let tree = ["--tree", "engine-depth=6 root-moves=4", "--json", "duel.json"];
    let args = [&args[..], &judge, &tree].concat();
    let right = result(&place, &place.run(&args));
    let (_, json) = &right;
    let [search, tree] = &json["arms"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!((&search["without_moves"], &tree["without_moves"]), (&0.into(), &0.into()));
    let error = |arm: &Value| arm["error"]["value"].as_f64().unwrap();
    assert!(error(search) < 60.0 && error(tree) < 60.0, "{} {}", error(search), error(tree));
    assert!(search["listed"]["value"].as_f64().unwrap() > 0.6, "{search}");
    let lists = json["positions"][0]["lists"].as_array().unwrap();
    assert!(lists.iter().all(|list| list["moves"].as_array().unwrap().len() == 4), "{lists:?}");
    let answers = place.stored().len();
    assert_eq!((result(&place, &place.run(&args)), place.stored().len()), (right, answers));
}
