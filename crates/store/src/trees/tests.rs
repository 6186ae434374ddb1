//! A tree's engine nodes, after every write.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::{AnalysisKey, NewAnswer, ProfileId};
use deepanalyze_core::chess::{Game, Score};
use deepanalyze_core::search::{Answer, Limit, Profile, WorkerId};

const TREE: AnalysisId = AnalysisId(1);

/// A database with lists of answers, and a tree that has none of them yet.
struct Place {
    _folder: tempfile::TempDir,
    store: Store,
    passes: u64,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let profile = |depth| {
            let (options, limit) = (BTreeMap::new(), Limit::Depth(depth));
            Profile { engine: "Some".to_owned(), options, limit, kept_hash: None }
        };
        let [profile, other] = [1, 2].map(|depth| store.profile_id(&profile(depth)).unwrap());
        let game = Game::from_start("startpos").unwrap();
        let key = AnalysisKey { game: &game, profile, settings: &10.into() };
        assert_eq!(store.open_analysis(key).unwrap(), TREE);
        let mut place = Place { _folder: folder, store, passes: 0 };
        place.keep(profile, "", &[("e2e4", 1), ("d2d4", 20), ("c2c4", 300)]);
        place.keep(profile, "e4", &[("e7e5", 4000), ("c7c5", 50_000)]);
        place.keep(profile, "d4", &[("d7d5", u64::MAX), ("g8f6", u64::MAX)]);
        place.keep(other, "", &[("e2e4", 600_000)]);
        place
    }

    /// Stores a list with the nodes of each answer; a worker has given the last one.
    fn keep(&mut self, profile: ProfileId, line: &str, list: &[(&str, u64)]) {
        let mut excluded = Vec::new();
        for (uci, nodes) in list {
            let best = parse_uci(uci).unwrap();
            let (score, time, pv) = (Score::Cp(1), Duration::ZERO, vec![best]);
            let answer =
                Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: *nodes, time, pv };
            let worker = (excluded.len() + 1 == list.len()).then(|| WorkerId::new("worker"));
            let new = NewAnswer { position: behind(line), excluded, answer, worker };
            assert!(self.store.keep(profile, std::slice::from_ref(&new)).unwrap());
            excluded = [new.excluded, vec![best]].concat();
        }
    }

    /// Writes a pass in which each of these positions admits this many answers; returns the nodes
    /// spent.
    fn pass(&mut self, rows: &[(&str, usize)], replaces: Option<&Directives>) -> u64 {
        let row = |(line, admitted): &(&str, usize)| {
            let idea = Value::new(i64::try_from(self.passes).unwrap()).unwrap();
            let row = NodeRow { ply: 0, admitted: *admitted, idea };
            (self.store.position(&behind(line)).unwrap(), row)
        };
        let nodes: Vec<(PositionId, NodeRow)> = rows.iter().map(row).collect();
        let record = record(self.passes, &nodes, replaces);
        assert!(self.store.commit_pass(TREE, &record).unwrap());
        self.passes += 1;
        self.spent()
    }

    fn spent(&self) -> u64 {
        let spent = self.store.analysis(TREE).unwrap().unwrap().nodes;
        let rows = self.store.efforts(TREE).unwrap();
        let sum = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.nodes));
        assert_eq!(spent, sum.min(i64::MAX.unsigned_abs()));
        spent
    }
}

fn behind(line: &str) -> Chess {
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line(line).unwrap();
    game.root().clone()
}

fn record<'a>(
    before: u64,
    nodes: &'a [(PositionId, NodeRow)],
    replaces: Option<&'a Directives>,
) -> PassRecord<'a> {
    PassRecord {
        before,
        passes: before + 1,
        positions: 0,
        searches: 0,
        nodes,
        settled: &[],
        course: &[],
        line: &[],
        fact_round: 0,
        invalidations: 0,
        found: &[],
        followed: &[],
        replaces,
    }
}

#[test]
fn every_pass_adds_the_nodes_of_its_new_answers() {
    let mut place = Place::new();
    assert_eq!(place.spent(), 0);
    assert_eq!(place.pass(&[("", 1)], None), 1);
    assert_eq!(place.pass(&[("", 1)], None), 1, "its value alone has changed");
    assert_eq!(place.pass(&[("", 3), ("e4", 1)], None), 4321);
    assert_eq!(place.pass(&[], None), 4321);
    assert_eq!(place.pass(&[("", 3), ("e4", 2)], None), 54_321);
    let late = place.store.commit_pass(TREE, &record(1, &[], None)).unwrap_err();
    assert!(matches!(late, StoreError::Growing { .. }), "{late}");
    assert_eq!(place.spent(), 54_321);
}

#[test]
fn a_replacing_tree_begins_with_no_nodes() {
    let mut place = Place::new();
    assert_eq!(place.pass(&[("", 3), ("e4", 2)], None), 54_321);
    assert_eq!(place.pass(&[("", 2)], Some(&Directives::default())), 21);
    assert_eq!(place.pass(&[("", 2), ("e4", 1)], None), 4021);
}

#[test]
fn a_tree_of_invalidated_answers_has_no_nodes() {
    let mut place = Place::new();
    assert_eq!(place.pass(&[("", 3)], None), 321);
    place.store.invalidate(&WorkerId::new("worker"), "it lies").unwrap();
    assert_eq!(place.spent(), 0);
}

#[test]
fn too_many_nodes_saturate() {
    let mut place = Place::new();
    let most = i64::MAX.unsigned_abs();
    assert_eq!(place.pass(&[("", 1), ("d4", 1)], None), most);
    assert_eq!(place.pass(&[("", 3), ("d4", 2)], None), most);
}
