//! Files that are whole, missing and damaged.

use super::*;
use crate::chess::parse_fen;

/// The tables of three men.
fn three_men() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/tables")
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
fn a_mate_comes_first_and_the_slowest_loss_before_the_others() {
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
fn a_table_that_is_not_there_leaves_its_positions_unknown_and_no_complaint() {
    let folder = copied(|name| name != "KPvK");
    let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
    assert_eq!((wdl(&files, PAWN), wdl(&files, QUEEN)), (None, Some(-2)));
    assert_eq!(files.take_complaints(), Vec::<String>::new());
}

#[test]
fn a_table_whose_size_cannot_be_is_left_out_at_once_and_a_short_one_when_it_is_read() {
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
    let (path, mut random) = ("KPvK.rtbw", 1_u64);
    let bytes = std::fs::read(three_men().join(path)).unwrap();
    for _ in 0..300 {
        let folder = copied(|_| true);
        let mut bytes = bytes.clone();
        for _ in 0..20 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = usize::try_from(random >> 33).unwrap() % 600;
            bytes[place] = (random >> 20) as u8;
        }
        std::fs::write(folder.path().join(path), bytes).unwrap();
        let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        let _ = (wdl(&files, PAWN), files.moves(&parse_fen(PAWN).unwrap()));
        assert_eq!(wdl(&files, QUEEN), Some(-2));
    }
}
