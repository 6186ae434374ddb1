//! Filters of a set's games.

use std::str::FromStr;

#[cfg(test)]
use deepanalyze_core::chess::AskedPlayer;
use deepanalyze_core::chess::folded;
use shakmaty::Color;

use crate::control::Clock;
use crate::row::GameRow;

/// A filter of games; empty, it passes all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Games of this player, however files write the name.
    pub player: Option<String>,
    /// Games in which that player has this side; either if `None`.
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
    /// True if all games count.
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// The filter as text: `Carlsen as White, rated 2500 or more, since 2020`.
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

    /// The filter of this text; `None` if it is not one's text, or ambiguous.
    pub fn of_words(words: &str) -> Option<Filter> {
        let mut filter = Filter::default();
        let event = words
            .rfind("event \"")
            .filter(|at| *at == 0 || words.get(..*at).is_some_and(|before| before.ends_with(", ")));
        let (before, event) = words.split_at(event.unwrap_or(words.len()));
        filter.event = event
            .strip_prefix("event \"")
            .and_then(|event| event.strip_suffix('"'))
            .map(str::to_owned);
        let mut parts: Vec<&str> = before.split(", ").filter(|part| !part.is_empty()).collect();
        let mut last = |is_of: &mut dyn FnMut(&str) -> bool| {
            if parts.last().is_some_and(|part| is_of(part)) {
                parts.pop();
            }
        };
        last(&mut |part| {
            let is_speed = SPEEDS.iter().any(|(_, name)| *name == part);
            let control = part.strip_prefix("time control ").or(is_speed.then_some(part));
            filter.time_control = control.and_then(|control| control.parse().ok());
            filter.time_control.is_some()
        });
        last(&mut |part| {
            filter.since = part.strip_prefix("since ").and_then(|since| since.parse().ok());
            filter.since.is_some()
        });
        last(&mut |part| {
            let rating =
                part.strip_prefix("both rated ").and_then(|rest| rest.strip_suffix(" or more"));
            filter.min_rating = rating.and_then(|rating| rating.parse().ok());
            filter.min_rating.is_some()
        });
        let player = parts.join(", ");
        let sides =
            [(" as White", Some(Color::White)), (" as Black", Some(Color::Black)), ("", None)];
        let of_side = sides.iter().find_map(|(end, side)| Some((player.strip_suffix(end)?, *side)));
        let (name, side) = of_side.filter(|(name, _)| !name.is_empty()).unzip();
        (filter.player, filter.player_side) = (name.map(str::to_owned), side.flatten());
        (filter.words() == words).then_some(filter)
    }

    /// Judges a game by all but the player.
    pub(crate) fn judge(&self, row: &GameRow) -> Judgement {
        let since = self.since.map_or(Judgement::Passes, |since| since.judge(row.date));
        let rating = self.min_rating.map_or(Judgement::Passes, |least| {
            let of = |rating: u32| match rating {
                0 => Judgement::Unknown(Unjudged { rating: 1, ..Unjudged::default() }),
                rating => Judgement::from(rating >= least),
            };
            match (of(row.ratings.0), of(row.ratings.1)) {
                (Judgement::Out, _) | (_, Judgement::Out) => Judgement::Out,
                (Judgement::Passes, other) | (other, _) => other,
            }
        });
        let control = self.time_control.as_ref().map_or(Judgement::Passes, |control| {
            let unknown = Unjudged { time_control: 1, ..Unjudged::default() };
            control.is_of(&row.time_control).map_or(Judgement::Unknown(unknown), Judgement::from)
        });
        let event = self.event.as_ref().map_or(Judgement::Passes, |event| {
            let is_known = !row.event.is_empty();
            let unknown = Unjudged { event: 1, ..Unjudged::default() };
            let has = || Judgement::from(folded(&row.event).contains(&folded(event)));
            if is_known { has() } else { Judgement::Unknown(unknown) }
        });
        [since, rating, control, event].into_iter().fold(Judgement::Passes, Judgement::and)
    }

    /// True for the player's games on the right side.
    #[cfg(test)]
    pub(crate) fn is_of_player(&self, row: &GameRow) -> bool {
        let Some(player) = self.player.as_deref().map(AskedPlayer::new) else { return true };
        let has = |side: Color, name: &str| {
            self.player_side.is_none_or(|wanted| wanted == side) && player.is(name)
        };
        has(Color::White, &row.white) || has(Color::Black, &row.black)
    }

    /// This filter with the time control in minutes, as players say it; `None` if that cannot be
    /// read so.
    pub(crate) fn in_minutes(&self) -> Option<Filter> {
        let Some(TimeControl::Clock(clock)) = &self.time_control else { return None };
        let time_control = Some(TimeControl::Clock(clock.in_minutes()?));
        Some(Filter { time_control, ..self.clone() })
    }
}

