//! Files that are whole, missing and damaged.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty_syzygy::filesystem::{RandomAccessFile, ReadHint};

use super::*;
use crate::chess::parse_fen;
use crate::chess::tables::opened::stem;

/// The tables of three men.
fn three_men() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tables")
}

fn copied(is_taken: impl Fn(&str) -> bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in table_paths(&three_men()).unwrap() {
        if is_taken(stem(&path)) {
            std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

fn wdl(files: &TableFiles, epd: &str) -> Option<i8> {
    files.wdl(&parse_fen(epd).unwrap()).map(Wdl::get)
}

const PAWN: &str = "8/8/4k3/8/4K3/8/4P3/8 w - -";
const QUEEN: &str = "8/8/8/8/8/3k4/8/3KQ3 b - -";

#[test]
fn results_are_those_of_the_side_to_move() {
    let files = TableFiles::find(&[three_men()]).unwrap();
    assert_eq!(files.men(), 3);
    assert_eq!((wdl(&files, PAWN), wdl(&files, QUEEN)), (Some(2), Some(-2)));
    assert_eq!(wdl(&files, "8/8/8/8/k7/8/P7/K7 b - -"), Some(0));
    assert_eq!(wdl(&files, "4k3/8/8/8/8/8/8/R3K3 w Q -"), None, "White may castle");
    assert_eq!(wdl(&files, "4k3/8/8/8/8/8/P7/R3K3 w - -"), None, "four men");
}

#[test]
fn mate_comes_first_and_slowest_loss_before_others() {
    let files = TableFiles::find(&[three_men()]).unwrap();
    let moves = |epd: &str| {
        let moves = files.moves(&parse_fen(epd).unwrap()).unwrap();
        let told = moves.iter().map(|m| (m.uci.to_string(), m.wdl.get(), m.dtz));
        told.collect::<Vec<_>>()
    };
    let mating = moves("6k1/8/6K1/8/8/8/8/Q7 w - -");
    assert_eq!((mating[0].1, mating[0].2), (2, Some(1)), "{mating:?}");
    let losing = moves(QUEEN);
    let distances: Vec<i32> = losing.iter().map(|m| m.2.unwrap()).collect();
    assert!(distances.is_sorted() && distances.iter().all(|dtz| *dtz < 0), "{losing:?}");
    assert!(losing.len() > 1);
}

#[test]
fn missing_table_leaves_unknowns_and_no_complaint() {
    let folder = copied(|name| name != "KPvK");
    let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
    assert_eq!((wdl(&files, PAWN), wdl(&files, QUEEN)), (None, Some(-2)));
    assert_eq!(files.take_complaints(), Vec::<String>::new());
}

#[test]
fn impossible_size_fails_at_once_short_file_when_read() {
    for (size, at_once) in [(100, true), (16, false), (16 + 64, false), (16 + 64 * 20, false)] {
        let folder = copied(|_| true);
        let path = folder.path().join("KPvK.rtbw");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..size]).unwrap();
        let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        assert_eq!(!files.take_complaints().is_empty(), at_once, "{size}");
        let unknown = (0..200).all(|_| wdl(&files, PAWN).is_none());
        assert!(unknown, "{size}");
        let complaints = files.take_complaints();
        assert_eq!(complaints.len(), usize::from(!at_once), "{size}: {complaints:?}");
        assert!(complaints.iter().all(|words| words.contains("KPvK.rtbw is left out: ")));
        assert_eq!(wdl(&files, QUEEN), Some(-2), "{size}");
    }
}

#[test]
fn bytes_that_are_no_table_make_no_panic() {
    let mut random = 1_u64;
    for name in ["KPvK.rtbw", "KPvK.rtbz"] {
        let bytes = std::fs::read(three_men().join(name)).unwrap();
        let mut left_out = 0;
        for _ in 0..300 {
            let folder = copied(|_| true);
            let mut bytes = bytes.clone();
            for _ in 0..20 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = usize::try_from(random >> 33).unwrap() % 600.min(bytes.len());
                bytes[place] = (random >> 20) as u8;
            }
            std::fs::write(folder.path().join(name), bytes).unwrap();
            let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
            let moves = files.moves(&parse_fen(PAWN).unwrap());
            left_out += usize::from(!files.take_complaints().is_empty());
            // The distances are in a file of their own: the results do not need it.
            assert!(name == "KPvK.rtbw" || moves.is_some_and(|moves| moves.len() == 6), "{name}");
            assert_eq!(wdl(&files, QUEEN), Some(-2), "{name}");
        }
        assert!(left_out > 30, "{name}: {left_out} of 300 were damaged so that it shows");
    }
}

