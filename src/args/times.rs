//! Limits that end a run early, and times as people write them: how long a run works, and until when.

use std::time::{Duration, Instant};

use chrono::{DateTime, Local, NaiveTime, TimeDelta, TimeZone};
use clap::Args;

use deepanalyze_runner::RunLimits;

use crate::error::CliError;

/// Reads `8h`, `90m`, `1h 30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error} (write \"8h\", \"90m\" or \"1h 30m\")"))
}

/// The moment after a time from now on.
///
/// # Errors
///
/// If no clock goes so far.
pub fn moment_after(time: Duration) -> Result<Instant, CliError> {
    Instant::now().checked_add(time).ok_or_else(|| CliError::usage("--for: the time is too long"))
}

/// Reads `07:00`.
pub fn parse_time_of_day(text: &str) -> Result<NaiveTime, String> {
    NaiveTime::parse_from_str(text, "%H:%M")
        .map_err(|_| format!("{text:?} is not a time of day (write \"07:00\" or \"23:30\")"))
}

/// How long it is until the next time that the clock on the wall says so. A day may have 23 or 25 hours.
pub fn time_until<Z: TimeZone>(now: &DateTime<Z>, time: NaiveTime) -> Option<Duration> {
    let zone = now.timezone();
    let today = now.date_naive();
    [today, today.succ_opt()?].into_iter().find_map(|day| {
        let local = day.and_time(time);
        // The hour that is left out in spring is the one after it.
        let later = || zone.from_local_datetime(&(local + TimeDelta::hours(1))).earliest();
        let next = zone.from_local_datetime(&local).earliest().or_else(later)?;
        (next - now.clone()).to_std().ok().filter(|left| !left.is_zero())
    })
}

/// Limits of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of this run")]
pub struct RunLimitArgs {
    /// Stop after this time ("8h", "90m", "1h 30m")
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration,
        allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Stop at this time of day ("07:00"), today or tomorrow; otherwise as --for
    #[arg(long, value_name = "TIME", value_parser = parse_time_of_day, conflicts_with = "time",
        allow_hyphen_values = true)]
    until: Option<NaiveTime>,
    /// Stop after this many engine searches
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_searches: Option<u64>,
    /// Stop once the engines have searched this many nodes
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide = true)]
    max_nodes: Option<u64>,
}

impl RunLimitArgs {
    /// The limits as of now.
    pub fn limits(&self) -> Result<RunLimits, CliError> {
        let until = self.until.map(|time| {
            let left = time_until(&Local::now(), time);
            left.ok_or_else(|| CliError::missing(format!("--until: there is no {time} tomorrow")))
        });
        let until = until.transpose()?;
        Ok(RunLimits {
            time: self.time.or(until),
            searches: self.max_searches,
            nodes: self.max_nodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono::{FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime};

    use super::*;

    /// Central Europe, as far as the days below go.
    #[derive(Debug, Clone, Copy)]
    struct Berlin;

    /// The nights in which clocks are set forward and back, in UTC.
    fn changes() -> [NaiveDateTime; 2] {
        [(3, 29), (10, 25)].map(|(month, day)| {
            NaiveDate::from_ymd_opt(2026, month, day).unwrap().and_hms_opt(1, 0, 0).unwrap()
        })
    }

    impl TimeZone for Berlin {
        type Offset = FixedOffset;

        fn from_offset(_: &FixedOffset) -> Berlin {
            Berlin
        }

        fn offset_from_local_date(&self, _: &NaiveDate) -> MappedLocalTime<FixedOffset> {
            MappedLocalTime::None
        }

        fn offset_from_local_datetime(&self, at: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
            let offsets = [2, 1].map(|hours| FixedOffset::east_opt(hours * 3600).unwrap());
            let mut fit = offsets
                .into_iter()
                .filter(|offset| self.offset_from_utc_datetime(&(*at - *offset)) == *offset);
            match (fit.next(), fit.next()) {
                (Some(one), Some(other)) => MappedLocalTime::Ambiguous(one, other),
                (Some(one), None) => MappedLocalTime::Single(one),
                _ => MappedLocalTime::None,
            }
        }

        fn offset_from_utc_date(&self, day: &NaiveDate) -> FixedOffset {
            self.offset_from_utc_datetime(&day.and_time(NaiveTime::MIN))
        }

        fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
            let [forward, back] = changes();
            let hours = if (forward..back).contains(utc) { 2 } else { 1 };
            FixedOffset::east_opt(hours * 3600).unwrap()
        }
    }

    /// Hours until a time of day in Berlin.
    fn hours_until(now: &str, time: &str) -> f64 {
        let now = NaiveDateTime::parse_from_str(now, "%Y-%m-%dT%H:%M").unwrap();
        let now = Berlin.from_local_datetime(&now).unwrap();
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
    fn clock_change_makes_the_night_an_hour_off() {
        for (evening, time, hours) in [
            ("2026-10-24T23:00", "07:00", 9.0),
            ("2026-03-28T23:00", "07:00", 7.0),
            ("2026-03-28T23:00", "02:30", 3.5),
        ] {
            assert!((hours_until(evening, time) - hours).abs() < 1e-9, "{evening} {time}");
        }
    }

    #[test]
    fn what_is_no_time_of_day_is_named() {
        for text in ["7", "24:00", "07:60", "07:00:00", "+7:00", "", "seven", "07:000"] {
            let error = parse_time_of_day(text).unwrap_err();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
