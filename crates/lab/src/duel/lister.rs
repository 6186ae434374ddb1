//! Several moves of a position in one search: from the memo, or by `MultiPV` from an engine process
//! that does nothing else. The program itself has no use for such lists.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duel::question::Reply;
use crate::duel::serial::SearcherEvent;
use deepanalyze_core::chess::{epd_of, legal_uci};
use deepanalyze_core::quoting;
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{EngineLine, SearchInfo, Settings, read_line};
use deepanalyze_runner::ControlReceiver;
use deepanalyze_store::{NewAnswer, ProfileId, Store};

use crate::duel::run::DuelError;

/// The option by which engines list several moves of one search.
const MULTIPV: &str = "MultiPV";
/// Pause between checks that the search is still wanted.
const TICK: Duration = Duration::from_millis(100);

/// Lists the moves of positions.
pub struct Lister {
    settings: Settings,
    profile: Profile,
    control: ControlReceiver,
    tell: Box<dyn Fn(SearcherEvent) + Send>,
    engine: Option<ListingEngine>,
}

impl Lister {
    /// A lister for the engine with this profile; started at its first search.
    pub fn new(
        settings: Settings,
        profile: Profile,
        control: ControlReceiver,
        tell: impl Fn(SearcherEvent) + Send + 'static,
    ) -> Lister {
        Lister { settings, profile, control, tell: Box::new(tell), engine: None }
    }

    /// The `moves` best moves of a position, or all if fewer, with their scores: one search with
    /// `MultiPV` on a cleared hash, by place. Its cost is stored with the first. They are kept
    /// together before use, as the answers of ranks 0, 1 and so on of a profile that no tree can
    /// have, since no user can set this option.
    ///
    /// # Errors
    ///
    /// If the engine cannot list that many, or fails, or the database does.
    pub fn list(
        &mut self,
        store: &mut Store,
        position: &Chess,
        moves: usize,
        limit: Limit,
    ) -> Result<Vec<Reply>, DuelError> {
        let mut profile = Profile { limit, ..self.profile.clone() };
        profile.options.insert(MULTIPV.to_owned(), moves.to_string());
        let profile = store.profile_id(&profile)?;
        let places = moves.min(legal_uci(position).len());
        if let Some(list) = kept(store, profile, position, places)? {
            return Ok(list);
        }
        let answers = self.ask(position, places, limit)?;
        (self.tell)(SearcherEvent::Searched(answers.first().map_or(0, |first| first.nodes)));
        let listed: Vec<UciMove> = answers.iter().map(|answer| answer.best).collect();
        let rows = answers.iter().enumerate().map(|(rank, answer)| NewAnswer {
            position: position.clone(),
            excluded: listed.get(..rank).unwrap_or_default().to_vec(),
            answer: answer.clone(),
            worker: None,
        });
        store.keep(profile, &rows.collect::<Vec<_>>())?;
        let gone = || self.failed(&format!("a part of its list of {} is gone", epd_of(position)));
        kept(store, profile, position, places)?.ok_or_else(gone)
    }

    fn ask(
        &mut self,
        position: &Chess,
        moves: usize,
        limit: Limit,
    ) -> Result<Vec<Answer>, DuelError> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        if moves > engine.most_lines {
            let why = match engine.most_lines {
                1 => "it offers no MultiPV".to_owned(),
                most => format!("its MultiPV ends at {most}"),
            };
            return Err(self.failed(&format!("cannot list {moves} moves: {why}")));
        }
        engine.send(&format!("setoption name {MULTIPV} value {moves}\nucinewgame\nisready\n"));
        while self.hear(&engine)? != EngineLine::ReadyOk {}
        engine.send(&format!("position fen {} 0 1\ngo {limit}\n", epd_of(position)));
        let search = Search { position: position.clone(), excluded: Vec::new() };
        let mut printed = PrintedList::new(&search, moves);
        loop {
            match self.hear(&engine)? {
                EngineLine::Info(info) => printed.add(info),
                EngineLine::BestMove { .. } => break,
                _ => {}
            }
        }
        let answers = printed.answers();
        if answers.len() < moves {
            return Err(self.failed(&format!("has no complete list of {moves} moves")));
        }
        self.engine = Some(engine);
        Ok(answers)
    }

    fn start(&self) -> Result<ListingEngine, DuelError> {
        let command = self.settings.sources.first().map(|source| source.command.as_str());
        let words = command.and_then(quoting::split).unwrap_or_default();
        let [program, args @ ..] = words.as_slice() else {
            return Err(self.failed("has no command"));
        };
        let mut engine = ListingEngine::start(program, args)
            .or_else(|_| ListingEngine::start(&format!("/usr/games/{program}"), args))
            .map_err(|error| self.failed(&format!("cannot start: {error}")))?;
        engine.send("uci\n");
        loop {
            match self.hear_line(&engine)? {
                line if line.trim() == "uciok" => break,
                line => engine.most_lines = most_lines(&line).unwrap_or(engine.most_lines),
            }
        }
        for (name, value) in &self.settings.options {
            engine.send(&format!("setoption name {name} value {value}\n"));
        }
        Ok(engine)
    }

    fn hear(&self, engine: &ListingEngine) -> Result<EngineLine, DuelError> {
        Ok(read_line(&self.hear_line(engine)?))
    }

    fn hear_line(&self, engine: &ListingEngine) -> Result<String, DuelError> {
        loop {
            if self.control.is_told_to_end() {
                return Err(DuelError::Stopped);
            }
            match engine.lines.recv_timeout(TICK) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.failed("has ended")),
            }
        }
    }

    fn failed(&self, what: &str) -> DuelError {
        DuelError::Listing { engine: self.profile.engine.clone(), what: what.to_owned() }
    }
}