#[test]
fn damaged_table_is_named_and_the_other_folder_used() {
    for cut_first in [true, false] {
        let (first, second) = (copied(|_| true), copied(|_| true));
        let damaged = if cut_first { &first } else { &second };
        let path = damaged.path().join("KPvK.rtbw");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..16 + 64]).unwrap();
        let folders = [first.path().to_owned(), second.path().to_owned()];
        let files = TableFiles::find(&folders).unwrap();
        assert_eq!((wdl(&files, PAWN), wdl(&files, QUEEN)), (Some(2), Some(-2)));
        let complaints = files.take_complaints();
        // The first folder counts: the other's is not read.
        assert_eq!(complaints.len(), usize::from(cut_first), "{complaints:?}");
        let named = path.display().to_string();
        assert!(complaints.iter().all(|words| words.contains(&named)), "{complaints:?}");
    }
}

/// The tables of three men on a disk that may be away, or with a reader that panics at one of them.
struct Disk {
    is_away: Arc<AtomicBool>,
    panics: &'static str,
}

struct OnDisk {
    file: Box<dyn RandomAccessFile>,
    is_away: Arc<AtomicBool>,
}

impl RandomAccessFile for OnDisk {
    fn read_at(&self, buf: &mut [u8], offset: u64, hint: ReadHint) -> io::Result<usize> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(io::Error::other("the disk is away"));
        }
        self.file.read_at(buf, offset, hint)
    }
}

impl Filesystem for Disk {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(io::Error::other("the disk is away"));
        }
        OsFilesystem::new().regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        OsFilesystem::new().read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        assert_ne!(stem(path), self.panics, "as if it were damaged");
        let file = OsFilesystem::new().open(path)?;
        Ok(Box::new(OnDisk { file, is_away: Arc::clone(&self.is_away) }))
    }
}

fn on_disk(panics: &'static str) -> (TableFiles, Arc<AtomicBool>) {
    let is_away = Arc::new(AtomicBool::new(false));
    let disk = Disk { is_away: Arc::clone(&is_away), panics };
    let paths = table_paths(&three_men()).unwrap();
    (TableFiles::of(Arc::new(FewOpen::new(Arc::new(disk))), paths), is_away)
}

#[test]
fn disk_that_is_away_says_nothing_and_loses_no_table() {
    let (files, is_away) = on_disk("");
    let look_up = |epd: &str| files.look_up(&parse_fen(epd).unwrap());
    assert_eq!(look_up(PAWN).unwrap(), Some(Wdl::Win));
    is_away.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        let error = look_up(QUEEN).unwrap_err().in_full();
        assert!(error.contains("KQvK.rtbw: the disk is away"), "{error}");
    }
    // Leaving a file out meanwhile takes no other table with it.
    files.leave_out(&three_men().join("KPvK.rtbw"), "a test");
    let complaints = files.take_complaints();
    assert_eq!(complaints.len(), 2, "each is said once: {complaints:?}");
    is_away.store(false, Ordering::SeqCst);
    assert_eq!((look_up(QUEEN).unwrap(), look_up(PAWN).unwrap()), (Some(Wdl::Loss), None));
}

#[test]
fn table_that_panics_the_reader_is_named_and_left_out() {
    let (files, _) = on_disk("KPvK");
    assert_eq!((wdl(&files, PAWN), wdl(&files, QUEEN)), (None, Some(-2)));
    let complaints = files.take_complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("KPvK.rtbw is left out: "));
    assert!(!files.has_table_of(&parse_fen(PAWN).unwrap()));
    assert!(files.has_table_of(&parse_fen(QUEEN).unwrap()));
}

#[test]
fn no_move_beats_its_position_when_fifty_moves_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/tables");
    let Ok(files) = TableFiles::find(&[folder]) else {
        println!("skipped: no tables of five men here");
        return;
    };
    // White wins in 101 plies: Bd5 leads to a position that is lost in exactly 100.
    let position = parse_fen("4k3/8/3B4/8/7n/8/1K4B1/8 w - -").unwrap();
    assert_eq!(files.wdl(&position), Some(Wdl::CursedWin));
    let moves = files.moves(&position).unwrap();
    let told = moves.iter().find(|m| m.uci.to_string() == "g2d5").unwrap();
    assert_eq!((told.wdl, told.dtz), (Wdl::CursedWin, Some(101)));
    assert_eq!(moves[0].wdl, Wdl::CursedWin);
}
