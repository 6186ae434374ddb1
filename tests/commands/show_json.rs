//! JSON of `show` against the rules, by an independent reader: with the SQL view beside it, and PGN
//! read back.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::support::directed;
use crate::support::program::Place;
use crate::support::readers::{TREES, moves, show};
use deepanalyze_core::chess::{GivenValue, epd_of, fen_of, is_chess960};
use deepanalyze_core::directives::Directive;

/// A score as one ordered integer, as the algorithm page has it.
fn integer(score: &Value) -> i64 {
    let score = score.as_object().unwrap();
    assert_eq!(score.len(), 1, "{score:?}");
    match (score.get("cp"), score.get("mate")) {
        (Some(cp), None) => cp.as_i64().unwrap(),
        (None, Some(mate)) => match mate.as_i64().unwrap() {
            n if n > 0 => 32_000 - (2 * n - 1),
            n => -(32_000 + 2 * n),
        },
        _ => panic!("{score:?}"),
    }
}

/// From a position's value to the value of the move that led to it.
fn step(value: i64) -> i64 {
    -(value - if value.abs() > 31_000 { value.signum() } else { 0 })
}

fn epd(position: &Chess) -> String {
    // In positions of Chess960, shakmaty names no files.
    if is_chess960(position) {
        return epd_of(position);
    }
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

fn fen(text: &str) -> Chess {
    text.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap()
}

fn play(position: &Chess, uci: &str) -> Chess {
    let m = uci.parse::<UciMove>().unwrap().to_move(position).expect("a legal move");
    position.clone().play(m).unwrap()
}

/// The idea of a move that does not count.
const NO_VALUE: i64 = i64::MIN;

/// Contents of a checked tree.
#[derive(Default)]
struct Seen {
    /// Per position and rank: the move, its eval and idea.
    moves: HashMap<(String, i64), (String, i64, i64)>,
    flags: HashMap<String, usize>,
    mates: usize,
    /// Included moves that are not listed.
    unlisted: usize,
}

/// A printed position.
struct Level<'a> {
    moves: &'a [Value],
    position: Chess,
    path: Vec<String>,
    value: Option<i64>,
}

