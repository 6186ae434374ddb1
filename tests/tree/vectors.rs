//! The worked answers of the algorithm: the same searches and no other, the same passes, idea and
//! alpha to the centipawn.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use deepanalyze_core::chess::{
    DrawValue, Game, Games, GivenValue, PositionKey, Score, Tables, Value, Wdl, epd_of, parse_fen,
    parse_uci,
};
use deepanalyze_core::tree::{
    Breadth, CountFacts, Growth, MoveCounts, NodeId, PathValues, PlayedRule, PlayedRules,
    Selection, Service, TableFacts, Values, Widths, Wish, Wishes, requests,
};
use serde::Deserialize;
use shakmaty::uci::UciMove;

mod keeping;

pub use keeping::keep;

#[derive(Deserialize)]
pub struct Vector {
    root: String,
    history: Vec<String>,
    distance: Distance,
    depth: u32,
    #[serde(default = "one")]
    least: u32,
    /// The value of a draw.
    #[serde(default)]
    draw: DrawValue,
    #[serde(default)]
    directives: Said,
    games: Option<PlayedGames>,
    tables: Option<TableRule>,
    /// Tables' result for every position looked up, for its side to move; `None` if they do not
    /// have it.
    #[serde(default)]
    facts: BTreeMap<String, Option<i64>>,
    answers: BTreeMap<String, Vec<(String, Score)>>,
    settled: Vec<SettledRow>,
    idea: BTreeMap<String, BTreeMap<String, Score>>,
    alpha: BTreeMap<String, BTreeMap<String, Score>>,
    largest_component: usize,
    /// Its values against people, for each side.
    #[serde(default)]
    pub people: BTreeMap<String, PeopleOfSide>,
}

/// Expected scores and reach by position, coverage, and the widest gaps.
#[derive(Deserialize)]
pub struct PeopleOfSide {
    pub expected: BTreeMap<String, f64>,
    pub reach: BTreeMap<String, f64>,
    pub coverage: f64,
    pub gaps: Vec<(String, String, f64)>,
}

fn one() -> u32 {
    1
}

/// A plain distance, or White's widths and Black's.
#[derive(Deserialize)]
#[serde(untagged)]
enum Distance {
    Plain(u32),
    Sides([Side; 2]),
}

#[derive(Deserialize)]
struct Side {
    list: Vec<u32>,
    stays: bool,
}

#[derive(Deserialize)]
struct TableRule {
    men: u8,
    fifty: String,
}

#[derive(Deserialize, Default)]
struct Said {
    exclude: BTreeMap<String, Vec<String>>,
    include: BTreeMap<String, Vec<String>>,
    value: BTreeMap<String, GivenValue>,
    stop: Vec<String>,
}

impl Said {
    fn wishes(&self) -> Wishes {
        let mut wishes = Wishes::new();
        let mut wish = |epd: &str, change: &dyn Fn(&mut Wish)| {
            let position = parse_fen(epd).unwrap();
            change(wishes.entry(PositionKey::of(&position)).or_default());
        };
        let moves =
            |texts: &[String]| texts.iter().map(|uci| parse_uci(uci).unwrap()).collect::<Vec<_>>();
        for (epd, texts) in &self.exclude {
            wish(epd, &|wish| wish.exclude = moves(texts));
        }
        for (epd, texts) in &self.include {
            wish(epd, &|wish| wish.include = moves(texts));
        }
        for (epd, given) in &self.value {
            wish(epd, &|wish| wish.value = Some(*given));
        }
        for epd in &self.stop {
            wish(epd, &|wish| wish.stop = true);
        }
        wishes
    }
}

/// A set of games, and the share and number of games that make a move played, for White and Black.
#[derive(Deserialize)]
struct PlayedGames {
    file: String,
    white: Option<(u8, u64)>,
    black: Option<(u8, u64)>,
}

