//! Time controls, in any spelling of files and players.

use std::fmt;

use deepanalyze_core::chess::folded;

/// A base of this many seconds may be meant in minutes: `3+2`, `90+30`.
const MINUTES_AT_MOST: u64 = 300;
const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;

/// A time control: its stages in order; none for games without a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    stages: Vec<Stage>,
}

/// A stage of a time control, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stage {
    /// Number of moves; all that are left if `None`.
    moves: Option<u32>,
    base: u64,
    /// More time for each move.
    increment: u64,
}

impl Clock {
    /// Reads the tag of a PGN file (seconds: `300`, `300+0`, `180 + 2`, `40/7200:3600`, `1/259200`,
    /// `*180`, and `-` for no clock), or one with units or in the words of clubs (`G/90`,
    /// `90 min + 30 sec`, `1h30m+30s`, `3|2`). `None` if unreadable, such as `?` or players with
    /// different times.
    pub fn of(text: &str) -> Option<Clock> {
        let text = folded(text);
        if ["-", "none", "unlimited"].contains(&text.as_str()) {
            return Some(Clock { stages: Vec::new() });
        }
        let seconds = || text.split(':').map(stage_in_seconds).collect::<Option<Vec<Stage>>>();
        let stages = seconds().or_else(|| Some(vec![stage_with_units(&text)?]))?;
        Some(Clock { stages })
    }

    /// These numbers with the base in minutes, as players say it: `3+2` is `180+2`. `None` if the
    /// base is no number of minutes that anyone would say.
    pub(crate) fn in_minutes(&self) -> Option<Clock> {
        let [Stage { moves: None, base, increment }] = *self.stages.as_slice() else { return None };
        let is_said = base > 0 && base <= MINUTES_AT_MOST * SECOND;
        is_said.then(|| Clock { stages: vec![Stage { moves: None, base: base * 60, increment }] })
    }

    /// Seconds of a game of 40 moves; `None` without a clock.
    pub(crate) fn seconds(&self) -> Option<f64> {
        let of_stage = |stage: &Stage| {
            // `1/259200` is three days for each move.
            let times = match stage.moves {
                Some(moves) if moves < 10 => 40.0 / f64::from(moves.max(1)),
                _ => 1.0,
            };
            stage.base as f64 * times + 40.0 * stage.increment as f64
        };
        let all = self.stages.iter().map(of_stage).sum::<f64>() / SECOND as f64;
        (!self.stages.is_empty()).then_some(all)
    }
}

/// As in the tag: `300`, `180+2`, `40/7200:3600`.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stages.is_empty() {
            return f.write_str("-");
        }
        for (at, stage) in self.stages.iter().enumerate() {
            f.write_str(if at > 0 { ":" } else { "" })?;
            if let Some(moves) = stage.moves {
                write!(f, "{moves}/")?;
            }
            write_seconds(stage.base, f)?;
            if stage.increment > 0 {
                f.write_str("+")?;
                write_seconds(stage.increment, f)?;
            }
        }
        Ok(())
    }
}

fn write_seconds(time: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let fraction = format!("{:03}", time % SECOND);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    write!(f, "{}{dot}{fraction}", time / SECOND)
}

/// `300`, `300+3`, `40/7200`, `*180`.
fn stage_in_seconds(text: &str) -> Option<Stage> {
    let text = text.trim();
    // `*180` is a sandglass.
    let text = text.strip_prefix('*').unwrap_or(text);
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let (moves, base) = match base.split_once('/') {
        Some((moves, base)) => (Some(moves.trim().parse().ok()?), base),
        None => (None, base),
    };
    Some(Stage { moves, base: times(base, SECOND)?, increment: times(increment, SECOND)? })
}

/// A number of units of `unit` milliseconds.
fn times(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) || fraction.len() > 3 {
        return None;
    }
    let thousandths: u64 = format!("{fraction:0<3}").parse().ok()?;
    // A century is longer than any clock.
    let whole: u64 = whole.parse().ok().filter(|whole| *whole < 1 << 32)?;
    Some(whole * unit + thousandths * unit / 1000)
}

/// A stage with units, or in minutes as clubs write it: `90 min + 30 sec`, `G/90;d5`, `3|2`.
fn stage_with_units(text: &str) -> Option<Stage> {
    let text = text.replace("''", "\"");
    for start in ["g/", "sd/", "g"] {
        let Some(rest) = text.strip_prefix(start) else { continue };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (base, behind) = rest.split_at_checked(end)?;
        return Some(Stage { moves: None, base: times(base, MINUTE)?, increment: delay(behind)? });
    }
    if let Some((base, increment)) = text.split_once('|') {
        let (base, increment) = (times(base, MINUTE)?, times(increment, SECOND)?);
        return Some(Stage { moves: None, base, increment });
    }
    let (base, increment) = text.split_once(['+', '&']).unwrap_or((text.as_str(), ""));
    let increment = if increment.trim().is_empty() { 0 } else { delay(increment)? };
    Some(Stage { moves: None, base: duration(base, None)?, increment })
}

