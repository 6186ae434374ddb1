//! Reading a set.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use deepanalyze_core::chess::PositionKey;
use rusqlite::Connection;
use shakmaty::uci::UciMove;

use crate::block::{Damaged, Group, Tally, find};
use crate::build::{Added, Adding, LeftOut, counted_in_memory, fetch_apart};
use crate::chain::{Chain, POSITIONS};
use crate::choosing::Chosen;
use crate::error::GameSetError;
use crate::filter::{Filter, Unjudged};
use crate::identity::{About, SetIdentity, SetInfo, digest_of, set_name};
use crate::pgn::{is_database, key_of};
use crate::record::{is_return, unpacked};
use crate::schema::{key_of_row, open, row_of};

/// Totals of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GamesTally {
    /// Number of games.
    pub games: u64,
    /// Games won by White.
    pub white: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games won by Black. The three may be fewer than all games: some have no result.
    pub black: u64,
    /// The mean, over the games that have any, of the mean rating of both players, or of the only
    /// one known.
    pub mean_rating: Option<u32>,
    /// The year of the last game that has one.
    pub last_year: Option<u32>,
}

impl From<Tally> for GamesTally {
    fn from(tally: Tally) -> GamesTally {
        GamesTally {
            games: tally.games.into(),
            white: tally.white.into(),
            draws: tally.draws.into(),
            black: tally.black.into(),
            mean_rating: tally.mean_rating(),
            last_year: Some(tally.last_year).filter(|year| *year > 0),
        }
    }
}

/// A move of a position, and totals of the games in which it was played there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveTally {
    /// The move.
    pub uci: UciMove,
    /// The games.
    pub played: GamesTally,
}

/// The moves of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedHere {
    /// The games that left the position by a move, each once, however often it came there: the
    /// moves' games may be more in all.
    pub all: GamesTally,
    /// Each move: most games first, then by the moves' text.
    pub moves: Vec<MoveTally>,
}

/// A set of games, all or those that pass a filter.
#[derive(Debug)]
pub struct GameSet {
    db: Connection,
    positions: Chain,
    path: PathBuf,
    identity: SetIdentity,
    info: SetInfo,
    chosen: Option<Chosen>,
    left_out: LeftOut,
}

impl GameSet {
    /// Opens a set, or counts the games of a PGN file in memory, as the first bytes of the file
    /// show.
    ///
    /// # Errors
    ///
    /// [`GameSetError`] if the file is neither, if the set is newer than this program, or if the
    /// filter names a player who is not in it.
    pub fn open(place: &Path, filter: &Filter) -> Result<GameSet, GameSetError> {
        GameSet::open_telling(place, filter, &mut |_| true)
    }

    /// [`GameSet::open`]; while a file is counted, `tell` receives the progress, and returns
    /// whether to go on.
    ///
    /// # Errors
    ///
    /// As for [`GameSet::open`], and [`GameSetError::Interrupted`].
    pub fn open_telling(
        place: &Path,
        filter: &Filter,
        tell: &mut dyn FnMut(&Adding) -> bool,
    ) -> Result<GameSet, GameSetError> {
        if place.as_os_str() != "-" && !place.exists() {
            return Err(GameSetError::Missing(place.to_owned()));
        }
        if !is_counted(place) {
            let db = open(place)?;
            let bytes = place.metadata().map_err(GameSetError::io(place))?.len();
            let info = SetInfo::of(&db, place, bytes)?;
            return GameSet::of(db, place, info, filter, LeftOut::default());
        }
        let (db, Added { set, left_out, .. }) = counted_in_memory(place, tell)?;
        GameSet::of(db, place, set, filter, left_out)
    }

