//! Plain English: output has no phrase that reads like a translation, and no word that is not in
//! the list beside this file, where new words are added (docs/words.md); sources, scripts of the
//! page among them, have none of the phrases in comments, messages and names of tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::program::Place;
use crate::support::scripted;

/// Phrases that are ours alone, or another language's.
const PHRASES: &[&str] = &[
    "and be it",
    "endgame table",
    "goes by ",
    "is believed",
    "is heard of",
    "is said of",
    "is told of",
    "left behind",
    "nobody",
    "not believed",
    "share out",
    "shared out",
    "shares out",
    "so many",
    "stands in the way",
    "stood on",
    "take over",
    "taken back",
    "taken over",
    "there is no such",
    "where it has none",
    "which ones there are",
    "whoever",
];

/// Phrases that are plain in a comment, but not in output.
const OUTPUT_PHRASES: &[&str] =
    &["complains", "go by ", "goes by", "is that of", "tables of", "the same, ", "whose answers"];

/// Beginnings of a comment that describes a role in a clause and does not name the thing.
const CLAUSES: &[&str] = &[
    "That of",
    "The same as",
    "The same but",
    "The same for",
    "The same in",
    "The same of",
    "The same where",
    "The same with",
    "The same,",
    "Those",
    "What",
    "Whether",
    "Which",
    "Who",
    "Whoever",
    "Whose",
];

/// The longest name of a test.
const LONGEST_NAME: usize = 50;

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
    assert!(told.starts_with(
        &["grow", "show", "why", "export", "serve", "direct", "games"].map(str::to_owned)
    ));
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
        for phrase in PHRASES.iter().chain(OUTPUT_PHRASES) {
            assert!(!flowing.contains(phrase), "{line:?} says {phrase:?}: {text}");
        }
        unknown.extend(words_of(text).into_iter().filter(|word| !known.contains(&**word)));
    }
    assert!(unknown.is_empty(), "words that are not in tests/commands/words.txt: {unknown:?}");
}

/// Folders without sources of ours: the laboratory, what is built, packages of others.
const NOT_OURS: &[&str] = &["crates/lab", "dist", "node_modules"];

/// The ends of names of sources: all but the first are scripts of the page and of its tests.
const ENDS: &[&str] = &["rs", "ts", "tsx", "mjs"];

/// The sources of a folder, without those that are generated.
fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !NOT_OURS.iter().any(|name| path.ends_with(name)) {
                sources(&path, all);
            }
        } else if path.extension().is_some_and(|end| ENDS.iter().any(|one| end == *one))
            && !path.ends_with("web/shared/contract.ts")
        {
            all.push(path);
        }
    }
}

/// The text of a line that is a comment: `//`, or in a script `/* ... */` on one line.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim();
    let block = || line.trim_start_matches('{').strip_prefix("/*")?.split("*/").next();
    let text = line.strip_prefix("//").or_else(block)?;
    Some(text.trim_start_matches(['/', '!', '*']).trim())
}

/// The paragraphs of the comments in a source.
fn paragraphs(source: &str) -> Vec<String> {
    let lines = source.lines().map(|line| comment(line).unwrap_or_default());
    let lines: Vec<&str> = lines.collect();
    lines.split(|line| line.is_empty()).map(|lines| lines.join(" ")).collect()
}

/// The names of the tests in a source.
fn tests_of(source: &str) -> impl Iterator<Item = &str> {
    let behind = source.split("#[test]\n").skip(1);
    behind.filter_map(|text| text.split_once("fn ")?.1.split_once('(').map(|(name, _)| name))
}

/// The code of a source that is in the program, without comments, in lower case.
fn code(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| comment(line).is_none());
    let words = lines.flat_map(|line| line.trim_end_matches('\\').split_whitespace());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The words of a source that are not plain. Messages of tests are not checked.
fn not_plain(source: &str, is_test: bool) -> Vec<String> {
    let phrase_in = |text: &str| PHRASES.iter().find(|phrase| text.contains(**phrase));
    let mut found = Vec::new();
    for text in paragraphs(source) {
        let begins = |clause: &&&str| {
            text.strip_prefix(**clause).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let bad = CLAUSES.iter().find(begins).or_else(|| phrase_in(&text.to_lowercase()));
        found.extend(bad.map(|bad| format!("{bad:?} in a comment: {text}")));
    }
    for name in tests_of(source) {
        let bad = phrase_in(&format!("{} ", name.replace('_', " ")));
        found.extend(bad.map(|bad| format!("{bad:?} in the name of a test: {name}")));
        if name.len() > LONGEST_NAME {
            found.push(format!("more than {LONGEST_NAME} characters: {name}"));
        }
    }
    let bad = if is_test { None } else { phrase_in(&code(source)) };
    found.extend(bad.map(|bad| format!("{bad:?} in a message")));
    found
}

#[test]
fn sources_are_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    ["crates", "src", "tests", "web"]
        .iter()
        .for_each(|folder| sources(&root.join(folder), &mut all));
    assert!(all.len() > 500, "{} sources", all.len());
    let mut found = Vec::new();
    for path in all {
        let name = path.strip_prefix(root).unwrap();
        let is_test = name.iter().any(|part| part.to_string_lossy().contains("tests"));
        let bad = not_plain(&std::fs::read_to_string(&path).unwrap(), is_test);
        found.extend(bad.iter().map(|bad| format!("{}: {bad}", name.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn words_that_are_not_plain_are_found() {
    let bad = [
        "/// What it is.\nstruct A;\n",
        "/** What it is. */\nconst A = 1;\n",
        "  {/* Whoever clicks. */}\n",
        "//! Fine.\n//!\n//! Those of a file.\n",
        "// It is for\n// nobody.\n",
        "const A: &str = \"it is taken \\\n    over\";\n",
        "#[test]\nfn no_name_of_a_test_has_more_than_fifty_characters_in_it() {}\n",
        "#[test]\n#[cfg(unix)]\nfn whoever_asks_is_answered() {}\n",
    ];
    bad.iter().for_each(|source| assert!(!not_plain(source, false).is_empty(), "{source}"));
    let fine = "/// Whatever it is, so that nothing\n/// Those of a file are kept.\nfn a() {}\n";
    assert_eq!(not_plain(fine, false), [""; 0]);
    assert_eq!(not_plain("const A: &str = \"nobody\";", true), [""; 0], "only in tests");
}
