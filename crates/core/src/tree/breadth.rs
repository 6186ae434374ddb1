//! Breadth of a tree: the move distance of each side at each ply, and the least number of root
//! moves (ALGORITHM, section 6).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use shakmaty::Color;

/// One side's move distances in centipawns, ply by ply.
///
/// They never grow from ply to ply: the rule that skips covered visits rests on it. Two spellings
/// of the same distances are equal, and are written in the shorter one.
///
/// ```
/// use deepanalyze_core::tree::Widths;
///
/// let widths: Widths = "30,20,10".parse()?;
/// let distances: Vec<u32> = (0..8).map(|ply| widths.at(ply)).collect();
/// assert_eq!(distances, [30, 20, 10, 5, 2, 1, 0, 0]);
/// assert_eq!("20,20".parse::<Widths>()?.to_string(), "20");
/// assert_eq!("30,10,10+".parse::<Widths>()?.to_string(), "30,10+");
/// # Ok::<(), deepanalyze_core::tree::WidthsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Widths {
    /// At least one item; two if they halve.
    list: Vec<u32>,
    /// True if the last item stays; otherwise it halves from ply to ply.
    stays: bool,
}

/// Error in widths.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WidthsError {
    /// Not numbers with commas between them.
    #[error("'{0}' is not a list of distances: centipawns, like 20 or 30,20,10 or 30,10+")]
    Malformed(String),
    /// An item is greater than the one before.
    #[error("a distance never grows from ply to ply: {1} after {0}")]
    Grows(u32, u32),
    /// An item is beyond all scores.
    #[error("{0} centipawns are too many: {max} at most", max = Widths::GREATEST)]
    TooGreat(String),
    /// No line is that long.
    #[error("{0} distances are too many: {max} at most", max = Widths::LONGEST)]
    TooMany(usize),
}

impl Widths {
    /// The greatest distance; no two scores that are no mates differ by more.
    pub const GREATEST: u32 = 100_000;

    /// The greatest number of distances.
    pub const LONGEST: usize = 100;

    /// One distance at plies 0 and 1, halved from then on.
    pub fn halving(distance: u32) -> Widths {
        Widths { list: vec![distance, distance], stays: false }
    }

    /// Distances of the first plies, the last of which stays or halves. A single one that halves counts
    /// for plies 0 and 1.
    ///
    /// # Errors
    ///
    /// If one is greater than that before it, or than [`Widths::GREATEST`].
    pub fn new(mut list: Vec<u32>, stays: bool) -> Result<Widths, WidthsError> {
        if let Some(pair) = list.windows(2).find(|pair| pair[1] > pair[0]) {
            return Err(WidthsError::Grows(pair[0], pair[1]));
        }
        if list.len() > Widths::LONGEST {
            return Err(WidthsError::TooMany(list.len()));
        }
        match list.first().copied() {
            None => list = vec![0],
            Some(first) if first > Widths::GREATEST => {
                return Err(WidthsError::TooGreat(first.to_string()));
            }
            Some(_) => {}
        }
        if list.len() == 1 && !stays {
            list.push(list[0]);
        }
        Ok(Widths { list, stays }.shortest())
    }

    fn shortest(mut self) -> Widths {
        if self.stays && self.list.last() == Some(&0) {
            self.stays = false;
            if self.list.len() == 1 {
                self.list.push(0);
            }
        }
        let (needed, shift) = if self.stays { (1, 0) } else { (2, 1) };
        while let [.., before, last] = self.list[..]
            && self.list.len() > needed
            && last == before >> shift
        {
            self.list.pop();
        }
        self
    }

    /// The distance at a ply.
    pub fn at(&self, ply: u32) -> u32 {
        let last = self.list.len() - 1;
        match self.list.get(ply as usize) {
            Some(distance) => *distance,
            None if self.stays => self.list[last],
            None => self.list[last].checked_shr(ply - last as u32).unwrap_or(0),
        }
    }

    /// The distance, if it is the same at plies 0 and 1 and halves from then on.
    pub fn plain(&self) -> Option<u32> {
        match self.list[..] {
            [first, second] if first == second && !self.stays => Some(first),
            _ => None,
        }
    }
}

impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = if self.plain().is_some() { &self.list[..1] } else { &self.list[..] };
        for (index, distance) in items.iter().enumerate() {
            write!(f, "{}{distance}", if index > 0 { "," } else { "" })?;
        }
        if self.stays { f.write_str("+") } else { Ok(()) }
    }
}

impl FromStr for Widths {
    type Err = WidthsError;

    fn from_str(text: &str) -> Result<Widths, WidthsError> {
        let (items, stays) = match text.trim().strip_suffix('+') {
            Some(items) => (items, true),
            None => (text.trim(), false),
        };
        let item = |item: &str| {
            let digits = !item.trim().is_empty() && item.trim().bytes().all(|b| b.is_ascii_digit());
            digits.then(|| item.trim().parse::<u32>().map_err(|_| item.trim().to_owned()))
        };
        let list: Option<Vec<Result<u32, String>>> = items.split(',').map(item).collect();
        let list = list.ok_or_else(|| WidthsError::Malformed(text.to_owned()))?;
        let list: Result<Vec<u32>, String> = list.into_iter().collect();
        Widths::new(list.map_err(WidthsError::TooGreat)?, stays)
    }
}

/// From this ply on no distance changes: the longest list is over, and the greatest distance halved to nothing.
const SETTLED: u32 = 120;