/// Result of a filter for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    Passes,
    Out,
    /// It lacks what the filter asks for, and is left out.
    Unknown(Unjudged),
}

impl From<bool> for Judgement {
    fn from(passes: bool) -> Judgement {
        if passes { Judgement::Passes } else { Judgement::Out }
    }
}

impl Judgement {
    fn and(self, other: Judgement) -> Judgement {
        match (self, other) {
            (Judgement::Out, _) | (_, Judgement::Out) => Judgement::Out,
            (Judgement::Passes, other) | (other, Judgement::Passes) => other,
            (Judgement::Unknown(one), Judgement::Unknown(other)) => {
                Judgement::Unknown(one.plus(other))
            }
        }
    }
}

/// Games left out for missing data, by kind; one may be among several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unjudged {
    /// Games whose date is unknown or incomplete.
    pub date: u64,
    /// Games in which a player's rating is unknown.
    pub rating: u64,
    /// Games whose time control is unknown or unreadable.
    pub time_control: u64,
    /// Games without an event.
    pub event: u64,
}

impl Unjudged {
    #[must_use]
    pub(crate) fn plus(self, other: Unjudged) -> Unjudged {
        Unjudged {
            date: self.date + other.date,
            rating: self.rating + other.rating,
            time_control: self.time_control + other.time_control,
            event: self.event + other.event,
        }
    }
}

/// A day, a month or a year: 20260131, 20260100, 20260000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since(u32);

impl Since {
    /// Compares a date, as far as known, with that day.
    fn judge(self, date: u32) -> Judgement {
        let (since, _) = first_and_last(self.0);
        let (earliest, latest) = first_and_last(date);
        match date {
            1.. if earliest >= since => Judgement::Passes,
            1.. if latest < since => Judgement::Out,
            _ => Judgement::Unknown(Unjudged { date: 1, ..Unjudged::default() }),
        }
    }
}

