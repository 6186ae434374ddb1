//! The protocol of external engines, as of Lichess in 2026: its addresses, its JSON, and its
//! broker's treatment of input. It is alpha; if it changes, this file does.
//!
//! A provider registers an engine at lichess.org, with a token of its user and a secret of its own.
//! With only the secret it asks the broker for work (a long poll), and answers each job by a body
//! in pieces that lasts as long as the analysis: UCI `info` lines. The broker ends it by an answer,
//! or by closing the connection, when the user has left.
//!
//! Of the lines its broker reads `depth`, `seldepth`, `multipv`, `score`, `nodes`, `nps`, `time`,
//! `hashfull`, `tbhits` and `pv`. A word that it does not know, such as `wdl`, ends the job with an
//! error. Any line without `multipv`, an `info string` too, counts as line 1, and line 1 clears the
//! others: nothing is shown before each rank that was ever sent has its line again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::LichessError;

/// The site.
const LICHESS: &str = "https://lichess.org";
/// The server of jobs.
const BROKER: &str = "https://engine.lichess.ovh";

/// Where a user makes a token with all needed rights.
pub const TOKEN_PAGE: &str = "https://lichess.org/account/oauth/token/create?\
     scopes[]=engine:read&scopes[]=engine:write&description=deepanalyze";

/// Bytes of the secret; as a word it has twice as many of the 16 to 1024 letters allowed.
pub const SECRET_BYTES: usize = 32;
/// Letters of a name.
pub const NAME: std::ops::RangeInclusive<usize> = 3..=200;

/// The most lines; a line of a greater rank ends the job with an error.
pub const MOST_LINES: u32 = 5;
/// Moves shown of a line.
pub const LONGEST_LINE: usize = 30;
/// The most moves before a position.
pub const MOST_MOVES: usize = 600;

/// Time limit of an ordinary request.
pub const REQUEST: Duration = Duration::from_secs(20);
/// Time limit of a poll; without work it is answered by "no content" after ten seconds.
pub const POLL: Duration = Duration::from_secs(30);
/// Minimum time after a poll without work.
pub const BETWEEN_POLLS: Duration = Duration::from_secs(1);
/// Minimum time between two blocks of lines.
pub const BETWEEN_BLOCKS: Duration = Duration::from_millis(200);
/// Time after which lines are repeated, so that the connection does not count as dead.
pub const SAY_AGAIN: Duration = Duration::from_secs(3);
/// Pause after too many requests.
pub const TOO_MANY: Duration = Duration::from_secs(60);
/// The longest answer that is read.
pub const LONGEST_ANSWER: usize = 256 * 1024;

/// Addresses of site and broker.
#[derive(Debug, Clone)]
pub struct Addresses {
    lichess: String,
    broker: String,
}

impl Default for Addresses {
    fn default() -> Addresses {
        Addresses { lichess: LICHESS.to_owned(), broker: BROKER.to_owned() }
    }
}

impl Addresses {
    /// Other addresses, for tests and for sites of the same software.
    ///
    /// # Errors
    ///
    /// If one is no address to which a secret may be sent: only those on this computer need no
    /// encryption.
    pub fn new(lichess: Option<&str>, broker: Option<&str>) -> Result<Addresses, LichessError> {
        let base = |address: Option<&str>, usual: &str| match address {
            None => Ok(usual.to_owned()),
            Some(address) if is_safe(address) => Ok(address.trim_end_matches('/').to_owned()),
            Some(address) => Err(LichessError::Address(address.to_owned())),
        };
        Ok(Addresses { lichess: base(lichess, LICHESS)?, broker: base(broker, BROKER)? })
    }

    /// The board on which the engine is chosen.
    pub fn board(&self) -> String {
        format!("{}/analysis", self.lichess)
    }

    /// `GET`: the engines of the user; `POST`: one more. With the token.
    pub fn engines(&self) -> String {
        format!("{}/api/external-engine", self.lichess)
    }

    /// `PUT`: changes an engine. With the token.
    pub fn engine(&self, id: &str) -> String {
        format!("{}/{id}", self.engines())
    }

    /// `POST`: the long poll. 200 with a [`BoardJob`], or 204.
    pub fn work(&self) -> String {
        format!("{}/api/external-engine/work", self.broker)
    }

    /// `POST`: the answer to a job. It must begin within fifteen seconds; 404 if too late, or no
    /// longer wanted.
    pub fn answer(&self, job: &str) -> String {
        format!("{}/{job}", self.work())
    }
}

/// True if third parties cannot read traffic there.
fn is_safe(address: &str) -> bool {
    let Ok(uri) = address.parse::<hyper::Uri>() else {
        return false;
    };
    let is_here = |host: &str| ["127.0.0.1", "localhost", "[::1]"].contains(&host);
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(host)) => is_here(host),
        _ => false,
    }
}

