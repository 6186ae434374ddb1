//! `show` and its kin on the built program, as a person meets them: text, lines, roots, terminals.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::{directed, scripted};

const COMMANDS: [&str; 18] = [
    "grow",
    "direct",
    "show",
    "export",
    "explore",
    "audit",
    "compare",
    "list",
    "rename",
    "delete",
    "copy",
    "log",
    "stats",
    "verify",
    "config",
    "engine",
    "completions",
    "man",
];

#[test]
fn show_defaults_to_the_last_grown_analysis() {
    let place = Place::new();
    place.grow(&["--moves", "d4", "--depth", "1"]);
    place.grow(&["--moves", "e4", "--depth", "1"]);
    let output = place.run(&["show"]);
    assert!(output.status.success());
    let note = "note: the initial position has no analysis; showing the latest, analysis 2\n";
    assert_eq!(stderr(&output), note);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, place.stdout(&["show", "--moves", "e4"]));
    let asked = place.run(&["show", "--root", "startpos"]);
    assert_eq!(asked.status.code(), Some(1), "the user has asked for it");
    place.grow(&["--depth", "1"]);
    place.grow(&["--moves", "e4", "--depth", "2"]);
    let output = place.run(&["show"]);
    assert_eq!(stderr(&output), "", "the initial position has an analysis");
}

#[test]
fn a_root_is_read_from_standard_input_too() {
    let place = Place::new();
    place.grow(&["--moves", "e4 c5", "--depth", "1"]);
    let through_pipe = |pgn: &str| {
        let mut command = place.command(&["show", "--pgn", "-", "--ply", "2"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(pgn.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = through_pipe("[Event \"?\"]\n\n1. e4 c5 2. Nf3 *\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nafter 1. e4 c5\n"), "{text} {}", stderr(&output));
    let output = through_pipe("[Event \"?\"]\n\n1. e5 *\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: standard input: game 1"), "{}", stderr(&output));
}

#[test]
fn colour_is_for_terminals_unless_unwanted() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let plain = place.stdout(&["show"]);
    assert!(!plain.contains('\x1b'), "{plain}");
    let on_terminal = |variable: &str| {
        let command = format!("{variable} TERM=xterm {} show", env!("CARGO_BIN_EXE_deepanalyze"));
        let mut script = place.command(&[]);
        let program = std::mem::replace(&mut script, Command::new("script"));
        drop(program);
        script.args(["-qec", &format!("env {command}"), "/dev/null"]);
        script.env("DEEPANALYZE_DB", place.db()).env_remove("NO_COLOR").stdin(Stdio::null());
        let output = script.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    if !crate::support::readers::installed("script", &["-qec", "true", "/dev/null"]) {
        return;
    }
    let coloured = on_terminal("A=1");
    assert!(coloured.contains("\x1b[1m"), "{coloured}");
    assert_eq!(on_terminal("NO_COLOR=1").replace("\r\n", "\n"), plain);
}

#[test]
fn closed_pipe_is_no_error_and_files_equal_pipes() {
    let place = Place::new();
    place.grow(&["--depth", "3"]);
    for format in ["text", "json", "pgn", "csv", "epd", "dot", "svg"] {
        let mut child = place.command(&["show", "--format", format]).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{format}");
        let text = place.stdout(&["show", "--format", format]);
        assert_eq!(place.stdout(&["show", "--format", format, "-o", "out"]), "");
        assert_eq!(std::fs::read_to_string(place.path("out")).unwrap(), text, "{format}");
    }
}

#[test]
fn a_list_has_its_formats_as_show_has() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let json = place.stdout(&["list", "--format", "json"]);
    let list: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&list[0]["analysis"], &list[0]["format"]), (&1.into(), &1.into()));
    assert_eq!(place.stdout(&["list", "--json"]), json, "the older name");
    assert_eq!(place.stdout(&["list", "--format", "text"]), place.stdout(&["list"]));
    assert!(!place.stdout(&["list", "--help"]).contains("--json"));
}

