//! The server for language models: its tools, over the protocol.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::program::{Place, wait};
use crate::support::readers::has_mcp;
use crate::support::scripted;
use crate::tree::claims::worked_claims;
use crate::tree::vectors::keep;

/// A root with several moves that count.
const ROOT: &[&str] = &["--root", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 3 40"];

fn grown() -> Place {
    let place = Place::new();
    place.grow(&[ROOT, &["--depth", "3", "--root-moves", "3"]].concat());
    place
}

/// A client that writes the protocol by hand.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
    /// Notes on progress.
    notes: Vec<Value>,
}

impl Client {
    fn start(place: &Place, more: &[&str]) -> Client {
        let mut command = place.command(&[&["mcp"], more].concat());
        let mut server = command.stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let output = BufReader::new(output);
        let mut client = Client { server, input, output, asked: 0, notes: Vec::new() };
        let hello = client.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "deepanalyze");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server answers {method}");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id { return message } else { self.notes.push(message) }
        }
    }

    fn tools(&mut self) -> Vec<String> {
        let tools = self.request("tools/list", &json!({}));
        let tools = tools["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls a tool: its text, and its data.
    fn call(&mut self, tool: &str, arguments: &Value) -> (String, Value) {
        let (text, data, is_error) = self.try_call(tool, arguments);
        assert!(!is_error, "{tool} {arguments}: {text}");
        (text, data)
    }

    /// The error of a call that makes no sense.
    fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let (text, _, is_error) = self.try_call(tool, arguments);
        assert!(is_error, "{tool} {arguments}: {text}");
        text
    }

    fn try_call(&mut self, tool: &str, arguments: &Value) -> (String, Value, bool) {
        let params =
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": 7 } });
        let answer = self.request("tools/call", &params);
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, result["structuredContent"].clone(), result["isError"] == true)
    }

    /// Leaves; the server ends.
    fn leave(mut self) {
        drop(self.input);
        assert!(wait(&mut self.server).success());
    }
}

#[test]
fn every_tool_answers_in_words_and_data() {
    let place = grown();
    let mut client = Client::start(&place, &[]);
    let expected = [
        "analyses",
        "board",
        "check",
        "moves",
        "new_root",
        "people",
        "verdict",
        "what_changed",
        "why_not",
    ];
    assert_eq!(client.tools(), expected, "it only reads");
    let (text, all) = client.call("analyses", &json!({}));
    let root = all["analyses"][0]["root"].as_str().unwrap().to_owned();
    assert!(text.starts_with(&format!("root {root}: ")), "{text}");
    let show = place.stdout(&[&["show"], ROOT].concat());
    let (verdict, data) = client.call("verdict", &json!({ "root": root }));
    assert_eq!(verdict.lines().next(), show.lines().next(), "the same verdict as show");
    let best = data["verdict"]["san"].as_str().unwrap().to_owned();
    let (moves, data) = client.call("moves", &json!({ "root": root }));
    assert!(moves.contains(&format!("40. {best} ")), "{moves}");
    let first = &data["position"]["moves"][0];
    let mut sources = data["sources"].as_array().unwrap().iter();
    let source = sources.find_map(|one| one["source"]["id"].as_str()).expect("a source");
    assert_eq!(source.split('/').count(), 3);
    let (why, _) = client.call("why_not", &json!({ "root": root, "move": best }));
    assert!(why.starts_with(&format!("40. {best} is the best move")), "{why}");
    let claim = json!({ "claim": "best", "at": "", "move": first["uci"] });
    let (text, told) = client.call("check", &json!({ "root": root, "claim": claim }));
    assert!(text.starts_with("true: ") && told["answer"] == "true", "{text}");
    let (text, board) = client.call("board", &json!({ "root": root, "line": best }));
    assert!(text.contains("  a b c d e f g h\n"), "{text}");
    assert_eq!(board["turn"], "black");
    let (text, _) = client.call("what_changed", &json!({ "root": root, "since": "24h" }));
    assert!(
        text.contains("then there was no tree") && text.contains("the verdict is now"),
        "{text}"
    );
    let (text, people) = client.call("people", &json!({ "root": root }));
    assert!(text.contains("unknown: this analysis knows no games"), "{text}");
    assert_eq!(people["games"], Value::Null);
    client.leave();
}

