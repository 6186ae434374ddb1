//! Malicious files, and files that a disk has damaged.

use std::path::Path;

use rusqlite::Connection;

use super::{Incoming, LeftOutCounts, WhyLeft};
use crate::answers::AnswerRow;
use crate::merging::testing::{Folder, answers, merge};
use crate::{Store, StoreError, is_repeatable, is_within_reach};
use deepanalyze_core::search::{Limit, Profile};

/// Changes a database file, and returns the answers left out of it. Nothing false may be merged.
fn harmed(change: impl Fn(&Connection)) -> (u64, LeftOutCounts) {
    let folder = Folder::new();
    let (own, other) = (folder.database("own.db", 3), folder.database("other.db", 9));
    let (right, path) = (answers(other.path()), other.path().to_owned());
    drop(other);
    let db = Connection::open(&path).unwrap();
    change(&db);
    drop(db);
    let before = answers(own.path());
    let (joined, left) = merge(&own, &path, "other.db").unwrap();
    let after = answers(own.path());
    assert!(before.is_subset(&after) && after.is_subset(&right));
    (joined.new, left)
}

/// Changed rows with the right checksums: a forger knows how.
fn forged(change: &str) -> (u64, LeftOutCounts) {
    harmed(|db| {
        db.execute_batch(&format!("PRAGMA ignore_check_constraints = ON; {change}")).unwrap();
        let sql = format!("SELECT {} FROM answer", AnswerRow::COLUMNS);
        let mut query = db.prepare(&sql).unwrap();
        let rows = query.query_map([], AnswerRow::read).unwrap();
        for row in rows.map(Result::unwrap) {
            let key = (row.key.profile, row.key.position, row.key.rank);
            let update = "UPDATE answer SET checksum = ?4
                WHERE profile = ?1 AND position = ?2 AND rank = ?3";
            let row = (key.0, key.1, key.2, row.right_checksum());
            db.execute(update, row).unwrap();
        }
    })
}

/// The reasons, without `Behind`.
fn why((_, left): (u64, LeftOutCounts)) -> Vec<WhyLeft> {
    left.each().map(|(why, _)| why).filter(|why| *why != WhyLeft::Behind).collect()
}

#[test]
fn invalid_rows_are_left_out_with_all_behind_them() {
    let (new, left) = harmed(|db| {
        db.execute_batch("UPDATE answer SET cp = cp + 1 WHERE rank = 1").unwrap();
    });
    assert!(new > 0, "those before them come");
    let counts: Vec<_> = left.each().collect();
    let &[(WhyLeft::Damaged, damaged), (WhyLeft::Behind, behind)] = &*counts else {
        panic!("{counts:?}")
    };
    assert!(damaged > 0 && behind > 0);
    let without = harmed(|db| {
        db.execute_batch("UPDATE answer SET checksum = NULL WHERE rank = 0").unwrap();
    });
    assert_eq!((without.0, why(without)), (0, vec![WhyLeft::Damaged]));
}

#[test]
fn impossible_answers_with_checksums_are_left_out() {
    for (change, right) in [
        ("UPDATE answer SET move = 'a1a1', line = 'a1a1' WHERE rank = 0", WhyLeft::Move),
        ("UPDATE answer SET move = 'e2e5', line = x'' WHERE rank = 0", WhyLeft::Move),
        ("UPDATE answer SET move = '', line = '' WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET line = 'h2h4 e7e5' WHERE rank = 0 AND move <> 'h2h4'", WhyLeft::Line),
        ("UPDATE answer SET rank = 7 WHERE rank = 1", WhyLeft::Rank),
        ("DELETE FROM answer WHERE rank = 0", WhyLeft::Rank),
        ("UPDATE answer SET cp = 2000000 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET cp = NULL, mate = 0 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET mate = 3 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET nodes = -1 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET depth = 9999999 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET time_ms = 9223372036854775807 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE answer SET wdl = 99999999 WHERE rank = 0", WhyLeft::Number),
        ("UPDATE position SET board = 'no position', state = ''", WhyLeft::Position),
        ("UPDATE position SET hash = hash + 1", WhyLeft::Position),
        ("PRAGMA foreign_keys = OFF; DELETE FROM position", WhyLeft::Position),
    ] {
        assert_eq!(why(forged(change)), [right], "{change}");
    }
}

