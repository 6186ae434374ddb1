//! Counts the games of a piece of a file.

use std::io;

use deepanalyze_core::chess::{date_of, epd_of, is_chess960, normalised_name, parse_fen, uci_of};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position};

use super::chunks::{Chunk, line_ends, parts};
use super::fast::game_of;
use super::{Failed, OtherVariants, Read, games_of};
use crate::duplicates::Detail;
use crate::hash::{Hash64, hash_of};
use crate::record::{GameResult, Record, packed, return_bits};
use crate::row::{GameRow, kept_text, rating_of};

/// The key of a position: its four fields (board, side to move, castling rights, legal en passant
/// square) in 64 bits.
pub(crate) fn key_of(position: &Chess) -> u64 {
    let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    // It includes the sides on which a king may castle, but not the rook.
    if is_chess960(position) { key ^ hash_of(&epd_of(position)) } else { key }
}

/// The key of the position after a move, if an update of the one before suffices.
fn key_behind(before: &Chess, key: u64, played: Move) -> Option<u64> {
    let update = || before.update_zobrist_hash(Zobrist64(key), played, EnPassantMode::Legal);
    if is_chess960(before) { None } else { update().map(|key| key.0) }
}

/// A game as its moves are played.
#[derive(Debug, Default)]
pub(super) struct Line {
    position: Chess,
    key: u64,
    ply: u32,
    max_ply: u32,
    moves: Hash64,
    /// Positions and their counted moves.
    played: Vec<(u64, u16)>,
}

impl Line {
    fn new(max_ply: u32) -> Line {
        Line { max_ply, ..Line::default() }
    }

    pub(super) fn begin(&mut self, start: Chess) {
        self.key = key_of(&start);
        self.position = start;
        self.ply = 0;
        self.moves = Hash64::new();
        self.moves.word(self.key);
        self.played.clear();
    }

    pub(super) fn position(&self) -> &Chess {
        &self.position
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.ply == 0
    }

    /// Plays a legal move. Also after the last counted one: two games are equal only if all their
    /// moves are.
    pub(super) fn play(&mut self, played: Move) -> Option<()> {
        let bits = packed(uci_of(&self.position, played))?;
        self.moves.word(u64::from(bits));
        if self.ply < self.max_ply {
            self.played.push((self.key, bits));
            let key = key_behind(&self.position, self.key, played);
            self.position.play_unchecked(played);
            self.key = key.unwrap_or_else(|| key_of(&self.position));
        } else {
            self.position.play_unchecked(played);
        }
        self.ply += 1;
        Some(())
    }

    /// Positions and what counts there, each once: the moves, and each return of the game to play
    /// another.
    fn counts(&mut self) -> &[(u64, u16)] {
        self.played.sort_unstable();
        self.played.dedup();
        let (mut returns, mut last) = (Vec::new(), None);
        for (key, _) in &self.played {
            last = match last {
                Some((before, nth)) if before == *key => {
                    returns.push((*key, return_bits(nth)));
                    Some((*key, nth + 1))
                }
                _ => Some((*key, 0)),
            };
        }
        self.played.append(&mut returns);
        &self.played
    }
}

/// The tags that are kept, and the result.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tags<'t> {
    white: &'t str,
    black: &'t str,
    site: &'t str,
    link: &'t str,
    round: &'t str,
    utc_time: &'t str,
    time: &'t str,
    event: &'t str,
    date: &'t str,
    utc_date: &'t str,
    white_rating: &'t str,
    black_rating: &'t str,
    time_control: &'t str,
    fen: &'t str,
    set_up: &'t str,
    variant: &'t str,
    /// The result after the moves.
    pub(super) result: &'t str,
    told_result: &'t str,
}

