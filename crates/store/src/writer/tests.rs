use super::*;
use crate::Store;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tree.db")).unwrap();
    (folder, store)
}

fn is_free(store: &Store) -> bool {
    store.writer.lend(Duration::ZERO).is_some()
}

#[test]
fn the_connection_is_passed_on_after_a_write() {
    let (_folder, store) = store();
    let lent = store.writer.lend(Duration::ZERO);
    assert!(lent.is_some() && !is_free(&store));
    std::thread::scope(|scope| {
        let next = scope.spawn(|| store.writer.lend(Duration::from_secs(60)).is_some());
        drop(lent);
        assert!(next.join().unwrap());
    });
    assert!(is_free(&store), "it has ended, too");
}

/// Waiting for each other is no vain attempt, however long it takes.
#[test]
fn only_foreign_locks_end_the_wait_for_a_turn() {
    let (_folder, store) = store();
    let writer = &store.writer;
    let lent = writer.lend(Duration::ZERO);
    let (asked, has_asked) = channel();
    std::thread::scope(|scope| {
        let next = scope.spawn(move || {
            asked.send(()).unwrap();
            writer.lend_before(Duration::ZERO).is_some()
        });
        has_asked.recv().unwrap();
        drop(lent);
        assert!(next.join().unwrap());
    });
    let _lent = writer.lend(Duration::ZERO);
    let locked = StoreError::locked(Path::new("tree.db"));
    assert!(writer.note::<()>(Err(locked)).is_err());
    assert!(writer.lend_before(Duration::ZERO).is_none());
}

#[test]
fn one_file_has_one_writer_under_any_name() {
    let (folder, one) = store();
    let other = Store::open(&folder.path().join(".").join("tree.db")).unwrap();
    let apart = Store::open(&folder.path().join("other.db")).unwrap();
    let looked = one.write(|_| {
        assert!(!is_free(&other) && is_free(&apart));
        Ok::<(), StoreError>(())
    });
    looked.unwrap();
    assert!(is_free(&other));
    let failed = one.write(|_| Err::<(), StoreError>(StoreError::locked(Path::new("other"))));
    assert!(failed.is_err() && is_free(&other), "what is rolled back ends its turn, too");
}

#[test]
fn a_panic_rolls_back_and_frees_the_connection() {
    let (_folder, store) = store();
    store.db.execute_batch("CREATE TABLE noise (n)").unwrap();
    let fails = || {
        store.write(|write| -> Result<(), StoreError> {
            write.execute("INSERT INTO noise VALUES (1)", []).unwrap();
            std::panic::panic_any("made up")
        })
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(fails)).is_err());
    assert!(is_free(&store));
    let count = "SELECT count(*) FROM noise";
    let written: u32 = store.db.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(written, 0);
}

#[test]
fn queued_writes_are_ordered_and_durable_when_done() {
    let (folder, store) = store();
    store.db.execute_batch("CREATE TABLE noise (n INTEGER PRIMARY KEY, said)").unwrap();
    let queue = |said: u32| {
        store.writer.write_soon(&store.patience, move |write| {
            let insert = "INSERT INTO noise (said) VALUES (?1)";
            write.execute(insert, [said]).map(|_| said).map_err(write.named())
        })
    };
    let tickets: Vec<WriteTicket<u32>> = (0..20).map(queue).collect();
    let said: Vec<u32> = tickets.into_iter().map(|ticket| ticket.wait().unwrap()).collect();
    let other = Connection::open(folder.path().join("tree.db")).unwrap();
    let mut query = other.prepare("SELECT said FROM noise ORDER BY n").unwrap();
    let rows = query.query_map([], |row| row.get(0)).unwrap();
    assert_eq!(rows.collect::<rusqlite::Result<Vec<u32>>>().unwrap(), said);
    let failed = store
        .writer
        .write_soon(&store.patience, |write| write.execute_batch("no SQL").map_err(write.named()));
    assert!(failed.wait().is_err());
    drop(queue(20));
    let last = "SELECT max(said) FROM noise";
    assert_eq!(other.query_row(last, [], |row| row.get(0)), Ok(20), "who drops it waits, too");
}

#[test]
fn many_write_without_one_being_refused() {
    let (folder, first) = store();
    let path = folder.path().join("tree.db");
    first.db.execute_batch("CREATE TABLE noise (n)").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let told = |why: &str| std::panic::panic_any(why.to_owned());
                let patience = Patience::new(|| true, told);
                let store = Store::open_with(&path, patience).unwrap();
                for _ in 0..20 {
                    let insert = |write: &Write<'_>| {
                        write.execute("INSERT INTO noise VALUES (1)", []).map_err(write.named())
                    };
                    store.write(insert).unwrap();
                }
            });
        }
    });
    let count = "SELECT count(*) FROM noise";
    let written: u32 = first.db.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(written, 320);
}

#[test]
fn many_runs_share_the_budget_of_two() {
    let shares = [0, 1, 2, 3, 8, 19, 1000].map(|members| share(32_768, members));
    assert_eq!(shares, [32_768, 32_768, 32_768, 21_845, 8_192, 3_449, 2_048]);
}

#[test]
fn budgets_shrink_and_grow_with_the_number_of_runs() {
    let (folder, store) = store();
    let path = folder.path().join("tree.db");
    assert_eq!(store.share_of(800), 800);
    let others: Vec<Store> = (0..7).map(|_| Store::open(&path).unwrap()).collect();
    let reader = Store::open_to_read(&path).unwrap();
    assert_eq!(store.share_of(800), 200);
    drop((others, reader));
    assert_eq!(store.share_of(800), 800);
}
