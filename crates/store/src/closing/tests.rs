use rusqlite::{Connection, params};
use shakmaty::uci::UciMove;

use super::*;
use deepanalyze_core::chess::Game;
use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Profile;

use crate::analyses::AnalysisKey;
use crate::memo::checksummed;

const PAWNS: &str = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1";

/// Fills in the checksums of rows made by SQL.
fn put_checksums(db: &Connection) -> rusqlite::Result<()> {
    let mut rows = db.prepare(&format!("SELECT {SHARE_COLUMNS} FROM closing_share"))?;
    let checksum = |row: &Row<'_>| {
        let columns = (0..13).map(|column| row.get(column)).collect::<Result<Vec<_>, _>>()?;
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, checksummed(columns).pop()))
    };
    let rows = rows.query_map([], checksum)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let update = "UPDATE closing_share SET checksum = ?3 WHERE closing = ?1 AND number = ?2";
    let mut update = db.prepare(update)?;
    rows.into_iter().try_for_each(|row| update.execute(row).map(drop))
}

/// A database with a tree, and its root.
struct Tree {
    _folder: tempfile::TempDir,
    store: Store,
    analysis: AnalysisId,
    root: Chess,
}

/// A request for a closing search with this limit.
fn asked(limit: Option<Limit>) -> NewClosing {
    NewClosing { passes: 3, limit, engines: 2 }
}

impl Tree {
    fn new() -> Tree {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let game = Game::from_start(PAWNS).unwrap();
        let mut tree =
            Tree { _folder: folder, store, analysis: AnalysisId(0), root: game.root().clone() };
        tree.analysis = tree.another(5, 10);
        tree
    }

    /// Another tree of the same root.
    fn another(&mut self, depth: u32, distance: u32) -> AnalysisId {
        let limit = Limit::Depth(depth);
        let options = [("Hash".to_owned(), "16".to_owned())].into();
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = self.store.profile_id(&profile).unwrap();
        let game = Game::from_start(PAWNS).unwrap();
        let key = AnalysisKey { game: &game, profile, settings: &distance.into() };
        self.store.open_analysis(key).unwrap()
    }

    fn closing(&self, limit: Option<Limit>) -> ClosingId {
        self.store.closing_id(self.analysis, &asked(limit)).unwrap()
    }

    /// Stores an answer of one engine: `e2e4 20 1000`, move, centipawns and nodes, with a `!` if
    /// done.
    fn keep(&self, closing: ClosingId, number: u32, said: &str) -> Result<(), StoreError> {
        let mut words = said.trim_end_matches('!').split(' ');
        let mut next = || words.next().unwrap();
        let best: UciMove = next().parse().unwrap();
        let (score, nodes) = (Score::Cp(next().parse().unwrap()), next().parse().unwrap());
        let pv = vec![best, "a7a6".parse().unwrap()];
        let time = Duration::from_millis(7);
        let answer = Answer { best, score, wdl: None, depth: 9, seldepth: 12, nodes, time, pv };
        let (is_all, is_done) = (number == 1, said.ends_with('!'));
        let share = ClosingShareRow { number, is_all, answer, is_done };
        self.store.keep_shares(closing, &self.root, &[share])
    }

    /// The nodes of the first engine of each closing search, and whether it is done.
    fn nodes(&self, of: AnalysisId) -> Vec<(u64, bool)> {
        let rows = self.store.closings_of(of).unwrap().into_iter();
        rows.map(|row| (row.shares[0].answer.nodes, row.shares[0].is_done)).collect()
    }

