//! Every face names the same best move with the same score, under the directives of this moment.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use deepanalyze_core::chess::{Game, parse_uci, san_of};
use serde_json::{Value, json};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position};

use crate::doors::lichess::Provider;
use crate::support::books::book;
use crate::support::lichess::Mock;
use crate::support::program::{Place, signal, stderr, wait, wait_for_searches};
use crate::support::scripted;
use crate::support::serving::Server;

const LINE: &str = "e4 e5";
const ENGINE: [&str; 4] = ["--engine-depth", "5", "--engines", "1"];

/// The faces of one root, of which there is one analysis.
#[derive(Clone, Copy)]
struct Faces<'a> {
    place: &'a Place,
    line: &'a str,
}

impl Faces<'_> {
    fn game(&self) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(self.line).unwrap();
        game
    }

    fn san(&self, uci: &str) -> String {
        san_of(self.game().root(), parse_uci(uci).unwrap())
    }

    fn moves(&self) -> String {
        self.game().moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    fn show(&self, more: &[&str]) -> String {
        self.place.stdout(&[&["show", "--moves", self.line], more].concat())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.show(&["--format", "json"])).unwrap()
    }

    /// The first move of some movetext behind the root.
    fn first_move(&self, pgn: &str) -> String {
        let number = format!("\n{}. ", self.game().moves().len() / 2 + 1);
        let text = pgn.replace(' ', "\n").replace(&number.replace(' ', "\n"), "\u{1}");
        text.split('\u{1}').nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
    }

    fn book(&self) -> String {
        self.show(&["--format", "polyglot", "-o", "out.bin"]);
        let key: Zobrist64 = self.game().root().zobrist_hash(EnPassantMode::Legal);
        let moves = book(self.place);
        let (_, packed) = moves.into_iter().find(|(of, _)| key.0 == *of).unwrap();
        let square = |bits: u16| {
            let (file, rank) = (b'a' + (bits & 7) as u8, b'1' + (bits >> 3 & 7) as u8);
            format!("{}{}", char::from(file), char::from(rank))
        };
        self.san(&format!("{}{}", square(packed >> 6), square(packed)))
    }

    /// First answer of `uci`.
    fn uci(&self) -> String {
        let engine = scripted(&[]);
        let args = [&["uci", "--engine", &engine], &ENGINE[..]].concat();
        let mut child = self.place.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "position startpos moves {}\ngo depth 1", self.moves()).unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let best = lines
            .map(|line| line.split_whitespace().nth(1).map(str::to_owned).map(|uci| (line, uci)));
        let best = best.flatten().find(|(line, _)| line.starts_with("bestmove")).unwrap().1;
        writeln!(input, "quit").unwrap();
        child.wait().unwrap();
        self.san(&best)
    }

    /// The move that the board of Lichess is shown last of what is known at once.
    fn lichess(&self) -> String {
        let mock = Mock::start();
        let mut provider = Provider::start(self.place, &mock, &[]);
        mock.register();
        provider.ready();
        let question = json!({ "depth": 1, "multiPv": 1 });
        let mut stream = mock.hand_out("job1", "one", &self.moves(), &question);
        let last = std::iter::from_fn(|| stream.piece()).last().unwrap();
        stream.answer(200, &[], "");
        assert_eq!(provider.interrupt().code(), Some(130));
        self.san(last.split(" pv ").nth(1).unwrap().split_whitespace().next().unwrap())
    }

    /// The card and the headline of the page.
    fn page(&self) -> [(String, Value); 2] {
        let server = Server::start(self.place, &[], &ENGINE);
        let id = self.json()["analysis"].as_i64().unwrap();
        let told = |value: &Value| {
            let verdict = &value["verdict"];
            (verdict["san"].as_str().unwrap().to_owned(), verdict["score"].clone())
        };
        let all = server.get("/api/analyses");
        let card = all["analyses"].as_array().unwrap().iter().find(|root| root["id"] == id);
        [told(card.unwrap()), told(&server.get(&format!("/api/analyses/{id}/moves")))]
    }

    /// The root as a position of a game in which another move was played.
    fn annotated(&self) -> (String, Value) {
        let path = self.place.path("game.pgn");
        std::fs::write(&path, format!("{} *\n", self.line)).unwrap();
        let args = ["show", "--pgn", "game.pgn", "--every", "--format", "json"];
        let games: Value = serde_json::from_str(&self.place.stdout(&args)).unwrap();
        let position = games[0]["positions"].as_array().unwrap().last().unwrap().clone();
        (position["best"][0]["san"].as_str().unwrap().to_owned(), position["value"].clone())
    }

    /// Answer of SQL for the only analysis; `None` while the tree was grown with other directives.
    fn sql(&self) -> Option<String> {
        let db = rusqlite::Connection::open(self.place.db()).unwrap();
        let told = db.query_row("SELECT move FROM root_verdict", [], |row| row.get::<_, String>(0));
        told.ok().map(|uci| self.san(&uci))
    }

    /// The one move that all of them name.
    fn agreed(&self, when: &str) -> String {
        let json = self.json();
        let (best, score) = (json["verdict"]["san"].as_str().unwrap(), &json["verdict"]["score"]);
        let list: Value =
            serde_json::from_str(&self.place.stdout(&["list", "--format", "json"])).unwrap();
        let listed =
            list.as_array().unwrap().iter().find(|one| one["analysis"] == json["analysis"]);
        let listed = &listed.unwrap()["verdict"];
        let text = self.show(&[]);
        let mut headline = text.split_whitespace().skip(1);
        let second_word = headline.next().unwrap().to_owned();
        let pawns = format!("{:+.2}", score["cp"].as_f64().unwrap() / 100.0);
        assert_eq!(headline.next(), Some(&*pawns), "{when}: {text}");
        let cards = self.show(&["--format", "anki", "--side", "white"]);
        let card = cards.split("<b>").nth(2).unwrap().split("</b>").next().unwrap();
        let conditional = self.show(&["--format", "conditional"]);
        let play = conditional.split("play ").nth(1).unwrap();
        let epd = self.show(&["--format", "epd"]);
        let [page_card, page_headline] = self.page();
        let annotated = self.annotated();
        for scored in [&page_card.1, &page_headline.1, &annotated.1, &listed["score"]] {
            assert_eq!(scored, score, "{when}");
        }
        let faces = BTreeMap::from([
            ("show", second_word),
            ("list", listed["san"].as_str().unwrap().to_owned()),
            ("pgn", self.first_move(&self.show(&["--format", "pgn"]))),
            ("study", self.first_move(&self.show(&["--format", "study", "--side", "white"]))),
            ("cards", card.split_whitespace().nth(1).unwrap().to_owned()),
            ("conditional", play.split_whitespace().nth(1).unwrap().to_owned()),
            ("epd", epd.split("bm ").nth(1).unwrap().split(';').next().unwrap().to_owned()),
            ("book", self.book()),
            ("page's card", page_card.0),
            ("page's headline", page_headline.0),
            ("annotated game", annotated.0),
        ]);
        assert!(faces.values().all(|face| face == best), "{when}: {best} in JSON, {faces:?}");
        best.to_owned()
    }
}