/// The memo's list, if it has all of it.
fn kept(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    places: usize,
) -> Result<Option<Vec<Reply>>, DuelError> {
    let reply = |rank| {
        let kept = store.priced_answer(profile, position, rank)?;
        Ok(kept.map(|kept| Reply {
            uci: kept.answer.uci,
            score: kept.answer.score,
            nodes: kept.nodes,
        }))
    };
    (0..places).map(reply).collect()
}

/// The greatest `MultiPV`, if the line offers it.
fn most_lines(line: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_offer = words.starts_with(&["option", "name", MULTIPV]);
    let most = words.iter().skip_while(|word| **word != "max").nth(1).filter(|_| is_offer);
    most.and_then(|most| most.parse().ok())
}

/// An engine that lists moves; killed on drop.
struct ListingEngine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// The greatest `MultiPV`.
    most_lines: usize,
}

impl ListingEngine {
    fn start(program: &str, args: &[String]) -> std::io::Result<ListingEngine> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| std::io::Error::other("no pipes"))?;
        let (sender, lines) = unbounded();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(ListingEngine { child, input, lines, most_lines: 1 })
    }

    /// A failed send to an ended engine shows by its silence.
    fn send(&mut self, text: &str) {
        let _ = self.input.write_all(text.as_bytes());
    }
}

impl Drop for ListingEngine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The newest lines of all places, of any iteration.
///
/// An engine that is cut short in an iteration has some places of it, and repeats the others from
/// the one before: this is the list that people see at the end of a search.
struct PrintedList<'a> {
    search: &'a Search,
    /// The last exact line of each place.
    lines: Vec<Option<SearchInfo>>,
    /// The last full set of lines, with different moves.
    whole: Vec<SearchInfo>,
    nodes: u64,
}

