//! Faults and the conditions that bring them about.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::str::FromStr;

/// Kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Exits with status 3 in place of an answer.
    Die,
    /// Ends by a signal in place of an answer.
    Abort,
    /// Does nothing any more: no answer, no `readyok`, not even at `quit`.
    Hang,
    /// Never answers the search, but says `readyok`.
    Lost,
    /// Never answers the search, but prints lines all the time.
    Chatty,
    /// Takes a hundred times as long.
    Slow,
    /// Takes until the file of `--gate` is there.
    Held,
    /// Takes four seconds, says nothing meanwhile, and hears nothing.
    Silent,
    /// Prints lines of nonsense before a correct answer.
    Garbage,
    /// Prints 8 MiB without a newline before a correct answer.
    Flood,
    /// Prints for ever without a newline.
    EndlessFlood,
    /// Answers an illegal move.
    Illegal,
    /// Answers a move that is not among `searchmoves`.
    Excluded,
    /// `bestmove (none)`.
    None,
    /// `bestmove 0000`.
    Null,
    /// `bestmove` and nothing behind it.
    Empty,
    /// All its scores are bounds.
    Bounds,
    /// `bestmove` without a score that can be read.
    NoScore,
    /// A bound with `wdl` between the score and the bound, after an exact score.
    WdlBound,
    /// Fails high on another move at the end, and answers that one without an exact score.
    Switch,
    /// Answers as an engine with another seed does.
    Lie,
    /// Says `bestmove` twice.
    Twice,
    /// At start: exits with status 3 and a line on stderr.
    DieAtStart,
    /// At start: never says `uciok`.
    MuteAtStart,
    /// At start: says `uciok` in green.
    GreenAtStart,
    /// At start: calls itself by another name.
    OtherName,
    /// Never says `readyok` outside a search.
    NotReady,
}

/// When it goes wrong: all conditions together; without any, always.
#[derive(Debug, Clone, PartialEq, Eq)]
enum When {
    /// Every search of one process whose number this divides.
    Every(u64),
    /// At that search of a process, from 1.
    Go(u64),
    /// In that process, from 1.
    Start(u64),
    /// In that process and all later ones.
    From(u64),
    /// In that process and all earlier ones.
    Until(u64),
    /// If this search was struck less often than that, in any process.
    Most(usize),
    /// If the log has at least this many lines, this search's included.
    Logged(usize),
    /// With this many moves left out.
    Rank(usize),
    /// In one of this many cases, at random.
    Chance(u64),
    /// In that position.
    Epd(String),
}

/// A fault and its conditions.
#[derive(Debug, Clone)]
pub struct Fault {
    pub kind: Kind,
    when: Vec<When>,
}

/// Input of the conditions.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    pub go: u64,
    pub start: u64,
    pub rank: usize,
    pub epd: String,
    /// How often this search was struck, in any process.
    pub struck: usize,
    /// The lines of the log.
    pub logged: usize,
}

impl Fault {
    /// True if it depends on the length of the log.
    pub fn counts_log(&self) -> bool {
        self.when.iter().any(|when| matches!(when, When::Logged(_)))
    }

    /// True if it strikes now.
    pub fn strikes(&self, now: &Moment) -> bool {
        self.when.iter().all(|when| match when {
            When::Every(n) => now.go > 0 && now.go.is_multiple_of(*n),
            When::Go(n) => now.go == *n,
            When::Start(n) => now.start == *n,
            When::From(n) => now.start >= *n,
            When::Until(n) => now.start <= *n,
            When::Most(n) => now.struck < *n,
            When::Logged(n) => now.logged >= *n,
            When::Rank(n) => now.rank == *n,
            When::Chance(n) => random().is_multiple_of(*n),
            When::Epd(epd) => now.epd == *epd,
        })
    }
}

/// A number that differs from run to run.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Fault, String> {
        let (kind, conditions) = text.split_once(':').unwrap_or((text, ""));
        let when = conditions
            .split(',')
            .filter(|condition| !condition.is_empty())
            .map(condition)
            .collect::<Result<_, _>>()?;
        Ok(Fault { kind: kind_of(kind).ok_or_else(|| format!("no fault {kind:?}"))?, when })
    }
}

fn condition(text: &str) -> Result<When, String> {
    let (key, value) = text.split_once('=').ok_or("a condition is key=value")?;
    let number = || value.parse::<u64>().map_err(|e| e.to_string());
    Ok(match key {
        "every" => When::Every(number()?.max(1)),
        "go" => When::Go(number()?),
        "start" => When::Start(number()?),
        "from" => When::From(number()?),
        "until" => When::Until(number()?),
        "most" => When::Most(value.parse().map_err(|_| "not a number")?),
        "logged" => When::Logged(value.parse().map_err(|_| "not a number")?),
        "rank" => When::Rank(value.parse().map_err(|_| "not a rank")?),
        "chance" => When::Chance(number()?.max(1)),
        "epd" => When::Epd(value.to_owned()),
        _ => return Err(format!("no condition {key:?}")),
    })
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "die" => Kind::Die,
        "abort" => Kind::Abort,
        "hang" => Kind::Hang,
        "lost" => Kind::Lost,
        "chatty" => Kind::Chatty,
        "slow" => Kind::Slow,
        "held" => Kind::Held,
        "silent" => Kind::Silent,
        "garbage" => Kind::Garbage,
        "flood" => Kind::Flood,
        "endless-flood" => Kind::EndlessFlood,
        "illegal" => Kind::Illegal,
        "excluded" => Kind::Excluded,
        "none" => Kind::None,
        "null" => Kind::Null,
        "empty" => Kind::Empty,
        "bounds" => Kind::Bounds,
        "no-score" => Kind::NoScore,
        "wdl-bound" => Kind::WdlBound,
        "switch" => Kind::Switch,
        "lie" => Kind::Lie,
        "twice" => Kind::Twice,
        "die-at-start" => Kind::DieAtStart,
        "mute-at-start" => Kind::MuteAtStart,
        "green-at-start" => Kind::GreenAtStart,
        "other-name" => Kind::OtherName,
        "not-ready" => Kind::NotReady,
        _ => return None,
    })
}