#[test]
fn unsearchable_positions_with_hashes_are_left_out() {
    for epd in [
        "no position",
        "k7/8/8/8/8/8/8/K7 w - -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/K6k w - -",
        "4k3/8/8/8/8/8/8/R3K2R w HAha -",
    ] {
        let change = format!(
            "UPDATE position SET board = '{epd}', state = '', hash = {}",
            crate::packing::hash_of(epd)
        );
        assert_eq!(why(forged(&change)), [WhyLeft::Position], "{epd}");
    }
}

#[test]
fn a_move_that_is_listed_before_stays_behind() {
    let change = "UPDATE answer SET (move, line) = (
            SELECT move, line FROM answer AS first WHERE first.position = answer.position
                AND first.rank = 0 AND first.profile = answer.profile)
        WHERE rank = 1";
    assert_eq!(why(forged(change)), [WhyLeft::Move]);
}

#[test]
fn profiles_that_no_program_has_written_stay_behind() {
    let spoil = |sql: &'static str| {
        let folder = Folder::new();
        let (own, other) = (folder.database("own.db", 0), folder.database("other.db", 3));
        let path = other.path().to_owned();
        drop(other);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let incoming = Incoming::open(&path, own.path()).unwrap();
        incoming.profiles().unwrap().into_iter().all(|of| of.profile.is_none())
    };
    for sql in [
        "UPDATE profile SET options = '{ }'",
        "UPDATE profile SET options = '[]'",
        "UPDATE profile SET engine = 'Some' || char(27) || '[2J'",
        "UPDATE profile SET engine = ''",
        "UPDATE profile SET engine = printf('%.*c', 300, 'x')",
        "UPDATE profile SET limit_value = 99999999999",
    ] {
        assert!(spoil(sql), "{sql}");
    }
    assert!(!spoil("SELECT 1"));
}

fn refused(change: impl Fn(&Path)) -> StoreError {
    let folder = Folder::new();
    let (own, other) = (folder.database("own.db", 1), folder.database("other.db", 3));
    let path = other.path().to_owned();
    drop(other);
    change(&path);
    let (before, bytes) = (answers(own.path()), std::fs::read(&path).unwrap_or_default());
    let refused = merge(&own, &path, "other.db").unwrap_err();
    assert_eq!(answers(own.path()), before);
    assert_eq!(std::fs::read(&path).unwrap_or_default(), bytes, "it stays as it is");
    refused
}

fn sql(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_table_that_is_none_is_not_read() {
    let of = "PRAGMA writable_schema = ON; PRAGMA foreign_keys = OFF;";
    for change in [
        // A view in place of a table, with computed values.
        "ALTER TABLE answer RENAME TO real_answer;
            CREATE VIEW answer AS SELECT * FROM real_answer;",
        "ALTER TABLE position ADD COLUMN more TEXT AS (upper(state));",
        "UPDATE sqlite_schema SET sql = replace(sql, 'cp INTEGER', 'cp INTEGER DEFAULT 7')
            WHERE name = 'answer';",
        "DROP TABLE agenda; CREATE VIRTUAL TABLE agenda USING fts5(a);",
    ] {
        let refused = refused(|path| {
            let db = Connection::open(path).unwrap();
            // Statements unknown to this build of SQLite count as refused.
            if db.execute_batch(&format!("{of} {change}")).is_err() {
                db.execute_batch("DROP TABLE agenda").unwrap();
            }
        });
        let words = refused.to_string();
        assert!(words.contains("is not as the program makes it") || refused.is_damage(), "{words}");
    }
}

#[test]
fn a_database_without_a_format_number_is_damaged() {
    let refused = refused(|path| sql(path, "PRAGMA user_version = 0"));
    assert!(refused.to_string().contains("it has no format number"), "{refused}");
}

#[test]
fn what_the_user_has_added_and_triggers_do_no_harm() {
    let (new, left) = harmed(|db| {
        let added = "CREATE VIEW mine AS SELECT * FROM answer;
            CREATE TABLE notes (text);
            CREATE TRIGGER evil AFTER INSERT ON answer BEGIN DELETE FROM answer; END;
            CREATE TRIGGER worse INSTEAD OF INSERT ON search BEGIN DELETE FROM answer; END;";
        db.execute_batch(added).unwrap();
    });
    assert!(new > 0 && left.all() == 0);
}

#[test]
fn files_of_others_newer_ones_and_none_are_refused() {
    let text = refused(|path| std::fs::write(path, "Dear diary").unwrap());
    assert!(matches!(text, StoreError::Foreign(_)), "{text}");
    let other = refused(|path| sql(path, "PRAGMA application_id = 7"));
    assert!(matches!(other, StoreError::Foreign(_)), "{other}");
    let newer = refused(|path| sql(path, "PRAGMA user_version = 99"));
    assert!(matches!(newer, StoreError::Newer { found: 99, .. }), "{newer}");
    let empty = refused(|path| std::fs::write(path, "").unwrap());
    assert!(matches!(empty, StoreError::Empty(_)), "{empty}");
    let missing = refused(|path| std::fs::remove_file(path).unwrap());
    assert!(matches!(missing, StoreError::NoSuchFile(_)), "{missing}");
    let folder = refused(|path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    });
    assert!(matches!(folder, StoreError::Io { .. } | StoreError::Foreign(_)), "{folder}");
}

