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
fn one_has_the_connection_and_the_next_gets_it_when_it_ends() {
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
fn the_turn_is_given_up_only_where_another_program_is_in_the_way() {
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
fn all_that_have_a_database_open_share_its_connection_by_whatever_name() {
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
fn a_panic_leaves_the_connection_to_others_and_nothing_of_what_it_wrote() {
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
fn what_is_queued_is_written_in_its_order_and_durable_once_its_ticket_says_so() {
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
fn many_runs_share_what_two_may_have_as_long_as_that_is_something() {
    let shares = [0, 1, 2, 3, 8, 19, 1000].map(|members| share(32_768, members));
    assert_eq!(shares, [32_768, 32_768, 32_768, 21_845, 8_192, 3_449, 2_048]);
}

#[test]
fn a_run_keeps_less_once_others_have_come_and_more_once_they_are_gone() {
    let (folder, store) = store();
    let path = folder.path().join("tree.db");
    assert_eq!(store.share_of(800), 800);
    let others: Vec<Store> = (0..7).map(|_| Store::open(&path).unwrap()).collect();
    let reader = Store::open_to_read(&path).unwrap();
    assert_eq!(store.share_of(800), 200);
    drop((others, reader));
    assert_eq!(store.share_of(800), 800);
}
