//! The time of day until which a run works.

use std::time::Duration;

use jiff::civil::Time;
use jiff::{ToSpan, Zoned};

/// Reads `07:00`.
pub fn parse_time_of_day(text: &str) -> Result<Time, String> {
    let wrong = || format!("{text:?} is not a time of day (write \"07:00\" or \"23:30\")");
    let (hours, minutes) = text.split_once(':').ok_or_else(wrong)?;
    let number = |digits: &str| match digits.len() {
        1 | 2 if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse::<i8>().ok(),
        _ => None,
    };
    let (hours, minutes) = number(hours).zip(number(minutes)).ok_or_else(wrong)?;
    Time::new(hours, minutes, 0, 0).map_err(|_| wrong())
}

/// How long it is until the next time that the clock on the wall says so.
pub fn time_until(now: &Zoned, time: Time) -> Result<Duration, jiff::Error> {
    let today = now.with().time(time).build()?;
    let next = match today > *now {
        true => today,
        // A day may have 23 or 25 hours.
        false => now.checked_add(1.day())?.with().time(time).build()?,
    };
    Duration::try_from(now.duration_until(&next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::DateTime;
    use jiff::tz::TimeZone;

    /// Hours until a time of day in Berlin.
    fn hours_until(now: &str, time: &str) -> f64 {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now = now.parse::<DateTime>().unwrap().to_zoned(berlin).unwrap();
        time_until(&now, parse_time_of_day(time).unwrap()).unwrap().as_secs_f64() / 3600.0
    }

    #[test]
    fn the_next_such_time_is_meant_today_or_tomorrow() {
        let evening = "2026-11-22T22:30";
        for (time, hours) in [("07:00", 8.5), ("23:00", 0.5), ("22:30", 24.0), ("7:15", 8.75)] {
            assert!((hours_until(evening, time) - hours).abs() < 1e-9, "{time}");
        }
    }

    #[test]
    fn a_night_in_which_clocks_are_set_back_is_an_hour_longer() {
        let evening = "2026-10-24T23:00";
        assert!((hours_until(evening, "07:00") - 9.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_time_of_day_is_named() {
        for text in ["7", "24:00", "07:60", "07:00:00", "+7:00", "", "seven", "07:000"] {
            let error = parse_time_of_day(text).unwrap_err();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