/// Checks a whole tree against the public description of the format.
fn check(tree: &Value) -> Seen {
    let keys: Vec<&str> = tree.as_object().unwrap().keys().map(String::as_str).collect();
    let known = "format analysis stages root history start variant engine distance widths root_moves directives pending waiting depth \
        positions searches passes value verdict stays stability moves";
    assert!(keys.iter().all(|key| known.split(' ').any(|k| k == *key)), "{keys:?}");
    assert_eq!(tree["format"], 1);
    assert!(tree["stays"].is_null() || (1..=96).contains(&tree["stays"].as_i64().unwrap()));
    let (verdict, best) = (&tree["verdict"], &tree["moves"][0]);
    if best["alpha"].is_object() {
        let told = [&verdict["uci"], &verdict["san"], &verdict["score"], &verdict["line"][0]];
        assert_eq!(told, [&best["uci"], &best["san"], &best["alpha"], &best["uci"]]);
        assert_eq!((&verdict["by"], &verdict["agree"]), (&"tree".into(), &true.into()));
    }
    let root = fen(tree["root"].as_str().unwrap());
    let mut before = Vec::new();
    let mut game = tree["start"].as_str().map_or_else(|| root.clone(), fen);
    if !tree["history"].as_array().unwrap().is_empty() && tree.get("start").is_none() {
        game = Chess::default();
    }
    for uci in tree["history"].as_array().unwrap() {
        before.push(epd(&game));
        game = play(&game, uci.as_str().unwrap());
    }
    assert_eq!(fen_of(&game), tree["root"]);
    assert_eq!(tree["variant"] == "chess960", is_chess960(&game));
    // Of the game, what occurred twice before the root is on every path.
    let is_repeated = |epd: &&String| before.iter().filter(|other| other == epd).count() > 1;
    let mut path: Vec<String> = before.iter().filter(is_repeated).cloned().collect();
    path.push(epd(&root));

    let mut seen = Seen::default();
    let moves = tree["moves"].as_array().unwrap();
    let mut printed = HashSet::from([epd(&root)]);
    let mut not_analysed = Vec::new();
    let mut transpositions = Vec::new();
    let value = integer(&tree["value"]);
    let mut levels = VecDeque::from([Level { moves, position: root, path, value: Some(value) }]);
    while let Some(level) = levels.pop_front() {
        check_level(&level, &mut seen);
        for m in level.moves {
            let child = play(&level.position, m["uci"].as_str().unwrap());
            let key = epd(&child);
            assert_eq!(m["epd"], key.as_str());
            check_directed(&tree["directives"], &epd(&level.position), m);
            if m["alpha"].is_null() {
                assert!(m["idea"].is_null() && m.get("moves").is_none(), "{m}");
                continue;
            }
            let flag = |name: &str| {
                assert!(m.get(name).is_none_or(|flag| *flag == Value::Bool(true)), "{m}");
                m.get(name).is_some()
            };
            let (repetition, transposition) = (flag("repetition"), flag("transposition"));
            assert_eq!(repetition, level.path.contains(&key), "{m}");
            let eval = m["eval"].as_object().map(|_| integer(&m["eval"]));
            let (idea, alpha) = (integer(&m["idea"]), integer(&m["alpha"]));
            let end = match m.get("end").map(|end| end.as_str().unwrap()) {
                Some("checkmate") => child.is_checkmate().then_some(31_999),
                Some("stalemate") => child.is_stalemate().then_some(0),
                Some("value") => {
                    let white = tree["directives"]["value"][&key].as_i64().unwrap();
                    assert_eq!(m["value"], white, "{m}");
                    Some(level.position.turn().fold_wb(white, -white))
                }
                Some("insufficient material") => child.is_insufficient_material().then_some(0),
                Some(other) => panic!("{other}"),
                None => {
                    assert!(!child.legal_moves().is_empty(), "{m}");
                    assert!(!child.is_insufficient_material(), "{m}");
                    None
                }
            };
            assert_eq!(end.is_some(), m.get("end").is_some(), "{m}");
            for name in ["repetition", "transposition", "end"] {
                if let Some(flag) = m.get(name) {
                    let name = flag.as_str().unwrap_or(name);
                    *seen.flags.entry(name.to_owned()).or_default() += 1;
                }
            }
            seen.mates += usize::from(m["idea"].get("mate").is_some());
            if repetition {
                assert_eq!(alpha, 0, "{m}");
            }
            if let Some(end) = end {
                assert_eq!((alpha, idea), (end, end), "{m}");
            }
            match m.get("moves").map(|moves| moves.as_array().unwrap()) {
                Some(moves) => {
                    assert!(!repetition && !transposition && end.is_none(), "{m}");
                    assert!(printed.insert(key.clone()), "{key} is printed twice");
                    assert_eq!(idea, step(greatest(moves, "idea")), "{m}");
                    let path = [&level.path[..], &[key]].concat();
                    levels.push_back(Level {
                        moves,
                        position: child,
                        path,
                        value: Some(-step(alpha)),
                    });
                    assert_eq!(alpha, step(greatest(moves, "alpha")), "{m}");
                }
                None if transposition => {
                    assert!(printed.contains(&key), "{key} is a transposition of nothing");
                    transpositions.push((key, idea));
                }
                None if !repetition && end.is_none() => {
                    assert_eq!((eval, alpha), (Some(idea), idea), "{m}");
                    not_analysed.push(key);
                }
                None => {}
            }
        }
    }
    for key in not_analysed {
        assert!(!printed.contains(&key), "{key} has its moves elsewhere and is not marked");
    }
    for (key, idea) in transpositions {
        let best = seen.moves.iter().filter(|((epd, _), _)| *epd == key).map(|(_, m)| m.2).max();
        assert_eq!(idea, step(best.unwrap()), "{key}");
    }
    assert_eq!(tree["positions"], printed.len());
    assert_eq!(tree["searches"], seen.moves.len());
    seen
}

