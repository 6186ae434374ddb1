use super::*;

fn line(words: &str) -> Vec<UciMove> {
    words.split(' ').map(|uci| uci.parse().unwrap()).collect()
}

/// The index of the move that a cause names, and whether the newer line departs there.
fn told(cause: Cause) -> (usize, bool) {
    match cause {
        Cause::Departs { ply, .. } => (ply, true),
        Cause::Follows { ply, .. } => (ply, false),
    }
}

/// A settled depth with moves as "alpha line".
fn stage(depth: u32, moves: &[(i64, &str)]) -> LoggedDepth {
    let moves = moves.iter().enumerate().map(|(rank, (alpha, words))| {
        let alpha = Value::new(*alpha).unwrap();
        let line = line(words);
        let listed = Some((rank, alpha));
        let m = RootMove { uci: line[0], listed, idea: alpha, alpha, line };
        LoggedMove::of(&Chess::default(), m)
    });
    LoggedDepth {
        depth,
        settled_at: Some(0),
        passes: 0,
        searches: 0,
        positions: 0,
        at: 0,
        value: None,
        moves: moves.collect(),
    }
}

#[test]
fn the_cause_is_the_first_different_move() {
    for (older, newer, right) in [
        ("e2e4 e7e5 g1f3", "e2e4 c7c5 g1f3", (1, true)),
        ("e2e4 e7e5 g1f3", "e2e4 e7e5 d2d4 e5d4", (2, true)),
        ("e2e4 e7e5", "e2e4 e7e5", (1, false)),
        ("e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6", (1, false)),
        ("e2e4", "e2e4 e7e5 g1f3", (0, false)),
        ("e2e4 e7e5 g1f3", "e2e4 e7e5", (1, false)),
    ] {
        let (older, newer) = (line(older), line(newer));
        let cause = cause(&older, &newer).unwrap();
        assert_eq!(told(cause), right, "{older:?} / {newer:?}");
        match cause {
            Cause::Departs { ply, uci, instead_of } => {
                assert_eq!((uci, instead_of), (newer[ply], older[ply]));
            }
            Cause::Follows { ply, uci } => assert_eq!(uci, newer[ply]),
        }
    }
    assert_eq!(cause(&line("e2e4"), &[]), None);
}

#[test]
fn changes_compare_depths_that_list_the_move() {
    let stages = [
        stage(3, &[(20, "d2d4")]),
        stage(4, &[(31, "e2e4 e7e5"), (20, "d2d4")]),
        stage(5, &[]),
        stage(6, &[(31, "e2e4 c7c5"), (20, "d2d4")]),
        stage(7, &[(20, "d2d4"), (18, "e2e4 c7c5 g1f3")]),
        stage(8, &[(20, "d2d4"), (19, "e2e4 e7e6")]),
    ];
    let e4 = line("e2e4")[0];
    let values = |change: &AlphaChange| {
        (change.since, change.depth, change.before.get(), change.after.get(), told(change.cause))
    };
    let found: Vec<_> = changes(&stages, e4).iter().map(values).collect();
    assert_eq!(found, [(6, 7, 31, 18, (1, false)), (7, 8, 18, 19, (1, true))]);
    assert!(changes(&stages, line("d2d4")[0]).is_empty());
    assert!(changes(&stages, line("a2a4")[0]).is_empty());
}

#[test]
fn the_headline_is_the_newest_change_of_the_best() {
    let (e4, d4) = (line("e2e4")[0], line("d2d4")[0]);
    let mut stages = vec![stage(0, &[(30, "e2e4"), (20, "d2d4")])];
    assert_eq!(headline(&stages), None, "one depth is no change");
    stages.push(stage(1, &[(30, "e2e4 e7e5"), (25, "d2d4")]));
    assert_eq!(headline(&stages), None, "the best move and its value stand");
    stages.push(stage(2, &[(28, "e2e4 c7c5"), (25, "d2d4")]));
    stages.push(stage(3, &[]));
    stages.push(stage(4, &[(28, "e2e4 c7c5"), (15, "d2d4")]));
    let Some(Headline::Value(uci, change)) = headline(&stages) else { panic!() };
    assert_eq!((uci, change.since, change.depth, told(change.cause)), (e4, 1, 2, (1, true)));
    stages.push(stage(5, &[(16, "d2d4"), (3, "e2e4 c7c5 b1c3")]));
    let Some(Headline::Best { now, before, since, reason }) = headline(&stages) else { panic!() };
    assert_eq!((now, before, since), (d4, e4, 4));
    assert_eq!(reason.map(|(uci, change)| (uci, change.after.get())), Some((e4, 3)));
}

#[test]
fn an_unlisted_best_move_shows_the_old_ones_change() {
    let (e4, d4) = (line("e2e4")[0], line("d2d4")[0]);
    let before = stage(4, &[(28, "e2e4")]);
    for (alpha, reason) in [(28, None), (20, Some(e4))] {
        let now = stage(5, &[(30, "d2d4"), (alpha, "e2e4")]);
        let found = headline(&[before.clone(), now]);
        let Some(Headline::Best { now, reason: found, .. }) = found else { panic!() };
        assert_eq!((now, found.map(|(uci, _)| uci)), (d4, reason));
    }
}
