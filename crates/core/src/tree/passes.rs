//! The one loop of every growth: what a pass asks for is served and admitted, pass after pass.

use super::growth::{Growth, IllegalMove};
use super::visit::service::Service;

/// Serves passes: from engines, from a database, from expectations.
pub trait Server {
    /// How growing ends.
    type End;
    /// Why it fails.
    type Error: From<IllegalMove>;

    /// Looks at the tree before a pass; ends growing where it gives something.
    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<Self::End>, Self::Error>;

    /// What the tree asks for; a scenario looks at a part of it.
    fn requests(&mut self, growth: &mut Growth) -> Vec<Service> {
        growth.requests()
    }

    /// Serves what a pass asks for.
    fn serve(
        &mut self,
        growth: &mut Growth,
        services: Vec<Service>,
    ) -> Result<Served<Self::End>, Self::Error>;
}

/// What became of a pass.
#[derive(Debug)]
pub enum Served<End> {
    /// Its answers, to be admitted together; none where it asked for nothing, and the depth is settled.
    Answers(Vec<Service>),
    /// Growing ends before it is served.
    End(End),
}

/// Grows a tree pass after pass, until its server ends it.
///
/// # Errors
///
/// Those of the server, and where an answer is no legal move.
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
