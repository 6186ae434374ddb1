//! Tests of reading sets.

mod by_definition;
mod damage;

use shakmaty::Color;

use super::*;
use crate::chain::tests::unlink;
use crate::filter::Judgement;
use crate::record::GameResult;
use crate::row::GameRow;
use crate::testing::{
    Counts, Folder, count_game, counted_one_by_one, random_games, told, with_means,
};

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
    let all = counted_one_by_one(&text, 60, &Filter::default());
    // Reversed order: the digest does not depend on it.
    let pgn = folder.file("all.pgn", random_games((0..220).rev()));
    for filter in filters() {
        let right = counted_one_by_one(&text, 60, &filter);
        assert!(!right.is_empty(), "{}", filter.words());
        let set = folder.open(&filter);
        assert!(told(&set, &all) == with_means(&right), "{}", filter.words());
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
fn unknown_player_is_an_error_with_near_names() {
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
fn a_set_can_go_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<GameSet>();
}

#[test]
fn standard_input_is_called_so() {
    assert_eq!(set_name(Path::new("-")), "standard input");
    assert_eq!(set_name(Path::new("./club.games")), "club");
    assert_eq!(set_name(Path::new("club.pgn")), "club.pgn");
}

#[test]
fn counting_a_file_is_told_and_ends_when_it_is_to() {
    let folder = Folder::new();
    let file = folder.file("some.pgn", random_games(0..100));
    let mut told = 0;
    let counted = GameSet::open_telling(&file, &Filter::default(), &mut |_| {
        told += 1;
        true
    });
    assert!(counted.is_ok() && told > 10);
    for end in 0..told {
        let mut left = end;
        let counted = GameSet::open_telling(&file, &Filter::default(), &mut |_| {
            left -= 1;
            left >= 0
        });
        assert!(matches!(counted, Err(GameSetError::Interrupted)), "{end}");
    }
}

#[test]
fn returning_game_counts_once_whatever_it_plays() {
    let folder = Folder::new();
    let game = |players: &str, result: &str, moves: &str| {
        format!(
            "[Event \"a\"]\n[White \"{players}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    // The first comes to the initial position three times, and plays three moves there.
    let first = game("A", "1/2-1/2", "1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3 Nf6 4. Nb1 Ng8 5. e4");
    let second = game("C", "1-0", "1. e4 e5");
    folder.add(&second).unwrap();
    folder.add(&first).unwrap();
    let start = PositionKey::of(&shakmaty::Chess::default());
    let told = |filter: &Filter| {
        let table = folder.open(filter).table(&start).unwrap();
        let all = table.all;
        let moves: Vec<String> = table
            .moves
            .iter()
            .map(|tally| format!("{} {}", tally.uci, tally.played.games))
            .collect();
        format!("{} {} {} {}: {}", all.games, all.white, all.draws, all.black, moves.join(", "))
    };
    assert_eq!(told(&Filter::default()), "2 1 1 0: e2e4 2, b1c3 1, g1f3 1");
    let of = |player: &str| Filter { player: Some(player.to_owned()), ..Filter::default() };
    assert_eq!(told(&of("A")), "1 0 1 0: b1c3 1, e2e4 1, g1f3 1");
    assert_eq!(told(&of("C")), "1 1 0 0: e2e4 1");
    let info = SetInfo::read(&folder.set()).unwrap();
    assert_eq!(info.moves, 9, "returns are no moves");
}

#[test]
fn exact_account_name_comes_first_with_others_listed() {
    let game = |(round, white): (usize, &&str)| {
        let black = "Green, C";
        format!(
            "[Event \"a\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 *\n\n"
        )
    };
    let folder = Folder::new();
    let names =
        ["the_king", "The_King", "the-king", "king_the", "_the_king_", "Lee, Ann", "WGM Lee, Ann"];
    let more = ["Lee, Ann (2100)", "Lee, A.", "Lee, Bob", "Mu\u{308}ller, Jo\u{308}rg"];
    folder.add(names.iter().chain(&more).enumerate().map(game).collect::<String>()).unwrap();
    let of = |name: &str, side: Option<Color>| {
        let filter =
            Filter { player: Some(name.to_owned()), player_side: side, ..Filter::default() };
        let set = folder.open(&filter);
        let also: Vec<String> =
            set.also().iter().map(|(name, games)| format!("{name} {games}")).collect();
        format!("{}; {}", set.identity().games, also.join(", "))
    };
    assert_eq!(of("the_king", None), "2; _the_king_ 1, king_the 1, the-king 1");
    assert_eq!(of("the_king", Some(Color::Black)), "0; _the_king_ 1, king_the 1, the-king 1");
    assert_eq!(of("THE.KING", None), "5; ", "none is spelled so");
    assert_eq!(of("The King", None), "5; ");
    assert_eq!(of("Ann Lee", None), "1; Lee, A. 1, Lee, Ann (2100) 1, WGM Lee, Ann 1");
    assert_eq!(of("Jörg Müller", None), "1; ");
}

#[test]
fn time_controls_are_found_however_they_are_written() {
    let game = |at: usize, control: &str| {
        format!(
            "[Event \"a\"]\n[White \"W{at}\"]\n[Black \"B\"]\n[TimeControl \"{control}\"]\n\n1. e4 *\n\n"
        )
    };
    let controls = ["300", "300+0", "180+2", "180 + 2", "G/5", "?", "300+3; 600+6", "600"];
    let text: String = controls.iter().enumerate().map(|(at, control)| game(at, control)).collect();
    let folder = Folder::new();
    folder.add(text).unwrap();
    let of = |control: &str| {
        let filter = Filter { time_control: Some(control.parse().unwrap()), ..Filter::default() };
        let set = folder.open(&filter);
        format!(
            "{} {} {}",
            set.identity().games,
            set.unjudged().time_control,
            set.identity().filter
        )
    };
    assert_eq!(of("300+0"), "3 2 time control 300");
    assert_eq!(of("300"), "3 2 time control 300");
    assert_eq!(of("180 + 2"), "2 2 time control 180+2");
    assert_eq!(of("3+2"), "2 2 time control 180+2", "as players say it");
    assert_eq!(of("5+0"), "3 2 time control 300");
    assert_eq!(of("7+0"), "0 2 time control 7");
    assert_eq!(of("300+3; 600+6"), "1 1 time control 300+3; 600+6");
    assert_eq!(of("blitz"), "5 2 blitz");
}

#[test]
fn games_that_a_filter_cannot_judge_are_counted() {
    let game = |at: usize, tags: &str| {
        format!("[Event \"?\"]\n[White \"W{at}\"]\n[Black \"B\"]\n{tags}\n1. e4 *\n\n")
    };
    let tags = [
        "[Date \"30.05.2024\"]\n[WhiteElo \"2000\"]\n[BlackElo \"2100\"]\n",
        "[Date \"Sun Jul 09 2023\"]\n[WhiteElo \"0\"]\n[BlackElo \"2100\"]\n",
        "[UTCDate \"2024.01.02\"]\n[WhiteElo \"-\"]\n[BlackElo \"1000\"]\n",
        "[Date \"????.??.??\"]\n",
        "[Date \"2024.??.??\"]\n",
    ];
    let text: String = tags.iter().enumerate().map(|(at, tags)| game(at, tags)).collect();
    let folder = Folder::new();
    folder.add(text).unwrap();
    let told = |filter: Filter| {
        let set = folder.open(&filter);
        let Unjudged { date, rating, event, .. } = set.unjudged();
        [set.identity().games, date, rating, event]
    };
    let since = |text: &str| Filter { since: Some(text.parse().unwrap()), ..Filter::default() };
    assert_eq!(told(since("2024")), [3, 1, 0, 0]);
    assert_eq!(told(since("2024-02")), [1, 2, 0, 0]);
    assert_eq!(told(since("2023-07-09")), [4, 1, 0, 0]);
    assert_eq!(told(Filter { min_rating: Some(2000), ..Filter::default() }), [1, 0, 3, 0]);
    let both = Filter { min_rating: Some(2000), ..since("2024") };
    assert_eq!(
        told(both),
        [1, 1, 2, 0],
        "one says neither, one no rating, one is too old or too weak"
    );
    assert_eq!(told(Filter { event: Some("open".to_owned()), ..Filter::default() }), [0, 0, 0, 5]);
}
