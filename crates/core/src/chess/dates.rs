//! Dates of games as PGN files write them.

/// The date of a tag as far as it is known, as 20240530; an unknown day or month is 0, and all is 0
/// if the year is unknown. Reads `2024.05.30`, `2024-05-30`, `2024/05/30` and `20240530`, the same
/// with the day first (`30.05.2024`, `30/05/2024`; `05/30/2024` has the month first, as there is no
/// 30th month), and months by English names (`Sun Jul 09 2023`, `9 July 2023`). Ignores a time of
/// day behind it. A year has four digits.
pub fn date_of(text: &str) -> u32 {
    let parts = parts_of(text);
    let Some(at) = parts.iter().position(|part| matches!(part, Part::Year(_))) else {
        return 0;
    };
    let Some(Part::Year(year)) = parts.get(at).copied() else { return 0 };
    let others: Vec<Part> =
        parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| *part).collect();
    let named = others.iter().find_map(|part| match part {
        Part::Month(month) => Some(*month),
        _ => None,
    });
    let mut numbers = others.iter().filter_map(|part| match part {
        Part::Number(number) => Some(*number),
        _ => None,
    });
    let (first, second) = (numbers.next(), numbers.next());
    let (month, day) = match (named, second) {
        (Some(month), _) => (month, first.unwrap_or(0)),
        (None, None) => (first.unwrap_or(0), 0),
        (None, Some(second)) => match (first.unwrap_or(0), second) {
            (month, day) if at == 0 => (month, day),
            (month, day) if at == 2 && day > 12 => (month, day),
            (day, month) if at == 2 => (month, day),
            _ => (0, 0),
        },
    };
    let month = if month > 12 { 0 } else { month };
    let day = if day > 31 { 0 } else { day };
    year * 10_000 + month * 100 + day
}

/// A part of a date.
#[derive(Debug, Clone, Copy)]
enum Part {
    Year(u32),
    Month(u32),
    /// A day, or a month; 0 if unknown.
    Number(u32),
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The first three parts, without days of the week and times of day.
fn parts_of(text: &str) -> Vec<Part> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let words = words.filter(|word| !word.contains(':') || word.contains('T'));
    let dates = words.map(|word| match word.split_once('T') {
        // `2024-05-30T12:00:00Z`
        Some((date, _)) if date.ends_with(|c: char| c.is_ascii_digit()) => date,
        _ => word,
    });
    let parts = dates.flat_map(|word| word.split(['.', '-', '/'])).flat_map(part_of);
    parts.take(3).collect()
}

/// The parts of a word without signs; eight digits are three parts.
fn part_of(word: &str) -> Vec<Part> {
    let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
    let digits = ordinal.unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        let number = |digits: &str| digits.parse().unwrap_or(0);
        return match (digits.len(), digits.split_at_checked(4)) {
            (8, Some((year, rest))) => {
                let (month, day) = rest.split_at_checked(2).unwrap_or_default();
                vec![
                    Part::Year(number(year)),
                    Part::Number(number(month)),
                    Part::Number(number(day)),
                ]
            }
            (4, _) if number(digits) > 0 => vec![Part::Year(number(digits))],
            (1 | 2, _) => vec![Part::Number(number(digits))],
            // Such a number is no part of a date.
            _ => vec![Part::Number(u32::MAX)],
        };
    }
    let lower = word.to_lowercase();
    let month = (1..).zip(MONTHS).find(|(_, name)| lower.starts_with(name) && lower.len() != 2);
    match month {
        Some((month, _)) => vec![Part::Month(month)],
        None if !word.is_empty() && !word.chars().any(char::is_alphabetic) => {
            // `??`
            vec![Part::Number(0)]
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_far_as_they_are_known() {
        for (text, date) in [
            ("2026.01.31", 20_260_131),
            ("2026.??.??", 20_260_000),
            ("2026.05.??", 20_260_500),
            ("????.??.??", 0),
            ("????.05.01", 0),
            ("?", 0),
            ("", 0),
            ("1999-12", 19_991_200),
            ("2026", 20_260_000),
            ("2024-05-30", 20_240_530),
            ("2024/5/3", 20_240_503),
            ("20240530", 20_240_530),
            (" 2024.05.30 ", 20_240_530),
            ("2024.05.30.", 20_240_530),
            ("30.05.2024", 20_240_530),
            ("3.5.2024", 20_240_503),
            ("30/05/2024", 20_240_530),
            ("30-05-2024", 20_240_530),
            ("05/30/2024", 20_240_530),
            ("05.06.2024", 20_240_605),
            ("??.05.2024", 20_240_500),
            ("??.??.2024", 20_240_000),
            ("05.2024", 20_240_500),
            ("Sun Jul 09 2023", 20_230_709),
            ("Sun Jul 09 12:30:05 2023", 20_230_709),
            ("Sunday, July 9th, 2023", 20_230_709),
            ("9 July 2023", 20_230_709),
            ("09-Sept-2023", 20_230_909),
            ("May 2024", 20_240_500),
            ("2023 Jul 9", 20_230_709),
            ("2024-05-30T12:00:00Z", 20_240_530),
            ("2024.05.30 12:00:00", 20_240_530),
            ("2024-05-30T12:00:00.000 +0200", 20_240_530),
            ("30.05.24", 0),
            ("0000.00.00", 0),
            ("yesterday", 0),
            ("2024.13.01", 20_240_001),
            ("99999.01.01", 0),
        ] {
            assert_eq!(date_of(text), date, "{text}");
        }
    }
}
