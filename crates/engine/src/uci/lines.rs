//! Reads `info` lines, chooses the answer among the lines of a search, and checks it against the
//! limit.
//!
//! vampirc-uci is not used here: it loses bounds and panics at great depths. No two engines agree
//! on the order of keys, and all add some of their own. So the words are taken one by one: a known
//! key with a valid value counts, anything else is skipped.

use std::iter::Peekable;
use std::str::SplitWhitespace;
use std::time::Duration;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Search, WinDrawLoss};

use super::EngineLine;

/// Exactness of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreBound {
    /// The score itself.
    Exact,
    /// The score is at least this: no score.
    Lower,
    /// The score is at most this: no score.
    Upper,
}

/// The words of an `info` line that are used. Numbers as written, clamped to their types; scores to
/// their bounds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchInfo {
    /// Plies.
    pub depth: Option<u32>,
    /// Plies.
    pub seldepth: Option<u32>,
    /// The line's place, from 1.
    pub multipv: Option<u32>,
    /// For the side to move. Only an exact one is a score.
    pub score: Option<(Score, ScoreBound)>,
    /// Goes with an exact score, for the same side. None if the numbers do not add up.
    pub wdl: Option<WinDrawLoss>,
    /// Nodes of the search so far.
    pub nodes: Option<u64>,
    /// The moves, not yet checked against any position.
    pub pv: Vec<UciMove>,
}

impl SearchInfo {
    /// The score, if exact.
    pub fn exact(&self) -> Option<Score> {
        match self.score {
            Some((score, ScoreBound::Exact)) => Some(score),
            _ => None,
        }
    }
}

/// Reads the words after `info`.
pub(super) fn read_info(rest: &str) -> EngineLine {
    let mut info = SearchInfo::default();
    let mut words = rest.split_whitespace().peekable();
    let (mut scored, mut score, mut bound) = (false, None, ScoreBound::Exact);
    let mut note = None;
    while let Some(key) = words.next() {
        match key {
            "score" => scored = true,
            "depth" => info.depth = small(&mut words).or(info.depth),
            "seldepth" => info.seldepth = small(&mut words).or(info.seldepth),
            "multipv" => info.multipv = small(&mut words).or(info.multipv),
            "nodes" => info.nodes = digits(&mut words).or(info.nodes),
            "cp" if scored => score = number(&mut words).map(Score::cp),
            "mate" if scored => score = number(&mut words).map(Score::mate),
            // Anywhere in the line: Stockfish has the wdl between score and bound.
            "lowerbound" => bound = ScoreBound::Lower,
            "upperbound" => bound = ScoreBound::Upper,
            "wdl" => info.wdl = win_draw_loss(&mut words),
            "pv" => info.pv = std::iter::from_fn(|| taken(&mut words, parse_uci)).collect(),
            "string" => note = Some(words.by_ref().collect::<Vec<_>>().join(" ")),
            _ => {}
        }
    }
    info.score = score.map(|score| (score, bound));
    info.wdl = info.wdl.filter(|_| info.exact().is_some());
    match note {
        Some(note) if info.score.is_none() => EngineLine::Note(note),
        _ if info == SearchInfo::default() => EngineLine::Other,
        _ => EngineLine::Info(info),
    }
}

/// The next word's value; an invalid word is left, for it may be the next key.
fn taken<T>(
    words: &mut Peekable<SplitWhitespace<'_>>,
    value: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value = value(words.peek()?)?;
    words.next();
    Some(value)
}

/// Digits only; too many mean the greatest number.
fn digits(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<u64> {
    taken(words, |word| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| word.parse().unwrap_or(u64::MAX))
    })
}