impl PrintedList<'_> {
    fn new(search: &Search, lines: usize) -> PrintedList<'_> {
        PrintedList { search, lines: vec![None; lines], whole: Vec::new(), nodes: 0 }
    }

    fn add(&mut self, info: SearchInfo) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        let place = usize::try_from(info.multipv.unwrap_or(1)).unwrap_or(usize::MAX);
        let slot = place.checked_sub(1).and_then(|index| self.lines.get_mut(index));
        if let (Some(slot), Some(_)) = (slot, info.exact()) {
            *slot = Some(info);
            self.whole = self.different().unwrap_or_else(|| std::mem::take(&mut self.whole));
        }
    }

    /// All lines, if complete and with different legal first moves.
    fn different(&self) -> Option<Vec<SearchInfo>> {
        let lines: Vec<SearchInfo> = self.lines.iter().cloned().collect::<Option<_>>()?;
        let firsts = lines.iter().map(|info| self.search.legal(*info.pv.first()?));
        let mut moves: Vec<String> =
            firsts.map(|uci| uci.map(|uci| uci.to_string())).collect::<Option<_>>()?;
        moves.sort();
        moves.dedup();
        (moves.len() == lines.len()).then_some(lines)
    }

    /// The answers by place; the nodes of the search are the first one's.
    fn answers(self) -> Vec<Answer> {
        let answers = self.whole.iter().enumerate().filter_map(|(place, info)| {
            let pv = self.search.legal_prefix(&info.pv);
            let depth = info.depth.unwrap_or(0);
            Some(Answer {
                best: *pv.first()?,
                score: info.exact()?,
                wdl: info.wdl,
                depth,
                seldepth: info.seldepth.unwrap_or(depth),
                nodes: if place == 0 { self.nodes } else { 0 },
                time: Duration::ZERO,
                pv,
            })
        });
        answers.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `go nodes 60000` with `MultiPV 4`: the last iteration is cut short at the second move.
    const CUT: &str = include_str!("../../../../tests/transcripts/stockfish-15.1-multipv.txt");
    const GLAURUNG: &str = include_str!("../../../../tests/transcripts/glaurung.txt");
    const FAIRY: &str = include_str!("../../../../tests/transcripts/fairy-stockfish.txt");
    const ETHEREAL: &str = include_str!("../../../../tests/transcripts/ethereal-12.txt");
    const TOGA: &str = include_str!("../../../../tests/transcripts/toga-3.txt");
    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN2Q/1p2P3/2N5/PPPBBPPP/R3K2R w KQkq - 0 1";
    const BEGINNING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// The output after the n-th `go` of a transcript, from 0.
    fn after_go(transcript: &str, n: usize) -> impl Iterator<Item = &str> {
        transcript.split("\n> go ").nth(n + 1).unwrap().lines().skip(1)
    }

    fn listed<'a>(fen: &str, lines: usize, printed: impl Iterator<Item = &'a str>) -> Vec<Answer> {
        let position = deepanalyze_core::chess::parse_fen(fen).unwrap();
        let search = Search { position, excluded: Vec::new() };
        let mut list = PrintedList::new(&search, lines);
        for line in printed {
            match read_line(line) {
                EngineLine::Info(info) => list.add(info),
                EngineLine::BestMove { .. } => return list.answers(),
                _ => {}
            }
        }
        panic!("no bestmove")
    }

    /// Moves, scores, depths.
    fn told(list: &[Answer]) -> String {
        let word = |of: &Answer| format!("{} {} {}", of.best, of.score, of.depth);
        list.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn cut_iteration_is_filled_up_from_the_one_before() {
        // The second place has a bound only: what was exact there before stands.
        let list = listed(KIWIPETE, 4, after_go(CUT, 0));
        assert!(list.iter().all(|answer| answer.pv.first() == Some(&answer.best)));
        let nodes: Vec<u64> = list.iter().map(|answer| answer.nodes).collect();
        assert_eq!(nodes, [60_023, 0, 0, 0], "one search, paid once");
        assert_eq!(told(&list), "h5f3 -4.15 11, e5g6 -3.88 10, h5g5 -4.46 10, h5h8 -4.66 10");
    }

    #[test]
    fn lists_of_other_engines_are_their_last_lines() {
        for (transcript, expected) in [
            (GLAURUNG, "h5f3 -3.17 6, e5g6 -3.33 6, h5g5 -4.37 6"),
            (ETHEREAL, "h5f3 -3.08 6, h5g5 -3.82 6, e5g6 -5.08 6"),
            (TOGA, "h5f3 -2.85 6, h5g5 -3.19 6, e5g6 -3.30 6"),
            (FAIRY, "h5f3 -3.12 6, h5g5 -4.43 6, e5g6 -5.07 6"),
        ] {
            assert_eq!(told(&listed(KIWIPETE, 3, after_go(transcript, 5))), expected);
        }
    }

    #[test]
    fn list_has_different_moves_and_exact_scores() {
        let right = [
            "info depth 5 multipv 1 score cp 40 pv e2e4",
            "info depth 5 multipv 2 score cp 30 pv d2d4",
        ];
        let of = |more: &[&str]| {
            let lines = right.iter().chain(more).chain(&["bestmove e2e4"]).copied();
            told(&listed(BEGINNING, 2, lines))
        };
        for more in [
            // The second place is not searched yet, and would be listed twice.
            &["info depth 6 multipv 1 score cp 44 pv d2d4"][..],
            &["info depth 6 multipv 1 score cp 44 upperbound pv c2c4"],
            &["info depth 6 multipv 2 score cp 44 wdl 1 2 3 lowerbound pv c2c4"],
            &["info depth 6 multipv 0 score cp 44 pv c2c4"],
            &["info depth 6 multipv 3 score cp 44 pv c2c4"],
            &["info depth 6 multipv 18446744073709551616 score cp 44 pv c2c4"],
            &["info depth 6 multipv 2 score cp 44", "info depth 6 multipv 2 score cp 44 pv"],
            &["info depth 6 multipv 2 score cp 44 pv e2e5"],
            &["info string depth 6 multipv 2 score cp 44 pv c2c4"],
        ] {
            assert_eq!(of(more), "e2e4 +0.40 5, d2d4 +0.30 5", "{more:?}");
        }
        let newer = [
            "info depth 6 multipv 1 score cp 44 pv d2d4",
            "info depth 6 multipv 2 score mate -3 pv e2e4",
        ];
        assert_eq!(of(&newer), "d2d4 +0.44 6, e2e4 #-3 6");
    }

    #[test]
    fn a_list_that_never_was_whole_is_no_answer() {
        for lines in [
            &["bestmove e2e4"][..],
            &["info depth 5 multipv 1 score cp 40 pv e2e4", "bestmove e2e4"],
            &[
                "info depth 5 score cp 40 pv e2e4",
                "info depth 6 score cp 4 pv d2d4",
                "bestmove d2d4",
            ],
        ] {
            assert_eq!(listed(BEGINNING, 2, lines.iter().copied()), []);
        }
    }

    #[test]
    fn how_many_lines_an_engine_has_is_what_it_offers() {
        assert_eq!(most_lines("option name MultiPV type spin default 1 min 1 max 500"), Some(500));
        assert_eq!(most_lines("option name Hash type spin default 1 min 1 max 500"), None);
    }
}