#[test]
fn completions_and_manuals_are_well_formed() {
    let place = Place::new();
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef deepanalyze"),
        ("fish", "complete -c deepanalyze"),
    ] {
        let text = place.stdout(&["completions", shell]);
        assert!(text.contains(part), "{shell}");
        assert!(text.contains("root-moves") && text.contains("closing"), "{shell}");
        for hidden in ["no-look-ahead", "closing-time", "distance-white", "lichess-url"] {
            assert!(!text.contains(hidden), "{shell} offers {hidden}");
        }
        std::fs::write(place.path(shell), text).unwrap();
    }
    let bash = Command::new("bash").arg("-n").arg(place.path("bash")).status().unwrap();
    assert!(bash.success());
    assert!(place.stdout(&["man"]).contains(".TH deepanalyze 1"));
    for command in [&["man"][..], &["man", "grow"], &["man", "export", "anki"]] {
        let page = place.stdout(command);
        for part in [".SH \"EXIT STATUS\"\n.TP\n", ".SH ENVIRONMENT", "DEEPANALYZE_DB", "130"] {
            assert!(page.contains(part), "no {part} in {command:?}: {page}");
        }
    }
    assert!(place.stdout(&["man", "grow"]).contains(".SH \"LIMITS OF THIS RUN\""));
    assert!(
        place.stdout(&["man", "direct", "include"]).contains(".TH deepanalyze-direct-include 1")
    );
    assert_eq!(place.run(&["man", "none"]).status.code(), Some(2));
    assert!(place.stdout(&["man", "grow"]).contains(".SH EXAMPLES\n.nf\n"));
    for command in COMMANDS {
        let help = place.stdout(&[command, "--help"]);
        assert!(help.contains("\nExample"), "{help}");
        // clap breaks no line of usage.
        let mut lines = help.lines().filter(|line| !line.starts_with("Usage:"));
        assert!(lines.all(|line| line.chars().count() <= 100), "{help}");
    }
}

#[test]
fn no_command_prints_those_that_fit_the_database() {
    let place = Place::new();
    let commands = |text: &str| {
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        let lines = text.lines().filter(|line| line.starts_with("  deepanalyze "));
        lines.map(|line| line.trim().split("   ").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(commands(&place.stdout(&[]))[0], "deepanalyze grow --for 1m");
    place.grow(&["--depth", "1"]);
    place.grow(&["--moves", "e4", "--depth", "2"]);
    let text = place.stdout(&[]);
    assert!(text.contains("Analysed last (just now): King's Pawn Game\n  1... "), "{text}");
    let fitting = commands(&text);
    let goes_on = ["deepanalyze grow --analysis 2", "deepanalyze show --analysis 2"];
    assert_eq!(fitting[..2], goes_on, "{text}");
    // The printed command continues: the tree is complete already.
    let engine = scripted(&[]);
    let words = ["grow", "--analysis", "2", "--engine", &engine, "--engines", "1"];
    let again = place.run(&words);
    assert!(
        stderr(&again).contains("Finished: depth 2 complete with engine depth 5\n"),
        "{}",
        stderr(&again)
    );
    assert!(stderr(&again).contains("this run  0 searches"), "{}", stderr(&again));
    let verdict = place.stdout(&["show", "--analysis", "2"]);
    let verdict = verdict.lines().next().unwrap().to_owned() + "\n";
    assert_eq!(String::from_utf8(again.stdout).unwrap(), verdict);
}

#[test]
fn analysis_resumes_by_number_with_its_engine() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "1", "--distance", "7,3+", "--root-moves", "2"]);
    let engine = scripted(&[]);
    let go_on = |more: &[&str]| {
        let words = ["grow", "--analysis", "1", "--engines", "1"];
        place.run(&[&words[..], more].concat())
    };
    let deeper = go_on(&["--engine", &engine, "--depth", "2"]);
    let said = stderr(&deeper);
    assert!(
        said.contains("tree      distance 7,3+, at least 2 root moves, to depth 2\n"),
        "{said}"
    );
    assert_eq!(place.stdout(&["list", "--format", "json"]).matches("\"analysis\"").count(), 1);
    // One engine depth is not a stage, whatever stages there are beside it.
    let wide = ["--distance", "7,3+", "--root-moves", "2", "--engine", &engine, "--engines", "1"];
    let stage = ["grow", "--moves", "e4", "--no-closing", "--max-searches", "30"];
    assert!(place.run(&[&stage[..], &wide].concat()).status.success());
    let again = go_on(&["--engine", &engine]);
    assert!(stderr(&again).contains("complete with engine depth 5\n"), "{}", stderr(&again));
    let own = place.stdout(&["show", "--analysis", "1"]);
    let own = own.lines().next().unwrap().to_owned() + "\n";
    assert_eq!(String::from_utf8(again.stdout).unwrap(), own);
    let other = scripted(&["--name", "Other"]);
    let refused = stderr(&go_on(&["--engine", &other]));
    assert!(refused.contains("error: analysis 1: it was analysed with Scripted 1; "), "{refused}");
    for (more, words) in [
        (&["--distance", "9"][..], "cannot be used with"),
        (&["--engine-depth", "9"], "cannot be used with"),
        (&["--played", "5%"], "cannot be used with"),
        (&["--keep-hash"], "cannot be used with"),
        (&["--tables", "nowhere"], "analysis 1 uses no tablebases"),
    ] {
        let refused = go_on(more);
        assert_eq!(refused.status.code(), Some(2), "{more:?}");
        assert!(stderr(&refused).contains(words), "{more:?}: {}", stderr(&refused));
    }
}