    /// Directs the root's tree.
    fn grown_with(&self, kind: &str) {
        let sql = "INSERT OR IGNORE INTO position (id, hash, board, state)
            VALUES (1, 0, '4k3/3pp3/8/8/8/8/3PP3/4K3 w - -', ''), (2, 0, '4k3/3pp3/8/8/4P3/8/3P4/4K3 b - -', '');
            DELETE FROM grown_directive;";
        self.store.db.execute_batch(sql).unwrap();
        let insert = "INSERT INTO grown_directive (analysis, position, kind, move, value)
            VALUES (?1, ?2, ?3, ?4, ?5)";
        for (position, said) in (1..).zip(kind.split(',').filter(|said| !said.is_empty())) {
            let mut words = said.split(' ');
            let (kind, word) = (words.next(), words.next().unwrap_or_default());
            let value: Option<i64> = word.parse().ok();
            let uci = if value.is_some() { "" } else { word };
            self.store
                .db
                .execute(insert, params![self.analysis.0, position, kind, uci, value])
                .unwrap();
        }
    }
}

#[test]
fn a_repeated_closing_request_finds_its_row() {
    let tree = Tree::new();
    let nodes = Some(Limit::Nodes(100));
    let new = |passes, limit, engines| {
        let new = NewClosing { passes, limit, engines };
        tree.store.closing_id(tree.analysis, &new).unwrap().0
    };
    for _ in 0..2 {
        assert_eq!(new(3, None, 1), 1);
        assert_eq!(new(3, nodes, 1), 2);
        assert_eq!(new(3, Some(Limit::Depth(100)), 1), 3);
        assert_eq!([new(4, nodes, 1), new(3, nodes, 2)], [4, 5]);
    }
    assert!(tree.store.closing_id(AnalysisId(9), &asked(None)).is_err());
    // Its tree may be deleted, and grown again.
    tree.keep(ClosingId(2), 1, "e2e4 20 100!").unwrap();
    let mut tree = tree;
    tree.store.delete_analyses(&[tree.analysis]).unwrap();
    tree.analysis = tree.another(5, 10);
    assert_eq!((tree.analysis, tree.nodes(tree.analysis)), (AnalysisId(2), vec![(100, true)]));
    assert_eq!(tree.store.closing_id(tree.analysis, &asked(nodes)).unwrap(), ClosingId(5));
}

#[test]
fn a_forgotten_share_can_be_replaced_by_a_lesser_one() {
    let tree = Tree::new();
    let closing = tree.closing(None);
    tree.keep(closing, 1, "e2e4 20 300").unwrap();
    tree.store.forget_share(closing, 2).unwrap();
    assert_eq!(tree.nodes(tree.analysis), [(300, false)]);
    tree.store.forget_share(closing, 1).unwrap();
    assert_eq!(tree.nodes(tree.analysis), []);
    tree.keep(closing, 1, "d2d4 20 100").unwrap();
    assert_eq!(tree.nodes(tree.analysis), [(100, false)]);
}

#[test]
fn the_greater_one_stays() {
    let tree = Tree::new();
    for (limit, kept) in [(None, (300, false)), (Some(Limit::Depth(9)), (250, true))] {
        let closing = tree.closing(limit);
        let keep = |said| tree.keep(closing, 1, said).unwrap();
        let now = || tree.nodes(tree.analysis).pop().unwrap();
        keep("e2e4 20 100");
        keep("e2e3 25 200");
        keep("d2d4 30 150");
        assert_eq!(now(), (200, false));
        keep("e2e4 30 300");
        // At a limit, being done counts more than nodes: it was found in another way.
        keep("d2d4 30 250!");
        assert_eq!(now(), kept);
        keep("d2d4 30 300");
        assert_eq!(now(), kept);
        keep("d2d4 30 300!");
        assert_eq!(now(), (300, true), "the last iteration was the last one");
    }
    let flaws = tree.store.check_closings().unwrap();
    assert!(flaws.is_empty(), "{flaws:?}");
}

