//! Sets of games and counts, kept.

use super::*;
use shakmaty::Position;

fn counts(counts: &[(&str, u64)]) -> MoveCounts {
    MoveCounts::new(counts.iter().map(|(uci, games)| (uci.parse().unwrap(), *games)))
}

fn set(digest: &str) -> KeptGameSet {
    let (digest, name) = (digest.to_owned(), "club".to_owned());
    KeptGameSet { digest, name, filter: String::new(), games: 90, nets: HumanNets::default() }
}

#[test]
fn counts_are_kept_by_set_and_position_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tree.db")).unwrap();
    let [one, other] = ["a", "b"].map(|digest| store.game_set_id(&set(digest)).unwrap());
    assert_eq!(store.game_set_id(&set("a")).unwrap(), one);
    assert_eq!(store.game_set(other).unwrap(), set("b"));
    assert!(store.check_game_sets().unwrap().is_empty());
    let (start, key) = (Chess::default(), PositionKey::of(&Chess::default()));
    assert_eq!(store.counts(one, &start).unwrap(), None, "it was not looked up");
    let played = counts(&[("e2e4", 60), ("a2a3", 1), ("d2d4", 9)]);
    store.keep_counts(one, &[(key, played.clone())]).unwrap();
    store.keep_counts(one, &[(key, counts(&[("e2e4", 1)]))]).unwrap();
    store.keep_counts(other, &[(key, MoveCounts::default())]).unwrap();
    assert_eq!(store.counts(one, &start).unwrap(), Some(played));
    assert_eq!(store.counts(other, &start).unwrap(), Some(MoveCounts::default()));
}

#[test]
fn games_that_came_back_are_kept_beside_the_counts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tree.db")).unwrap();
    let set = store.game_set_id(&set("a")).unwrap();
    let (start, key) = (Chess::default(), PositionKey::of(&Chess::default()));
    let played = counts(&[("e2e4", 2), ("g1f3", 1)]).with_games(2);
    store.keep_counts(set, &[(key, played.clone())]).unwrap();
    assert_eq!(store.counts(set, &start).unwrap(), Some(played));
    let all = PartOfRows { above: i64::MIN, up_to: i64::MAX };
    assert!(store.check_counts(all).unwrap().is_empty());
    store.db.execute("UPDATE position_games SET games = 3", []).unwrap();
    let flaw = &store.check_counts(all).unwrap()[0];
    assert!(flaw.contains("(position_games) do not match their checksum"), "{flaw}");
}

#[test]
fn nets_and_their_probabilities_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tree.db")).unwrap();
    let net = |name: &str| HumanNet { name: name.to_owned(), digest: format!("of {name}") };
    let nets = HumanNets { white: None, black: Some(net("maia-1500")), weight: 30 };
    let digest = nets.digest_with("a");
    assert_eq!(digest, "a+-/of maia-1500*30");
    let set = KeptGameSet { nets, ..set(&digest) };
    let id = store.game_set_id(&set).unwrap();
    assert_eq!(store.game_set(id).unwrap(), set);
    let mut after = Chess::default();
    after.play_unchecked(parse_uci("e2e4").unwrap().to_move(&after).unwrap());
    let likely = [("e7e5", 512), ("c7c5", 204)].map(|(uci, p)| (uci.parse().unwrap(), p));
    let asked = counts(&[("c7c5", 7)]).with_human(&likely, 30);
    let not_asked = counts(&[("e2e4", 9)]);
    let found = [(Chess::default(), not_asked), (after, asked)];
    let keys = found.each_ref().map(|(at, counts)| (PositionKey::of(at), counts.clone()));
    store.keep_counts(id, &keys).unwrap();
    for (position, counts) in found {
        assert_eq!(store.counts(id, &position).unwrap(), Some(counts));
    }
    assert!(store.check_game_sets().unwrap().is_empty());
    store.db.execute("UPDATE human_net SET weight = 7", []).unwrap();
    let flaw = &store.check_game_sets().unwrap()[0];
    assert!(flaw.contains("a net of the set of games 1 does not match"), "{flaw}");
    store.db.execute("DELETE FROM human_net", []).unwrap();
    let flaw = &store.check_game_sets().unwrap()[0];
    assert!(flaw.contains("its nets are not those that it was made with"), "{flaw}");
    let [_, (key, _)] = &keys;
    let counts = store.counts(id, &key.position()).unwrap().unwrap();
    assert_eq!(counts.human(likely[0].0), None, "a net that is not known tells nothing");
}

#[test]
fn damaged_counts_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tree.db")).unwrap();
    let set = store.game_set_id(&set("a")).unwrap();
    let (start, key) = (Chess::default(), PositionKey::of(&Chess::default()));
    store.keep_counts(set, &[(key, counts(&[("e2e4", 60)]))]).unwrap();
    let all = PartOfRows { above: i64::MIN, up_to: i64::MAX };
    assert!(store.check_counts(all).unwrap().is_empty());
    for (text, flaw) in
        [("{\"e2e4\":61}", "checksum"), ("{\"e2e5\":60}", "checksum"), ("x", "checksum")]
    {
        store.db.execute("UPDATE move_count SET counts = ?1", [text]).unwrap();
        assert!(store.check_counts(all).unwrap()[0].contains(flaw));
    }
    assert!(store.counts(set, &start).unwrap_err().is_damage());
    store.db.execute("UPDATE game_set SET games = 7", []).unwrap();
    assert!(store.check_game_sets().unwrap()[0].contains("does not match its checksum"));
    let epd = epd_of(&start);
    assert_eq!(counts_flaw("{\"e2e4\":60}", &epd), None);
    assert!(counts_flaw("{\"e2e5\":60}", &epd).unwrap().contains("e2e5 is not legal"));
    assert!(counts_flaw("[]", &epd).is_some());
}
