//! `deepanalyze lichess` with a scripted engine and a stand-in for Lichess.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};

use deepanalyze_core::chess::Game;
use serde_json::json;

use crate::support::lichess::{ENGINES, Mock, WORK};
use crate::support::program::{Place, signal, stderr, wait};

const TOKEN: &str = "lip_0123456789abcdef";

/// The program with a stand-in for Lichess, a token, and one engine that answers at once.
fn command(place: &Place, mock: &Mock, more: &[&str]) -> Command {
    let (url, engine) = (mock.url(), crate::support::scripted(&[]));
    let always = ["lichess", "--engine", &engine, "--engines", "1", "--engine-depth", "5"];
    let urls = ["--lichess-url", &url, "--broker-url", &url];
    let mut command = place.command(&[&always[..], &urls[..], more].concat());
    command.env("LICHESS_TOKEN", TOKEN);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// A provider that runs; killed where a test ends before it.
pub struct Provider {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Provider {
    pub fn start(place: &Place, mock: &Mock, more: &[&str]) -> Provider {
        let mut command = command(place, mock, more);
        let mut child = command.stderr(Stdio::inherit()).spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        Provider { child, out }
    }

    /// The line that says that all is ready.
    pub fn ready(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("its line");
        line
    }

    pub fn interrupt(mut self) -> ExitStatus {
        signal(i64::from(self.child.id()), "INT");
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("its output");
        assert_eq!(rest, "");
        wait(&mut self.child)
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The words of a line that the broker of Lichess knows.
const KNOWN: &[&str] =
    &["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "score"];

/// Reads a block as the broker does, and gives its lines' moves.
fn read_block(block: &str, moves: &str) -> Vec<Vec<String>> {
    read_block_of(block, "startpos", moves)
}

/// Reads a block of a game with another start.
fn read_block_of(block: &str, start: &str, moves: &str) -> Vec<Vec<String>> {
    let read = |(line, rank): (&str, usize)| {
        let (head, pv) = line.split_once(" pv ").expect("moves");
        let mut words = head.strip_prefix("info ").expect("info").split(' ');
        while let Some(word) = words.next() {
            assert!(KNOWN.contains(&word), "{word} in {line}");
            let value = words.next().expect("a value");
            assert!(word != "multipv" || value == rank.to_string(), "{line}");
            if word == "score" {
                words.next().expect("a score").parse::<i32>().expect("a number");
            }
        }
        let mut game = Game::from_start(start).unwrap();
        game.play_line(moves).unwrap();
        game.play_line(pv).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!((1..=30).contains(&pv.split(' ').count()), "{line}");
        pv.split(' ').map(str::to_owned).collect()
    };
    let lines = block.lines().filter(|line| !line.starts_with("bestmove"));
    lines.zip(1..).map(read).collect()
}

#[test]
fn the_board_of_lichess_shows_a_tree_that_is_kept() {
    let (place, mock) = (Place::new(), Mock::start());
    let mut provider = Provider::start(&place, &mock, &[]);
    let form = mock.register();
    let secret = form["providerSecret"].as_str().unwrap().to_owned();
    assert_eq!((&form["name"], &form["variants"]), (&json!("deepanalyze"), &json!(["chess"])));
    assert_eq!((&form["maxThreads"], secret.len()), (&json!(1), 64));
    assert!(provider.ready().contains("choose \"deepanalyze\" at http://127.0.0.1:"));
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
    let mut stream = mock.hand_out("job1", "one", moves, &json!({}));
    let mut most = 0;
    while place.stored().len() < 30 || most < 3 {
        let block = stream.piece().expect("a block");
        most = most.max(read_block(&block, moves).len());
    }
    stream.answer(200, &[], "");
    // One more position of the same board, to a depth that is soon reached.
    let mut stream = mock.hand_out("job2", "one", "e2e4", &json!({ "depth": 6, "multiPv": 1 }));
    let mut last = String::new();
    while let Some(block) = stream.piece() {
        last = block;
    }
    assert!(last.contains("\nbestmove "), "{last}");
    assert_eq!(read_block(&last, "e2e4").len(), 1);
    stream.answer(200, &[], "");
    assert_eq!(provider.interrupt().code(), Some(130));
    assert!(!place.stored().is_empty());
    let listed = place.stdout(&["list"]);
    assert!(listed.contains("Giuoco Piano") || listed.contains("Italian"), "{listed}");
    // Known results come first, and the secret stays.
    let mut again = Provider::start(&place, &mock, &[]);
    assert_eq!(mock.register()["providerSecret"], secret.as_str());
    again.ready();
    let mut stream = mock.hand_out("job3", "two", moves, &json!({}));
    let first = stream.piece().expect("a block");
    assert_eq!(read_block(&first, moves).len(), 3);
    stream.answer(200, &[], "");
    assert_eq!(again.interrupt().code(), Some(130));
}

#[test]
fn bad_job_is_answered_and_the_next_is_done() {
    let (place, mock) = (Place::new(), Mock::start());
    let mut provider = Provider::start(&place, &mock, &[]);
    mock.register();
    provider.ready();
    for (id, more) in [
        ("job1", json!({ "variant": "atomic" })),
        ("job2", json!({ "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1" })),
        ("job3", json!({ "multiPv": "many" })),
        ("job4", json!({ "moves": ["f2f3", "e7e5", "g2g4", "d8h4"] })),
    ] {
        let mut stream = mock.hand_out(id, "one", "", &more);
        assert_eq!(stream.piece(), None, "{id}");
        stream.answer(200, &[], "");
    }
    let mut stream = mock.hand_out("job5", "one", "d2d4", &json!({}));
    assert!(!read_block(&stream.piece().expect("a block"), "d2d4").is_empty());
    assert_eq!(provider.interrupt().code(), Some(130));
}

#[test]
fn chess960_castles_as_king_takes_rook() {
    let (place, mock) = (Place::new(), Mock::start());
    let mut provider = Provider::start(&place, &mock, &[]);
    mock.register();
    provider.ready();
    let start = "1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w KQkq - 0 1";
    let listed = || -> Vec<serde_json::Value> {
        serde_json::from_str(&place.stdout(&["list", "--format", "json"])).unwrap()
    };
    for (id, variant, moves) in
        [("job1", "chess960", "e1h1 e8b8"), ("job2", "chess", "a2a3 a7a6 e1b1")]
    {
        let more = json!({ "variant": variant, "initialFen": start, "multiPv": 5 });
        let mut stream = mock.hand_out(id, "one", moves, &more);
        let block = stream.piece().expect("a block");
        assert!(!read_block_of(&block, start, moves).is_empty(), "{block}");
        // The first lines are looked up before a tree is there.
        while listed().is_empty() {
            stream.piece().expect("a block");
        }
        stream.answer(200, &[], "");
    }
    assert!(listed().iter().all(|root| root["variant"] == "chess960"));
    assert_eq!(provider.interrupt().code(), Some(130));
}

#[test]
fn positions_at_which_somebody_stays_go_on_the_agenda() {
    let (place, mock) = (Place::new(), Mock::start());
    let mut provider = Provider::start(&place, &mock, &["--enqueue"]);
    mock.register();
    provider.ready();
    let mut stream = mock.hand_out("job1", "one", "d2d4", &json!({}));
    let sql = "SELECT history FROM agenda JOIN analysis ON analysis.id = agenda.analysis
        WHERE growing";
    let enqueued = || -> Vec<String> {
        let db = rusqlite::Connection::open(place.db()).unwrap();
        let mut query = db.prepare(sql).unwrap();
        let rows = query.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    while enqueued().is_empty() {
        stream.piece().expect("a block");
    }
    assert_eq!(enqueued(), ["d2d4"]);
    drop(stream);
    assert_eq!(provider.interrupt().code(), Some(130));
}

#[test]
fn a_token_that_lichess_refuses_is_explained() {
    for (status, told) in [(401, "the token is wrong"), (403, "engine:read and engine:write")] {
        let (place, mock) = (Place::new(), Mock::start());
        let command = command(&place, &mock, &[]).spawn().expect("it starts");
        mock.expect("GET", ENGINES).answer(status, &[], r#"{"error": "No such token"}"#);
        let output = command.wait_with_output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("No such token") && text.contains(told), "{text}");
        assert!(!text.contains(TOKEN), "{text}");
    }
}

#[test]
fn registering_is_tried_again_while_lichess_is_busy() {
    let (place, mock) = (Place::new(), Mock::start());
    let mut provider = Provider::start(&place, &mock, &[]);
    mock.expect("GET", ENGINES).answer(503, &[], "");
    mock.expect("GET", ENGINES).answer_raw(b"");
    mock.register();
    assert!(provider.ready().contains("choose"));
    mock.expect("POST", WORK).answer(500, &[], "");
    mock.expect("POST", WORK).answer(204, &[], "");
    assert_eq!(provider.interrupt().code(), Some(130));
}

#[test]
fn secrets_are_private_and_used_by_one_process() {
    use std::os::unix::fs::PermissionsExt;

    let (place, mock) = (Place::new(), Mock::start());
    let secret = place.path("secret");
    let file = ["--secret-file", secret.to_str().unwrap()];
    let mut provider = Provider::start(&place, &mock, &file);
    let first = mock.register()["providerSecret"].as_str().unwrap().to_owned();
    provider.ready();
    assert_eq!(std::fs::read_to_string(&secret).unwrap().trim(), first);
    assert_eq!(std::fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
    let second = command(&place, &mock, &file).output().unwrap();
    assert!(stderr(&second).contains("another `deepanalyze lichess`"), "{}", stderr(&second));
    assert_eq!(provider.interrupt().code(), Some(130));
    let renewed = Provider::start(&place, &mock, &[&file[..], &["--renew-secret"]].concat());
    let form = mock.register();
    assert_ne!(form["providerSecret"], first.as_str());
    drop(renewed);
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o644)).unwrap();
    let open = command(&place, &mock, &file).output().unwrap();
    assert!(stderr(&open).contains("others can read"), "{}", stderr(&open));
}

#[test]
fn no_token_or_open_address_sends_nothing() {
    let (place, mock) = (Place::new(), Mock::start());
    let none = command(&place, &mock, &[]).env_remove("LICHESS_TOKEN").output().unwrap();
    assert!(stderr(&none).contains("oauth/token/create"), "{}", stderr(&none));
    let open = place.command(&["lichess", "--lichess-url", "http://lichess.org"]).output().unwrap();
    assert!(stderr(&open).contains("https://"), "{}", stderr(&open));
    assert_eq!((none.status.code(), open.status.code()), (Some(1), Some(1)));
    let short = place.run(&["lichess", "--name", "x"]);
    assert_eq!(short.status.code(), Some(2));
}