#[test]
fn it_says_something_once_the_first_engine_does() {
    let tree = Tree::new();
    let closing = tree.closing(None);
    tree.keep(closing, 2, "e2e4 20 100").unwrap();
    assert_eq!(tree.nodes(tree.analysis), []);
    tree.keep(closing, 1, "e2e4 20 70").unwrap();
    assert_eq!(tree.nodes(tree.analysis), [(70, false)]);
    let said = "SELECT move, value, line, depth, nodes, is_done FROM closing_verdict";
    let said = |tree: &Tree| -> (String, i64, String, i64, i64, i64) {
        let read = |row: &Row<'_>| row.try_into();
        tree.store.only_row(said, [], read).unwrap()
    };
    assert_eq!(said(&tree), ("e2e4".into(), 20, "e2e4".into(), 9, 170, 0));
    tree.keep(closing, 2, "d2d4 49 101").unwrap();
    tree.keep(closing, 1, "e2e4 20 70!").unwrap();
    assert_eq!(said(&tree), ("e2e4".into(), 20, "e2e4".into(), 9, 171, 1), "the clock ends all");
    tree.keep(closing, 2, "d2d4 50 102!").unwrap();
    assert_eq!(said(&tree).0, "d2d4");
    let limited = tree.closing(Some(Limit::Depth(9)));
    tree.keep(limited, 1, "e2e4 20 70!").unwrap();
    let is_done = |tree: &Tree| -> bool {
        let sql = "SELECT is_done FROM closing_verdict WHERE closing = ?1";
        tree.store.only_row(sql, [limited.0], |row| row.get(0)).unwrap()
    };
    assert!(!is_done(&tree), "the other one is not done");
    tree.keep(limited, 2, "e2e4 20 70!").unwrap();
    assert!(is_done(&tree));
    let refused = tree.keep(closing, 1, "e2e5 20 1000").unwrap_err();
    assert!(matches!(refused, StoreError::Illegal { .. }), "{refused}");
}

#[test]
fn closings_are_shared_by_trees_of_other_limits() {
    let mut tree = Tree::new();
    let closing = tree.closing(None);
    tree.keep(closing, 1, "e2e4 20 100").unwrap();
    let deeper = tree.another(7, 10);
    assert_eq!(tree.nodes(deeper), [(100, false)]);
    assert_eq!(tree.store.closings_of(deeper).unwrap()[0].tree_limit, Limit::Depth(5));
    assert_ne!(tree.store.closing_id(deeper, &asked(None)).unwrap(), closing);
    let wider = tree.another(7, 20);
    assert_eq!(tree.nodes(wider), []);
}

#[test]
fn closings_apply_to_trees_with_equal_directives() {
    let tree = Tree::new();
    let says = |is_told: bool| {
        assert_eq!(tree.nodes(tree.analysis).len(), usize::from(is_told));
        tree.store.closing_id(tree.analysis, &asked(None)).unwrap().0
    };
    tree.keep(tree.closing(None), 1, "e2e4 20 100").unwrap();
    assert_eq!(says(true), 1);
    for (said, closing) in [
        ("exclude e2e4", 2),
        ("exclude d2d4", 3),
        ("include e2e4", 4),
        ("stop", 5),
        ("value 30", 6),
        ("value 31", 7),
        ("exclude e2e4,exclude e7e5", 8),
    ] {
        tree.grown_with(said);
        assert_eq!(says(false), closing, "{said}");
        assert_eq!(says(false), closing, "{said}");
    }
    tree.grown_with("");
    assert_eq!(says(true), 1, "taken back");
}