fn grow(place: &Place, line: &str, more: &[&str]) -> String {
    let always = ["--moves", line, "--depth", "2", "--no-closing"];
    let output = place.run_grow(&[&always, more].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn excluded_moves_are_told_by_no_face() {
    let place = Place::new();
    let faces = Faces { place: &place, line: LINE };
    let direct = |what: &[&str]| place.stdout(&[&["direct", "--moves", LINE], what].concat());
    let first = grow(&place, LINE, &[]);
    assert_eq!(faces.agreed("grown"), first);
    assert_eq!([faces.uci(), faces.lichess()], [&*first; 2]);
    assert_eq!(faces.sql().as_ref(), Some(&first));
    direct(&["exclude", &first]);
    let second = faces.agreed("excluded");
    assert_eq!(faces.sql(), None);
    assert_ne!(second, first);
    assert_eq!(faces.json()["pending"], true);
    // A run that ends before the tree is grown again says what all the others say.
    let said = grow(&place, LINE, &["--max-searches", "1"]);
    assert_eq!(said, faces.agreed("grown for a moment"));
    let said = grow(&place, LINE, &[]);
    assert_eq!(said, faces.agreed("grown again"));
    assert_eq!([faces.uci(), faces.lichess()], [&*said; 2]);
    assert_eq!(faces.sql(), Some(said));
    direct(&["undo", &first]);
    assert_eq!(faces.agreed("undone"), first);
    assert_eq!(grow(&place, LINE, &[]), first);
    let json = faces.json();
    assert_eq!((&json["waiting"], &json["pending"]), (&0.into(), &Value::Null));
}

#[test]
fn values_draws_replies_and_merges_are_told_alike() {
    let place = Place::new();
    let faces = Faces { place: &place, line: LINE };
    let first = grow(&place, LINE, &[]);
    place.stdout(&["direct", "--moves", LINE, "value", &first, "-3"]);
    assert_ne!(faces.agreed("a bad value"), first);
    let reply = format!("{LINE} {first}");
    grow(&place, &reply, &[]);
    let answer =
        Faces { line: &reply, ..faces }.json()["verdict"]["san"].as_str().unwrap().to_owned();
    let behind = format!("{reply} {answer}");
    grow(&place, &behind, &[]);
    Faces { line: &behind, ..faces }.agreed("after the reply");
    let drawn = Place::new();
    let said = grow(&drawn, LINE, &["--draw-value=0.50"]);
    assert_eq!(Faces { place: &drawn, line: LINE }.agreed("a draw is worth something"), said);
    // Answers of another database count like one's own.
    let other = Place::new();
    other.stdout(&["merge", "--trust", place.db().to_str().unwrap()]);
    let merged = Faces { place: &other, line: LINE };
    assert_eq!(merged.agreed("merged"), faces.agreed("merged from"));
    assert_eq!(merged.json()["verdict"], faces.json()["verdict"]);
}

#[test]
fn after_a_kill_all_faces_tell_the_same() {
    let place = Place::new();
    let faces = Faces { place: &place, line: LINE };
    let log = place.path("log");
    let engine = scripted(&["--log", log.to_str().unwrap(), "--fault", "held:logged=60"]);
    let tree = ["--moves", LINE, "--depth", "3", "--no-closing"];
    let mut grow = place.start(&[&["grow", "--engine", &engine], &ENGINE[..], &tree].concat());
    assert!(wait_for_searches(&mut grow, &log, 60), "too small a tree to be killed");
    signal(-i64::from(grow.id()), "KILL");
    wait(&mut grow);
    let told = faces.agreed("killed");
    assert_eq!([faces.uci(), faces.lichess()], [&*told; 2]);
    assert_eq!(faces.sql(), Some(told));
    let last = place.run_grow(&tree);
    assert!(last.status.success(), "{}", stderr(&last));
    let told = faces.agreed("grown to its end");
    assert_eq!([faces.uci(), faces.lichess()], [&*told; 2]);
}

/// A chess program asks for less than there is: the tree is as deep as before.
#[test]
fn shallow_questions_keep_pending_trees_deep() {
    let place = Place::new();
    let faces = Faces { place: &place, line: LINE };
    let first = grow(&place, LINE, &[]);
    place.stdout(&["direct", "--moves", LINE, "exclude", &first]);
    let told = faces.agreed("excluded");
    assert_ne!(faces.uci(), first);
    let json = faces.json();
    assert_eq!(json["depth"]["target"], 2);
    assert_eq!(grow(&place, LINE, &[]), faces.agreed("grown again"));
    assert_eq!(faces.json()["depth"], json!({ "settled": 2, "target": 2 }));
    assert!(!told.is_empty());
}
