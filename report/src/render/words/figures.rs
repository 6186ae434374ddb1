//! Numbers as people read them: groups of digits, shares, sizes, times, bars.

use std::time::Duration;

/// A bar of `#`: the most is as long as the columns, and whatever there is has one at least.
pub(in crate::render) fn bar(part: u64, most: Option<u64>, columns: u64) -> String {
    let most = u128::from(most.unwrap_or(0).max(1));
    let length = (u128::from(part) * u128::from(columns)).div_ceil(most);
    "#".repeat(usize::try_from(length).unwrap_or(0))
}

/// A whole number in groups of three digits: `12,345`.
pub(in crate::render) fn grouped(number: u64) -> String {
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

/// How many in a time of `unit` milliseconds, if there were so many in `time_ms`.
pub(in crate::render) fn per(count: u64, time_ms: u64, unit: u64) -> u64 {
    let rate = u128::from(count) * u128::from(unit) / u128::from(time_ms.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// A part of a whole: `33.3%`.
pub(in crate::render) fn percent(part: u64, whole: u64) -> String {
    let whole = u128::from(whole.max(1));
    let permille = (u128::from(part) * 1000 + whole / 2) / whole;
    format!("{}.{}%", permille / 10, permille % 10)
}

/// Bytes in binary units: `12.3 MiB`.
pub(in crate::render) fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let tenths = |shift: u32| (u128::from(bytes) * 10) >> shift;
    let fits = |index: &usize| tenths(10 * (*index as u32 + 1)) < 10_240;
    let index = (0..units.len()).find(fits).unwrap_or(units.len() - 1);
    let tenths = tenths(10 * (index as u32 + 1));
    let unit = units.get(index).unwrap_or(&"");
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// Hours, minutes and seconds: `12:03:45`.
pub(in crate::render) fn in_hours(time: Duration) -> String {
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
        for (bytes, text) in
            [(0, "0.0 KiB"), (1024, "1.0 KiB"), (1_048_575, "1023.9 KiB"), (5 << 30, "5.0 GiB")]
        {
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
}
