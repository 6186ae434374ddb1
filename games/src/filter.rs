//! Which games of a set count.

use std::str::FromStr;

use deepanalyze_core::chess::normalised_name;
use shakmaty::Color;

use crate::row::GameRow;

/// Which games of a set count; all of them unless something is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Games of this player, however files write the name.
    pub player: Option<String>,
    /// Those in which that player has this side; either where none is said.
    pub player_side: Option<Color>,
    /// Games in which both players have at least this rating.
    pub min_rating: Option<u32>,
    /// Games of this day or later.
    pub since: Option<Since>,
    /// Games with this time control.
    pub time_control: Option<TimeControl>,
    /// Games whose event has this text in its name, in any case.
    pub event: Option<String>,
}

impl Filter {
    /// Whether all games count.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// The filter in words: `Carlsen as White, rated 2500 or more, since 2020`.
    pub fn words(&self) -> String {
        let side = match self.player_side {
            Some(Color::White) => " as White",
            Some(Color::Black) => " as Black",
            None => "",
        };
        let player = self.player.as_ref().map(|name| format!("{}{side}", name.trim()));
        let rating = self.min_rating.map(|rating| format!("both rated {rating} or more"));
        let since = self.since.map(|since| format!("since {since}"));
        let control = self.time_control.as_ref().map(ToString::to_string);
        let event = self.event.as_ref().map(|event| format!("event {event:?}"));
        let all = [player, rating, since, control, event];
        all.into_iter().flatten().collect::<Vec<String>>().join(", ")
    }

    /// Whether a game counts, be it the player's or not.
    pub(crate) fn passes(&self, row: &GameRow) -> bool {
        let is_rated = |least: u32| row.ratings.0.min(row.ratings.1) >= least;
        let is_event = |event: &str| row.event.to_lowercase().contains(&event.to_lowercase());
        self.min_rating.is_none_or(is_rated)
            && self.since.is_none_or(|since| row.date >= since.0)
            && self.time_control.as_ref().is_none_or(|control| control.is_of(&row.time_control))
            && self.event.as_deref().is_none_or(is_event)
    }

    /// Whether a game is the player's, on the right side.
    #[cfg(test)]
    pub(crate) fn is_of_player(&self, row: &GameRow) -> bool {
        let Some(player) = self.player.as_deref().map(normalised_name) else { return true };
        let has = |side: Color, name: &str| {
            self.player_side.is_none_or(|wanted| wanted == side) && normalised_name(name) == player
        };
        has(Color::White, &row.white) || has(Color::Black, &row.black)
    }

    /// The player's name as names are compared.
    pub(crate) fn player(&self) -> Option<String> {
        self.player.as_deref().map(normalised_name)
    }
}

/// A day, a month or a year: 20260131, 20260100, 20260000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since(u32);

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Since, String> {
        let parts: Vec<&str> = text.split(['-', '.']).collect();
        let number = |text: &&str| -> Option<u32> {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        let date =
            match &*parts.iter().map(number).collect::<Option<Vec<u32>>>().unwrap_or_default() {
                [year @ 1000..=9999] => Some((*year, 0, 0)),
                [year @ 1000..=9999, month @ 1..=12] => Some((*year, *month, 0)),
                [year @ 1000..=9999, month @ 1..=12, day @ 1..=31] => Some((*year, *month, *day)),
                _ => None,
            };
        let (year, month, day) =
            date.ok_or("a year, a month or a day: 2020, 2020-06 or 2020-06-15")?;
        Ok(Since(year * 10_000 + month * 100 + day))
    }
}

