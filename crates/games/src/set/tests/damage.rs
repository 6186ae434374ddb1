//! Damaged, foreign and older sets.

use super::*;

#[test]
fn foreign_newer_and_damaged_files_are_refused() {
    let folder = Folder::new();
    let open = |path: &Path| GameSet::open(path, &Filter::default()).unwrap_err();
    assert!(matches!(open(&folder.path("none")), GameSetError::Missing(_)));
    let other = folder.path("other.games");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    assert!(matches!(open(&other), GameSetError::Foreign(_)));
    let refused = crate::add(
        &other,
        &[folder.file("a.pgn", random_games(0..3))],
        crate::AddOptions::default(),
        &mut |_| true,
    );
    assert!(matches!(refused, Err(GameSetError::Foreign(_))));
    let text = folder.file("text.games", "1. e4");
    let refused =
        crate::add(&text, &[folder.path("a.pgn")], crate::AddOptions::default(), &mut |_| true);
    let error = refused.unwrap_err();
    assert!(error.to_string().ends_with("text.games is no set of games"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("`games add SET FILE`: the set comes first"));
    folder.add(random_games(0..3)).unwrap();
    Connection::open(folder.set()).unwrap().pragma_update(None, "user_version", 9).unwrap();
    let newer = open(&folder.set()).to_string();
    assert!(
        newer.contains("has format 9, and this version of deepanalyze knows formats up to 2"),
        "{newer}"
    );
    let db = Connection::open(folder.set()).unwrap();
    db.execute_batch("PRAGMA user_version = 2; UPDATE position SET data = x'01'").unwrap();
    drop(db);
    let set = folder.open(&Filter::default());
    let start = PositionKey::of(&shakmaty::Chess::default());
    assert!(set.table(&start).is_err());
}

/// Flips a bit in the middle of each blob of a column.
fn scribble(path: &Path, table: &str, column: &str) {
    let db = Connection::open(path).unwrap();
    let sql = format!("SELECT rowid, {column} FROM {table}");
    let mut statement = db.prepare(&sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let rows: Vec<(i64, Vec<u8>)> = rows.collect::<Result<_, _>>().unwrap();
    assert!(!rows.is_empty(), "{table}");
    for (row, mut bytes) in rows {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
        db.execute(&sql, rusqlite::params![bytes, row]).unwrap();
    }
}

#[test]
fn damage_is_detected_when_read_and_when_added_to() {
    let player = Filter { player: Some("Carlsen, Magnus".to_owned()), ..Filter::default() };
    let start = PositionKey::of(&shakmaty::Chess::default());
    for (table, column) in [
        ("game", "data"),
        ("game", "fingerprints"),
        ("position", "data"),
        ("games_apart", "data"),
        ("player", "data"),
    ] {
        let folder = Folder::new();
        folder.add(random_games(0..120)).unwrap();
        scribble(&folder.set(), table, column);
        let table_of = || GameSet::open(&folder.set(), &player)?.table(&start);
        let error = table_of().unwrap_err().to_string();
        assert!(error.ends_with("s.games is damaged"), "{table} {column}: {error}");
        let before = std::fs::read(folder.set()).unwrap();
        let added = folder.add(random_games(120..140));
        assert!(matches!(added, Err(GameSetError::Damaged(_))), "{table} {column}: {added:?}");
        assert!(std::fs::read(folder.set()).unwrap() == before);
    }
}

#[test]
fn set_that_misstates_its_games_is_damaged() {
    let folder = Folder::new();
    folder.add(random_games(0..120)).unwrap();
    for games in [0, 1, 100, 1000] {
        let sql = format!("UPDATE about SET value = {games} WHERE name = 'games'");
        Connection::open(folder.set()).unwrap().execute_batch(&sql).unwrap();
        let added = folder.add(random_games(120..140));
        assert!(matches!(added, Err(GameSetError::Damaged(_))), "{games}: {added:?}");
    }
}

/// The moves played in some of the positions of games, as far as readable.
fn tables(set: &Path, positions: &[PositionKey]) -> Result<Vec<PlayedHere>, GameSetError> {
    let set = GameSet::open(set, &Filter::default())?;
    positions.iter().map(|position| set.table(position)).collect()
}

fn positions_of(text: &str, every: usize) -> Vec<PositionKey> {
    let counts = counted_one_by_one(text, 60, &Filter::default());
    let epds: std::collections::BTreeSet<String> = counts.into_keys().map(|(epd, _)| epd).collect();
    let epds = epds.iter().step_by(every);
    epds.map(|epd| PositionKey::of(&deepanalyze_core::chess::parse_epd(epd).unwrap())).collect()
}

/// The used bytes of pages that hold keys of a tree and no rows: their places in the file.
fn inner_bytes(file: &[u8]) -> Vec<usize> {
    const PAGE: usize = 32768;
    let used = |(number, page): (usize, &[u8])| {
        let cells = usize::from(page[3]) << 8 | usize::from(page[4]);
        let content = usize::from(page[5]) << 8 | usize::from(page[6]);
        let all = (0..12 + 2 * cells).chain(content..PAGE);
        all.map(|at| number * PAGE + at).collect::<Vec<_>>()
    };
    let inner = file.chunks(PAGE).enumerate().filter(|(_, page)| page[0] == 5);
    inner.flat_map(used).collect()
}

#[test]
fn a_flip_in_an_inner_page_is_harmless_or_damage() {
    let folder = Folder::new();
    let text = random_games(0..700);
    folder.add(text.clone()).unwrap();
    let positions = positions_of(&text, 40);
    let (right, file) = (tables(&folder.set(), &positions).unwrap(), std::fs::read(folder.set()));
    let file = file.unwrap();
    let inner = inner_bytes(&file);
    assert!(inner.len() > 30, "{}", inner.len());
    // The header, and the end of the first page, with the schema.
    let first = (0..200).chain(30_000..32_768).step_by(7);
    let mut damaged = 0;
    for (n, at) in inner.into_iter().chain(first).enumerate() {
        let mut flipped = file.clone();
        flipped[at] ^= 1 << (n % 8);
        std::fs::write(folder.set(), flipped).unwrap();
        match tables(&folder.set(), &positions) {
            Ok(found) => assert!(found == right, "a flip at {at} is told nowhere"),
            Err(_) => damaged += 1,
        }
    }
    assert!(damaged > 10, "{damaged}");
}

#[test]
fn a_flip_in_what_a_set_says_of_itself_is_damage() {
    let folder = Folder::new();
    folder.add(random_games(0..20)).unwrap();
    let (right, file) = (SetInfo::read(&folder.set()).unwrap(), std::fs::read(folder.set()));
    let file = file.unwrap();
    let name = right.sources[0].file.as_bytes();
    let of = |text: &[u8]| {
        let found: Vec<usize> = file
            .windows(text.len())
            .enumerate()
            .filter(|(_, window)| *window == text)
            .map(|(at, _)| at)
            .collect();
        found
    };
    let places = [of(name), of(b"max_ply"), of(b"digest"), of(b"games")].concat();
    let mut damaged = 0;
    for (n, at) in places.into_iter().flat_map(|at| at - 20..at + 40).enumerate() {
        let mut flipped = file.clone();
        flipped[at] ^= 1 << (n % 8);
        std::fs::write(folder.set(), flipped).unwrap();
        match SetInfo::read(&folder.set()) {
            Ok(found) => assert_eq!(found, right, "a flip at {at} is told nowhere"),
            Err(_) => damaged += 1,
        }
    }
    assert!(damaged > 50, "{damaged}");
}

#[test]
fn first_format_is_read_and_linked_when_added_to() {
    let folder = Folder::new();
    let (before, after) = (random_games(0..120), random_games(120..140));
    folder.add(before.clone()).unwrap();
    let positions = positions_of(&[before.clone(), after.clone()].concat(), 10);
    let right = tables(&folder.set(), &positions).unwrap();
    unlink(&folder.set());
    assert!(tables(&folder.set(), &positions).unwrap() == right);
    let player = Filter { player: Some("Carlsen, Magnus".to_owned()), ..Filter::default() };
    assert!(GameSet::open(&folder.set(), &player).unwrap().identity().games > 0);
    folder.add(after.clone()).unwrap();
    let other = Folder::new();
    other.add([before, after].concat()).unwrap();
    let [linked, at_once] =
        [folder.set(), other.set()].map(|set| tables(&set, &positions).unwrap());
    assert!(linked == at_once);
    let db = Connection::open(folder.set()).unwrap();
    assert!(About::read(&db, &folder.set()).unwrap().number("first_player").is_some());
    // A changed format number does not make it an older set.
    db.execute_batch("PRAGMA user_version = 0").unwrap();
    assert!(matches!(SetInfo::read(&folder.set()), Err(GameSetError::Damaged(_))));
}

#[test]
fn a_set_with_a_view_in_a_tables_place_is_not_read() {
    for change in [
        "ALTER TABLE position RENAME TO others;
            CREATE VIEW position AS WITH RECURSIVE n(first, data) AS
                (SELECT 1, x'00' UNION ALL SELECT first, data FROM n) SELECT * FROM n",
        "DROP TABLE about; CREATE VIEW about AS SELECT 'games' AS name, 1 AS value",
        "ALTER TABLE player ADD COLUMN more AS (upper(data))",
    ] {
        let folder = Folder::new();
        folder.add(random_games(0..20)).unwrap();
        Connection::open(folder.set()).unwrap().execute_batch(change).unwrap();
        let read = GameSet::open(&folder.set(), &Filter::default());
        assert!(matches!(read, Err(GameSetError::Damaged(_))), "{change}");
        let added = folder.add(random_games(20..30));
        assert!(matches!(added, Err(GameSetError::Damaged(_))), "{change}: {added:?}");
    }
}

#[test]
fn a_set_that_another_program_gave_a_log_is_added_to() {
    let folder = Folder::new();
    folder.add(random_games(0..20)).unwrap();
    Connection::open(folder.set()).unwrap().pragma_update(None, "journal_mode", "WAL").unwrap();
    let before = SetInfo::read(&folder.set()).unwrap().games;
    let added = folder.add(random_games(20..30)).unwrap();
    assert!(added.games > 0 && added.set.games == before + added.games);
}
