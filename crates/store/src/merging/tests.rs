use super::testing::{Folder, answers, epd, keep, merge, position, profile};
use crate::incoming::{Incoming, LeftOutCounts, WhyLeft};
use crate::{AnalysisKey, NewAnswer, PartOfRows, Store, StoreError};
use deepanalyze_core::chess::Game;
use deepanalyze_core::search::WorkerId;

fn left(of: &[(WhyLeft, u64)]) -> LeftOutCounts {
    let mut left = LeftOutCounts::default();
    of.iter().for_each(|(why, count)| left.add(*why, *count));
    left
}

#[test]
fn what_is_new_comes_and_a_second_time_nothing_does() {
    let folder = Folder::new();
    let (own, other) = (folder.database("own.db", 10), folder.database("other.db", 40));
    let all = answers(other.path());
    let (joined, left_behind) = merge(&own, other.path(), "other.db").unwrap();
    assert_eq!(answers(own.path()), all);
    assert_eq!((joined.same + joined.new, joined.conflicts), (all.len() as u64, 0));
    assert!(joined.same > 0 && joined.new > 0 && left_behind.all() == 0);
    let (again, _) = merge(&own, other.path(), "other.db").unwrap();
    assert_eq!((again.same, again.new), (all.len() as u64, 0));
    let everything = PartOfRows { above: i64::MIN, up_to: i64::MAX };
    let id = own.find_profile(&profile()).unwrap().unwrap();
    assert_eq!(own.check_lists(id, everything).unwrap(), (all.len() as u64, Vec::new()));
    assert_eq!(own.check_children(id, everything).unwrap(), Vec::<String>::new());
    assert_eq!(own.check_positions(everything).unwrap(), Vec::<String>::new());
    let sources = own.sources().unwrap();
    assert_eq!((sources.len(), sources[0].answers), (1, joined.new));
}

#[test]
fn merged_lists_extend_ours_and_end_at_conflicts() {
    let folder = Folder::new();
    let (mut own, mut other) = (folder.database("own.db", 0), folder.database("other.db", 0));
    keep(&mut own, 1, 1);
    keep(&mut other, 1, 3);
    keep(&mut own, 2, 3);
    keep(&mut other, 2, 4);
    let conflict = "UPDATE answer SET cp = 32, checksum = NULL WHERE rank = 1 AND position =
        (SELECT id FROM position WHERE epd = ?1)";
    own.db.execute(conflict, [epd(2)]).unwrap();
    let before = answers(own.path());
    let (joined, _) = merge(&own, other.path(), "other.db").unwrap();
    assert_eq!((joined.same, joined.new, joined.conflicts, joined.behind), (2, 2, 1, 1));
    assert!(before.is_subset(&answers(own.path())), "one's own stays");
    let conflicts = own.conflicts().unwrap();
    let [conflict] = &*conflicts else { panic!("{conflicts:?}") };
    assert_eq!((conflict.epd.as_str(), conflict.rank), (epd(2).as_str(), 1));
    assert_eq!(conflict.here.unwrap().score, deepanalyze_core::chess::Score::Cp(32));
    assert_eq!(conflict.there.score, deepanalyze_core::chess::Score::Cp(31));
}

#[test]
fn an_undone_merge_cannot_be_repeated() {
    let folder = Folder::new();
    let (mut own, other) = (folder.database("own.db", 5), folder.database("other.db", 20));
    keep(&mut own, 19, 1);
    let before = answers(own.path());
    let (joined, _) = merge(&own, other.path(), "friend").unwrap();
    // An engine here has continued behind merged answers.
    let (place, id) = (position(19), own.find_profile(&profile()).unwrap().unwrap());
    let list = (0..3).map(|rank| own.answer(id, &place, rank).unwrap().unwrap().uci).collect();
    let answer = super::testing::answer(&place, 3);
    let behind = NewAnswer { position: place, excluded: list, answer, worker: None };
    assert!(own.keep(id, &[behind]).unwrap());
    let gone = own.remove_merged("friend", "it lies").unwrap().unwrap();
    assert_eq!((gone.taken.answers, gone.analyses), (joined.new + 1, 0));
    assert_eq!(answers(own.path()), before);
    let again = merge(&own, other.path(), "friend").unwrap_err();
    assert!(matches!(&again, StoreError::Invalidated { why, .. } if why == "it lies"), "{again}");
    assert!(own.remove_merged("friend", "again").is_err());
    assert_eq!(own.remove_merged("stranger", "why").unwrap(), None);
    assert!(merge(&own, other.path(), "the same by another name").is_ok());
}