/// A gigantic file costs nothing: only its actual rows are read.
#[test]
fn ten_gigabytes_take_little_time_and_memory() {
    let folder = Folder::new();
    let (own, other) = (folder.database("own.db", 1), folder.database("other.db", 9));
    let (path, right) = (other.path().to_owned(), answers(other.path()));
    drop(other);
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(10 << 30).unwrap();
    // SQLite may accept it, or find it damaged; the program's memory does not grow.
    match merge(&own, &path, "other.db") {
        Ok(_) => assert_eq!(answers(own.path()), right),
        Err(error) => assert!(error.is_damage(), "{error}"),
    }
}

/// Two hundred flipped bits, anywhere in the file.
#[test]
fn two_hundred_flipped_bits_let_nothing_false_in() {
    let folder = Folder::new();
    let (own, other) = (folder.database("own.db", 10), folder.database("other.db", 40));
    let (path, right, before) =
        (other.path().to_owned(), answers(other.path()), answers(own.path()));
    drop((own, other));
    let fresh = std::fs::read(folder.path("own.db")).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let (mut refused, mut short, mut seed) = (0, 0, 0x2545_f491_4f6c_dd1d_u64);
    for number in 0..200_usize {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let mut bytes = whole.clone();
        let bit = usize::try_from(seed).unwrap() % (8 * bytes.len());
        // Some in the header, and in the schema that follows it.
        let bit = if number % 5 == 0 { bit % (8 * 4096) } else { bit };
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, bytes).unwrap();
        let own = folder.path(&format!("own-{number}.db"));
        std::fs::write(&own, &fresh).unwrap();
        let own = Store::open_for_now(&own).unwrap();
        match merge(&own, &path, "other.db") {
            Err(_) => refused += 1,
            Ok((_, left)) => short += u32::from(left.all() > 0),
        }
        let after = answers(own.path());
        assert!(before.is_subset(&after), "bit {bit}: one's own is lost");
        assert!(after.is_subset(&right), "bit {bit}: {:?}", after.difference(&right).next());
        assert!(own.integrity().unwrap().is_empty(), "bit {bit}");
    }
    assert!(refused > 0 && short > 0, "{refused} refused, {short} with something left behind");
}

#[test]
fn options_that_may_name_files_reach_no_engine() {
    let of = |name: &str, value: &str| Profile {
        engine: "Some".to_owned(),
        options: [(name.to_owned(), value.to_owned())].into(),
        limit: Limit::Depth(1),
        kept_hash: None,
    };
    for (name, value) in
        [("Hash", "64"), ("Threads", "1"), ("Skill Level", "3"), ("Ponder", "false")]
    {
        assert!(is_repeatable(&of(name, value)), "{name}");
    }
    for (name, value) in [
        ("Debug Log File", "/home/somebody/games.pgn"),
        ("Debug Log File", "7"),
        ("SyzygyPath", "1"),
        ("EvalFile", "x.nnue"),
        ("Hash", "33554432"),
        ("threads ", "4"),
        ("Threads", " 1"),
    ] {
        assert!(!is_repeatable(&of(name, value)), "{name}");
    }
}

#[test]
fn limits_that_no_check_reaches_are_told_apart() {
    for limit in [Limit::Depth(60), Limit::Depth(1), Limit::Nodes(10_000_000_000)] {
        assert!(is_within_reach(limit), "{limit}");
    }
    for limit in [Limit::Depth(61), Limit::Depth(u32::MAX), Limit::Nodes(10_000_000_001)] {
        assert!(!is_within_reach(limit), "{limit}");
    }
}