#[test]
fn calls_that_make_no_sense_are_told_how_they_would() {
    let place = grown();
    let mut client = Client::start(&place, &[]);
    let unknown = client.error("verdict", &json!({ "root": "77" }));
    assert!(unknown.contains("`analyses` lists all"), "{unknown}");
    let illegal = client.error("moves", &json!({ "root": "1", "line": "Ra8+ Kf9" }));
    assert!(illegal.contains("not a move") || illegal.contains("illegal"), "{illegal}");
    let legal = client.error("why_not", &json!({ "root": "1", "move": "Rh8" }));
    assert!(legal.contains("legal there: "), "{legal}");
    let claim = client.error("check", &json!({ "root": "1", "claim": { "claim": "good" } }));
    assert!(claim.contains("unknown variant `good`"), "{claim}");
    let time = client.error("what_changed", &json!({ "root": "1", "since": "soon" }));
    assert!(time.contains("\"24h\""), "{time}");
    let (text, new) = client.call("new_root", &json!({ "moves": "e4 e5" }));
    assert!(text.contains("has no analysis yet"), "{text}");
    let nothing = client.error("verdict", &json!({ "root": new["root"] }));
    assert!(nothing.contains("nothing is known"), "{nothing}");
    let both = client.error("new_root", &json!({ "moves": "e4", "pgn": "1. e4 *" }));
    assert!(both.contains("not both"), "{both}");
    client.leave();
}

#[test]
fn a_client_that_may_steer_changes_the_verdict() {
    let place = grown();
    let mut client = Client::start(&place, &["--steer"]);
    let (_, data) = client.call("verdict", &json!({ "root": "1" }));
    let best = data["verdict"]["san"].as_str().unwrap().to_owned();
    let exclude = json!({ "root": "1", "line": best, "action": "exclude" });
    let (text, _) = client.call("direct", &exclude);
    assert!(text.contains("excluded 40. "), "{text}");
    let (now, data) = client.call("verdict", &json!({ "root": "1" }));
    assert_ne!(data["verdict"]["san"].as_str().unwrap(), best);
    let show = place.stdout(&[&["show"], ROOT].concat());
    assert_eq!(now.lines().next(), show.lines().next());
    let (why, data) = client.call("why_not", &json!({ "root": "1", "move": best }));
    assert!(why.contains("is excluded by you") && data["standing"] == "excluded", "{why}");
    let wrong = client.error("direct", &json!({ "root": "1", "line": best, "action": "delete" }));
    assert!(wrong.contains("exclude, include"), "{wrong}");
    client.leave();
}

#[test]
fn a_client_that_may_grow_gets_a_tree_and_progress() {
    let place = Place::new();
    let engine = scripted(&[]);
    let mut client = Client::start(&place, &["--grow", "--engine", &engine, "--engines", "1"]);
    assert!(client.tools().contains(&"grow".to_owned()));
    let (_, new) = client.call("new_root", &json!({ "moves": "e4 e5" }));
    let long = client.error("grow", &json!({ "root": new["root"], "seconds": 500 }));
    assert!(long.contains("from 1 to 120"), "{long}");
    let (text, data) = client.call("grow", &json!({ "root": new["root"], "seconds": 2 }));
    assert!(data["verdict"]["san"].is_string(), "{text}");
    let note = client.notes.iter().find(|note| note["method"] == "notifications/progress");
    assert_eq!(note.expect("a note on progress")["params"]["progressToken"], 7);
    let listed = place.stdout(&["list", "--format", "json"]);
    assert!(listed.contains("\"e7e5\""), "{listed}");
    let (why, data) = client.call("why_not", &json!({ "root": new["root"], "move": "Ke2" }));
    let is_searched = data["search"]["source"]["nodes"].is_number();
    assert!(is_searched || data["line"].as_array().unwrap().len() > 1, "{why}");
    client.leave();
}