/// Checks that a move in a position is printed with its directives, and no others.
fn check_directed(directives: &Value, position: &str, m: &Value) {
    let (uci, behind) = (&m["uci"], m["epd"].as_str().unwrap());
    let says = |list: &Value, word: &Value| {
        list.as_array().is_some_and(|list| list.iter().any(|entry| entry == word))
    };
    let flag = |name: &str| m.get(name).is_some_and(|flag| flag.as_bool().unwrap());
    assert_eq!(flag("included"), says(&directives["include"][position], uci), "{m}");
    assert_eq!(flag("excluded"), says(&directives["exclude"][position], uci), "{m}");
    assert_eq!(flag("stopped"), says(&directives["stop"], &m["epd"]), "{m}");
    assert_eq!(m.get("value"), directives["value"].get(behind), "{m}");
    assert_eq!(m.get("note"), directives["note"].get(behind), "{m}");
    assert_eq!(m["rank"].is_null(), m["eval"].is_null(), "{m}");
    assert!(flag("included") || !m["rank"].is_null(), "{m}");
    if flag("excluded") {
        assert!(m["alpha"].is_null(), "{m}");
    }
}

fn greatest(moves: &[Value], key: &str) -> i64 {
    moves.iter().filter(|m| !m[key].is_null()).map(|m| integer(&m[key])).max().unwrap()
}

/// The moves of one position: their keys, SAN, order and ranks.
fn check_level(level: &Level<'_>, seen: &mut Seen) {
    let key = epd(&level.position);
    let alpha = |m: &Value| m["alpha"].as_object().map(|_| integer(&m["alpha"]));
    let rank = |m: &Value| m["rank"].as_i64();
    // First those that count, by alpha; then included ones that wait, then excluded ones by rank.
    let order = |m: &Value| {
        let unlisted = m["rank"].is_null();
        let group = if alpha(m).is_some() { 0 } else { 1 + u8::from(!unlisted) };
        let last = if unlisted { m["uci"].as_str().unwrap().to_owned() } else { String::new() };
        (group, alpha(m).map(|alpha| -alpha), unlisted, rank(m), last)
    };
    assert!(level.moves.is_sorted_by_key(order), "{key}");
    if let (Some(value), true) = (level.value, level.path.len() == 1) {
        assert_eq!(Some(value), alpha(&level.moves[0]), "the root's value");
    }
    let mut ranks: Vec<i64> = level.moves.iter().filter_map(rank).collect();
    ranks.sort_unstable();
    assert!(ranks.iter().enumerate().all(|(n, rank)| n as i64 == *rank), "{key}: {ranks:?}");
    for m in level.moves {
        let known = "uci san rank eval idea alpha included excluded epd end value stopped note \
            repetition transposition moves";
        let mut keys = m.as_object().unwrap().keys();
        assert!(keys.all(|key| known.split(' ').any(|known| known == key)), "{m}");
        let uci = m["uci"].as_str().unwrap();
        let played = uci.parse::<UciMove>().unwrap().to_move(&level.position).unwrap();
        assert_eq!(m["san"], SanPlus::from_move(level.position.clone(), played).to_string());
        let Some(rank) = rank(m) else {
            seen.unlisted += 1;
            continue;
        };
        let idea = if m["idea"].is_null() { NO_VALUE } else { integer(&m["idea"]) };
        let row = (uci.to_owned(), integer(&m["eval"]), idea);
        assert!(seen.moves.insert((key.clone(), rank), row).is_none(), "{key} twice");
    }
}

