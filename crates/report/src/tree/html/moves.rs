//! The moves as the page's script reads them, by place.

use std::io::{self, Write};

use hashbrown::HashMap;

use deepanalyze_core::chess::{Ending, LONGEST_SAN, Opening, Value, openings, push_san};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::NodeId;

use crate::tree::html::as_script;
use crate::tree::layout::{PlaceOf, TreeReport};
use deepanalyze_view::{Shown, describe_value, rounded, write_in_order};

/// The bytes that a move takes, nearly always.
const ROOM_OF_A_MOVE: usize = 48;

const CANDIDATE: u32 = 1;
const REPETITION: u32 = 2;
const TRANSPOSITION: u32 = 4;
const CHECKMATE: u32 = 8;
const STALEMATE: u32 = 16;
const INSUFFICIENT_MATERIAL: u32 = 32;
/// Analysed, but not among the printed plies.
const CUT: u32 = 64;
const INCLUDED: u32 = 128;
const EXCLUDED: u32 = 256;
const VALUED: u32 = 512;
const STOPPED: u32 = 1024;
/// From this bit on, what tables say for the side that plays the move: 1 and more are places in `table_words`.
const KNOWN: u32 = 2048;

/// A move: UCI, SAN, rank, eval, idea, alpha, flags, its place or -1, the place of its opening's name, what is said, what
/// games say, win, draw and loss. Elements at the end that are none may be missing.
pub type PageMove<'a> = (
    &'a str,
    &'a str,
    Option<usize>,
    Option<i16>,
    Option<i16>,
    Option<i16>,
    u32,
    i64,
    Option<usize>,
    Option<PageSaid<'a>>,
    Option<PageGames>,
    Option<WinDrawLoss>,
);

/// An element that is none, behind another one.
const NONE: &[u8] = b",null";

/// The user's value of the position after a move, in words, and the note.
type PageSaid<'a> = (Option<String>, Option<&'a str>);

/// In how many games a move was played, their share of the position's, its expected score, and the trap that it sets.
type PageGames = (Option<u64>, Option<f64>, Option<f64>, Option<String>);

/// Writes the moves of all places, a list each.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write_moves(
    report: &TreeReport<'_>,
    names: &NameOfNode,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = PageMoves { report, names, place_of: PlaceOf::new(report) };
    write_in_order(0..report.places.len(), |place, out| page.write_place(*place, out), out)
}

/// Source of the moves.
struct PageMoves<'a> {
    report: &'a TreeReport<'a>,
    names: &'a NameOfNode,
    place_of: PlaceOf,
}

