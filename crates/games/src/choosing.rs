//! Choice of games by a filter.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use deepanalyze_core::chess::{AskedPlayer, may_be_the_same, name_likeness, normalised_name};
use rusqlite::{Connection, OptionalExtension};
use shakmaty::Color;

use crate::block::Tally;
use crate::build::{fingerprints_of, player_games};
use crate::chain::{Chain, PLAYERS};
use crate::error::GameSetError;
use crate::filter::{Filter, Judgement, Unjudged};
use crate::hash::{hash_of, unsealed, widened};
use crate::identity::{About, SetInfo};
use crate::record::GameFacts;
use crate::row::{GameRow, rows_of};
use crate::schema::row_of;

/// Names suggested for an unknown player, or beside a known one.
const NEAR: usize = 5;
/// In larger sets no names are sought beside a known one: all games would be read.
const LOOKED_THROUGH: u64 = 200_000;

/// The games that pass, with the facts for tallies.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    passes: Vec<u64>,
    /// Games passing before each word of 64.
    before: Vec<u32>,
    facts: Vec<GameFacts>,
    /// Sum behind the digest.
    pub(crate) sum: u128,
    pub(crate) unjudged: Unjudged,
    /// Other names that may be the player's, with the number of their games.
    pub(crate) also: Vec<(String, u64)>,
}

impl Chosen {
    /// The games of a set that pass a filter.
    ///
    /// # Errors
    ///
    /// [`GameSetError::UnknownPlayer`] if the set has no game of the player, and file errors.
    pub(crate) fn of(
        db: &Connection,
        path: &Path,
        info: &SetInfo,
        filter: &Filter,
    ) -> Result<Chosen, GameSetError> {
        let set = Reading { db, path, games: info.games };
        let Some(name) = &filter.player else {
            let mut chosen = Chosen::default();
            set.each_block(|block| chosen.take(&mut block.numbered(), filter))?;
            return Ok(chosen);
        };
        let player = AskedPlayer::new(name);
        let Some(games) = set.games_of(player.normalised())? else {
            return Err(set.unknown(name, &info.name));
        };
        let (mut exact, mut alike) = (Chosen::default(), Chosen::default());
        let (mut others, mut has_exact) = (BTreeMap::<String, u64>::new(), false);
        set.blocks_of(&games, |block, games| {
            let has_side = |side| filter.player_side.is_none_or(|wanted| wanted == side);
            let is_meant = |row: &GameRow, is: &dyn Fn(&str) -> bool| {
                has_side(Color::White) && is(&row.white) || has_side(Color::Black) && is(&row.black)
            };
            let is_exact = |name: &str| player.is(name) && player.is_exactly(name);
            let of_player = |is: &dyn Fn(&str) -> bool| {
                let own = block.numbered().filter(|(game, _)| games.binary_search(game).is_ok());
                own.filter(|(_, (row, _))| is_meant(row, is)).collect::<Vec<_>>()
            };
            exact.take(&mut of_player(&is_exact).into_iter(), filter);
            alike.take(&mut of_player(&|name| player.is(name)).into_iter(), filter);
            let names = block.numbered().flat_map(|(_, (row, _))| [&row.white, &row.black]);
            for name in names.filter(|name| player.is(name)) {
                if player.is_exactly(name) {
                    has_exact = true
                } else {
                    *others.entry(name.clone()).or_default() += 1
                }
            }
        })?;
        let mut chosen = if has_exact { exact } else { alike };
        if !has_exact {
            others.clear();
        }
        if info.games <= LOOKED_THROUGH {
            set.count_near(&player, &mut others)?;
        }
        chosen.also = others.into_iter().collect();
        chosen.also.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        chosen.also.truncate(NEAR);
        Ok(chosen)
    }

    /// Number of games.
    pub(crate) fn games(&self) -> u64 {
        self.facts.len() as u64
    }

    /// A game's facts; `None` if it does not pass.
    pub(crate) fn facts_of(&self, game: u32) -> Option<GameFacts> {
        let word = (game / 64) as usize;
        let bits = self.passes.get(word)?;
        if bits >> (game % 64) & 1 == 0 {
            return None;
        }
        let inside = (bits & ((1 << (game % 64)) - 1)).count_ones();
        self.facts.get((self.before.get(word)? + inside) as usize).copied()
    }

    /// Totals of those of some games that pass.
    pub(crate) fn tally(&self, games: &[u32]) -> Tally {
        let mut tally = Tally::default();
        games.iter().filter_map(|game| self.facts_of(*game)).for_each(|facts| tally.count(facts));
        tally
    }

    /// Takes the passing ones of some games, in order.
    fn take<'b>(
        &mut self,
        games: &mut dyn Iterator<Item = (u32, (&'b GameRow, &'b u64))>,
        filter: &Filter,
    ) {
        for (game, (row, fingerprint)) in games {
            match filter.judge(row) {
                Judgement::Passes => {}
                Judgement::Out => continue,
                Judgement::Unknown(unjudged) => {
                    self.unjudged = self.unjudged.plus(unjudged);
                    continue;
                }
            }
            let word = (game / 64) as usize;
            while self.passes.len() <= word {
                self.passes.push(0);
                self.before.push(self.facts.len() as u32);
            }
            if let Some(bits) = self.passes.get_mut(word) {
                *bits |= 1 << (game % 64);
            }
            self.facts.push(row.facts());
            self.sum = self.sum.wrapping_add(widened(*fingerprint));
        }
    }
}