#[test]
fn json_is_as_described_and_the_view_says_the_same() {
    let (mut flags, mut mates) = (HashMap::<String, usize>::new(), 0);
    for args in TREES {
        let place = Place::new();
        place.grow(args);
        let json = show(&place, args, &["--format", "json"]);
        let seen = check(&serde_json::from_str(&json).unwrap());
        for (flag, count) in &seen.flags {
            *flags.entry(flag.clone()).or_default() += count;
        }
        mates += seen.mates;
        let db = rusqlite::Connection::open(place.db()).unwrap();
        let mut query = db.prepare("SELECT epd, rank, uci, eval, idea FROM tree_move").unwrap();
        let rows = query.query_map([], |row| {
            Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?, row.get(4)?)))
        });
        let view: HashMap<_, _> = rows.unwrap().map(Result::unwrap).collect();
        assert_eq!(view, seen.moves, "{args:?}");
    }
    for flag in ["repetition", "transposition", "checkmate", "stalemate"] {
        assert!(flags.contains_key(flag), "no {flag} in any tree: {flags:?}");
    }
    assert!(mates > 5, "{mates}");
}

/// A tree with directives of every kind.
#[test]
fn json_has_directives_even_when_cut() {
    let place = directed::grown();
    let whole: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    let seen = check(&whole);
    assert_eq!(seen.unlisted, 2, "g4 waits, and g5 has its value");
    assert!(seen.flags.contains_key("value"), "{:?}", seen.flags);
    assert!(whole.get("pending").is_none(), "the tree was grown with them");
    let find = |moves: &Value, san: &str| {
        moves.as_array().unwrap().iter().find(|m| m["san"] == san).cloned().unwrap()
    };
    let cut = place.stdout(&["show", "--format", "json", "--plies", "1"]);
    let cut: Value = serde_json::from_str(&cut).unwrap();
    assert_eq!(cut["directives"], whole["directives"]);
    for (san, mark) in
        [("h3", "excluded"), ("Nf3", "included"), ("Nc3", "stopped"), ("g4", "stopped")]
    {
        assert_eq!(find(&cut["moves"], san)[mark], true, "{san}");
        assert_eq!(find(&whole["moves"], san)[mark], true, "{san}");
    }
    assert_eq!(find(&cut["moves"], "c4")["note"], directed::NOTE);
    let below = place.stdout(&["show", "--format", "json", "--line", "Nf3", "--plies", "1"]);
    let below: Value = serde_json::from_str(&below).unwrap();
    let valued = find(&below["moves"], "g5");
    assert_eq!((&valued["end"], &valued["value"]), (&"value".into(), &150.into()));
    assert_eq!((&valued["rank"], &valued["alpha"]["cp"]), (&Value::Null, &(-150).into()));
    let few = place.stdout(&["show", "--format", "json", "--max-variations", "2"]);
    let few: Value = serde_json::from_str(&few).unwrap();
    assert_eq!(few["moves"].as_array().unwrap().len(), 2);
}

#[test]
fn move_followed_by_closing_choice_is_marked() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let show = |format: &str| place.stdout(&["show", "--format", format, "--plies", "1"]);
    let before: Value = serde_json::from_str(&show("json")).unwrap();
    let moves = before["moves"].as_array().unwrap();
    assert!(moves.iter().all(|m| m.get("found").is_none()));
    let last = moves.last().unwrap()["uci"].as_str().unwrap();
    place.sql(&format!("UPDATE analysis SET found = '{last}'"));
    let after: Value = serde_json::from_str(&show("json")).unwrap();
    let found = after["moves"].as_array().unwrap().iter().filter(|m| m["found"] == true);
    assert_eq!(found.map(|m| &m["uci"]).collect::<Vec<_>>(), [last]);
    assert_eq!(show("text").matches("followed since the closing search chose it").count(), 1);
    place.sql("UPDATE analysis SET found = 'e2e5'");
    let verified = place.run(&["verify"]);
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(said.contains("its found moves: \"e2e5\", should be \"\""), "{said}");
}