/// An engine's registration.
#[derive(Debug, Clone, Serialize)]
pub struct Registration {
    /// The displayed name; of one name there is one engine.
    pub name: String,
    /// The most threads the user may ask for.
    #[serde(rename = "maxThreads")]
    pub threads: u32,
    /// The most megabytes of hash the user may ask for.
    #[serde(rename = "maxHash")]
    pub hash: u32,
    /// The provider's key to work.
    #[serde(rename = "providerSecret")]
    pub secret: String,
}

/// The form for Lichess.
#[derive(Debug, Serialize)]
pub struct EngineForm<'a> {
    /// The engine.
    #[serde(flatten)]
    pub registration: &'a Registration,
    /// The games it plays.
    pub variants: [&'a str; 1],
}

/// The variant analysed. The broker gives positions of Chess960 this name, too.
pub const CHESS: &str = "chess";
/// Their own name on Lichess, under which no engine can be registered.
pub const CHESS960: &str = "chess960";

/// An engine of the user.
#[derive(Debug, Deserialize)]
pub struct Engine {
    /// Its number.
    pub id: LichessId,
    /// The displayed name.
    pub name: String,
}

/// A poll.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Acquire<'a> {
    /// The engine's.
    pub provider_secret: &'a str,
}

/// A user looks at a position.
#[derive(Debug, Clone, Deserialize)]
pub struct BoardJob {
    /// Its number.
    pub id: LichessId,
    /// The task: a [`BoardWork`]. One that cannot be read must still be answered.
    pub work: serde_json::Value,
}

/// The task.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoardWork {
    /// The user's board: one position at a time.
    pub session_id: String,
    /// How many lines.
    pub multi_pv: u32,
    /// Its variant.
    pub variant: String,
    /// The position before the moves.
    pub initial_fen: String,
    /// In UCI notation; castling as king takes rook.
    pub moves: Vec<String>,
    /// Milliseconds. A day stands for "until the user leaves".
    #[serde(default)]
    pub movetime: Option<u64>,
    /// Plies, as in `info depth`.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Positions searched.
    #[serde(default)]
    pub nodes: Option<u64>,
}

/// The id of an engine or a job, part of an address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct LichessId(String);

impl TryFrom<String> for LichessId {
    type Error = String;

    fn try_from(text: String) -> Result<LichessId, String> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if (1..=64).contains(&text.len()) && text.bytes().all(is_word) {
            Ok(LichessId(text))
        } else {
            Err("an id of letters and digits was expected".to_owned())
        }
    }
}

impl LichessId {
    /// The word itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_encrypted_or_to_this_computer() {
        for (address, right) in [
            ("https://lichess.dev", true),
            ("https://lichess.dev/", true),
            ("http://127.0.0.1:9663", true),
            ("http://localhost:9663", true),
            ("http://[::1]:9663", true),
            ("http://lichess.org", false),
            ("http://localhost.evil.example", false),
            ("http://127.0.0.1@evil.example", false),
            ("ftp://127.0.0.1", false),
            ("lichess.org", false),
            ("", false),
        ] {
            assert_eq!(Addresses::new(Some(address), None).is_ok(), right, "{address}");
            assert_eq!(Addresses::new(None, Some(address)).is_ok(), right, "{address}");
        }
        let other = Addresses::new(Some("http://localhost:1/"), None).unwrap();
        assert_eq!(other.engine("eei_1"), "http://localhost:1/api/external-engine/eei_1");
        assert_eq!(other.answer("a1"), "https://engine.lichess.ovh/api/external-engine/work/a1");
    }

    #[test]
    fn an_id_is_no_way_to_another_address() {
        let read = |id: &str| serde_json::from_value::<LichessId>(serde_json::json!(id));
        for id in ["aingoohiJee2sius", "eei_aTKImBJOnv6j", "a-b"] {
            assert_eq!(read(id).unwrap().as_str(), id);
        }
        for id in ["", "..", "a/b", "a?b", "a b", "a%2f", "ü", &"a".repeat(65)] {
            assert!(read(id).is_err(), "{id}");
        }
    }

    #[test]
    fn the_documented_job_is_read() {
        let text = r#"{"id": "nIGOOJEYFmzrrlO1", "work": {"sessionId": "abcd1234", "threads": 4,
            "hash": 128, "movetime": 1000, "multiPv": 1, "variant": "chess",
            "initialFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "moves": ["e2e4", "g8f6"]}, "engine": {"id": "eei_aTKImBJOnv6j", "name": "Stockfish 15",
            "clientSecret": "ees_mdF2hK0hlKGSPeC6", "userId": "mary", "maxThreads": 8,
            "maxHash": 2048, "variants": ["chess"], "providerData": null}}"#;
        let job: BoardJob = serde_json::from_str(text).unwrap();
        let work: BoardWork = serde_json::from_value(job.work).unwrap();
        assert_eq!((work.multi_pv, work.movetime, work.depth), (1, Some(1000), None));
        assert_eq!(work.moves, ["e2e4", "g8f6"]);
    }
}
