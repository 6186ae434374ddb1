//! Tests of reading sets.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shakmaty::{Color, Position};

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

/// A game of the property below: its course, its players, and its details.
#[derive(Debug, Clone)]
struct SmallGame {
    steps: Vec<usize>,
    players: (usize, usize),
    year: usize,
    site: usize,
    result: usize,
}

const NAMES: [&str; 4] = ["Lee, Ann", "the_king", "?", "NN"];
const YEARS: [&str; 3] = ["2019.01.01", "2021.05.??", "????.??.??"];
const SITES: [&str; 3] = ["?", "https://a.org/1", "https://a.org/2"];
const RESULTS: [GameResult; 3] = [GameResult::White, GameResult::Draw, GameResult::Black];

impl SmallGame {
    /// The moves: knights that come and go, and a pawn.
    fn moves(&self) -> Vec<UciMove> {
        let (mut position, mut moves) = (shakmaty::Chess::default(), Vec::new());
        for step in &self.steps {
            let few =
                ["g1f3", "f3g1", "b1c3", "c3b1", "g8f6", "f6g8", "b8c6", "c6b8", "e2e4", "e7e5"];
            let few = few.iter().map(|uci| uci.parse::<UciMove>().unwrap());
            let legal: Vec<UciMove> = few.filter(|uci| uci.to_move(&position).is_ok()).collect();
            let uci = legal[step % legal.len()];
            position.play_unchecked(uci.to_move(&position).unwrap());
            moves.push(uci);
        }
        moves
    }

    fn row(&self) -> GameRow {
        let known = |name: &str| if name == "?" { String::new() } else { name.to_owned() };
        GameRow {
            white: known(NAMES[self.players.0]),
            black: known(NAMES[self.players.1]),
            date: [20_190_101, 20_210_500, 0][self.year],
            result: RESULTS[self.result],
            ..GameRow::default()
        }
    }

    fn pgn(&self) -> String {
        let (white, black) = (NAMES[self.players.0], NAMES[self.players.1]);
        let (date, site) = (YEARS[self.year], SITES[self.site]);
        let result = ["1-0", "1/2-1/2", "0-1"][self.result];
        let mut text = format!(
            "[Event \"x\"]\n[Site \"{site}\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n"
        );
        let mut position = shakmaty::Chess::default();
        for uci in self.moves() {
            text += &deepanalyze_core::chess::san_of(&position, uci);
            text += " ";
            position.play_unchecked(uci.to_move(&position).unwrap());
        }
        format!("{text}{result}\n\n")
    }
}

fn small_games() -> impl Strategy<Value = Vec<SmallGame>> {
    let steps = prop::collection::vec(0..4_usize, 1..14);
    let game = (steps, (0..4_usize, 0..4_usize), 0..3_usize, 0..3_usize, 0..3_usize);
    let game = game.prop_map(|(steps, players, year, site, result)| SmallGame {
        steps,
        players,
        year,
        site,
        result,
    });
    prop::collection::vec(game, 1..6)
}

/// Counts of files of games by the definition, for those that pass a filter: the games of known
/// players each once, those of unknown ones as often as the file with the most has them.
fn by_definition(files: &[Vec<SmallGame>], filter: &Filter) -> (u64, Counts) {
    let mut most: BTreeMap<String, (usize, SmallGame)> = BTreeMap::new();
    for file in files {
        let mut of_file: BTreeMap<String, usize> = BTreeMap::new();
        for game in file {
            let times = of_file.entry(game.pgn()).or_default();
            let is_unknown = game.players.0 > 1 || game.players.1 > 1;
            *times = if is_unknown { *times + 1 } else { 1 };
            let all = most.entry(game.pgn()).or_insert((0, game.clone()));
            all.0 = all.0.max(*times);
        }
    }
    let (mut games, mut counts) = (0, Counts::new());
    for (times, game) in most.into_values() {
        let row = game.row();
        if filter.judge(&row) != Judgement::Passes || !filter.is_of_player(&row) {
            continue;
        }
        for _ in 0..times {
            games += 1;
            let start = shakmaty::Chess::default();
            count_game(&mut counts, (&start, &game.moves()), row.facts());
        }
    }
    (games, counts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn small_games_come_to_what_they_are_by_definition(
        games in small_games(),
        files in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..10), 1..4),
    ) {
        let files: Vec<Vec<SmallGame>> = files
            .iter()
            .map(|file| file.iter().map(|at| games[at.index(games.len())].clone()).collect())
            .collect();
        let add = |files: &mut dyn Iterator<Item = &Vec<SmallGame>>| {
            let folder = Folder::new();
            for file in files {
                folder.add(file.iter().map(SmallGame::pgn).collect::<String>()).unwrap();
            }
            folder
        };
        let (folder, backwards) = (add(&mut files.iter()), add(&mut files.iter().rev()));
        let player = |name: &str| Filter { player: Some(name.to_owned()), ..Filter::default() };
        let since = Filter { since: Some("2020".parse().unwrap()), ..Filter::default() };
        let (_, all) = by_definition(&files, &Filter::default());
        for filter in [Filter::default(), player("Ann Lee"), player("the_king"), since] {
            let right = by_definition(&files, &filter);
            let open = |folder: &Folder| GameSet::open(&folder.set(), &filter);
            let (Ok(set), Ok(other)) = (open(&folder), open(&backwards)) else {
                prop_assert_eq!(right.0, 0);
                continue;
            };
            prop_assert_eq!(set.identity(), other.identity());
            prop_assert_eq!(set.identity().games, right.0);
            prop_assert!(told(&set, &all) == with_means(&right.1), "{:?}", filter);
        }
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