impl<'t> Tags<'t> {
    /// Takes the line of a tag; `None` if it needs a closer look.
    pub(super) fn take(&mut self, line: &'t [u8]) -> Option<()> {
        let inside = line.strip_prefix(b"[")?.strip_suffix(b"\"]")?;
        let (name, value) = str::from_utf8(inside).ok()?.split_once(" \"")?;
        if !name.bytes().all(|byte| byte.is_ascii_alphabetic())
            || value.contains(['"', '\\', '[', '\r'])
        {
            return None;
        }
        // Other spellings and values of the starting position are the core's.
        let is_start = |tag: &str| name.eq_ignore_ascii_case(tag) && name != tag;
        if ["FEN", "SetUp", "Variant"].into_iter().any(is_start)
            || name == "Variant" && !["Standard", "Chess960"].contains(&value)
        {
            return None;
        }
        match self.place_of(name) {
            Some(place) if !place.is_empty() => None,
            Some(place) => {
                *place = value;
                Some(())
            }
            None => Some(()),
        }
    }

    /// Takes a tag; the first of a name counts.
    pub(super) fn take_pair(&mut self, name: &str, value: &'t str) {
        if let Some(place) = self.place_of(name)
            && place.is_empty()
        {
            *place = value;
        }
    }

    fn place_of(&mut self, name: &str) -> Option<&mut &'t str> {
        Some(match name {
            "White" => &mut self.white,
            "Black" => &mut self.black,
            "Site" => &mut self.site,
            "Link" => &mut self.link,
            "Round" => &mut self.round,
            "UTCTime" => &mut self.utc_time,
            "Time" => &mut self.time,
            "Event" => &mut self.event,
            "Date" => &mut self.date,
            "UTCDate" => &mut self.utc_date,
            "WhiteElo" => &mut self.white_rating,
            "BlackElo" => &mut self.black_rating,
            "TimeControl" => &mut self.time_control,
            "FEN" => &mut self.fen,
            "SetUp" => &mut self.set_up,
            "Variant" => &mut self.variant,
            "Result" => &mut self.told_result,
            _ => return None,
        })
    }

    /// The game's first position; `None` if the strict reader is to find the error.
    pub(super) fn start(&self) -> Option<Chess> {
        match (self.fen.trim(), self.set_up) {
            ("", "") if self.variant != "Chess960" => Some(Chess::default()),
            ("", _) => None,
            (fen, _) => parse_fen(fen).ok(),
        }
    }

    /// The result after the moves, and that of the tag.
    fn results(&self) -> (GameResult, GameResult) {
        (GameResult::of(self.result), GameResult::of(self.told_result.trim()))
    }

    /// True if the tag has another result than the moves' end, which counts.
    fn contradicts_itself(&self) -> bool {
        let (result, told) = self.results();
        result != told && result != GameResult::Unknown && told != GameResult::Unknown
    }

    /// The difference to other games of these moves, players and date.
    fn detail(&self, row: &GameRow, normalised: &[String; 2]) -> Detail {
        let time = if self.utc_time.is_empty() { self.time } else { self.utc_time };
        Detail::of(row, normalised, [self.site, self.link, self.round, time])
    }

    fn row(&self) -> GameRow {
        let text = |text: &str| match text.trim() {
            "?" | "-" => String::new(),
            text => kept_text(text),
        };
        let date = match date_of(self.date) {
            0 => date_of(self.utc_date),
            date => date,
        };
        let result = match self.results() {
            (GameResult::Unknown, told) => told,
            (result, _) => result,
        };
        GameRow {
            white: text(self.white),
            black: text(self.black),
            event: text(self.event),
            // `-` is a game without a clock.
            time_control: kept_text(self.time_control.trim()),
            date,
            ratings: (rating_of(self.white_rating), rating_of(self.black_rating)),
            result,
        }
    }
}

/// A bad game, with its place in a piece.
#[derive(Debug)]
pub(crate) struct BadInChunk {
    /// Its number in the piece, from 0.
    pub(crate) number: u64,
    /// Its line in the file, from 1.
    pub(crate) line: u64,
    pub(crate) players: String,
    pub(crate) what: String,
}

