//! Analyses for language models: a server of the Model Context Protocol on standard input and output.
//!
//! [`serve`] answers a client until it leaves. `desk::Desk` reads the database and answers in words and
//! data; `server` is the protocol, by the crate `rmcp`. Positions are named by a root that the server keeps
//! and moves from it, never by a FEN of the client's. It opens no port, and changes nothing unless it is
//! started for that.
#![deny(clippy::indexing_slicing)]

mod asked;
mod board;
mod desk;
mod growing;
mod server;
mod steering;
mod told;

use std::io;
use std::path::PathBuf;

use rmcp::ServiceExt;
use rmcp::transport::stdio;

use deepanalyze_core::search::Limit;
use deepanalyze_engine::Engines;
use deepanalyze_store::{Store, StoreError};

/// Starts engines for searches to a limit, this many or all; the error is for people.
pub type StartEngines =
    Box<dyn Fn(Limit, Option<u16>) -> Result<Box<dyn Engines + Send>, String> + Send + Sync>;

/// The database, and the permissions of the client.
pub struct ServerSettings {
    /// The database file.
    pub path: PathBuf,
    /// True if the client may give directives.
    pub may_steer: bool,
    /// The engines, if the client may have them search.
    pub engines: Option<StartEngines>,
}

/// Answers a client on standard input and output until it leaves.
///
/// # Errors
///
/// If the database cannot be read, or the client does not speak the protocol.
pub fn serve(settings: ServerSettings) -> Result<(), ServeError> {
    let store = Store::open_to_read(&settings.path)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = server::Server::new(desk::Desk::new(store), settings);
        let running = server.serve(stdio()).await.map_err(protocol)?;
        running.waiting().await.map_err(protocol)?;
        Ok(())
    })
}

fn protocol(error: impl std::fmt::Display) -> ServeError {
    ServeError::Protocol(error.to_string())
}

/// Why a server has ended.
#[derive(Debug)]
pub enum ServeError {
    /// The database cannot be read.
    Store(StoreError),
    /// No runtime.
    Io(io::Error),
    /// The client does not speak the protocol.
    Protocol(String),
}

impl From<StoreError> for ServeError {
    fn from(error: StoreError) -> ServeError {
        ServeError::Store(error)
    }
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> ServeError {
        ServeError::Io(error)
    }
}
