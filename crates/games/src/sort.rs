//! Sorting beyond memory: sorted runs in a file, merged as they are read.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::rc::Rc;

const BYTES: u64 = 16;
/// Bytes read at once by all runs of a merge, and the least of each.
const READ_AT_ONCE: u64 = 64 << 20;
const LEAST_AT_ONCE: u64 = 4 << 10;
const MOST_AT_ONCE: u64 = 256 << 10;

/// Takes numbers in any order, and sorts them when its memory is full.
#[derive(Debug)]
pub(crate) struct Sorter {
    numbers: Vec<u128>,
    most: usize,
    path: PathBuf,
    file: Option<BufWriter<File>>,
    /// The runs' beginnings in the file and their lengths, in numbers.
    runs: Vec<(u64, u64)>,
    written: u64,
}

impl Sorter {
    /// Keeps `most` numbers in memory; the rest goes to a file, which is made when needed.
    pub(crate) fn new(path: PathBuf, most: usize) -> Sorter {
        let (numbers, runs) = (Vec::new(), Vec::new());
        Sorter { numbers, most, path, file: None, runs, written: 0 }
    }

    /// # Errors
    ///
    /// File errors.
    pub(crate) fn push(&mut self, numbers: impl IntoIterator<Item = u128>) -> io::Result<()> {
        self.numbers.extend(numbers);
        if self.numbers.len() >= self.most { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.numbers.sort_unstable();
        self.numbers.dedup();
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = File::options().write(true).create_new(true).open(&self.path)?;
                self.file.insert(BufWriter::with_capacity(1 << 20, file))
            }
        };
        for number in &self.numbers {
            file.write_all(&number.to_le_bytes())?;
        }
        let length = self.numbers.len() as u64;
        self.runs.push((self.written, length));
        self.written += length;
        self.numbers.clear();
        Ok(())
    }

    /// Ends the input. Numbers in memory stay there.
    ///
    /// # Errors
    ///
    /// File errors.
    pub(crate) fn sorted(mut self) -> io::Result<Sorted> {
        self.numbers.sort_unstable();
        self.numbers.dedup();
        let path = match self.file {
            Some(mut file) => {
                file.flush()?;
                Some(self.path)
            }
            None => None,
        };
        Ok(Sorted { numbers: self.numbers, path, runs: self.runs })
    }
}

/// Sorted runs. A number may be in several.
#[derive(Debug)]
pub(crate) struct Sorted {
    numbers: Vec<u128>,
    path: Option<PathBuf>,
    runs: Vec<(u64, u64)>,
}

/// The numbers of several [`Sorted`] from a least one up to a greatest, each once.
///
/// # Errors
///
/// File errors.
pub(crate) fn merged(all: &[Sorted], (least, greatest): (u128, u128)) -> io::Result<Merge<'_>> {
    let count = all.iter().map(|sorted| sorted.runs.len() as u64).sum::<u64>().max(1);
    let at_once = (READ_AT_ONCE / count).clamp(LEAST_AT_ONCE, MOST_AT_ONCE);
    let mut merge = Merge { runs: Vec::new(), heap: BinaryHeap::new(), last: None };
    for sorted in all {
        let from = sorted.numbers.partition_point(|number| *number < least);
        let to = sorted.numbers.partition_point(|number| *number <= greatest);
        merge.begin(Run::Memory(sorted.numbers.get(from..to).unwrap_or_default().iter()))?;
        let Some(path) = &sorted.path else { continue };
        // One handle for all of them: a system lets a program have about a thousand.
        let file = Rc::new(RefCell::new(File::open(path)?));
        for run in &sorted.runs {
            merge.begin(Run::File(FileRun::new(&file, *run, (least, greatest), at_once)?))?;
        }
    }
    Ok(merge)
}

/// Merges several runs in order.
#[derive(Debug)]
pub(crate) struct Merge<'s> {
    runs: Vec<Run<'s>>,
    /// The next number of each run.
    heap: BinaryHeap<Reverse<(u128, usize)>>,
    last: Option<u128>,
}

impl<'s> Merge<'s> {
    fn begin(&mut self, mut run: Run<'s>) -> io::Result<()> {
        if let Some(first) = run.next()? {
            self.heap.push(Reverse((first, self.runs.len())));
            self.runs.push(run);
        }
        Ok(())
    }

