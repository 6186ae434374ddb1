//! Reading a set.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use deepanalyze_core::chess::PositionKey;
use rusqlite::Connection;
use shakmaty::uci::UciMove;

use crate::about::About;
use crate::block::{Damaged, Group, Tally, find};
use crate::build::{Added, Adding, LeftOut, counted_in_memory, fetch_apart};
use crate::chain::{Chain, POSITIONS};
use crate::choosing::Chosen;
use crate::error::GameSetError;
use crate::filter::Filter;
use crate::identity::{SetIdentity, SetInfo, digest_of, set_name};
use crate::pgn::{is_database, key_of};
use crate::record::unpacked;
use crate::schema::{key_of_row, open, row_of};

/// A move of a position, and what its games come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveTally {
    /// The move.
    pub uci: UciMove,
    /// In how many games it was played there.
    pub games: u64,
    /// How many of them White has won.
    pub white: u64,
    /// How many were drawn.
    pub draws: u64,
    /// How many Black has won. The three may come to less than all games: some have no result.
    pub black: u64,
    /// The mean rating of the players, of the games that have any.
    pub mean_rating: Option<u32>,
    /// The year of the last game that has any.
    pub last_year: Option<u32>,
}

/// A set of games, or those of it that pass a filter.
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
    /// Opens a set, or counts the games of a PGN file in memory; the first bytes of the file say which it is.
    ///
    /// # Errors
    ///
    /// [`GameSetError`] where there is neither, where the set is newer than this program, and where the filter names
    /// a player who is not in it.
    pub fn open(place: &Path, filter: &Filter) -> Result<GameSet, GameSetError> {
        GameSet::open_telling(place, filter, &mut |_| true)
    }

    /// The same; while a file is counted, `tell` hears how far that has come, and says whether it is to go on.
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
            return GameSet::of((db, place), info, filter, LeftOut::default());
        }
        let (db, Added { set, left_out, .. }) = counted_in_memory(place, tell)?;
        GameSet::of((db, place), set, filter, left_out)
    }

    fn of(
        (db, path): (Connection, &Path),
        info: SetInfo,
        filter: &Filter,
        left_out: LeftOut,
    ) -> Result<GameSet, GameSetError> {
        let name = set_name(path);
        let chosen = match filter.is_empty() {
            true => None,
            false => Some(Chosen::of(&db, (path, &name, info.games), filter)?),
        };
        let (games, digest) = match &chosen {
            Some(chosen) => (chosen.games(), digest_of(chosen.sum, info.max_ply)),
            None => (info.games, info.digest.clone()),
        };
        let identity =
            SetIdentity { name, digest, games, filter: filter.words(), max_ply: info.max_ply };
        let positions = Chain::of(POSITIONS, &About::read(&db, path)?);
        Ok(GameSet { db, positions, path: path.to_owned(), identity, info, chosen, left_out })
    }

    /// What counts are taken from.
    pub fn identity(&self) -> &SetIdentity {
        &self.identity
    }

    /// The whole set, whatever the filter.
    pub fn info(&self) -> &SetInfo {
        &self.info
    }

    /// The games of a PGN file that were not counted; none of a set.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// What was played in a position: most games first, then by the moves' text.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn table(&self, position: &PositionKey) -> Result<Vec<MoveTally>, GameSetError> {
        let tallies = self.tallies(position)?;
        let told = |(uci, tally): (UciMove, Tally)| MoveTally {
            uci,
            games: tally.games.into(),
            white: tally.white.into(),
            draws: tally.draws.into(),
            black: tally.black.into(),
            mean_rating: tally.mean_rating(),
            last_year: Some(tally.last_year).filter(|year| *year > 0),
        };
        Ok(tallies.into_iter().map(told).collect())
    }

    /// In how many games each move was played in a position: most games first, then by the moves' text.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn counts(&self, position: &PositionKey) -> Result<Vec<(UciMove, u64)>, GameSetError> {
        let tallies = self.tallies(position)?;
        Ok(tallies.into_iter().map(|(uci, tally)| (uci, tally.games.into())).collect())
    }

    fn tallies(&self, position: &PositionKey) -> Result<Vec<(UciMove, Tally)>, GameSetError> {
        let position = position.position();
        let Some(mut group) = self.group(key_of(&position))? else { return Ok(Vec::new()) };
        if self.chosen.is_some() {
            fetch_apart(&self.db, &self.path, &mut group)?;
        }
        let mut tallies = Vec::with_capacity(group.moves.len());
        for played in &group.moves {
            let tally = match &self.chosen {
                None => played.tally,
                Some(chosen) => chosen.tally(group.games_of(played)),
            };
            // Two positions may have one key, once in many millions: what cannot be played is the other one's.
            let uci = unpacked(played.bits).filter(|uci| uci.to_move(&position).is_ok());
            tallies.extend(uci.filter(|_| tally.games > 0).map(|uci| (uci, tally)));
        }
        tallies.sort_by_cached_key(|(uci, tally)| (Reverse(tally.games), uci.to_string()));
        Ok(tallies)
    }

    fn group(&self, key: u64) -> Result<Option<Group>, GameSetError> {
        let found = self.positions.find((&self.db, &self.path), row_of(key))?;
        let Some((first, block)) = found else { return Ok(None) };
        find(key_of_row(first), &block, key)
            .map_err(|Damaged| GameSetError::Damaged(self.path.clone()))
    }
}

/// Whether the games of what a place names are counted in memory when it is opened: of standard input, and of every
/// file that is no database.
pub fn is_counted(place: &Path) -> bool {
    let is_set = || place.is_file() && is_database(place).unwrap_or(false);
    place.as_os_str() == "-" || !is_set()
}

#[cfg(test)]
mod tests;
