//! What every process of a pool must be: the same engine.

use crate::error::{EngineError, Reason};
use crate::instance::Instance;
use crate::uci::{Offer, Offers, Setting};

/// More differences than these are counted, not listed.
const LISTED: usize = 5;

/// What an engine calls itself, what it offers, and what was set on it.
pub(super) struct Identity {
    pub(super) name: String,
    offers: Offers,
    /// The user's options, as the engine spells them.
    pub(super) set: Vec<Setting>,
}

impl Identity {
    /// The identity of a running engine.
    pub(super) fn of(instance: &Instance) -> Identity {
        Identity {
            name: instance.name().to_owned(),
            offers: instance.offers().clone(),
            set: instance.set().to_vec(),
        }
    }

    /// What the engine offers.
    pub(super) fn offers(&self) -> &[Offer] {
        self.offers.all()
    }

    /// What makes this build with these options.
    pub(super) fn essence(&self) -> Vec<String> {
        self.offers.essence(&self.set)
    }

    /// Refuses an engine with another name or other options; [`Offers::differences`] says what
    /// counts.
    pub(super) fn check(&self, instance: &Instance) -> Result<(), EngineError> {
        if instance.name() != self.name {
            return Err(instance.error(Reason::OtherName { expected: self.name.clone() }));
        }
        let mut differences = self.offers.differences(instance.offers(), &self.set);
        if differences.is_empty() {
            return Ok(());
        }
        let more = differences.len().saturating_sub(LISTED);
        differences.truncate(LISTED);
        if more > 0 {
            differences.push(format!("{more} more"));
        }
        Err(instance.error(Reason::OtherOptions(differences)))
    }
}
