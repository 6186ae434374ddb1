//! Numbers for people: groups of digits, shares, sizes, times, bars.

use deepanalyze_core::printable::printable;

use std::time::{Duration, UNIX_EPOCH};

/// A number with its noun: `1 position`, `2 passes`, `3 searches`, `4 analyses`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if noun.ends_with(['s', 'h']) { "es" } else { "s" };
    let stem = noun.strip_suffix("is").filter(|_| number != 1).unwrap_or(noun);
    format!("{} {stem}{}", grouped(number), if number == 1 { "" } else { plural })
}

/// A settled depth, if any: `6`, `none`.
pub fn describe_depth(settled: Option<u32>) -> String {
    settled.map_or("none".to_owned(), |depth| depth.to_string())
}

/// The size of a tree: `24 positions, 49 moves (one search each)`.
pub fn describe_size(positions: u64, searches: u64) -> String {
    let each = match searches {
        0 => "",
        1 => " (one search)",
        _ => " (one search each)",
    };
    format!("{}, {}{each}", count(positions, "position"), count(searches, "move"))
}

/// A span of milliseconds, to the tenth of a second where it is short: `2.9s`, `1h 3m 5s`.
pub fn span(milliseconds: u64) -> String {
    let tenths = milliseconds.saturating_add(50) / 100;
    if tenths < 600 {
        return format!("{}.{}s", tenths / 10, tenths % 10);
    }
    let seconds = milliseconds.saturating_add(500) / 1000;
    humantime::format_duration(std::time::Duration::from_secs(seconds)).to_string()
}

/// A text of the user's on one line: control characters become blanks, and blanks become one.
pub fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last second that has four digits for its year.
const LAST_SECOND: u64 = 253_402_300_799;

/// A time of the database (milliseconds since 1970) to the second, UTC: `2026-11-21T08:11:41Z`.
pub fn timestamp(milliseconds: i64) -> String {
    let seconds = u64::try_from(milliseconds / 1000).unwrap_or(0).min(LAST_SECOND);
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH);
    humantime::format_rfc3339_seconds(time).to_string()
}

/// The age of a time of the database: `just now`, `5 min ago`, `3 h ago`, `12 d ago`; beyond a
/// month the day, UTC.
pub fn time_ago(then: i64, now: i64) -> String {
    let minutes = now.saturating_sub(then) / 60_000;
    match minutes {
        ..1 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        1440..43_200 => format!("{} d ago", minutes / 1440),
        _ => timestamp(then).get(..10).unwrap_or_default().to_owned(),
    }
}

/// A bar of `#`: the most is as long as the columns, and any part above zero has one at least.
pub fn bar(part: u64, most: Option<u64>, columns: u64) -> String {
    let most = u128::from(most.unwrap_or(0).max(1));
    let length = (u128::from(part) * u128::from(columns)).div_ceil(most);
    "#".repeat(usize::try_from(length).unwrap_or(0))
}

/// A whole number in groups of three digits: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of nodes: `2,000 nodes`, `12.3 million nodes`.
pub fn describe_nodes(number: u64) -> String {
    match number {
        1 => "1 node".to_owned(),
        0..1_000_000 => format!("{} nodes", grouped(number)),
        _ => {
            let tenths = number / 100_000;
            format!("{}.{} million nodes", grouped(tenths / 10), tenths % 10)
        }
    }
}

/// Centipawns as pawns, without a sign: `0.12`.
pub fn pawns(centipawns: u32) -> String {
    format!("{}.{:02}", centipawns / 100, centipawns % 100)
}

/// A rate per `unit` milliseconds, for `count` in `time_ms`.
pub fn per(count: u64, time_ms: u64, unit: u64) -> u64 {
    let rate = u128::from(count) * u128::from(unit) / u128::from(time_ms.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// A part of a whole: `33.3%`.
pub fn percent(part: u64, whole: u64) -> String {
    let whole = u128::from(whole.max(1));
    let permille = (u128::from(part) * 1000 + whole / 2) / whole;
    format!("{}.{}%", permille / 10, permille % 10)
}

/// Bytes in binary units: `12.3 MiB`, `312 bytes`.
pub fn size(bytes: u64) -> String {
    if bytes < 1024 {
        return count(bytes, "byte");
    }
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let tenths = |shift: u32| (u128::from(bytes) * 10) >> shift;
    let fits = |index: &usize| tenths(10 * (*index as u32 + 1)) < 10_240;
    let index = (0..units.len()).find(fits).unwrap_or(units.len() - 1);
    let tenths = tenths(10 * (index as u32 + 1));
    let unit = units.get(index).unwrap_or(&"");
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// Hours, minutes and seconds: `12:03:45`.
pub fn in_hours(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        for (bytes, text) in [
            (1, "1 byte"),
            (1023, "1,023 bytes"),
            (1024, "1.0 KiB"),
            (1_048_575, "1023.9 KiB"),
            (5 << 30, "5.0 GiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!((percent(1, 3), percent(3, 3)), ("33.3%".to_owned(), "100.0%".to_owned()));
        assert_eq!(percent(0, 0), "0.0%");
        assert_eq!((per(510, 4000, 3_600_000), per(7, 0, 1000)), (459_000, 7000));
        assert_eq!(in_hours(Duration::from_secs(3 * 3600 + 62)), "3:01:02");
    }

    #[test]
    fn bars_end_with_the_greatest_and_none_is_lost() {
        let bars = [0, 1, 500, 1000].map(|part| bar(part, Some(1000), 10).len());
        assert_eq!(bars, [0, 1, 5, 10]);
        assert_eq!(bar(u64::MAX, Some(u64::MAX), 10).len(), 10);
        assert_eq!(bar(0, None, 10), "");
    }

    #[test]
    fn no_time_is_too_late() {
        assert_eq!(timestamp(1_763_683_199_999), "2025-11-20T23:59:59Z");
        assert_eq!(timestamp(-1), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(i64::MAX), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn a_time_is_told_as_people_tell_it() {
        let now = 1_763_683_199_999;
        let ago = |minutes: i64| time_ago(now - minutes * 60_000, now);
        let right = ["just now", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "1 d ago"];
        assert_eq!([0, 1, 59, 60, 1439, 1440].map(ago), right);
        assert_eq!([43_199, 43_200].map(ago), ["29 d ago", "2025-10-21"]);
        assert_eq!(time_ago(now + 1, now), "just now", "clocks are set back");
        assert_eq!(time_ago(i64::MIN, i64::MAX), "1970-01-01");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(describe_size(0, 0), "0 positions, 0 moves");
        assert_eq!(describe_size(1, 1), "1 position, 1 move (one search)");
        assert_eq!(describe_size(2, 3), "2 positions, 3 moves (one search each)");
    }
}