#[test]
fn what_was_changed_is_found() {
    let tree = Tree::new();
    let closing = tree.closing(None);
    tree.keep(closing, 1, "e2e4 20 100").unwrap();
    tree.keep(closing, 2, "d2d4 20 100").unwrap();
    assert!(tree.store.check_closings().unwrap().is_empty());
    for (change, words) in [
        ("UPDATE closing_share SET cp = 21 WHERE number = 2", "was changed"),
        ("UPDATE closing_share SET is_done = 1 WHERE number = 2", "was changed"),
        ("UPDATE closing SET engines = 1", "engine 2: there are only 1 engines"),
        ("UPDATE closing SET history = 'e2e5'", "cannot be played"),
        ("UPDATE closing_share SET move = 'e2e5', pv = 'e2e5' WHERE number = 2", "is not legal"),
        ("UPDATE closing_share SET pv = 'd2d4 d2d3' WHERE number = 2", "cannot be played"),
        ("UPDATE closing_share SET pv = 'e2e4' WHERE number = 2", "does not begin with d2d4"),
    ] {
        tree.store.db.execute_batch(&format!("SAVEPOINT a; {change}")).unwrap();
        if !words.contains("changed") {
            put_checksums(&tree.store.db).unwrap();
        }
        let flaws = tree.store.check_closings().unwrap();
        tree.store.db.execute_batch("ROLLBACK TO a; RELEASE a").unwrap();
        assert!(flaws.len() == 1 && flaws[0].contains(words), "{change}: {flaws:?}");
    }
}

/// A second engine's look: `e2e4 20 1000` as in [`Tree::keep`].
fn look(said: &str, is_only: bool) -> SecondLook {
    let words: Vec<&str> = said.split(' ').collect();
    let best: UciMove = words[0].parse().unwrap();
    let (score, nodes) = (Score::Cp(words[1].parse().unwrap()), words[2].parse().unwrap());
    let (time, pv) = (Duration::from_millis(7), vec![best]);
    let answer = Answer { best, score, wdl: None, depth: 9, seldepth: 12, nodes, time, pv };
    SecondLook { engine: "Second".to_owned(), only: is_only.then_some(best), answer }
}

#[test]
fn second_looks_of_more_nodes_stay() {
    let tree = Tree::new();
    let closing = tree.closing(None);
    tree.keep(closing, 1, "e2e4 20 100").unwrap();
    let keep = |look: &SecondLook| tree.store.keep_second_look(closing, &tree.root, look);
    for said in ["d2d4 5 100", "e2e4 7 90", "d2d3 9 100"] {
        keep(&look(said, false)).unwrap();
    }
    keep(&look("e2e4 -3 10", true)).unwrap();
    let illegal = keep(&look("e2e5 9 200", false)).unwrap_err();
    assert!(matches!(illegal, StoreError::Illegal { .. }), "{illegal}");
    let rows = tree.store.closings_of(tree.analysis).unwrap();
    assert_eq!(rows[0].looks, [look("d2d3 9 100", false), look("e2e4 -3 10", true)]);
    assert!(tree.store.check_closings().unwrap().is_empty());
    for change in ["cp = 21", "pv = 'd2d4'"] {
        let sql = format!("SAVEPOINT a; UPDATE second_look SET {change} WHERE only = ''");
        tree.store.db.execute_batch(&sql).unwrap();
        let flaws = tree.store.check_closings().unwrap();
        tree.store.db.execute_batch("ROLLBACK TO a; RELEASE a").unwrap();
        let words = "second engine Second: the row was changed";
        assert!(flaws.len() == 1 && flaws[0].contains(words), "{change}: {flaws:?}");
    }
}

#[test]
fn those_of_an_analysis_are_found_by_the_key() {
    let tree = Tree::new();
    let verdict = "SELECT * FROM root_verdict WHERE analysis = ?1";
    let (speaking, present) = (among(SPEAKING), among(PRESENT));
    for sql in [speaking.as_str(), &present, verdict] {
        let mut plan = tree.store.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.query_map([1], |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<String> = steps.map(Result::unwrap).collect();
        // Only the lines of one set of directives are read.
        let all = |step: &String| {
            step.starts_with("MATERIALIZE")
                || step.starts_with("SCAN") && !step.starts_with("SCAN (subquery-")
        };
        assert!(!steps.iter().any(all), "{steps:#?}");
        let by_key = "SEARCH closing USING COVERING INDEX closing_key (start_epd=? AND history=?)";
        assert!(steps.iter().any(|step| step == by_key), "{steps:#?}");
    }
}
