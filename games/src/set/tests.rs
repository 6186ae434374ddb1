//! Tests of reading sets.

use shakmaty::Color;

use super::*;
use crate::testing::{Folder, counted_one_by_one, random_games, told, with_means};

fn filters() -> Vec<Filter> {
    let none = Filter::default;
    let player = |name: &str| Some(name.to_owned());
    vec![
        none(),
        Filter { player: player("Carlsen, Magnus"), ..none() },
        Filter { player: player("ding liren"), player_side: Some(Color::White), ..none() },
        Filter { player: player("W So"), player_side: Some(Color::Black), ..none() },
        Filter { min_rating: Some(2700), ..none() },
        Filter { since: Some("2020".parse().unwrap()), ..none() },
        Filter { since: Some("2020-02".parse().unwrap()), ..none() },
        Filter { time_control: Some("blitz".parse().unwrap()), ..none() },
        Filter { time_control: Some("60+0".parse().unwrap()), ..none() },
        Filter { time_control: Some("correspondence".parse().unwrap()), ..none() },
        Filter { event: player("OPEN"), ..none() },
        Filter {
            player: player("Carlsen, Magnus"),
            event: player("blitz"),
            min_rating: Some(2500),
            ..none()
        },
    ]
}

#[test]
fn what_passes_a_filter_is_what_passes_it_one_by_one() {
    let (folder, text) = (Folder::new(), random_games(0..220));
    folder.add(random_games(60..220)).unwrap();
    folder.add(random_games(0..100)).unwrap();
    for filter in filters() {
        let right = counted_one_by_one(&text, 60, &filter);
        assert!(!right.is_empty(), "{}", filter.words());
        let set = folder.open(&filter);
        let all = counted_one_by_one(&text, 60, &Filter::default());
        assert!(told(&set, &all) == with_means(&right), "{}", filter.words());
        // The same from the file of games, in another order.
        let mut seeds: Vec<u64> = (0..220).collect();
        seeds.reverse();
        let pgn = folder.file("all.pgn", random_games(seeds));
        let counted = GameSet::open(&pgn, &filter).unwrap();
        assert_eq!(counted.identity().digest, set.identity().digest, "{}", filter.words());
        assert_eq!(counted.identity().games, set.identity().games);
        assert_eq!(counted.identity().filter, filter.words());
        assert!(told(&counted, &all) == with_means(&right), "{}", filter.words());
    }
}

#[test]
fn sets_of_other_games_have_other_digests() {
    let digest = |text: String| Folder::new().add(text).unwrap().set.digest;
    let all: Vec<String> = (0..20).map(|seed| digest(random_games([seed, 50, 51]))).collect();
    let different: std::collections::HashSet<&String> = all.iter().collect();
    assert!(different.len() > 18 && all.iter().all(|digest| digest.len() == 32));
    assert_eq!(digest(random_games([1, 2])), digest(random_games([2, 1, 2])));
}

#[test]
fn a_player_who_is_not_in_it_is_an_error_that_offers_near_names() {
    let folder = Folder::new();
    folder.add(random_games(0..100)).unwrap();
    let unknown = |name: &str| {
        let filter = Filter { player: Some(name.to_owned()), ..Filter::default() };
        GameSet::open(&folder.set(), &filter).unwrap_err()
    };
    let error = unknown("Carlson, Magnus");
    assert_eq!(error.to_string(), "no game of \"Carlson, Magnus\" is in s");
    assert_eq!(error.hint().as_deref(), Some("near names: \"Carlsen, Magnus\""));
    assert_eq!(unknown("Carlsen").hint().as_deref(), Some("near names: \"Carlsen, Magnus\""));
    assert_eq!(unknown("Fischer").hint(), None);
    assert_eq!(unknown("").hint(), None);
}

#[test]
fn files_of_other_programs_newer_ones_and_damaged_ones_are_refused() {
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
    assert!(matches!(refused, Err(GameSetError::Foreign(_))));
    folder.add(random_games(0..3)).unwrap();
    Connection::open(folder.set()).unwrap().pragma_update(None, "user_version", 9).unwrap();
    let newer = open(&folder.set()).to_string();
    assert!(
        newer.contains("has format 9, and this version of deepanalyze knows formats up to 1"),
        "{newer}"
    );
    let db = Connection::open(folder.set()).unwrap();
    db.execute_batch("PRAGMA user_version = 1; UPDATE position SET data = x'01'").unwrap();
    drop(db);
    let set = folder.open(&Filter::default());
    let start = PositionKey::of(&shakmaty::Chess::default());
    assert!(set.table(&start).is_err() || set.table(&start).unwrap().is_empty());
}

#[test]
fn a_set_can_go_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<GameSet>();
}
