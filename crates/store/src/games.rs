//! People's moves: the sets of games that trees know, and in how many of a set's games each move of
//! a position was played. Facts, stored like answers: a tree is read and grown again without the
//! set.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, epd_of, parse_fen, parse_uci};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{MoveCount, MoveCounts, PlayedRules, WrittenRule, WrittenRules};

use super::analyses::{AnalysisId, AnalysisRow};
use super::check_rows::PartOfRows;
use super::error::StoreError;
use super::memo::{checksummed, is_as_written, read_wdl};
use super::open::Store;

/// A row of `game_set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameSetId(pub(super) i64);

/// The games that a tree knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KnownGames {
    /// The set.
    pub set: GameSetId,
    /// Rules for following the moves played in them.
    pub rules: PlayedRules,
}

/// A set of games as it was when counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptGameSet {
    /// Identifies its games, in whatever order and file they are.
    pub digest: String,
    /// Its name then; empty for nets alone.
    pub name: String,
    /// Filter of the counted games, in words; empty if all were.
    pub filter: String,
    /// Number of games counted.
    pub games: u64,
    /// The nets of human play beside them.
    pub nets: HumanNets,
}

impl KeptGameSet {
    /// The rules of the two sides in this set, each beside its net if it has one.
    pub fn rules(&self, written: WrittenRules) -> PlayedRules {
        let rule = |written: Option<WrittenRule>, net: &Option<HumanNet>| {
            written.map(|rule| match net {
                Some(_) => rule.beside_net(),
                None => rule.in_set(self.games),
            })
        };
        let white = rule(written.white, &self.nets.white);
        PlayedRules { white, black: rule(written.black, &self.nets.black) }
    }
}

/// A net of human play as it was when asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanNet {
    /// The name of its file, without the extension.
    pub name: String,
    /// SHA-256 of its file, hexadecimal.
    pub digest: String,
}

/// Nets of human play for the two sides, and their weight beside games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HumanNets {
    /// The one that predicts White's moves.
    pub white: Option<HumanNet>,
    /// The one that predicts Black's moves.
    pub black: Option<HumanNet>,
    /// Number of games that the probabilities of a position stand for; 0 without nets.
    pub weight: u32,
}

/// Number of games that a net's probabilities stand for, unless the user says otherwise.
pub const USUAL_WEIGHT: u32 = 30;

impl HumanNets {
    /// True without nets.
    pub fn is_empty(&self) -> bool {
        self.white.is_none() && self.black.is_none()
    }

    /// Identifies a set of games of this digest, or none, together with the nets.
    pub fn digest_with(&self, games: &str) -> String {
        let side = |net: &Option<HumanNet>| net.as_ref().map_or("-", |net| &net.digest).to_owned();
        if self.is_empty() {
            games.to_owned()
        } else {
            format!("{games}+{}/{}*{}", side(&self.white), side(&self.black), self.weight)
        }
    }
}

/// Columns of a set, for [`read_set`], and what they need beside `game_set`.
pub(super) const SET_COLUMNS: &str = "game_set.digest, game_set.name, filter, games, white.name,
    white.digest, black.name, black.digest, coalesce(white.weight, black.weight, 0)";
pub(super) const JOIN_NETS: &str = "
    LEFT JOIN human_net AS white ON white.game_set = game_set.id AND white.side = 'w'
    LEFT JOIN human_net AS black ON black.game_set = game_set.id AND black.side = 'b'";

/// Number of games that the probabilities of a set's nets stand for.
const WEIGHT: &str =
    "(SELECT max(weight) FROM human_net WHERE human_net.game_set = move_count.game_set)";

/// Counts of a position as they are kept: the text, the games that left it, the nets' weight.
type KeptCounts = (String, Option<u64>, Option<u32>);

/// Selects the counts of the analysed positions of an analysis. CROSS JOIN: each table is read by its key, whatever
/// SQLite guesses.
fn known() -> String {
    format!(
        "SELECT epd, counts, games, {WEIGHT} FROM node
    CROSS JOIN move_count ON move_count.game_set = ?2 AND move_count.position = node.position
    CROSS JOIN position ON position.id = node.position
    LEFT JOIN position_games ON position_games.game_set = ?2 AND position_games.position = node.position
    WHERE node.analysis = ?1"
    )
}