#[test]
fn directives_are_pending_and_notes_immediate() {
    let place = directed::grown();
    let show = || -> Value {
        serde_json::from_str(&place.stdout(&["show", "--format", "json", "--plies", "1"])).unwrap()
    };
    let before = show();
    directed::say(&place, &[("f4", Directive::Note("later".to_owned()))]);
    let noted = show();
    assert!(
        noted.get("pending").is_none()
            && noted["directives"]["note"] != before["directives"]["note"]
    );
    directed::say(&place, &[("f4", Directive::Value(GivenValue::Draw))]);
    let pending = show();
    assert_eq!(pending["pending"], true);
    let f4 = "rnbqkbnr/pppppppp/8/8/5P2/8/PPPPP1PP/RNBQKBNR b KQkq -";
    assert_eq!(pending["directives"]["value"][f4], "draw", "those of this moment");
    place.grow(directed::GROWN);
    let grown = show();
    assert!(grown.get("pending").is_none());
    assert_eq!(grown["waiting"], 0);
    assert_eq!(grown["directives"]["value"][f4], "draw");
}

/// Counts moves, and plays every one of them.
struct Variations {
    positions: Vec<(Chess, Chess)>,
    moves: usize,
    /// True if the moves are the engine's, behind the end of the tree.
    engines_own: bool,
}

impl pgn_reader::Visitor for Variations {
    type Tags = Chess;
    type Movetext = ();
    type Output = usize;

    fn begin_tags(&mut self) -> std::ops::ControlFlow<usize, Chess> {
        std::ops::ControlFlow::Continue(Chess::default())
    }

    fn tag(
        &mut self,
        start: &mut Chess,
        name: &[u8],
        value: pgn_reader::RawTag<'_>,
    ) -> std::ops::ControlFlow<usize> {
        if name == b"FEN" {
            *start = fen(&value.decode_utf8_lossy());
        }
        std::ops::ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> std::ops::ControlFlow<usize, ()> {
        self.positions = vec![(start.clone(), start)];
        std::ops::ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> std::ops::ControlFlow<usize> {
        let (before, now) = self.positions.last_mut().unwrap();
        let m = san.san.to_move(now).expect("a legal move");
        *before = now.clone();
        *now = now.clone().play(m).unwrap();
        self.moves += usize::from(!self.engines_own);
        std::ops::ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        (): &mut (),
        comment: pgn_reader::RawComment<'_>,
    ) -> std::ops::ControlFlow<usize> {
        let text = String::from_utf8_lossy(comment.as_bytes()).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.join(" ").starts_with("from here on") {
            // The comment stands behind the first of them.
            (self.moves, self.engines_own) = (self.moves - 1, true);
        }
        std::ops::ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> std::ops::ControlFlow<usize, pgn_reader::Skip> {
        let before = self.positions.last().unwrap().0.clone();
        self.positions.push((before.clone(), before));
        std::ops::ControlFlow::Continue(pgn_reader::Skip(false))
    }

    fn end_variation(&mut self, (): &mut ()) -> std::ops::ControlFlow<usize> {
        self.positions.pop();
        self.engines_own = false;
        std::ops::ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) -> usize {
        self.moves
    }
}

#[test]
fn pgn_reads_back_with_every_variation() {
    for args in TREES {
        let place = Place::new();
        place.grow(args);
        let tree: Value = serde_json::from_str(&show(&place, args, &["--format", "json"])).unwrap();
        let plies =
            tree["searches"].as_u64().unwrap() as usize + tree["history"].as_array().unwrap().len();
        let pgn = show(&place, args, &["--format", "pgn"]);
        assert!(pgn.lines().all(|line| line.len() < 80), "{pgn}");
        let evals = pgn.lines().map(|line| line.matches("[%eval ").count()).sum::<usize>();
        // A checkmated board has no evaluation.
        let mated = moves(&tree).iter().filter(|m| m["alpha"]["mate"] == 1).count();
        assert_eq!(evals + mated, tree["searches"].as_u64().unwrap() as usize);
        let mut visitor = Variations { positions: Vec::new(), moves: 0, engines_own: false };
        let mut reader = pgn_reader::Reader::new(pgn.as_bytes());
        assert_eq!(reader.read_game(&mut visitor).unwrap(), Some(plies), "{args:?}");
    }
}