#[test]
fn answers_of_invalidated_sources_are_left_out() {
    let folder = Folder::new();
    let mut own = folder.database("own.db", 1);
    let mut other = folder.database("other.db", 1);
    own.invalidate(&WorkerId::new("liar"), "found out").unwrap();
    let id = other.profile_id(&profile()).unwrap();
    let position = position(2);
    let new = NewAnswer {
        answer: super::testing::answer(&position, 0),
        position,
        excluded: Vec::new(),
        worker: Some(WorkerId::new("liar")),
    };
    assert!(other.keep(id, &[new]).unwrap());
    keep(&mut other, 2, 3);
    let (joined, left_behind) = merge(&own, other.path(), "other.db").unwrap();
    assert_eq!(joined.new, 0);
    assert_eq!(left_behind, left(&[(WhyLeft::Invalidated, 1), (WhyLeft::Behind, 2)]));
    let taken = own.database_source("liar").unwrap_err();
    assert!(matches!(taken, StoreError::Invalidated { .. }), "{taken}");
}

#[test]
fn the_database_itself_is_refused_by_whatever_name() {
    let folder = Folder::new();
    let own = folder.database("own.db", 1);
    let mut names = vec!["own.db", "./own.db"];
    // Elsewhere a hard link has no identity to compare: the database in use is refused as unreadable.
    #[cfg(unix)]
    {
        std::fs::hard_link(own.path(), folder.path("hard.db")).unwrap();
        std::os::unix::fs::symlink(own.path(), folder.path("soft.db")).unwrap();
        names.extend(["hard.db", "soft.db"]);
    }
    for name in names {
        let refused = Incoming::open(&folder.path(name), own.path()).unwrap_err();
        assert!(matches!(refused, StoreError::Same(_)), "{name}: {refused}");
    }
    let missing = Incoming::open(&folder.path("none.db"), own.path()).unwrap_err();
    assert!(matches!(missing, StoreError::NoSuchFile(_)), "{missing}");
}

#[test]
fn files_of_older_versions_are_read_as_they_are() {
    let rows = include_str!("../../../../tests/databases/pawns.sql");
    for version in 7..=10 {
        let folder = Folder::new();
        let (own, file) = (folder.database("own.db", 0), folder.path("former.db"));
        Store::make_version(&file, version, rows);
        let bytes = std::fs::read(&file).unwrap();
        let (joined, left_behind) = merge(&own, &file, "former.db").unwrap();
        assert!(joined.new > 50, "{joined:?} of version {version}");
        assert_eq!((left_behind, joined.conflicts), (LeftOutCounts::default(), 0));
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 4, "{version}");
    }
}

/// The target is that before both, whichever goes first; an analysis that came with the first goes
/// with the last.
#[test]
fn undoing_merges_in_any_order_restores_targets() {
    for order in [["Ann", "Bob"], ["Bob", "Ann"]] {
        let folder = Folder::new();
        let mut own = folder.database("own.db", 1);
        let profile = own.find_profile(&profile()).unwrap().unwrap();
        let mut open = |moves: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(moves).unwrap();
            own.open_analysis(AnalysisKey { game: &game, profile, settings: &10.into() }).unwrap()
        };
        let [old, new] = [open("e4"), open("d4")];
        own.aim(old, 2).unwrap();
        for (name, target, former) in [("Ann", 4, [Some(2), None]), ("Bob", 6, [Some(4), Some(4)])]
        {
            let source = own.database_source(name).unwrap();
            for (id, former) in [old, new].into_iter().zip(former) {
                own.note_merged(source, id, former, target).unwrap();
                own.aim(id, target).unwrap();
            }
            own.note_grown().unwrap();
        }
        let target = |own: &Store, id| own.analysis(id).unwrap().map(|row| row.target_depth);
        let [first, last] = order;
        own.remove_merged(first, "why").unwrap().unwrap();
        assert_eq!(target(&own, new), Some(if first == "Ann" { 6 } else { 4 }));
        own.remove_merged(last, "why").unwrap().unwrap();
        assert_eq!(target(&own, old), Some(2), "{order:?}");
        assert_eq!(target(&own, new), None, "{order:?}");
    }
}