const SAID: &str = "SELECT epd, move, win, draw, loss FROM node
    CROSS JOIN search ON search.profile = ?2 AND search.position = node.position
        AND search.rank < node.admitted
    CROSS JOIN position ON position.id = node.position
    WHERE node.analysis = ?1 AND node.grown > ?3 AND win IS NOT NULL";

const KEEP: &str = "INSERT INTO move_count (game_set, position, counts, checksum)
    VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";

/// Games that left a position by a move, if not the sum of its counts.
const KEEP_GAMES: &str = "INSERT INTO position_games (game_set, position, games, checksum)
    VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";

impl Store {
    /// The row of a set of games, inserted if its digest is new.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn game_set_id(&self, set: &KeptGameSet) -> Result<GameSetId, StoreError> {
        let KeptGameSet { digest, name, filter, games, nets } = set;
        let find = "SELECT id FROM game_set WHERE digest = ?1";
        self.write(|write| {
            let there = write.query_row(find, [digest], |row| row.get(0)).optional();
            if let Some(id) = there.map_err(write.named())? {
                return Ok(GameSetId(id));
            }
            let insert = "INSERT INTO game_set (digest, name, filter, games, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            let games = i64::try_from(*games).unwrap_or(i64::MAX);
            let texts = [digest, name, filter].map(|text| Value::from(text.clone()));
            let row = checksummed([&texts[..], &[games.into()]].concat());
            write.execute(insert, params_from_iter(row)).map_err(write.named())?;
            let id = write.last_insert_rowid();
            let insert = "INSERT INTO human_net (game_set, side, name, digest, weight, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            for (side, net) in [("w", &nets.white), ("b", &nets.black)] {
                let Some(HumanNet { name, digest }) = net else { continue };
                let texts = [side, name, digest].map(|text| Value::from(text.to_owned()));
                let row = [&[id.into()], &texts[..], &[nets.weight.into()]].concat();
                let row = params_from_iter(checksummed(row));
                write.execute(insert, row).map_err(write.named())?;
            }
            Ok(GameSetId(id))
        })
    }

    /// The row of the set with a digest, if any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn find_game_set(&self, digest: &str) -> Result<Option<GameSetId>, StoreError> {
        let find = "SELECT id FROM game_set WHERE digest = ?1";
        self.first_row(find, [digest], |row| row.get(0).map(GameSetId))
    }

    /// A set of games.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such set.
    pub fn game_set(&self, id: GameSetId) -> Result<KeptGameSet, StoreError> {
        let sql = format!("SELECT {SET_COLUMNS} FROM game_set {JOIN_NETS} WHERE game_set.id = ?1");
        let there = self.first_row(&sql, [id.0], |row| read_set(row, 0))?;
        there.ok_or_else(|| self.damaged(format!("no set of games {}", id.0)))
    }

    /// Checks the sets of games: each row is intact, and exists if an analysis names it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_game_sets(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT digest, name, filter, games, checksum, id FROM game_set ORDER BY id";
        let mut flaws = self.flaws_of_rows_of(sql, [], |row| {
            let (id, is_right) = (row.get::<_, i64>(5)?, is_as_written(row, 4)? == Some(true));
            Ok((!is_right).then(|| format!("set of games {id} does not match its checksum")))
        })?;
        let sql = "SELECT game_set, side, name, digest, weight, checksum FROM human_net";
        flaws.extend(self.flaws_of_rows_of(sql, [], |row| {
            let (set, is_right) = (row.get::<_, i64>(0)?, is_as_written(row, 5)? == Some(true));
            let flaw = format!("a net of the set of games {set} does not match its checksum");
            Ok((!is_right).then_some(flaw))
        })?);
        // A set's digest names its nets.
        for id in self.rows("SELECT id FROM game_set ORDER BY id", [], |row| row.get(0))? {
            let KeptGameSet { digest, nets, .. } = self.game_set(GameSetId(id))?;
            let is_named = if nets.is_empty() {
                !digest.contains('+')
            } else {
                digest.ends_with(&nets.digest_with(""))
            };
            if !is_named {
                flaws.push(format!(
                    "set of games {id}: its nets are not those that it was made with"
                ));
            }
        }
        let sql = "SELECT id, game_set FROM analysis WHERE game_set > 0
                AND game_set NOT IN (SELECT id FROM game_set) ORDER BY id";
        flaws.extend(self.flaws_of_rows_of(sql, [], |row| {
            let (id, set): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("analysis {id}: its set of games {set} is not there")))
        })?);
        Ok(flaws)
    }

    /// Checks that links are stored for the moves that an analysis follows because people play
    /// them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn missing_followed_links(&self, id: AnalysisId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT epd, said.move FROM played_move AS said
            LEFT JOIN link ON link.position = said.position AND link.move = said.move
            WHERE analysis = ?1 AND is_followed AND link.child IS NULL ORDER BY epd, said.move";
        self.flaws_of_rows_of(sql, [id.0], |row| {
            let (epd, uci): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("link of {uci} in {epd}: it is missing")))
        })
    }

    /// A position's counts; `None` if it was not looked up.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or the row is damaged.
    pub fn counts(
        &self,
        set: GameSetId,
        position: &Chess,
    ) -> Result<Option<MoveCounts>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(None) };
        let sql = format!(
            "SELECT counts, games, {WEIGHT} FROM move_count
            LEFT JOIN position_games USING (game_set, position)
            WHERE move_count.game_set = ?1 AND move_count.position = ?2"
        );
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let row: Option<KeptCounts> = self.first_row(&sql, [set.0, id], read)?;
        row.map(|row| self.read_counts(&row, &epd_of(position))).transpose()
    }

    /// Counts of an analysis's analysed positions; empty if it knows no games.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn known_counts(
        &self,
        row: &AnalysisRow,
    ) -> Result<Vec<(PositionKey, MoveCounts)>, StoreError> {
        let Some(games) = row.settings.games else { return Ok(Vec::new()) };
        let read = |row: &Row<'_>| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?)));
        let kept: Vec<(String, KeptCounts)> =
            self.rows(&known(), params![row.id.0, games.set.0], read)?;
        let known = |(epd, counts): (String, KeptCounts)| {
            Ok((self.key_of(&epd, "move_count of")?, self.read_counts(&counts, &epd)?))
        };
        kept.into_iter().map(known).collect()
    }

    /// Win, draw and loss of the answers of a tree whose lists have grown since a pass, `None` for
    /// all: position, move and the engine's numbers, for the side that plays the move.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn said_of_moves(
        &self,
        row: &AnalysisRow,
        since: Option<u64>,
    ) -> Result<Vec<(PositionKey, UciMove, WinDrawLoss)>, StoreError> {
        let since = since.map_or(-1, |passes| i64::try_from(passes).unwrap_or(i64::MAX));
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, read_wdl(row, 2)?));
        let rows: Vec<(String, String, Option<WinDrawLoss>)> =
            self.rows(SAID, [row.id.0, row.profile_id.0, since], read)?;
        let said =
            rows.into_iter().filter_map(|(epd, uci, wdl)| Some((epd, parse_uci(&uci)?, wdl?)));
        said.map(|(epd, uci, wdl)| Ok((self.key_of(&epd, "answer in")?, uci, wdl))).collect()
    }

    /// Stores counts of positions in a set, in one transaction that is durable when this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; nothing is stored then.
    pub fn keep_counts(
        &self,
        set: GameSetId,
        found: &[(PositionKey, MoveCounts)],
    ) -> Result<(), StoreError> {
        self.write(|write| {
            let keep = |(key, counts): &(PositionKey, MoveCounts)| -> rusqlite::Result<()> {
                let id = write.row_of(&key.position())?;
                let row = [set.0.into(), id.into(), counts_text(counts).into()];
                write.prepare_cached(KEEP)?.execute(params_from_iter(checksummed(row)))?;
                if counts.games_here() != counts.games() {
                    let games = i64::try_from(counts.games_here()).unwrap_or(i64::MAX);
                    let row = [set.0.into(), id.into(), games.into()];
                    write
                        .prepare_cached(KEEP_GAMES)?
                        .execute(params_from_iter(checksummed(row)))?;
                }
                Ok(())
            };
            found.iter().try_for_each(keep).map_err(write.named())
        })
    }

    fn read_counts(
        &self,
        (text, games, weight): &KeptCounts,
        epd: &str,
    ) -> Result<MoveCounts, StoreError> {
        let counts = counts_from(text, weight.unwrap_or_default())
            .ok_or_else(|| self.damaged(format!("the counts of {epd} (move_count)")))?;
        Ok(match games {
            Some(games) => counts.with_games(*games),
            None => counts,
        })
    }

    /// Checks the counts of some positions: each row is intact, its moves legal.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_counts(&self, part: PartOfRows) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT game_set, position, counts, checksum, epd FROM move_count
            JOIN position ON position.id = move_count.position
            WHERE position > ?1 AND position <= ?2 ORDER BY position, game_set";
        let mut flaws = self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (counts, epd): (String, String) = (row.get(2)?, row.get(4)?);
            let flaw = match is_as_written(row, 3)? {
                Some(true) => counts_flaw(&counts, &epd),
                _ => Some("they do not match their checksum".to_owned()),
            };
            Ok(flaw.map(|flaw| format!("the counts of {epd} (move_count): {flaw}")))
        })?;
        let sql = "SELECT game_set, position, games, checksum, epd FROM position_games
            JOIN position ON position.id = position_games.position
            WHERE position > ?1 AND position <= ?2 ORDER BY position, game_set";
        flaws.extend(self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (epd, is_right): (String, _) = (row.get(4)?, is_as_written(row, 3)? == Some(true));
            let flaw = format!("the games of {epd} (position_games) do not match their checksum");
            Ok((!is_right).then_some(flaw))
        })?);
        Ok(flaws)
    }
}

