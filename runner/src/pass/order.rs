//! In which order a pass gives its positions to engines.

use deepanalyze_core::tree::{Growth, Service, by_setback};

/// In which order a pass gives its positions to engines. The tree does not depend on it: all are searched before any answer is
/// admitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PassOrder {
    /// As the visit comes to them: all behind the best move first.
    #[default]
    Visit,
    /// Those first of which the least has to change until the best line leads there.
    Setback,
}

impl PassOrder {
    /// The places of a pass's services in this order.
    pub(super) fn of(self, growth: &Growth, services: &[Service]) -> Vec<usize> {
        match self {
            PassOrder::Visit => (0..services.len()).collect(),
            PassOrder::Setback => {
                by_setback(growth.graph(), growth.values(), growth.root(), services)
            }
        }
    }
}