    /// The next number; `None` after the last.
    ///
    /// # Errors
    ///
    /// File errors.
    pub(crate) fn next(&mut self) -> io::Result<Option<u128>> {
        while let Some(mut least) = self.heap.peek_mut() {
            let Reverse((number, at)) = *least;
            let next = match self.runs.get_mut(at) {
                Some(run) => run.next()?,
                None => None,
            };
            match next {
                Some(next) => *least = Reverse((next, at)),
                None => drop(PeekMut::pop(least)),
            }
            if self.last.replace(number) != Some(number) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

#[derive(Debug)]
enum Run<'s> {
    Memory(std::slice::Iter<'s, u128>),
    File(FileRun),
}

impl Run<'_> {
    fn next(&mut self) -> io::Result<Option<u128>> {
        match self {
            Run::Memory(numbers) => Ok(numbers.next().copied()),
            Run::File(run) => run.next(),
        }
    }
}

/// A part of a run in a file.
#[derive(Debug)]
struct FileRun {
    file: Rc<RefCell<File>>,
    /// Numbers not yet read.
    next: u64,
    end: u64,
    buffer: Vec<u8>,
    at: usize,
    at_once: u64,
}

impl FileRun {
    fn new(
        file: &Rc<RefCell<File>>,
        (from, length): (u64, u64),
        (least, greatest): (u128, u128),
        at_once: u64,
    ) -> io::Result<FileRun> {
        let end = from + length;
        let next = boundary(&mut file.borrow_mut(), from, end, |number| number < least)?;
        let end = boundary(&mut file.borrow_mut(), next, end, |number| number <= greatest)?;
        Ok(FileRun { file: Rc::clone(file), next, end, buffer: Vec::new(), at: 0, at_once })
    }

    fn next(&mut self) -> io::Result<Option<u128>> {
        if self.at >= self.buffer.len() {
            self.fill()?;
        }
        let Some((number, _)) =
            self.buffer.get(self.at..).and_then(|rest| rest.split_first_chunk::<16>())
        else {
            return Ok(None);
        };
        self.at += number.len();
        Ok(Some(u128::from_le_bytes(*number)))
    }

    fn fill(&mut self) -> io::Result<()> {
        let count = (self.at_once / BYTES).min(self.end - self.next);
        self.buffer.resize((count * BYTES) as usize, 0);
        self.at = 0;
        if count > 0 {
            let mut file = self.file.borrow_mut();
            file.seek(SeekFrom::Start(self.next * BYTES))?;
            file.read_exact(&mut self.buffer)?;
            self.next += count;
        }
        Ok(())
    }
}

/// The first number of a part of a run that is not on the left side.
fn boundary(
    file: &mut File,
    mut from: u64,
    mut to: u64,
    is_left: impl Fn(u128) -> bool,
) -> io::Result<u64> {
    while from < to {
        let middle = from.midpoint(to);
        let mut bytes = [0; 16];
        file.seek(SeekFrom::Start(middle * BYTES))?;
        file.read_exact(&mut bytes)?;
        if is_left(u128::from_le_bytes(bytes)) { from = middle + 1 } else { to = middle }
    }
    Ok(from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_sorted_and_once_at_any_memory_size(
            numbers in prop::collection::vec(0..500_u128, 0..300),
            most in 1..120_usize,
            bounds in (0..300_u128, 200..600_u128),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut all = Vec::new();
            for (at, part) in numbers.chunks(100).enumerate() {
                let mut sorter = Sorter::new(folder.path().join(at.to_string()), most);
                part.iter().for_each(|number| sorter.push([*number]).unwrap());
                all.push(sorter.sorted().unwrap());
            }
            let mut merge = merged(&all, bounds).unwrap();
            let found: Vec<u128> = std::iter::from_fn(|| merge.next().unwrap()).collect();
            let inside = numbers.iter().copied().filter(|number| (bounds.0..=bounds.1).contains(number));
            let right: std::collections::BTreeSet<u128> = inside.collect();
            prop_assert_eq!(found, right.into_iter().collect::<Vec<_>>());
        }
    }
}