/// A set from the columns of [`SET_COLUMNS`].
pub(super) fn read_set(row: &Row<'_>, first: usize) -> rusqlite::Result<KeptGameSet> {
    let (digest, name, filter) = (row.get(first)?, row.get(first + 1)?, row.get(first + 2)?);
    let net = |first: usize| -> rusqlite::Result<Option<HumanNet>> {
        let (name, digest): (Option<String>, Option<String>) =
            (row.get(first)?, row.get(first + 1)?);
        Ok(name.zip(digest).map(|(name, digest)| HumanNet { name, digest }))
    };
    let (white, black, weight) = (net(first + 4)?, net(first + 6)?, row.get(first + 8)?);
    let nets = HumanNets { white, black, weight };
    Ok(KeptGameSet { digest, name, filter, games: row.get(first + 3)?, nets })
}

/// A set, if the row has one.
pub(super) fn read_set_if_there(
    row: &Row<'_>,
    first: usize,
) -> rusqlite::Result<Option<KeptGameSet>> {
    let digest: Option<String> = row.get(first)?;
    digest.map(|_| read_set(row, first)).transpose()
}

/// A JSON object, in the order of the counts.
fn counts_text(counts: &MoveCounts) -> String {
    let pair = |MoveCount { uci, games, permille }: MoveCount| match counts.weight() {
        0 => format!("\"{uci}\":{games}"),
        _ => format!("\"{uci}\":[{games},{permille}]"),
    };
    format!("{{{}}}", counts.iter().map(pair).collect::<Vec<_>>().join(","))
}

