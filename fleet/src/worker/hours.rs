//! The hours of a day in which a worker works.

use std::str::FromStr;

/// From one full hour to another, over midnight where the second is not later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    from: u8,
    to: u8,
}

impl Hours {
    /// Whether an hour of the day, 0 to 23, is among them.
    pub fn has(self, hour: u8) -> bool {
        match self.from < self.to {
            true => (self.from..self.to).contains(&hour),
            false => hour >= self.from || hour < self.to,
        }
    }
}

impl FromStr for Hours {
    type Err = String;

    fn from_str(text: &str) -> Result<Hours, String> {
        let wrong = || format!("{text:?}: hours like 22-7 are wanted, from 0 to 24");
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let hour = |text: &str| text.trim().parse::<u8>().ok().filter(|hour| *hour <= 24);
        let (from, to) = (hour(from).ok_or_else(wrong)?, hour(to).ok_or_else(wrong)?);
        if from % 24 == to % 24 {
            return Err(format!("{text:?} is the whole day or none of it"));
        }
        Ok(Hours { from: from % 24, to })
    }
}

impl std::fmt::Display for Hours {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_may_go_over_midnight() {
        for (text, inside, outside) in
            [("22-7", [22, 0, 6], [7, 12, 21]), ("9-17", [9, 12, 16], [8, 17, 0])]
        {
            let hours: Hours = text.parse().unwrap();
            assert!(inside.iter().all(|hour| hours.has(*hour)), "{text}");
            assert!(!outside.iter().any(|hour| hours.has(*hour)), "{text}");
        }
        let evening: Hours = "18-24".parse().unwrap();
        assert!(evening.has(23) && !evening.has(0) && !evening.has(17));
        for text in ["22", "22-25", "-7", "7-7", "0-24", "24-0", "a-b", ""] {
            assert!(text.parse::<Hours>().is_err(), "{text}");
        }
    }
}