#[test]
fn a_client_that_leaves_ends_what_it_has_begun() {
    let place = Place::new();
    let engine = scripted(&[]);
    let mut client = Client::start(&place, &["--grow", "--engine", &engine, "--engines", "1"]);
    client.call("new_root", &json!({ "moves": "d4 d5" }));
    let grow = json!({ "name": "grow", "arguments": { "root": "new1", "seconds": 120 },
        "_meta": { "progressToken": 7 } });
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": grow }));
    // It has begun once it tells its progress.
    let mut line = String::new();
    client.output.read_line(&mut line).unwrap();
    assert!(line.contains("notifications/progress"), "{line}");
    let began = std::time::Instant::now();
    client.leave();
    assert!(began.elapsed().as_secs() < 60, "it does not go on to its end");
    assert!(place.stdout(&["verify"]).contains("all is well"), "what was answered is kept");
}

#[test]
fn worked_claims_are_answered_over_the_protocol() {
    let mut answered = 0;
    for (vector, claims) in worked_claims() {
        let place = Place::new();
        keep(&vector, &place.db());
        let mut client = Client::start(&place, &[]);
        for claim in claims {
            let (text, told) = client.call("check", &json!({ "root": "1", "claim": claim }));
            assert_eq!(told["answer"], claim["answer"], "{claim}: {text}");
            answered += 1;
        }
        client.leave();
    }
    assert_eq!(answered, 1080);
}

/// Claims through the official client, beside `check` on the command line.
#[test]
#[ignore = "slow: runs in .ci/run"]
fn the_official_client_gets_what_the_program_tells() {
    if !has_mcp() {
        return;
    }
    let place = grown();
    let tree = place.stdout(&[&["show", "--format", "json"], ROOT].concat());
    let tree: Value = serde_json::from_str(&tree).unwrap();
    let mut claims = Vec::new();
    for m in tree["moves"].as_array().unwrap() {
        let uci = m["uci"].as_str().unwrap();
        for cp in [-900, -20, 0, 20, 900] {
            claims.push(json!({ "claim": "score", "at": [uci], "at_least": cp }));
            claims.push(json!({ "claim": "worse", "at": [], "move": uci, "by_at_least": cp }));
        }
        claims.push(json!({ "claim": "best", "at": [], "move": uci }));
        claims.push(json!({ "claim": "captures", "at": [], "move": uci }));
    }
    for uci in ["g1h1", "f2f3", "a1a7", "a1b1", "g2g4"] {
        claims.push(json!({ "claim": "best", "at": [], "move": uci }));
        claims.push(json!({ "claim": "worse", "at": [], "move": uci, "by_at_least": 5 }));
    }
    let calls: Vec<Value> =
        claims.iter().map(|claim| json!(["check", { "root": "1", "claim": claim }])).collect();
    let file = place.path("claims.json");
    std::fs::write(&file, json!(claims).to_string()).unwrap();
    let file = file.to_string_lossy().into_owned();
    let told = place.stdout(&[&["check", "--format", "json", "--claims", &file], ROOT].concat());
    let told: Value = serde_json::from_str(&told).unwrap();
    let script = format!("{}/tests/readers/mcp_client.py", env!("CARGO_MANIFEST_DIR"));
    let program = env!("CARGO_BIN_EXE_deepanalyze");
    let db = place.db().to_string_lossy().into_owned();
    let mut python = std::process::Command::new("python3");
    python
        .args([&*script, program, "mcp", "--db", &db])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut python = python.spawn().unwrap();
    python.stdin.take().unwrap().write_all(json!(calls).to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let heard: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (answers, mut of_all) = (heard["answers"].as_array().unwrap(), Vec::new());
    assert_eq!(answers.len(), claims.len());
    for (answer, told) in answers.iter().zip(told["claims"].as_array().unwrap()) {
        assert_eq!(&answer["data"], told);
        of_all.push(told["answer"].as_str().unwrap());
    }
    assert!(["true", "false"].iter().all(|answer| of_all.contains(answer)));
}
