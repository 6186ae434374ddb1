//! What a position is worth, as the user writes it.

use super::set::Directives;

/// Reads pawns for White with at most two decimals (`+0.50`), `draw`, `white` or `black`, as centipawns for
/// White.
///
/// # Errors
///
/// What to write instead.
pub fn parse_value(text: &str) -> Result<i32, String> {
    match text.trim() {
        "draw" => return Ok(0),
        "white" => return Ok(Directives::DECIDED),
        "black" => return Ok(-Directives::DECIDED),
        _ => {}
    }
    let refused = || {
        "write pawns for White, like +0.50 or -1.2; or draw, white or black (who wins)".to_owned()
    };
    let (sign, number) = match text.trim().split_at_checked(1) {
        Some(("-", number)) => (-1, number),
        Some(("+", number)) => (1, number),
        _ => (1, text.trim()),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(decimals) {
        return Err(refused());
    }
    let hundredths: i32 = match decimals.len() {
        1 => decimals.parse::<i32>().map_err(|_| refused())? * 10,
        2 => decimals.parse().map_err(|_| refused())?,
        _ => return Err(refused()),
    };
    let greatest = Directives::DECIDED / 100;
    let pawns = whole.parse::<i32>().ok().filter(|pawns| *pawns <= greatest);
    let pawns = pawns
        .ok_or_else(|| format!("at most {greatest} pawns; a decided game is white or black"))?;
    Ok(sign * (pawns * 100 + hundredths))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_and_words_are_read() {
        for (text, value) in [
            ("+0.50", 50),
            ("0.5", 50),
            ("-0.07", -7),
            ("-1.2", -120),
            ("3", 300),
            ("-0", 0),
            ("300", 30_000),
            ("draw", 0),
            ("white", 30_000),
            (" black ", -30_000),
        ] {
            assert_eq!(parse_value(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write() {
        for text in [
            "", "+", "+abc", "1e9", ".5", "5.", "0.505", "0,5", "--1", "+-1", "#3", "½", "won",
            "1 2",
        ] {
            let error = parse_value(text).unwrap_err();
            assert!(error.contains("like +0.50"), "{text}: {error}");
        }
        for text in ["301", "-99999999999999999999"] {
            assert!(parse_value(text).unwrap_err().contains("at most 300 pawns"), "{text}");
        }
        // Just beyond: the set refuses it.
        assert_eq!(parse_value("300.01"), Ok(30_001));
    }
}
