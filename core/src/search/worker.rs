//! Who makes searches on other computers.

use std::fmt;
use std::sync::Arc;

/// A worker of a fleet, from its start to its end: one that is started again is another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(Arc<str>);

impl WorkerId {
    /// The worker of this name.
    pub fn new(name: &str) -> WorkerId {
        WorkerId(name.into())
    }

    /// What it is called at the broker.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
