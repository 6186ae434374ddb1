//! Whether a run must end: the one place where that is decided.

use super::ControlReceiver;
use crate::grow::End;

/// How a run must end now, if it must: because somebody wants it to, or because its limits are reached.
pub fn must_end(control: &ControlReceiver, is_spent: bool) -> Option<End> {
    if control.is_told_to_end() {
        return Some(End::Interrupted);
    }
    is_spent.then_some(End::Limit)
}