impl PlayedGames {
    /// All counts at once, and the rules.
    fn facts(&self) -> CountFacts {
        let pgn = std::fs::read(file(&self.file)).unwrap();
        let mut counts: BTreeMap<PositionKey, BTreeMap<String, u64>> = BTreeMap::new();
        for text in Games::new(&pgn[..]) {
            let game = text.unwrap().main_line(None).unwrap().game;
            let before = std::iter::once(game.start().clone()).chain(game.positions());
            let moves = before.map(|p| PositionKey::of(&p)).zip(game.moves().iter().copied());
            let once: HashSet<(PositionKey, UciMove)> = moves.collect();
            for (position, uci) in once {
                *counts.entry(position).or_default().entry(uci.to_string()).or_default() += 1;
            }
        }
        let rule = |side: Option<(u8, u64)>| {
            side.map(|(percent, least)| PlayedRule::new(percent, least).unwrap())
        };
        let rules = PlayedRules { white: rule(self.white), black: rule(self.black) };
        let mut facts = CountFacts::new(rules);
        for (position, counts) in counts {
            let counts = counts.iter().map(|(uci, games)| (parse_uci(uci).unwrap(), *games));
            facts.learn(position, MoveCounts::new(counts));
        }
        facts
    }
}

impl Vector {
    fn selection(&self) -> Selection {
        let mut breadth = match &self.distance {
            Distance::Plain(distance) => Breadth::from(*distance),
            Distance::Sides(sides) => {
                let [white, black] = sides.each_ref().map(|side| {
                    // The files spell lists out: a single halving item is one ply's.
                    let halved = side.list.last().unwrap() / 2;
                    let halves = !side.stays && side.list.len() == 1;
                    let more = if halves { vec![halved] } else { Vec::new() };
                    Widths::new([&side.list[..], &more].concat(), side.stays).unwrap()
                });
                Breadth { white, black, least: 1 }
            }
        };
        breadth.least = self.least;
        let tables = self.tables.as_ref().map(|TableRule { men, fifty }| {
            TableFacts::new(Tables { men: *men, fifty: fifty.parse().unwrap() }, 0)
        });
        Selection {
            draw: self.draw,
            wishes: Arc::new(self.directives.wishes()),
            counts: self.games.as_ref().map(PlayedGames::facts).unwrap_or_default(),
            facts: tables.unwrap_or_default(),
            ..breadth.into()
        }
    }
}

#[derive(Deserialize, Debug, PartialEq)]
struct SettledRow {
    depth: u32,
    passes: u64,
    searches: u64,
    analysed: u64,
}