impl PageMoves<'_> {
    fn write_place(&self, index: usize, out: &mut dyn Write) -> io::Result<()> {
        let Some(place) = self.report.places.get(index) else {
            return Ok(());
        };
        let position = self.report.position(place);
        let (mut uci, mut san) =
            (String::with_capacity(LONGEST_SAN), String::with_capacity(LONGEST_SAN));
        let mut list = Vec::with_capacity((place.moves.len() + place.aside.len()) * ROOM_OF_A_MOVE);
        list.extend_from_slice(if index == 0 { b"[" } else { b",[" });
        for (at, shown) in Shown::of_place(place).enumerate() {
            if at > 0 {
                list.push(b',');
            }
            uci.clear();
            shown.uci.append_to_string(&mut uci);
            san.clear();
            push_san(&mut position.clone(), shown.uci, &mut san);
            self.write_move(&uci, &san, shown, &mut list)?;
        }
        list.push(b']');
        out.write_all(&list)
    }

    /// Writes a move as a list, not an object: there are many.
    fn write_move(
        &self,
        uci: &str,
        san: &str,
        shown: Shown<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (node, rank) = (shown.node, shown.rank);
        let [eval, idea, alpha] =
            [shown.eval, shown.idea(), shown.alpha()].map(|value| value.map(Value::get));
        let place = self.place_of.get(node);
        let flags = flags(self.report, shown, place.is_some());
        let target = place.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1);
        let said = self.report.said(node);
        let value = said.value.map(describe_value);
        let said = (value.is_some() || said.note.is_some()).then_some((value, said.note));
        let (name, games) = (self.names.get(&node).copied(), self.games(shown));
        let wdl = self.report.wdl(shown);
        let (begin, has_text) = (out.len(), said.is_some());
        let told: PageMove<'_> =
            (uci, san, rank, eval, idea, alpha, flags, target, name, said, games, wdl);
        serde_json::to_writer(&mut *out, &told)?;
        out.pop();
        while out.ends_with(NONE) {
            out.truncate(out.len() - NONE.len());
        }
        out.push(b']');
        // The only text that may hold what a script must not.
        if has_text {
            let told = out.split_off(begin);
            out.extend_from_slice(as_script(&String::from_utf8_lossy(&told)).as_bytes());
        }
        Ok(())
    }

    /// In how many games a move was played, their share of the position's, the expected score, and the trap that it sets;
    /// none where nothing of that is known.
    fn games(&self, shown: Shown<'_>) -> Option<PageGames> {
        let growth = self.report.growth();
        let played = shown.played(growth);
        let expected = self.report.expected(shown).map(rounded);
        let share = played.and_then(|played| played.share).map(rounded);
        let is_known = played.is_some() || expected.is_some();
        is_known.then(|| {
            (played.and_then(|played| played.games), share, expected, shown.trap(self.report.tree))
        })
    }
}

fn flags(report: &TreeReport<'_>, shown: Shown<'_>, printed: bool) -> u32 {
    let graph = report.growth().graph();
    let ending = match graph.ending(shown.node) {
        Some(Ending::Checkmate) => CHECKMATE,
        Some(Ending::Stalemate) => STALEMATE,
        Some(Ending::InsufficientMaterial) => INSUFFICIENT_MATERIAL,
        None => 0,
    };
    let known = report.known(shown.node).map_or(0, |known| known.turned().place() as u32 + 1);
    let cut = graph.is_analysed(shown.node) && !printed;
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    ending
        | (known * KNOWN)
        | flag(shown.is_candidate(), CANDIDATE)
        | flag(shown.is_repetition(), REPETITION)
        | flag(shown.is_transposition(), TRANSPOSITION)
        | flag(cut, CUT)
        | flag(shown.included, INCLUDED)
        | flag(shown.excluded, EXCLUDED)
        | flag(graph.given(shown.node).is_some(), VALUED)
        | flag(graph.is_stopped(shown.node), STOPPED)
}

/// The names in use, each once, in the order in which the page comes to them.
#[derive(Default)]
pub struct Names {
    /// ECO code and name.
    pub list: Vec<(&'static str, &'static str)>,
    /// The name of the line to where printing begins.
    pub of_line: Option<usize>,
    index: HashMap<Opening, usize>,
}

/// Places in the list of positions that have names.
pub type NameOfNode = HashMap<NodeId, usize>;

/// The names of a report. Nearly all positions of a large tree have none: those that have are looked for in
/// the tree, and not the tree's in the table.
pub fn names_of(report: &TreeReport<'_>) -> (Names, NameOfNode) {
    let growth = report.growth();
    let known = openings().filter_map(|(key, opening)| Some((growth.find(&key)?, opening)));
    let known: HashMap<NodeId, Opening> = known.collect();
    let (mut names, mut of_nodes) = (Names::default(), NameOfNode::new());
    names.of_line = report.opening().map(|opening| names.index(opening));
    for node in
        report.places.iter().flat_map(|place| Shown::of_place(place).map(|shown| shown.node))
    {
        if let Some(opening) = known.get(&node) {
            of_nodes.insert(node, names.index(*opening));
        }
    }
    (names, of_nodes)
}

impl Names {
    fn index(&mut self, opening: Opening) -> usize {
        *self.index.entry(opening).or_insert_with(|| {
            self.list.push((opening.eco, opening.name));
            self.list.len() - 1
        })
    }
}