impl std::fmt::Display for Since {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = (self.0 / 10_000, self.0 / 100 % 100, self.0 % 100);
        write!(f, "{year}")?;
        if month > 0 {
            write!(f, "-{month:02}")?;
        }
        if day > 0 {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

/// How fast games are: by the seconds that one lasts, 40 moves long, as Lichess counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than 25 minutes.
    Rapid,
    /// Less than six hours.
    Classical,
    /// More, or no clock.
    Correspondence,
}

const SPEEDS: [(Speed, &str); 5] = [
    (Speed::Bullet, "bullet"),
    (Speed::Blitz, "blitz"),
    (Speed::Rapid, "rapid"),
    (Speed::Classical, "classical"),
    (Speed::Correspondence, "correspondence"),
];

impl Speed {
    /// The speed of a tag `TimeControl`: `300+3`, `40/7200:3600`, `-`; none where it is unknown.
    pub fn of(control: &str) -> Option<Speed> {
        if control == "-" {
            return Some(Speed::Correspondence);
        }
        let mut seconds = 0.0;
        for stage in control.split(':') {
            // `*180` is a sandglass.
            let stage = stage.strip_prefix('*').unwrap_or(stage);
            let (base, increment) = stage.split_once('+').unwrap_or((stage, "0"));
            let (moves, base) = base.split_once('/').unwrap_or(("40", base));
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| *n >= 0.0);
            let (moves, base) = (number(moves)?.max(1.0), number(base)?);
            // `1/259200` is three days for each move.
            let times = if moves < 10.0 { 40.0 / moves } else { 1.0 };
            seconds += base * times + 40.0 * number(increment)?;
        }
        Some(match seconds {
            ..180.0 => Speed::Bullet,
            ..480.0 => Speed::Blitz,
            ..1500.0 => Speed::Rapid,
            ..21_600.0 => Speed::Classical,
            _ => Speed::Correspondence,
        })
    }
}

/// Which time controls count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeControl {
    /// All of a speed.
    Speed(Speed),
    /// This one, as the tag has it: `300+3`.
    Exact(String),
}

impl TimeControl {
    fn is_of(&self, control: &str) -> bool {
        match self {
            TimeControl::Speed(speed) => Speed::of(control) == Some(*speed),
            TimeControl::Exact(text) => control == text,
        }
    }
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let text = text.trim();
        if let Some((speed, _)) = SPEEDS.iter().find(|(_, name)| text.eq_ignore_ascii_case(name)) {
            return Ok(TimeControl::Speed(*speed));
        }
        let is_control = text.bytes().any(|byte| byte.is_ascii_digit()) || text == "-";
        match is_control {
            true => Ok(TimeControl::Exact(text.to_owned())),
            false => {
                Err("bullet, blitz, rapid, classical, correspondence, or one like 300+3".to_owned())
            }
        }
    }
}

impl std::fmt::Display for TimeControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TimeControl::Speed(speed) => {
                let name = SPEEDS.iter().find(|(other, _)| other == speed).map(|(_, name)| *name);
                f.write_str(name.unwrap_or_default())
            }
            TimeControl::Exact(text) => write!(f, "time control {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_those_of_lichess() {
        for (control, speed) in [
            ("60+0", Some(Speed::Bullet)),
            ("120+1", Some(Speed::Bullet)),
            ("180+0", Some(Speed::Blitz)),
            ("300+3", Some(Speed::Blitz)),
            ("300+5", Some(Speed::Rapid)),
            ("900+10", Some(Speed::Rapid)),
            ("1800+20", Some(Speed::Classical)),
            ("40/7200:3600", Some(Speed::Classical)),
            ("40/5400+30:1800+30", Some(Speed::Classical)),
            ("1/259200", Some(Speed::Correspondence)),
            ("-", Some(Speed::Correspondence)),
            ("?", None),
            ("", None),
        ] {
            assert_eq!(Speed::of(control), speed, "{control}");
        }
    }

    #[test]
    fn filters_are_read_and_told() {
        let filter = Filter {
            player: Some("Carlsen, Magnus".to_owned()),
            player_side: Some(Color::White),
            min_rating: Some(2500),
            since: Some("2020-06".parse().unwrap()),
            time_control: Some("Blitz".parse().unwrap()),
            event: Some("open".to_owned()),
        };
        let words = "Carlsen, Magnus as White, both rated 2500 or more, since 2020-06, blitz, event \"open\"";
        assert_eq!(filter.words(), words);
        assert!(Filter::default().is_empty() && Filter::default().words().is_empty());
        for text in ["", "20", "2020-13", "2020-1-32", "+2020", "2020-01-01-01", "June"] {
            assert!(text.parse::<Since>().is_err(), "{text}");
        }
        assert!("fast".parse::<TimeControl>().is_err());
        assert_eq!("300+3".parse(), Ok(TimeControl::Exact("300+3".to_owned())));
    }
}
