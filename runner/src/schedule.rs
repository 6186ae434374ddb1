//! How deep the engines search: at one limit, or deeper from stage to stage.

use deepanalyze_core::search::Limit;

/// By how many plies the engines search deeper in each stage than in the one before.
const STEP: usize = 2;
/// No stage searches deeper than this, in plies.
const DEEPEST: u32 = 250;

/// How deep the engines search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Every search goes to this limit: one analysis.
    Once(Limit),
    /// Stages: an analysis whose searches are so many plies deep, then one with two plies more, and so on, as
    /// long as there is time.
    Stages {
        /// The engine depth of the first stage, in plies.
        first: u32,
    },
}

impl Schedule {
    /// The stages of people who name no engine depth: 10, 12, 14, and so on.
    pub const REFINED: Schedule = Schedule::Stages { first: 10 };

    /// Whether there are stages.
    pub fn has_stages(self) -> bool {
        matches!(self, Schedule::Stages { .. })
    }

    /// The limits of the searches, one analysis after the other.
    pub fn limits(self) -> Box<dyn Iterator<Item = Limit>> {
        match self {
            Schedule::Once(limit) => Box::new(std::iter::once(limit)),
            Schedule::Stages { first } => {
                Box::new((first..=DEEPEST).step_by(STEP).map(Limit::Depth))
            }
        }
    }

    /// The limit of the first analysis.
    pub fn first(self) -> Limit {
        match self {
            Schedule::Once(limit) => limit,
            Schedule::Stages { first } => Limit::Depth(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_go_two_plies_deeper_each() {
        let limits: Vec<Limit> = Schedule::REFINED.limits().take(3).collect();
        assert_eq!(limits, [10, 12, 14].map(Limit::Depth));
        assert_eq!(Schedule::REFINED.first(), limits[0]);
        let once = Schedule::Once(Limit::Nodes(5));
        assert_eq!(once.limits().collect::<Vec<_>>(), [once.first()]);
    }
}