/// The first and the last day of a year, a month or a day.
fn first_and_last(date: u32) -> (u32, u32) {
    match (date / 100 % 100, date % 100) {
        (0, day) => (date - day + 101, date - day + 1231),
        (_, 0) => (date + 1, date + 31),
        _ => (date, date),
    }
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Since, String> {
        let parts: Vec<&str> = text.split(['-', '.', '/']).collect();
        let number = |text: &&str| -> Option<u32> {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        let date =
            match &*parts.iter().map(number).collect::<Option<Vec<u32>>>().unwrap_or_default() {
                [year @ 1000..=9999] => Some((*year, 0, 0)),
                [year @ 1000..=9999, month @ 1..=12] => Some((*year, *month, 0)),
                [year @ 1000..=9999, month @ 1..=12, day @ 1..=31] => Some((*year, *month, *day)),
                [day @ 1..=31, month @ 1..=12, year @ 1000..=9999] => Some((*year, *month, *day)),
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

/// Speed of games: by the seconds of a game of 40 moves, as Lichess counts.
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
    fn named(text: &str) -> Option<Speed> {
        let named = SPEEDS.iter().find(|(_, name)| text.trim().eq_ignore_ascii_case(name));
        named.map(|(speed, _)| *speed)
    }

    /// The speed of a tag `TimeControl`: `300+3`, `40/7200:3600`, `-`, `Blitz`; `None` if
    /// unreadable.
    pub fn of(control: &str) -> Option<Speed> {
        if let Some(speed) = Speed::named(control) {
            return Some(speed);
        }
        let Some(seconds) = Clock::of(control)?.seconds() else {
            return Some(Speed::Correspondence);
        };
        Some(match seconds {
            ..180.0 => Speed::Bullet,
            ..480.0 => Speed::Blitz,
            ..1500.0 => Speed::Rapid,
            ..21_600.0 => Speed::Classical,
            _ => Speed::Correspondence,
        })
    }
}

/// A filter of time controls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeControl {
    /// All of a speed.
    Speed(Speed),
    /// This one, in any spelling: `300` is `300+0`.
    Clock(Clock),
    /// An unreadable one, as the tag has it.
    Text(String),
}

impl TimeControl {
    /// True if a game's is so; `None` if unknown.
    fn is_of(&self, control: &str) -> Option<bool> {
        match self {
            TimeControl::Speed(speed) => Some(Speed::of(control)? == *speed),
            TimeControl::Clock(clock) => Some(Clock::of(control)? == *clock),
            TimeControl::Text(text) => {
                Some(control == text).filter(|_| !["", "?"].contains(&control))
            }
        }
    }
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let text = text.trim();
        if let Some(speed) = Speed::named(text) {
            return Ok(TimeControl::Speed(speed));
        }
        let is_control = text.bytes().any(|byte| byte.is_ascii_digit()) || text == "-";
        if is_control {
            Ok(match Clock::of(text) {
                Some(clock) => TimeControl::Clock(clock),
                None => TimeControl::Text(text.to_owned()),
            })
        } else {
            Err("bullet, blitz, rapid, classical, correspondence, or one like 300+3".to_owned())
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
            TimeControl::Clock(clock) => write!(f, "time control {clock}"),
            TimeControl::Text(text) => write!(f, "time control {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_read_from_its_words() {
        let all = Filter {
            player: Some("Carlsen, Magnus".to_owned()),
            player_side: Some(Color::Black),
            min_rating: Some(2500),
            since: Some("2020-06".parse().unwrap()),
            time_control: Some("300+3".parse().unwrap()),
            event: Some("Tata, since 2019".to_owned()),
        };
        let none = Filter::default;
        let filters = [
            Filter { player_side: None, ..all.clone() },
            Filter { player: all.player.clone(), ..none() },
            Filter { since: all.since, ..none() },
            Filter { time_control: Some("blitz".parse().unwrap()), ..none() },
            Filter { event: all.event.clone(), min_rating: Some(1), ..none() },
            all,
            none(),
        ];
        for filter in filters {
            assert_eq!(Filter::of_words(&filter.words()), Some(filter));
        }
        assert_eq!(Filter::of_words("event \"a"), None);
    }

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
            ("G/90", Some(Speed::Classical)),
            ("90 min + 30 sec", Some(Speed::Classical)),
            (" Blitz", Some(Speed::Blitz)),
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
        let control = |text: &str| text.parse::<TimeControl>().unwrap();
        assert_eq!(control("300+0"), control("300"));
        assert_eq!(control("180 + 2").to_string(), "time control 180+2");
        assert_eq!(control("300+3; 600+6"), TimeControl::Text("300+3; 600+6".to_owned()));
        assert_eq!("30.05.2024".parse::<Since>(), "2024-05-30".parse());
    }

    #[test]
    fn what_a_game_does_not_say_is_unjudged() {
        let since = |text: &str| Filter { since: Some(text.parse().unwrap()), ..Filter::default() };
        let of = |filter: &Filter, row: &GameRow| match filter.judge(row) {
            Judgement::Passes => "passes".to_owned(),
            Judgement::Out => "out".to_owned(),
            Judgement::Unknown(Unjudged { date, rating, time_control, event }) => {
                format!("{date} {rating} {time_control} {event}")
            }
        };
        for (filter, date, right) in [
            ("2024", 20_240_000, "passes"),
            ("2024-01-01", 20_240_000, "passes"),
            ("2024-06", 20_240_000, "1 0 0 0"),
            ("2024-06", 20_240_600, "passes"),
            ("2024-06-15", 20_240_600, "1 0 0 0"),
            ("2024-06-15", 20_240_500, "out"),
            ("2025", 20_240_000, "out"),
            ("2024", 0, "1 0 0 0"),
        ] {
            let row = GameRow { date, ..GameRow::default() };
            assert_eq!(of(&since(filter), &row), right, "{filter} {date}");
        }
        let rated = Filter { min_rating: Some(2000), ..Filter::default() };
        let ratings = [(2000, 2000), (2000, 0), (0, 0), (0, 1999), (1999, 2400)];
        let told = ratings.map(|ratings| of(&rated, &GameRow { ratings, ..GameRow::default() }));
        assert_eq!(told, ["passes", "0 1 0 0", "0 1 0 0", "out", "out"]);
        let time_control =
            |text: &str| GameRow { time_control: text.to_owned(), ..GameRow::default() };
        let blitz = Filter { time_control: Some("blitz".parse().unwrap()), ..Filter::default() };
        let told =
            ["180+2", "60", "?", "", "300+3; 600+6"].map(|text| of(&blitz, &time_control(text)));
        assert_eq!(told, ["passes", "out", "0 0 1 0", "0 0 1 0", "0 0 1 0"]);
        let event = Filter { event: Some("open".to_owned()), since: blitz.since, ..blitz };
        assert_eq!(of(&event, &time_control("")), "0 0 1 1");
        assert_eq!(of(&event, &time_control("60")), "out", "what is out needs no more");
    }
}