/// The games of a piece.
#[derive(Debug, Default)]
pub(crate) struct ChunkGames {
    /// All games of the piece, counted or not.
    pub(crate) found: u64,
    /// Rows of those counted, one after the other.
    pub(crate) rows: Vec<u8>,
    /// Of each: its fingerprint, its detail, and the keys of White's and Black's names.
    pub(crate) games: Vec<(u64, Detail, [u64; 2])>,
    /// With numbers from 0.
    pub(crate) records: Vec<Record>,
    pub(crate) bad: Vec<BadInChunk>,
    /// Games of other variants.
    pub(crate) variants: OtherVariants,
    /// Number of counted games whose tag and moves have different results.
    pub(crate) contradicting: u64,
    /// True if nothing in the file is PGN.
    pub(crate) is_no_pgn: bool,
}

impl ChunkGames {
    fn count(&mut self, line: &mut Line, tags: &Tags<'_>) {
        let row = tags.row();
        let normalised = [&row.white, &row.black].map(|name| normalised_name(name));
        let players = normalised.each_ref().map(|name| hash_of(name));
        let mut hash = line.moves;
        players.iter().for_each(|player| hash.word(*player));
        hash.word(u64::from(row.date));
        let (game, facts) = (self.games.len() as u32, row.facts());
        let record = |(key, bits): &(u64, u16)| Record::new(*key, *bits, game, facts);
        self.records.extend(line.counts().iter().map(record));
        self.games.push((hash.end(), tags.detail(&row, &normalised), players));
        self.contradicting += u64::from(tags.contradicts_itself());
        row.push_to(&mut self.rows);
        self.found += 1;
    }

    /// Takes the strict reader's result for a part.
    fn take(&mut self, read: Read<'_>, line: &mut Line, lines: u64) {
        match read {
            Read::Game(game, tags) => {
                line.begin(game.start().clone());
                let plays = game.moves().iter().try_for_each(|uci| {
                    let played = uci.to_move(line.position()).ok()?;
                    line.play(played)
                });
                debug_assert!(plays.is_some(), "the core has played it");
                self.count(line, tags);
                return;
            }
            Read::Variant(variant) => self.variants.add(&variant),
            Read::Failed(Failed { line, players, what, is_no_pgn }) => {
                self.is_no_pgn |= is_no_pgn;
                let line = lines + line.max(1);
                self.bad.push(BadInChunk { number: self.found, line, players, what });
            }
        }
        self.found += 1;
    }
}

/// Counts the games of a piece.
///
/// # Errors
///
/// If it is no readable text.
pub(crate) fn count_chunk(chunk: &Chunk, max_ply: u32) -> io::Result<ChunkGames> {
    let (mut games, mut line, mut read) = (ChunkGames::default(), Line::new(max_ply), 0);
    for part in parts(&chunk.bytes) {
        let mut tags = Tags::default();
        if game_of(part, &mut line, &mut tags).is_some() {
            games.count(&mut line, &tags);
        } else {
            let before = chunk.bytes.get(..read).unwrap_or_default();
            let lines = chunk.lines + line_ends(before);
            let is_alone = chunk.is_whole && part.len() == chunk.bytes.len();
            games_of(part, is_alone, max_ply, |read| games.take(read, &mut line, lines))?;
        }
        read += part.len();
    }
    Ok(games)
}

/// Counts by the strict reader alone.
#[cfg(test)]
pub(super) fn count_strictly(chunk: &Chunk, max_ply: u32) -> io::Result<ChunkGames> {
    let (mut games, mut line) = (ChunkGames::default(), Line::new(max_ply));
    games_of(&chunk.bytes, chunk.is_whole, max_ply, |read| {
        games.take(read, &mut line, chunk.lines)
    })?;
    Ok(games)
}
