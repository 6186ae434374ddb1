//! The one loop of every growth: each pass's requests are served and admitted.

use super::growth::{Growth, IllegalMove};
use super::visit::service::Service;

/// Serves passes: from engines, from a database, from expectations.
pub trait Server {
    /// Outcome of growing.
    type End;
    /// Error of a failed growth.
    type Error: From<IllegalMove>;

    /// Called before each pass; ends growing if it gives something.
    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<Self::End>, Self::Error>;

    /// The tree's requests; a scenario uses a part of them.
    fn requests(&mut self, growth: &mut Growth) -> Vec<Service> {
        growth.requests()
    }

    /// Serves the requests of a pass.
    fn serve(
        &mut self,
        growth: &mut Growth,
        services: Vec<Service>,
    ) -> Result<Served<Self::End>, Self::Error>;
}

/// Outcome of a pass.
#[derive(Debug)]
pub enum Served<End> {
    /// Its answers, to be admitted together; empty if it asked for nothing, and the depth is
    /// settled.
    Answers(Vec<Service>),
    /// Growing ends before it is served.
    End(End),
}

/// Grows a tree pass after pass, until its server ends it.
///
/// # Errors
///
/// Errors of the server, and an answer that is no legal move.
pub fn grow_by<S: Server>(growth: &mut Growth, server: &mut S) -> Result<S::End, S::Error> {
    loop {
        if let Some(end) = server.before_pass(growth)? {
            return Ok(end);
        }
        let services = server.requests(growth);
        match server.serve(growth, services)? {
            Served::Answers(services) => growth.finish_pass(services)?,
            Served::End(end) => return Ok(end),
        }
    }
}
