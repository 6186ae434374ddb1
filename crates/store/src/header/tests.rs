//! A database after a power cut during its first checkpoint, and foreign files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;
use shakmaty::Chess;

use super::*;
use crate::files::wal_of;
use crate::schema::{APPLICATION_ID, NEWEST};
use crate::{NewAnswer, ProfileId, Store};
use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Profile};

/// Groups of pages written together.
const GROUPS: usize = 5;

/// The files of a database before its first checkpoint and after it.
struct Disk {
    before: Vec<u8>,
    after: Vec<u8>,
    log: Vec<u8>,
}

impl Disk {
    /// A database with an answer.
    fn new() -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let best = parse_uci("e2e4").unwrap();
        let (score, time) = (Score::Cp(1), Duration::ZERO);
        let answer = Answer {
            best,
            score,
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time,
            pv: vec![best],
        };
        let (position, excluded) = (Chess::default(), Vec::new());
        let new = NewAnswer { position, excluded, answer, worker: None };
        assert!(store.keep(profile, &[new]).unwrap());
        let [before, log] = [path.clone(), wal_of(&path)].map(|path| std::fs::read(path).unwrap());
        store.db.execute_batch("PRAGMA wal_checkpoint(PASSIVE)").unwrap();
        let after = std::fs::read(&path).unwrap();
        let named = Header::Sqlite { application: APPLICATION_ID, version: NEWEST };
        assert_eq!(Header::of(&before, 4096), Header::Blank { one_page: true });
        assert_eq!(Header::of(&after, 4096), named);
        Disk { before, after, log }
    }

    /// The file after some groups of pages were written: the first page alone, and the others in
    /// parts.
    fn written(&self, groups: u32) -> Vec<u8> {
        let pages = self.after.chunks(PAGE as usize).enumerate();
        let mut file = self.before.clone();
        for (number, page) in pages {
            let group = if number == 0 { 0 } else { 1 + number % (GROUPS - 1) };
            if groups & 1 << group != 0 {
                let at = number * PAGE as usize;
                file.resize(file.len().max(at + page.len()), 0);
                file[at..at + page.len()].copy_from_slice(page);
            }
        }
        file
    }

    /// The first page in two parts, with the pages behind it.
    fn torn(&self, first: &[u8], second: &[u8], behind: &[u8]) -> Vec<u8> {
        let page = PAGE as usize;
        [&first[..512], &second[512..page], behind.get(page..).unwrap_or_default()].concat()
    }
}

/// A file and its log, with a label.
type Files<'a> = (&'static str, &'a [u8], Option<&'a [u8]>);

/// A folder with a file and perhaps a log.
fn put(file: &[u8], log: Option<&[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    std::fs::write(&path, file).unwrap();
    log.into_iter().for_each(|log| std::fs::write(wal_of(&path), log).unwrap());
    (folder, path)
}

fn has_the_answer(store: &Store) -> bool {
    let answer = store.answer(ProfileId(1), &Chess::default(), 0).unwrap();
    answer.is_some_and(|answer| answer.uci == parse_uci("e2e4").unwrap())
}

#[test]
fn a_cut_first_checkpoint_opens_with_its_whole_log() {
    let disk = Disk::new();
    let zeros = vec![0; PAGE as usize];
    let mut states: Vec<(String, Vec<u8>)> = (0..1 << GROUPS)
        .map(|groups| (format!("groups {groups:05b}"), disk.written(groups)))
        .collect();
    for groups in (0..1 << GROUPS).step_by(7) {
        let file = disk.written(groups);
        let torn = |first: &[u8], second: &[u8]| disk.torn(first, second, &file);
        let mut state = |name: &str, file| states.push((format!("{name} {groups:05b}"), file));
        state("a new beginning", torn(&disk.after, &disk.before));
        state("an old beginning", torn(&disk.before, &disk.after));
        state("no first page", torn(&zeros, &zeros));
        state("the second half of it", torn(&zeros, &disk.after));
    }
    for length in [0, 1, 100, 512, 4095] {
        states.push((format!("{length} bytes"), disk.before[..length].to_vec()));
        states.push((format!("{length} zeros"), vec![0; length]));
    }
    for (name, file) in states {
        let (_folder, path) = put(&file, Some(&disk.log));
        let read = Store::open_to_read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(has_the_answer(&read), "{name}");
        drop(read);
        let (_folder, path) = put(&file, Some(&disk.log));
        let store = Store::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(has_the_answer(&store), "{name}");
        assert!(store.integrity().unwrap().is_empty(), "{name}");
    }
}

/// A database of another program that has died, with its log.
fn foreign(statements: &str) -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    db.execute_batch(statements).unwrap();
    (std::fs::read(&path).unwrap(), std::fs::read(wal_of(&path)).unwrap())
}

