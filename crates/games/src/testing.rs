//! Random games for tests, and their counts one by one by the core's reader.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use deepanalyze_core::chess::{
    Games, date_of, epd_of, is_unknown_player, legal_uci, normalised_name, parse_epd, san_of,
    uci_of,
};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::block::Tally;
use crate::filter::{Filter, Judgement};
use crate::hash::Hash64;
use crate::record::{GameFacts, GameResult};
use crate::row::{GameRow, rating_of};
use crate::{AddOptions, Added, GameSet, GameSetError, GamesTally, PlayedHere, add};

/// A pseudo-random number below a bound.
pub(crate) fn random(seed: u64, at: u64, below: usize) -> usize {
    let mut hash = Hash64::new();
    hash.word(seed);
    hash.word(at);
    (hash.end() % below as u64) as usize
}

/// A game of few moves in few openings, so that much is played twice.
pub(crate) fn random_game(seed: u64) -> String {
    let pick = |at: u64, of: &[&'static str]| of[random(seed, at, of.len())];
    let mut text = String::new();
    let result = pick(1, &["1-0", "0-1", "1/2-1/2", "*"]);
    let players = ["Carlsen, Magnus", "Caruana, Fabiano", "Ding, Liren", "So, W.", "?"];
    for (name, value) in [
        ("Event", pick(2, &["Rated Blitz game", "Club open", "?"])),
        ("Date", pick(3, &["2019.05.06", "2020.??.??", "2021.12.31", "????.??.??"])),
        ("White", pick(4, &players)),
        ("Black", pick(5, &players)),
        ("Result", result),
        ("WhiteElo", pick(6, &["2850", "2700", "?"])),
        ("BlackElo", pick(7, &["2500", "2733"])),
        ("TimeControl", pick(8, &["300+3", "60+0", "-"])),
    ] {
        writeln!(text, "[{name} \"{value}\"]").unwrap();
    }
    text.push('\n');
    let mut position = Chess::default();
    for ply in 0..12 + random(seed, 9, 24) as u64 {
        let moves = legal_uci(&position);
        // Kings go to and fro, too: positions come back.
        let Some(uci) = moves.get(random(seed, 100 + ply, 3).min(moves.len().max(1) - 1)) else {
            break;
        };
        if ply % 2 == 0 {
            write!(text, "{}. ", ply / 2 + 1).unwrap();
        }
        write!(text, "{} ", san_of(&position, *uci)).unwrap();
        position.play_unchecked(uci.to_move(&position).unwrap());
    }
    writeln!(text, "{result}\n").unwrap();
    text
}

pub(crate) fn random_games(seeds: impl IntoIterator<Item = u64>) -> String {
    seeds.into_iter().map(random_game).collect()
}

/// By position and move, in EPD and UCI; [`ALL`] in place of a move has the totals of all games
/// there.
pub(crate) type Counts = BTreeMap<(String, String), Tally>;
pub(crate) const ALL: &str = "all";

/// Counts a game once for each position and move that it has, and once for each position.
pub(crate) fn count_game(counts: &mut Counts, start: &Chess, moves: &[UciMove], facts: GameFacts) {
    let (mut played, mut position) = (BTreeSet::new(), start.clone());
    for uci in moves {
        played.insert((epd_of(&position), ALL.to_owned()));
        played.insert((epd_of(&position), uci.to_string()));
        position.play_unchecked(uci.to_move(&position).unwrap());
    }
    played.into_iter().for_each(|key| counts.entry(key).or_default().count(facts));
}

/// Number of counts that are of moves.
pub(crate) fn move_count(counts: &Counts) -> u64 {
    counts.keys().filter(|(_, uci)| uci != ALL).count() as u64
}

/// Counts of games by the definition: each on its own, without duplicates.
pub(crate) fn counted_one_by_one(text: &str, max_ply: usize, filter: &Filter) -> Counts {
    let (mut counts, mut seen) = (Counts::new(), BTreeSet::new());
    for game in Games::new(text.as_bytes()) {
        let Ok(game) = game.unwrap().main_line(None) else { continue };
        let tag = |name| game.heading.tag(name).unwrap_or_default().replace('?', "");
        let row = GameRow {
            white: tag("White"),
            black: tag("Black"),
            event: tag("Event"),
            time_control: tag("TimeControl"),
            date: date_of(&tag("Date")),
            ratings: (rating_of(&tag("WhiteElo")), rating_of(&tag("BlackElo"))),
            result: GameResult::of(game.heading.result.as_deref().unwrap_or_default()),
        };
        let moves: Vec<String> = game.game.moves().iter().map(ToString::to_string).collect();
        let start = epd_of(game.game.start());
        let is_unknown = [&row.white, &row.black].map(|name| normalised_name(name));
        let is_unknown = is_unknown.iter().any(|name| is_unknown_player(name));
        let players = (row.white.clone(), row.black.clone());
        let is_new = seen.insert((players, row.date, row.result as u8, start, moves));
        if !is_new && !is_unknown {
            continue;
        }
        if filter.judge(&row) != Judgement::Passes || !filter.is_of_player(&row) {
            continue;
        }
        let moves = game.game.moves();
        let counted = moves.get(..max_ply.min(moves.len())).unwrap();
        count_game(&mut counts, game.game.start(), counted, row.facts());
    }
    counts
}

/// A set's answers for positions of some counts.
pub(crate) fn told(set: &GameSet, of: &Counts) -> Counts {
    let mut told = Counts::new();
    let positions: BTreeSet<&String> = of.keys().map(|(epd, _)| epd).collect();
    for epd in positions {
        let position = parse_epd(epd).unwrap();
        let key = deepanalyze_core::chess::PositionKey::of(&position);
        let PlayedHere { all, moves } = set.table(&key).unwrap();
        let (games, counts) = set.counts(&key).unwrap();
        assert_eq!(games, all.games);
        assert!(
            counts.iter().map(|count| count.1).eq(moves.iter().map(|tally| tally.played.games))
        );
        assert!(moves.is_sorted_by_key(|tally| {
            (std::cmp::Reverse(tally.played.games), tally.uci.to_string())
        }));
        for tally in moves {
            let played = tally.uci.to_move(&position).unwrap();
            assert_eq!(uci_of(&position, played), tally.uci);
            told.insert((epd.clone(), tally.uci.to_string()), tally_of(tally.played));
        }
        if all.games > 0 {
            told.insert((epd.clone(), ALL.to_owned()), tally_of(all));
        }
    }
    told
}

/// A tally as reported, with the mean in place of its parts.
fn tally_of(told: GamesTally) -> Tally {
    let games = |games: u64| u32::try_from(games).unwrap();
    Tally {
        games: games(told.games),
        white: games(told.white),
        draws: games(told.draws),
        black: games(told.black),
        rated: 0,
        ratings: told.mean_rating.unwrap_or_default().into(),
        last_year: told.last_year.unwrap_or_default(),
    }
}

/// With the mean in place of its parts, as sets report it.
pub(crate) fn with_means(counts: &Counts) -> Counts {
    let mean = |tally: &Tally| Tally {
        rated: 0,
        ratings: tally.mean_rating().unwrap_or_default().into(),
        ..*tally
    };
    counts.iter().map(|(key, tally)| (key.clone(), mean(tally))).collect()
}

/// A folder for a test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Adds a text to the set `s`.
    pub(crate) fn add(&self, text: impl AsRef<[u8]>) -> Result<Added, GameSetError> {
        let file = self.file("some.pgn", text);
        add(&self.set(), &[file], AddOptions::default(), &mut |_| true)
    }

    pub(crate) fn set(&self) -> PathBuf {
        self.path("s.games")
    }

    pub(crate) fn open(&self, filter: &Filter) -> GameSet {
        GameSet::open(&self.set(), filter).unwrap()
    }

    /// Names that need not be text.
    pub(crate) fn names_of_bytes(&self) -> Vec<std::ffi::OsString> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
