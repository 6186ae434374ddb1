//! Registering the engine with Lichess.

use hyper::Method;

use super::api::{Addresses, CHESS, Engine, EngineForm, REQUEST};
use super::error::LichessError;
use super::http::Http;

/// What is registered.
#[derive(Debug, Clone)]
pub struct Registration {
    /// What the user sees; of one name there is one engine.
    pub name: String,
    /// How many threads the user may ask for.
    pub threads: u32,
    /// How many megabytes of hash the user may ask for.
    pub hash: u32,
    /// By which the provider gets work.
    pub secret: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registered {
    /// The user had no engine of this name.
    New,
    /// The user had one, which is this one now.
    Known,
}

/// Registers an engine for the user of a token, or brings the one of that name up to date.
///
/// # Errors
///
/// Where Lichess does not take it: what may pass may be tried again.
pub async fn register(
    http: &Http,
    addresses: &Addresses,
    token: &str,
    what: &Registration,
) -> Result<Registered, LichessError> {
    let (token, none) = (Some(token), None::<&()>);
    let all = addresses.engines();
    let list = http.ask((Method::GET, &all), token, none, REQUEST).await?;
    let known = list.json::<Vec<Engine>>()?.into_iter().find(|engine| engine.name == what.name);
    let form = EngineForm {
        name: &what.name,
        max_threads: what.threads,
        max_hash: what.hash,
        variants: [CHESS],
        provider_secret: &what.secret,
    };
    if let Some(engine) = known {
        let address = addresses.engine(engine.id.as_str());
        match http.ask((Method::PUT, &address), token, Some(&form), REQUEST).await {
            // Somebody has deleted it meanwhile.
            Err(error) if error.status() == Some(404) => {}
            result => return result.map(|_| Registered::Known),
        }
    }
    http.ask((Method::POST, &all), token, Some(&form), REQUEST).await.map(|_| Registered::New)
}