/// Breadth of a tree: with the root and the profile, it identifies an analysis.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Breadth {
    /// The distances with White to move.
    pub white: Widths,
    /// The distances with Black to move.
    pub black: Widths,
    /// Least number of moves of a position at ply 0, whatever the distance.
    pub least: u32,
}

impl Breadth {
    /// The distance with a side to move.
    pub fn distance(&self, turn: Color, ply: u32) -> u32 {
        match turn {
            Color::White => self.white.at(ply),
            Color::Black => self.black.at(ply),
        }
    }

    /// The side of the greater distance at the first ply where the two differ; None if they never
    /// do.
    pub fn wider(&self) -> Option<Color> {
        let mut plies = (0..SETTLED).map(|ply| self.white.at(ply).cmp(&self.black.at(ply)));
        match plies.find(|order| order.is_ne())? {
            Ordering::Greater => Some(Color::White),
            _ => Some(Color::Black),
        }
    }

    /// Least number of moves listed and followed at a ply.
    pub fn least_at(&self, ply: u32) -> usize {
        if ply == 0 { self.least.max(1) as usize } else { 1 }
    }

    /// As it is typed: `20`, or White's and Black's, `20/30`.
    pub fn typed(&self) -> String {
        if self.white == self.black {
            self.white.to_string()
        } else {
            format!("{}/{}", self.white, self.black)
        }
    }

    /// The distance of both sides, if it is the same plain one.
    pub fn plain(&self) -> Option<u32> {
        self.white.plain().filter(|_| self.white == self.black)
    }
}

/// A plain distance for both sides.
impl From<u32> for Breadth {
    fn from(distance: u32) -> Breadth {
        let widths = Widths::halving(distance).shortest();
        Breadth { white: widths.clone(), black: widths, least: 1 }
    }
}

/// Reads `20`, or White's and Black's: `20/30`.
impl FromStr for Breadth {
    type Err = WidthsError;

    fn from_str(text: &str) -> Result<Breadth, WidthsError> {
        let (white, black) = text.split_once('/').unwrap_or((text, text));
        Ok(Breadth { white: white.parse()?, black: black.parse()?, least: 1 })
    }
}

/// `20`, or `White 20, Black 0`, and `at least 4 root moves` if set.
impl fmt::Display for Breadth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.white == self.black {
            write!(f, "{}", self.white)?;
        } else {
            write!(f, "White {}, Black {}", self.white, self.black)?;
        }
        if self.least > 1 {
            write!(f, ", at least {} root moves", self.least)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn widths(text: &str) -> Widths {
        text.parse().unwrap()
    }

    #[test]
    fn a_distance_for_each_side_is_read_as_it_is_typed() {
        for (text, white, black) in [("20", "20", "20"), ("0+/30+", "0", "30+"), ("9/9", "9", "9")]
        {
            let breadth: Breadth = text.parse().unwrap();
            assert_eq!(
                (&breadth.white, &breadth.black),
                (&widths(white), &widths(black)),
                "{text}"
            );
            assert_eq!(breadth.typed().parse(), Ok(breadth), "{text}");
        }
        for text in ["", "20/", "/20", "20/30/40"] {
            assert!(text.parse::<Breadth>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_shortest_spelling_is_told() {
        let spellings = [
            ("20", "20"),
            ("20,20", "20"),
            ("20,20,10,5", "20"),
            ("30,20,10", "30,20"),
            ("20,10", "20,10"),
            ("20,10,5,2", "20,10"),
            ("30,10,10+", "30,10+"),
            ("30,30+", "30+"),
            ("0+", "0"),
            ("30,0+", "30,0"),
            ("5,2,0,0", "5,2,0"),
            (" 8 , 4 ", "8,4"),
        ];
        for (written, shortest) in spellings {
            assert_eq!(widths(written).to_string(), shortest, "{written}");
            assert_eq!(widths(written), widths(shortest));
        }
    }

    #[test]
    fn bad_lists_are_refused_with_a_reason() {
        for text in ["", "+", "20,", "a", "20;10", "-5", "20+,10", "20 10"] {
            let error = text.parse::<Widths>().unwrap_err();
            assert_eq!(error, WidthsError::Malformed(text.to_owned()));
        }
        assert_eq!("10,20".parse::<Widths>(), Err(WidthsError::Grows(10, 20)));
        assert_eq!("100001".parse::<Widths>(), Err(WidthsError::TooGreat("100001".to_owned())));
        let refused = "99999999999999".parse::<Widths>().unwrap_err().to_string();
        assert!(refused.starts_with("99999999999999 centipawns"), "{refused}");
        assert_eq!("9,".repeat(200)[..399].parse::<Widths>(), Err(WidthsError::TooMany(200)));
    }

    proptest! {
        #[test]
        fn what_is_written_means_the_same_distances(
            mut list in proptest::collection::vec(0..200_u32, 1..6),
            stays: bool,
        ) {
            list.sort_unstable_by(|a, b| b.cmp(a));
            let widths = Widths::new(list.clone(), stays).unwrap();
            let mut expected = list.clone();
            if list.len() == 1 && !stays {
                expected.push(list[0]);
            }
            while expected.len() < 20 {
                let last = expected[expected.len() - 1];
                expected.push(if stays { last } else { last / 2 });
            }
            let distances: Vec<u32> = (0..20).map(|ply| widths.at(ply)).collect();
            prop_assert_eq!(&distances, &expected);
            let again: Widths = widths.to_string().parse().unwrap();
            prop_assert_eq!(&again, &widths);
            let other = Widths::new(expected, stays).unwrap();
            prop_assert!(stays || other == widths, "two ways to write the same are one");
        }
    }
}