#[test]
fn foreign_files_stay_unchanged_with_or_without_log() {
    let disk = Disk::new();
    let ours = Some(&disk.log[..]);
    let (blank, fresh) = foreign("CREATE TABLE a (b)");
    let (named, of_named) = foreign("PRAGMA application_id = 7");
    let (kept, behind) = foreign("CREATE TABLE a (b); PRAGMA wal_checkpoint; DROP TABLE a");
    let newer = foreign("PRAGMA application_id = 1684106849; PRAGMA user_version = 99").1;
    let former = foreign("PRAGMA application_id = 1685089889; PRAGMA user_version = 13").1;
    assert!(Header::of(&blank, 4096) == Header::of(&disk.before, 4096), "only its log tells");
    let torn = blank.iter().copied().chain([0; 4096]).collect::<Vec<u8>>();
    let diary = b"Dear diary\n".repeat(90);
    let cases: [Files<'_>; 15] = [
        ("a diary", &diary, None),
        ("a diary beside our log", &diary, ours),
        ("zeros", &[0; 9999], None),
        ("zeros with their log", &[0; 4096], Some(&fresh)),
        ("zeros beside a diary", &[0; 4096], Some(&diary)),
        ("nothing with their log", &[], Some(&fresh)),
        ("their first transaction", &blank, Some(&fresh)),
        ("their first checkpoint", &torn, Some(&fresh)),
        ("their name", &named, Some(&of_named)),
        ("their tables", &kept, Some(&behind)),
        ("their tables beside our log", &kept, ours),
        ("their tables alone", &kept, None),
        ("a newer program's first transaction", &blank, Some(&newer)),
        ("a newer program's log", &[], Some(&newer)),
        ("a former schema's log", &[], Some(&former)),
    ];
    for (name, file, log) in cases {
        let (folder, path) = put(file, log);
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            entries
                .map(|entry| entry.unwrap().file_name())
                .collect::<std::collections::BTreeSet<_>>()
        };
        let before = names();
        for opened in [Store::open(&path), Store::open_to_read(&path)] {
            let error = opened.map(drop).unwrap_err();
            let refused = match &error {
                StoreError::Newer { found, .. } => *found == 99 && name.contains("newer"),
                StoreError::Former { version, .. } => *version == 13 && name.contains("former"),
                error => matches!(error, StoreError::Foreign(_)),
            };
            assert!(refused, "{name}: {error}");
            assert_eq!(std::fs::read(&path).unwrap(), file, "{name}");
            assert_eq!(std::fs::read(wal_of(&path)).ok().as_deref(), log, "{name}");
            assert_eq!(names(), before, "{name}");
        }
    }
}

#[test]
fn a_half_made_database_is_made_again() {
    let disk = Disk::new();
    let cut = &disk.log[..disk.log.len().min(32 + 24 + 1000)];
    let cases: [Files<'_>; 4] = [
        ("nothing", &[], None),
        ("a first page", &disk.before, None),
        ("a first page and half a write", &disk.before, Some(cut)),
        ("nothing and half a write", &[], Some(cut)),
    ];
    for (name, file, log) in cases {
        let (_folder, path) = put(file, log);
        let error = Store::open_to_read(&path).map(drop).unwrap_err();
        assert!(matches!(error, StoreError::Empty(_)), "{name}: {error}");
        let store = Store::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(store.analyses().unwrap().is_empty(), "{name}");
    }
}