    fn of(
        db: Connection,
        path: &Path,
        info: SetInfo,
        filter: &Filter,
        left_out: LeftOut,
    ) -> Result<GameSet, GameSetError> {
        let name = set_name(path);
        let mut words = filter.words();
        let mut chosen =
            if filter.is_empty() { None } else { Some(Chosen::of(&db, path, &info, filter)?) };
        // Players say minutes.
        if chosen.as_ref().is_some_and(|chosen| chosen.games() == 0)
            && let Some(filter) = filter.in_minutes()
        {
            let in_minutes = Chosen::of(&db, path, &info, &filter)?;
            if in_minutes.games() > 0 {
                (words, chosen) = (filter.words(), Some(in_minutes));
            }
        }
        let (games, digest) = match &chosen {
            Some(chosen) => (chosen.games(), digest_of(chosen.sum, info.max_ply)),
            None => (info.games, info.digest.clone()),
        };
        let identity = SetIdentity { name, digest, games, filter: words, max_ply: info.max_ply };
        let positions = Chain::of(POSITIONS, &About::read(&db, path)?);
        Ok(GameSet { db, positions, path: path.to_owned(), identity, info, chosen, left_out })
    }

    /// The source of the counts.
    pub fn identity(&self) -> &SetIdentity {
        &self.identity
    }

    /// The whole set, whatever the filter.
    pub fn info(&self) -> &SetInfo {
        &self.info
    }

    /// Games of a PGN file not counted; empty for a set.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Games left out because they lack what the filter asks for.
    pub fn unjudged(&self) -> Unjudged {
        self.chosen.as_ref().map(|chosen| chosen.unjudged).unwrap_or_default()
    }

    /// Other names that may be the same player's, with the number of their games: most games first.
    /// In a large set only names with the same words are considered.
    pub fn also(&self) -> &[(String, u64)] {
        self.chosen.as_ref().map_or(&[], |chosen| &chosen.also)
    }

    /// The moves played in a position.
    ///
    /// # Errors
    ///
    /// File errors.
    pub fn table(&self, position: &PositionKey) -> Result<PlayedHere, GameSetError> {
        let (all, moves) = self.tallies(position)?;
        let told = |(uci, tally): (UciMove, Tally)| MoveTally { uci, played: tally.into() };
        Ok(PlayedHere { all: all.into(), moves: moves.into_iter().map(told).collect() })
    }

    /// Number of games that left a position by a move, each once, and of those with each move: most
    /// games first, then by the moves' text.
    ///
    /// # Errors
    ///
    /// File errors.
    pub fn counts(
        &self,
        position: &PositionKey,
    ) -> Result<(u64, Vec<(UciMove, u64)>), GameSetError> {
        let (all, moves) = self.tallies(position)?;
        let moves = moves.into_iter().map(|(uci, tally)| (uci, tally.games.into()));
        Ok((all.games.into(), moves.collect()))
    }

    fn tallies(
        &self,
        position: &PositionKey,
    ) -> Result<(Tally, Vec<(UciMove, Tally)>), GameSetError> {
        let position = position.position();
        let (mut all, mut returned) = (Tally::default(), Tally::default());
        let Some(mut group) = self.group(key_of(&position))? else {
            return Ok((all, Vec::new()));
        };
        if self.chosen.is_some() {
            fetch_apart(&self.db, &self.path, &mut group)?;
        }
        let mut tallies = Vec::with_capacity(group.moves.len());
        for played in &group.moves {
            let tally = match &self.chosen {
                None => played.tally,
                Some(chosen) => chosen.tally(group.games_of(played)),
            };
            if is_return(played.bits) {
                returned.add(&tally);
                continue;
            }
            // Two positions may have one key, once in many millions: unplayable moves are the other
            // one's.
            let uci = unpacked(played.bits).filter(|uci| uci.to_move(&position).is_ok());
            if let Some(uci) = uci.filter(|_| tally.games > 0) {
                all.add(&tally);
                tallies.push((uci, tally));
            }
        }
        all.less(&returned);
        tallies.sort_by_cached_key(|(uci, tally)| (Reverse(tally.games), uci.to_string()));
        Ok((all, tallies))
    }

    fn group(&self, key: u64) -> Result<Option<Group>, GameSetError> {
        let found = self.positions.find(&self.db, &self.path, row_of(key))?;
        let Some((first, block)) = found else { return Ok(None) };
        find(key_of_row(first), &block, key)
            .map_err(|Damaged| GameSetError::Damaged(self.path.clone()))
    }
}

/// True if a place's games are counted in memory when it is opened: of standard input, and of every
/// file that is no database.
pub fn is_counted(place: &Path) -> bool {
    let is_set = || place.is_file() && is_database(place).unwrap_or(false);
    place.as_os_str() == "-" || !is_set()
}

#[cfg(test)]
mod tests;
