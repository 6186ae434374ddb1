//! Sets of small games against a plain definition of their counts.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shakmaty::Position;

use super::*;

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
            count_game(&mut counts, &start, &game.moves(), row.facts());
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