pub fn read(name: &str) -> Vector {
    let text = std::fs::read_to_string(file(&format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn file(name: &str) -> String {
    format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The vectors give the game's earlier positions, not its moves: find the moves.
pub fn game(vector: &Vector) -> Game {
    let mut positions: Vec<&str> = vector.history.iter().map(String::as_str).collect();
    positions.push(&vector.root);
    let mut game = Game::from_start(positions[0]).unwrap();
    for next in &positions[1..] {
        let next = PositionKey::of(&parse_fen(next).unwrap());
        let found = shakmaty::Position::legal_moves(game.root()).into_iter().find(|m| {
            let mut after = game.root().clone();
            shakmaty::Position::play_unchecked(&mut after, *m);
            PositionKey::of(&after) == next
        });
        game.play(found.expect("a legal move leads to each position of the history"));
    }
    game
}

/// Answers a service from the vector, which has every answer that a correct run needs.
fn serve(growth: &Growth, service: &mut Service, vector: &Vector) {
    let epd = epd_of(&growth.position(service.node()));
    while service.wants_search() {
        let answers = vector.answers.get(&epd).unwrap_or_else(|| panic!("asked for {epd}"));
        let answer = answers.get(service.next_rank());
        let (uci, score) = answer.unwrap_or_else(|| panic!("asked too much of {epd}"));
        service.answer(parse_uci(uci).unwrap(), Value::from(*score));
    }
}

pub fn grow(vector: &Vector) -> Growth {
    let selection = vector.selection();
    let mut growth = Growth::new(&game(vector), selection.clone());
    let mut looked_up = BTreeSet::new();
    while growth.depth() <= vector.depth {
        let whole = Values::of(growth.graph());
        let expected =
            requests(growth.graph(), &whole, growth.root(), &selection.breadth, growth.depth());
        let mut services = growth.requests();
        assert_eq!(services, expected, "a pass that goes by what changed asks for the same");
        for service in &mut services {
            serve(&growth, service, vector);
        }
        for position in growth.to_look_up(&services).unwrap() {
            let epd = epd_of(&position);
            let fact = vector.facts.get(&epd).unwrap_or_else(|| panic!("looked up {epd}"));
            looked_up.insert(epd);
            growth.learn([(PositionKey::of(&position), fact.and_then(Wdl::new))]);
        }
        growth.finish_pass(services).unwrap();
    }
    assert!(looked_up.iter().eq(vector.facts.keys()), "every fact is asked for: {looked_up:?}");
    growth
}

fn uci_of(edge: &deepanalyze_core::tree::Edge) -> UciMove {
    edge.uci.unpack()
}

fn assert_lists(growth: &Growth, vector: &Vector) {
    let mut listed = BTreeMap::new();
    for node in growth.graph().analysed() {
        let list = growth.graph().list(node).iter();
        let list: Vec<(String, Value)> =
            list.map(|edge| (uci_of(edge).to_string(), edge.eval)).collect();
        listed.insert(epd_of(&growth.position(node)), list);
    }
    let expected = vector.answers.iter().map(|(epd, list)| {
        let list = list.iter().map(|(uci, score)| (uci.clone(), Value::from(*score)));
        (epd.clone(), list.collect::<Vec<_>>())
    });
    assert_eq!(listed, expected.collect(), "every answer of the file is asked for, in its order");
}

fn assert_idea(growth: &Growth, values: &Values, vector: &Vector) {
    assert_eq!(vector.idea.len(), growth.graph().analysed().count());
    for (epd, moves) in &vector.idea {
        let node = node_at(growth, epd);
        for edge in growth.graph().moves(node) {
            let idea = Score::from(values.idea_of(growth.graph(), edge));
            assert_eq!(Some(&idea), moves.get(&uci_of(edge).to_string()), "{epd} {}", uci_of(edge));
        }
        assert_eq!(growth.graph().moves(node).len(), moves.len(), "{epd}");
    }
}

fn assert_alpha(growth: &Growth, values: &Values, vector: &Vector) {
    let mut paths = PathValues::new(growth.graph(), values);
    for (moves, expected) in &vector.alpha {
        let mut node = growth.root();
        let mut path = paths.extend(None, node);
        for uci in moves.split_whitespace() {
            let list = growth.graph().moves(node);
            let edge = list.iter().find(|edge| uci_of(edge).to_string() == uci);
            node = edge.expect("a walk over analysed positions").child;
            path = paths.extend(path, node);
        }
        let list = growth.graph().moves(node);
        assert_eq!(list.len(), expected.len(), "{moves}");
        for edge in list {
            let alpha = Score::from(paths.alpha(edge, path));
            let uci = uci_of(edge).to_string();
            assert_eq!(Some(&alpha), expected.get(&uci), "after {moves:?}: {uci}");
        }
    }
}

fn node_at(growth: &Growth, epd: &str) -> NodeId {
    growth.find(&PositionKey::of(&parse_fen(epd).unwrap())).expect("a seen position")
}

fn check(name: &str) {
    let vector = read(name);
    let growth = grow(&vector);
    let settled = growth.settled().iter().map(|row| SettledRow {
        depth: row.depth,
        passes: row.passes,
        searches: row.searches,
        analysed: row.analysed,
    });
    assert_eq!(settled.collect::<Vec<_>>(), vector.settled);
    assert_lists(&growth, &vector);
    let values = Values::of(growth.graph());
    assert_eq!(values.largest_component(growth.graph()), vector.largest_component);
    assert_idea(&growth, &values, &vector);
    assert_alpha(&growth, &values, &vector);
}

macro_rules! vectors {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            check($name);
        })*

        #[test]
        fn every_file_has_a_test() {
            let folder = format!("{}/tests/vectors", env!("CARGO_MANIFEST_DIR"));
            let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
            let mut names: Vec<String> = files
                .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
                .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
                .collect();
            names.sort();
            let mut tested = vec![$($name),*];
            tested.sort();
            assert_eq!(names, tested);
        }
    };
}

vectors! {
    announced_mates: "announced-mates",
    announced_mates_circles: "announced-mates-circles",
    castling: "castling",
    draw_avoided_black: "draw-avoided-black",
    draw_avoided_white: "draw-avoided-white",
    draw_directives: "draw-directives",
    draw_history: "draw-history",
    draw_stalemate: "draw-stalemate",
    draw_wanted: "draw-wanted",
    draw_wild: "draw-wild",
    directives_1: "directives-1",
    directives_10: "directives-10",
    directives_11: "directives-11",
    directives_12: "directives-12",
    directives_13: "directives-13",
    directives_14: "directives-14",
    directives_15: "directives-15",
    directives_16: "directives-16",
    directives_17: "directives-17",
    directives_18: "directives-18",
    directives_19: "directives-19",
    directives_2: "directives-2",
    directives_20: "directives-20",
    directives_21: "directives-21",
    directives_3: "directives-3",
    directives_4: "directives-4",
    directives_6: "directives-6",
    directives_7: "directives-7",
    directives_8: "directives-8",
    directives_9: "directives-9",
    directives_mates: "directives-mates",
    en_passant: "en-passant",
    exclude_best: "exclude-best",
    game_history: "game-history",
    history_once_1: "history-once-1",
    history_once_2: "history-once-2",
    history_twice_1: "history-twice-1",
    history_twice_2: "history-twice-2",
    include_circle: "include-circle",
    include_line: "include-line",
    king_and_pawn_circles: "king-and-pawn-circles",
    knights_shuffle: "knights-shuffle",
    least_4: "least-4",
    least_include: "least-include",
    least_mate: "least-mate",
    mate_in_one: "mate-in-one",
    mates: "mates",
    mates_wide: "mates-wide",
    played_black: "played-black",
    played_both: "played-both",
    played_circles: "played-circles",
    played_directives: "played-directives",
    played_draw: "played-draw",
    played_repertoire: "played-repertoire",
    promotion: "promotion",
    rook_ending_circles: "rook-ending-circles",
    root_repeated: "root-repeated",
    seed_example: "seed-example",
    stalemate_near: "stalemate-near",
    start_quiet: "start-quiet",
    start_wild: "start-wild",
    stockfish_depth_6: "stockfish-depth-6",
    tables_fide: "tables-fide",
    tables_iccf: "tables-iccf",
    value_and_stop: "value-and-stop",
    value_history: "value-history",
    widths_list: "widths-list",
    widths_repertoire: "widths-repertoire",
    widths_sides: "widths-sides",
}

#[test]
fn returning_move_of_the_seed_has_alpha_0() {
    let vector = read("seed-example");
    let growth = grow(&vector);
    let values = Values::of(growth.graph());
    let mut paths = PathValues::new(growth.graph(), &values);
    let (mut node, mut path) = (growth.root(), paths.extend(None, growth.root()));
    for uci in ["g1f3", "g8f6", "f3g1"] {
        let mut list = growth.graph().list(node).iter();
        node = list.find(|edge| uci_of(edge).to_string() == uci).unwrap().child;
        path = paths.extend(path, node);
    }
    let back = &growth.graph().list(node)[0];
    assert_eq!(uci_of(back).to_string(), "f6g8");
    assert_eq!(back.child, growth.root());
    assert_eq!(values.idea_of(growth.graph(), back).get(), -19);
    assert_eq!(paths.alpha(back, path).get(), 0);
    assert!(paths.repeats(back.child, path));
}