/// Extra time per move: `+30`, `;d5`, ` inc 3`, `+ 30 sec/move`; nothing is 0.
fn delay(text: &str) -> Option<u64> {
    let signs = |c: char| c.is_whitespace() || ";,+/&".contains(c);
    let text = text.trim_matches(signs);
    let text = ["increment", "inc", "delay", "d"]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim_matches(signs);
    if text.is_empty() { Some(0) } else { duration(text, Some(SECOND)) }
}

/// A time of numbers with units: `1h30m`, `90 min/game`, `15'`. A number without a unit has the
/// usual one of its place: minutes behind hours, else the given one.
fn duration(text: &str, usual: Option<u64>) -> Option<u64> {
    let (mut rest, mut all, mut usual) = (text.trim(), None, usual);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, behind) = rest.split_at_checked(end)?;
        let behind = behind.trim_start();
        let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, next) = behind.split_at_checked(end)?;
        let unit = unit_of(unit, usual)?;
        usual = (unit == 60 * MINUTE).then_some(MINUTE);
        all = Some(all.unwrap_or(0) + times(number, unit)?);
        rest = next;
    }
    all
}

/// A unit in milliseconds, and words that may follow it: `min/game`, `sec per move`.
fn unit_of(text: &str, usual: Option<u64>) -> Option<u64> {
    let is_filler = |word: &&str| {
        ["game", "move", "per", "each", "a", "increment", "inc", "delay"].contains(word)
    };
    let mut words = text.split(|c: char| c.is_whitespace() || "/.,".contains(c));
    let mut words = words.by_ref().filter(|word| !word.is_empty()).peekable();
    let unit = match words.next_if(|word| !is_filler(word)) {
        None => usual?,
        Some("h" | "hr" | "hrs" | "hour" | "hours") => 60 * MINUTE,
        Some("m" | "min" | "mins" | "minute" | "minutes" | "'" | "’" | "′") => MINUTE,
        Some("s" | "sec" | "secs" | "second" | "seconds" | "\"" | "”" | "″") => SECOND,
        Some(_) => return None,
    };
    words.all(|word| is_filler(&word)).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_one_however_they_are_written() {
        for (text, right) in [
            ("300", "300"),
            ("300+0", "300"),
            (" 180 + 2 ", "180+2"),
            ("180.0+2", "180+2"),
            ("10+0.1", "10+0.1"),
            ("40/7200:3600", "40/7200:3600"),
            ("40/5400+30:1800+30", "40/5400+30:1800+30"),
            ("1/259200", "1/259200"),
            ("*180", "180"),
            ("-", "-"),
            ("G/90", "5400"),
            ("G/90+30", "5400+30"),
            ("G/90;d5", "5400+5"),
            ("G/90; +30", "5400+30"),
            ("G/5 inc 3", "300+3"),
            ("g90", "5400"),
            ("90 min + 30 sec", "5400+30"),
            ("90min+30sec", "5400+30"),
            ("90 minutes + 30 seconds per move", "5400+30"),
            ("90'+30''", "5400+30"),
            ("90' + 30\"", "5400+30"),
            ("90m+30", "5400+30"),
            ("10 min/game", "600"),
            ("1h30m+30s", "5400+30"),
            ("1h30", "5400"),
            ("2 hours", "7200"),
            ("5|3", "300+3"),
            ("3 | 2", "180+2"),
        ] {
            assert_eq!(
                Clock::of(text).map(|clock| clock.to_string()).as_deref(),
                Some(right),
                "{text}"
            );
            assert_eq!(Clock::of(right), Clock::of(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_single_time_control_is_unread() {
        for text in [
            "",
            "?",
            "blitz",
            "300+3; 600+6",
            "40 moves in 90 min",
            "5 3",
            "inf",
            "NaN",
            "+3",
            "1e3",
            "90+30 min",
        ] {
            assert_eq!(Clock::of(text), None, "{text}");
        }
    }

    #[test]
    fn players_say_minutes() {
        let in_minutes = |text: &str| {
            let clock = Clock::of(text).unwrap().in_minutes();
            clock.map(|clock| clock.to_string()).unwrap_or_default()
        };
        assert_eq!(["3+2", "5+0", "90+30", "1"].map(in_minutes), ["180+2", "300", "5400+30", "60"]);
        assert_eq!(["600", "-", "40/7200:3600", "0+1"].map(in_minutes), ["", "", "", ""]);
    }
}
