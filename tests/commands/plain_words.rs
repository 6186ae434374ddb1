//! What the program says is plain English: no phrase that reads like a translation, no word that is not in the list beside
//! this file. Whoever needs a new word adds it there (docs/words.md says which words are ours).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;

use crate::support::program::Place;
use crate::support::scripted;

/// Phrases that are ours alone, or another language's.
const PHRASES: &[&str] = &[
    "and be it",
    "as long as nobody",
    "complains",
    "endgame table",
    "go by ",
    "goes by",
    "is believed",
    "is heard of",
    "is said of",
    "is that of",
    "is told of",
    "left behind",
    "nobody",
    "not believed",
    "of so many",
    "share out",
    "shared out",
    "shares out",
    "so many",
    "stands in the way",
    "stood on",
    "take over",
    "taken back",
    "taken over",
    "tables of",
    "the same, ",
    "there is no such",
    "where it has none",
    "which ones there are",
    "whoever",
    "whose answers",
];

/// All words that may be used, in alphabetical order.
const WORDS: &str = include_str!("words.txt");

/// Something that the program has said, and the arguments that made it.
type Said = (String, String);

/// The subcommands that a help text lists, in whatever groups, between its usage and its options.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.split("\nUsage:").nth(1).and_then(|rest| rest.split("\nOptions:").next());
    let is_row = |row: &&str| {
        row.strip_prefix("  ").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let names = listed
        .unwrap_or_default()
        .lines()
        .filter(is_row)
        .filter_map(|row| row.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_help_has_every_command_once_in_a_group() {
    let place = Place::new();
    let help = place.stdout(&["--help"]);
    let groups = ["Analyse:", "Check:", "Share:", "Connect:", "More:", "Options:"];
    let places = groups.map(|group| help.find(&format!("\n{group}\n")).expect(group));
    assert!(places.is_sorted(), "{help}");
    let told = subcommands(&help);
    assert!(
        told.starts_with(
            &["grow", "show", "export", "serve", "direct", "games"].map(str::to_owned)
        )
    );
    let completed = place.stdout(&["completions", "bash"]);
    let (_, opts) = completed.split_once("opts=\"-h ").unwrap();
    let (opts, _) = opts.split_once('"').unwrap();
    let all: BTreeSet<&str> =
        opts.split_whitespace().filter(|word| !word.starts_with('-') && *word != "help").collect();
    assert_eq!(told.iter().map(String::as_str).collect::<BTreeSet<_>>(), all);
    assert_eq!(told.len(), all.len(), "{told:?}");
    assert_eq!(place.stdout(&["-h"]).matches("\nCheck:\n").count(), 1);
}

/// The help of a command and of all below it.
fn helps(place: &Place, words: &[&str], all: &mut Vec<Said>) {
    let help = place.stdout(&[words, &["--help"]].concat());
    for name in subcommands(&help) {
        helps(place, &[words, &[&name]].concat(), all);
    }
    all.push((words.join(" "), help));
}

/// Output of commands that fail, and of some that succeed.
fn messages(place: &Place) -> Vec<Said> {
    std::fs::write(place.path("game.pgn"), "1. e4 e5 2. Nf3 *\n").unwrap();
    std::fs::write(place.path("bad.pgn"), "1. e4 e5 2. Ke3 *\n").unwrap();
    std::fs::write(place.path("bad.epd"), "no position\n").unwrap();
    std::fs::write(place.path("empty.db"), "").unwrap();
    std::fs::write(place.path("text.db"), "not a database at all, but long enough").unwrap();
    let engine = scripted(&[]);
    let lines = [
        "",
        "config",
        "doctor --engine nothing-there",
        "grow --root 4k3/8/8/8/8/8/8/4K3",
        "grow --root 8/8/8/8/8/8/8/8 w - - 0 1",
        "grow --moves e2e5",
        "grow --pgn none.pgn",
        "grow --pgn bad.pgn",
        "grow --pgn game.pgn --game 7",
        "grow --pgn game.pgn --ply 70",
        "grow --epd bad.epd",
        "grow --engine nothing-there",
        "grow --engine false",
        "grow --engines 0",
        "grow --until-holds 5",
        "grow --for x",
        "grow --until-stable 200",
        "grow --distance x",
        "grow --played 5%",
        "grow --tables nowhere",
        "grow --fifty iccf",
        "grow --format json",
        "grow --db nowhere/tree.db --engine ENGINE",
        "grow --db text.db --engine ENGINE",
        "grow --analysis 99",
        "grow --engine ENGINE --engine-depth 3 --depth 2 --verbose",
        "grow --engine ENGINE --engine-depth 3 --depth 2",
        "grow --engine ENGINE --pgn game.pgn --every --engine-depth 3 --depth 1",
        "grow --engine ENGINE --max-searches 0 --moves d4",
        "show --analysis 99",
        "show --moves h4",
        "show --db none.db",
        "show --db empty.db",
        "show --db text.db",
        "show",
        "show --all",
        "show --people",
        "show --line a3",
        "show --max-loss 5",
        "show --format polyglot -o tree.db",
        "export pgn --clear 3",
        "export anki --sort draws",
        "grow --closing 9",
        "grow --closing 24d --keep-hash",
        "list",
        "list --long",
        "list --sources",
        "list --conflicts",
        "log",
        "stats",
        "verify",
        "audit --side white",
        "review game.pgn",
        "review game.pgn --player Nemo",
        "recheck --analysis 1 --engine ENGINE --engine-depth 3",
        "compare 1 1",
        "compare 1 99",
        "rename x",
        "delete --analysis 1",
        "copy tree.db",
        "copy .",
        "diff",
        "diff none.db",
        "merge none.db",
        "merge text.db",
        "merge --take-back nothing",
        "direct exclude e5",
        "direct exclude e4",
        "direct include e4",
        "direct value e4 much",
        "direct value  0.5",
        "direct undo d4",
        "direct note e4 ",
        "direct list",
        "games list",
        "games show",
        "games show nothing",
        "games remove nothing",
        "games add nothing none.pgn",
        "lichess",
        "explore",
        "uci --engines 0",
        "completions klingon",
        "man nothing",
        "nothing",
    ];
    let run = |line: &&str| {
        let words: Vec<&str> = if line.is_empty() { vec![] } else { split(line) };
        let words: Vec<&str> =
            words.into_iter().map(|word| if word == "ENGINE" { &*engine } else { word }).collect();
        let output = place.run(&words);
        let told = [output.stdout, output.stderr].concat();
        ((*line).to_owned(), String::from_utf8(told).unwrap())
    };
    lines.iter().map(run).collect()
}

/// The words of a line; a FEN with its fields is one.
fn split(line: &str) -> Vec<&str> {
    match line.split_once("--root ") {
        Some((before, fen)) => {
            before.split(' ').filter(|word| !word.is_empty()).chain(["--root", fen]).collect()
        }
        None => line.split(' ').collect(),
    }
}

/// The words of prose in a text: no options, names in capitals, code, quotations (`'x'`, too), moves, paths or figures.
fn words_of(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (index, part) in text.split(['`', '"']).enumerate() {
        if index % 2 == 1 {
            continue;
        }
        for token in part.split(|c: char| c.is_whitespace() || "()[]<>|…".contains(c)) {
            let token = token.trim_end_matches(['.', ',', ';', ':', '!', '?']);
            let word = token.strip_suffix("'s").unwrap_or(token).trim_end_matches('\'');
            let is_prose = word.len() > 2
                && word.chars().all(|c| c.is_ascii_alphabetic())
                && word.chars().skip(1).all(|c| c.is_ascii_lowercase());
            if is_prose {
                words.insert(word.to_lowercase());
            }
        }
    }
    words
}

#[test]
fn help_and_messages_are_plain_english() {
    let place = Place::new();
    let mut said = Vec::new();
    helps(&place, &[], &mut said);
    assert!(said.len() > 35, "{} commands", said.len());
    said.extend(messages(&place));
    let known: BTreeSet<&str> = WORDS.split_whitespace().collect();
    let mut unknown = BTreeSet::new();
    for (line, text) in &said {
        assert!(!text.is_empty(), "{line:?} says nothing");
        let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        for phrase in PHRASES {
            assert!(!flowing.contains(phrase), "{line:?} says {phrase:?}: {text}");
        }
        unknown.extend(words_of(text).into_iter().filter(|word| !known.contains(&**word)));
    }
    assert!(unknown.is_empty(), "words that are not in tests/commands/words.txt: {unknown:?}");
}