/// Games stored together.
struct GameBlock {
    first: u32,
    fingerprints: Vec<u64>,
    rows: Vec<GameRow>,
}

impl GameBlock {
    /// One past its last game's number.
    fn end(&self) -> u32 {
        self.first.saturating_add(u32::try_from(self.rows.len()).unwrap_or(u32::MAX))
    }

    /// The games with their numbers and fingerprints.
    fn numbered(&self) -> impl Iterator<Item = (u32, (&GameRow, &u64))> {
        (self.first..).zip(self.rows.iter().zip(&self.fingerprints))
    }
}

/// A set being read.
struct Reading<'d> {
    db: &'d Connection,
    path: &'d Path,
    /// Games it has.
    games: u64,
}

impl Reading<'_> {
    fn damaged(&self) -> GameSetError {
        GameSetError::Damaged(self.path.to_owned())
    }

    fn block(
        &self,
        (first, fingerprints, data): (u32, Vec<u8>, Vec<u8>),
    ) -> Result<GameBlock, GameSetError> {
        let data = unsealed(first.into(), &fingerprints, &data).ok_or_else(|| self.damaged())?;
        let rows = rows_of(data).ok_or_else(|| self.damaged())?;
        let fingerprints: Vec<u64> = fingerprints_of(&fingerprints).collect();
        if rows.len() == fingerprints.len() {
            Ok(GameBlock { first, fingerprints, rows })
        } else {
            Err(self.damaged())
        }
    }

    fn each_block(&self, mut tell: impl FnMut(&GameBlock)) -> Result<(), GameSetError> {
        let failed = GameSetError::sqlite(self.path);
        let sql = "SELECT first, fingerprints, data FROM game ORDER BY first";
        let mut statement = self.db.prepare(sql).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        let mut next = 0;
        while let Some(row) = rows.next().map_err(&failed)? {
            let read = || Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let block = self.block(read().map_err(&failed)?)?;
            if block.first != next {
                return Err(self.damaged());
            }
            next = block.end();
            tell(&block);
        }
        if u64::from(next) == self.games { Ok(()) } else { Err(self.damaged()) }
    }

    /// The games of a player by the table; `None` if the player is unknown.
    fn games_of(&self, player: &str) -> Result<Option<Vec<u32>>, GameSetError> {
        let row = row_of(hash_of(player));
        let players = Chain::of(PLAYERS, &About::read(self.db, self.path)?);
        let found = players.find(self.db, self.path, row)?;
        // Games without a name cannot be asked for.
        let found = found.filter(|(name, _)| *name == row && !player.is_empty());
        let games = |(_, bytes): (i64, Vec<u8>)| player_games(&bytes);
        found.map(|found| games(found).ok_or_else(|| self.damaged())).transpose()
    }

    /// The blocks with a player's games, and these.
    fn blocks_of(
        &self,
        all: &[u32],
        mut tell: impl FnMut(&GameBlock, &[u32]),
    ) -> Result<(), GameSetError> {
        let mut games: Vec<u32> = all.iter().map(|game| game >> 1).collect();
        games.dedup();
        let sql = "SELECT first, fingerprints, data FROM game WHERE first <= ?1 ORDER BY first DESC LIMIT 1";
        let failed = GameSetError::sqlite(self.path);
        let mut statement = self.db.prepare(sql).map_err(&failed)?;
        let mut rest = &games[..];
        while let Some(next) = rest.first() {
            let row =
                statement.query_row([next], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            let row = row.optional().map_err(&failed)?.ok_or_else(|| self.damaged())?;
            let block = self.block(row)?;
            let end = block.end();
            let (here, behind) = rest.split_at(rest.partition_point(|game| *game < end));
            if block.first > *next || here.is_empty() {
                return Err(self.damaged());
            }
            tell(&block, here);
            rest = behind;
        }
        Ok(())
    }

    /// Counts games of players whose names may be the player's, but differ.
    fn count_near(
        &self,
        player: &AskedPlayer,
        near: &mut BTreeMap<String, u64>,
    ) -> Result<(), GameSetError> {
        let mut others = HashSet::new();
        self.each_block(|block| {
            for name in block.rows.iter().flat_map(|row| [&row.white, &row.black]) {
                let hash = hash_of(name);
                if name.is_empty() || others.contains(&hash) {
                    continue;
                }
                match near.get_mut(name) {
                    // The player's own spellings are already counted.
                    Some(games) if !player.is(name) => *games += 1,
                    Some(_) => {}
                    None if may_be_the_same(player.normalised(), &normalised_name(name)) => {
                        near.insert(name.clone(), 1);
                    }
                    None => {
                        others.insert(hash);
                    }
                }
            }
        })
    }

    /// The error for an unknown player, with near names.
    fn unknown(&self, name: &str, set: &str) -> GameSetError {
        let asked = normalised_name(name);
        let mut near: Vec<(f64, String)> = Vec::new();
        let read = self.each_block(|block| {
            for name in block.rows.iter().flat_map(|row| [&row.white, &row.black]) {
                if name.is_empty() || near.iter().any(|(_, known)| known == name) {
                    continue;
                }
                if let Some(likeness) = name_likeness(&asked, &normalised_name(name)) {
                    near.push((likeness, name.clone()));
                    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
                    near.truncate(NEAR);
                }
            }
        });
        let near = near.into_iter().map(|(_, name)| name).collect();
        let unknown =
            GameSetError::UnknownPlayer { name: name.to_owned(), set: set.to_owned(), near };
        read.err().unwrap_or(unknown)
    }
}