#[test]
fn a_line_that_ends_as_the_user_has_directed_says_so() {
    let place = directed::grown();
    for (line, words) in [
        ("h3", "the user has excluded h3 after the root"),
        ("h3 e5", "the user has excluded h3 after the root"),
        ("Nc3", "the tree ends with 1. Nc3, which is stopped"),
        ("Nc3 e5", "the tree ends with 1. Nc3, which is stopped"),
        ("Nf3 g5", "the tree ends with 1. Nf3 g5, which has the value: +1.50 for White"),
        ("Nf3 g5 Nxg5", "the tree ends with 1. Nf3 g5, which has the value: +1.50 for White"),
    ] {
        let output = place.run(&["show", "--line", line]);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(stderr(&output).lines().next(), Some(&*format!("error: {words}")), "{line}");
    }
}

#[test]
fn output_file_is_replaced_whole_or_not_at_all() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    place.grow(&["--depth", "2"]);
    let (file, link) = (place.path("out.json"), place.path("link.json"));
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let names = place.files();
    let output = place.run(&["show", "--format", "json", "-o", "link.json"]);
    let json = place.stdout(&["show", "--format", "json"]);
    let tenths = json.len() * 10 / 1024;
    let size = format!("{}.{} KiB", tenths / 10, tenths % 10);
    assert_eq!(stderr(&output), format!("wrote link.json ({size})\n"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), json);
    assert!(link.is_symlink());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$@\"", "sh"]);
    limited.arg(env!("CARGO_BIN_EXE_deepanalyze"));
    limited.args(["show", "--format", "html", "-o", "out.json"]).current_dir(place.path(""));
    limited.env("DEEPANALYZE_DB", place.db());
    let failed =
        limited.env("DEEPANALYZE_CONFIG", crate::support::program::SEALED).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    assert!(stderr(&failed).starts_with("error: cannot write out.json: "), "{}", stderr(&failed));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), json, "the old one is there");
    // SQLite's own files stay where a reader has opened the database without a right to write.
    let left = place.files().into_iter().filter(|name| !name.starts_with("tree.db-"));
    assert_eq!(left.collect::<Vec<_>>(), names, "nothing is left beside it");
    assert_eq!(place.stdout(&["show", "--format", "json", "-o", "/dev/stdout"]), json);
}