fn small(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<u32> {
    digits(words).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// Three numbers per thousand.
fn win_draw_loss(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<WinDrawLoss> {
    let mut next = || u16::try_from(digits(words)?).ok();
    WinDrawLoss::new(next()?, next()?, next()?)
}

/// A number with or without sign. Too many digits are no score.
fn number(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<i64> {
    taken(words, |word| word.parse().ok())
}

/// Gathers the lines of one search.
pub struct PrintedLines<'a> {
    search: &'a Search,
    /// The lines, if several were asked for.
    places: LinesByPlace,
    /// The last exact line of place 1.
    exact: Option<SearchInfo>,
    /// The last line of place 1 that has moves, bound or not.
    last: Option<SearchInfo>,
    bounds: bool,
    nodes: u64,
}

/// Reason for no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The engine gave an excluded move: it ignores `searchmoves`, or lies.
    Excluded(UciMove),
    /// The answer's defect.
    Lie(String),
    /// The defect where no score was read, perhaps for an unreadable line.
    NoScore(String),
}

impl<'a> PrintedLines<'a> {
    /// For this many lines: 1 is the plain way, more is `MultiPV`.
    pub fn new(search: &'a Search, lines: usize) -> PrintedLines<'a> {
        PrintedLines {
            search,
            places: LinesByPlace { depth: 0, newest: vec![None; lines], whole: Vec::new() },
            exact: None,
            last: None,
            bounds: false,
            nodes: 0,
        }
    }

    /// The nodes reported so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Takes one info line.
    pub fn add(&mut self, info: SearchInfo) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        if info.score.is_none() {
            return;
        }
        self.bounds |= info.exact().is_none();
        if self.lines() > 1 {
            self.places.add(self.search, info);
        } else if place_of(&info) == 1 && !self.starts_excluded(&info) {
            if info.exact().is_some() {
                self.exact = Some(info.clone());
            }
            if !info.pv.is_empty() {
                self.last = Some(info);
            }
        }
    }

    fn lines(&self) -> usize {
        self.places.newest.len()
    }

    fn starts_excluded(&self, info: &SearchInfo) -> bool {
        let first = info.pv.first().and_then(|first| self.search.legal(*first));
        first.is_some_and(|first| self.search.excluded.contains(&first))
    }

    /// The answer, once `bestmove` was read.
    ///
    /// The plain way: the move is `bestmove`, the score the last exact one of place 1. If that
    /// belongs to another move, the engine changed its mind in an iteration that its limit cut
    /// short (Stockfish under `go nodes`: a `lowerbound` line with the new move comes last): the
    /// new move is worth at least as much, and nothing better is known of it.
    ///
    /// With several lines: the best-placed moves that are not excluded, whatever `bestmove` says
    /// (Glaurung contradicts itself).
    pub fn answer(
        &self,
        best: Option<UciMove>,
        said: &str,
        time: Duration,
    ) -> Result<Answer, NoAnswer> {
        let best = best
            .and_then(|best| self.search.legal(best))
            .ok_or_else(|| NoAnswer::Lie(not_a_move(said)))?;
        let answer = match self.lines() {
            1 if self.search.excluded.contains(&best) => return Err(NoAnswer::Excluded(best)),
            1 => self.plain(best),
            _ => self.best_placed(),
        };
        let answer = answer.ok_or_else(|| self.no_score())?;
        Ok(Answer { nodes: self.nodes, time, ..answer })
    }

    /// The engine's answer by the last iteration printed; `None` before a score.
    pub fn so_far(&self, time: Duration) -> Option<Answer> {
        let answer = match (self.lines(), &self.exact) {
            (1, exact) => {
                let exact = exact.as_ref()?;
                answer_of(exact, self.search.legal_prefix(&exact.pv))
            }
            _ => self.best_placed(),
        }?;
        let is_allowed = !self.search.excluded.contains(&answer.best);
        is_allowed.then_some(Answer { nodes: self.nodes, time, ..answer })
    }

    fn plain(&self, best: UciMove) -> Option<Answer> {
        let exact = self.exact.as_ref()?;
        let lines = [Some(exact), self.last.as_ref()].into_iter().flatten();
        let pv = lines
            .map(|info| self.search.legal_prefix(&info.pv))
            .find(|pv| pv.first() == Some(&best))
            .unwrap_or_else(|| vec![best]);
        answer_of(exact, pv)
    }

    fn best_placed(&self) -> Option<Answer> {
        let lines = self.places.whole.iter();
        let mut answers =
            lines.filter_map(|info| answer_of(info, self.search.legal_prefix(&info.pv)));
        answers.find(|answer| !self.search.excluded.contains(&answer.best))
    }

    fn no_score(&self) -> NoAnswer {
        match (self.bounds, self.lines()) {
            (true, 1) => NoAnswer::Lie("bounds only, no exact score,".to_owned()),
            (false, 1) => NoAnswer::NoScore("no score before bestmove".to_owned()),
            (_, lines) => NoAnswer::Lie(format!("no complete list of {lines} lines")),
        }
    }
}

/// The answer of a line, without the search's time and nodes.
fn answer_of(info: &SearchInfo, pv: Vec<UciMove>) -> Option<Answer> {
    let depth = info.depth.unwrap_or(0);
    Some(Answer {
        best: *pv.first()?,
        score: info.exact()?,
        wdl: info.wdl,
        depth,
        seldepth: info.seldepth.unwrap_or(depth),
        nodes: 0,
        time: Duration::ZERO,
        pv,
    })
}

fn not_a_move(said: &str) -> String {
    match said {
        "" => "no move".to_owned(),
        "(none)" | "0000" | "NULL" | "none" => format!("no move ({said})"),
        _ => format!("the illegal move {:?}", said.chars().take(20).collect::<String>()),
    }
}

/// The lines of a search with `MultiPV`.
struct LinesByPlace {
    /// The deepest iteration so far, if that matters.
    depth: u32,
    /// The newest line of each place.
    newest: Vec<Option<SearchInfo>>,
    /// The last complete set: a line at each place, all exact, with different moves.
    whole: Vec<SearchInfo>,
}

impl LinesByPlace {
    /// Takes a line; all places of its iteration are to follow. An engine repeats the places it has
    /// not reached with the line of the iteration before, so lines of a lesser depth change
    /// nothing.
    fn add(&mut self, search: &Search, info: SearchInfo) {
        let depth = info.depth.unwrap_or(0);
        if depth < self.depth || !(1..=self.newest.len()).contains(&place_of(&info)) {
            return;
        }
        if depth > self.depth {
            self.depth = depth;
            self.newest.fill(None);
        }
        let index = place_of(&info).checked_sub(1);
        if let Some(line) = index.and_then(|index| self.newest.get_mut(index)) {
            *line = Some(info);
            if let Some(whole) = different(search, &self.newest) {
                self.whole = whole;
            }
        }
    }
}

/// The place of a line, from 1.
fn place_of(info: &SearchInfo) -> usize {
    usize::try_from(info.multipv.unwrap_or(1)).unwrap_or(usize::MAX)
}

/// All lines, if complete, exact, and beginning with different legal moves.
fn different(search: &Search, lines: &[Option<SearchInfo>]) -> Option<Vec<SearchInfo>> {
    let lines: Vec<SearchInfo> = lines.iter().cloned().collect::<Option<_>>()?;
    let mut moves: Vec<UciMove> = lines
        .iter()
        .filter(|info| info.exact().is_some())
        .filter_map(|info| search.legal(*info.pv.first()?))
        .collect();
    moves.sort_by_key(ToString::to_string);
    moves.dedup();
    (moves.len() == lines.len()).then_some(lines)
}

/// True if the nodes reported show that the engine ignores `go nodes`.
///
/// Engines check their limit every so often, some every 30,000 nodes and more; GNU Chess and Toga
/// never do.
pub fn exceeds(limit: Limit, nodes: u64) -> bool {
    match limit {
        Limit::Depth(_) => false,
        Limit::Nodes(asked) => nodes > asked.saturating_mul(5).saturating_add(500_000),
    }
}

/// True if an answer took too few nodes for a real try: Ethereal takes any number of nodes for 6. A
/// mate, a single move or a dead draw end a search early, too.
pub fn falls_short(limit: Limit, answer: &Answer, moves: usize) -> bool {
    let Limit::Nodes(asked) = limit else {
        return false;
    };
    let early = matches!(answer.score, Score::Mate(_)) || moves <= 1 || answer.depth >= 10;
    !early && answer.nodes > 0 && answer.nodes < asked / 10
}

#[cfg(test)]
mod tests;