/// A kept count: games, with a net's probability in thousandths where one was asked.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum KeptCount {
    Games(u64),
    WithNet(u64, u16),
}

/// `weight` is that of the set's nets, if this position was asked of one.
fn counts_from(text: &str, weight: u32) -> Option<MoveCounts> {
    let kept: BTreeMap<String, KeptCount> = serde_json::from_str(text).ok()?;
    let is_asked = kept.values().any(|count| matches!(count, KeptCount::WithNet(..)));
    let read = |(uci, count): (String, KeptCount)| {
        let (games, permille) = match count {
            KeptCount::Games(games) => (games, 0),
            KeptCount::WithNet(games, permille) => (games, permille),
        };
        Some(MoveCount { uci: parse_uci(&uci)?, games, permille })
    };
    let counts: Vec<MoveCount> = kept.into_iter().map(read).collect::<Option<_>>()?;
    Some(MoveCounts::weighted(counts, if is_asked { weight } else { 0 }))
}

fn counts_flaw(text: &str, epd: &str) -> Option<String> {
    // An unreadable position has been reported as such.
    let position = parse_fen(epd).ok()?;
    let Some(counts) = counts_from(text, 1) else {
        return Some("they cannot be read".to_owned());
    };
    let illegal = counts.iter().find(|m| m.uci.to_move(&position).is_err());
    illegal.map(|m| format!("the move {} is not legal", m.uci))
}

#[cfg(test)]
mod tests;
