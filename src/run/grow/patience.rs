//! Waiting for a database that another program keeps locked.

use crate::run::control::ControlReceiver;
use crate::run::error::RunError;
use crate::run::feed::progress::Observer;

/// Does what writes to the database, and does it again for as long as another program keeps that locked.
pub fn patiently<T>(
    control: &ControlReceiver,
    observer: &mut dyn Observer,
    mut act: impl FnMut() -> Result<T, RunError>,
) -> Result<T, RunError> {
    loop {
        match act() {
            Err(error) if error.is_busy() && !control.is_told_to_end() => {
                observer.waiting(&error.to_string());
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::control::control;
    use crate::run::made_up::Deaf;
    use crate::store::StoreError;

    /// Fails as often as it is told to, then succeeds; says how often it was tried.
    fn tries(
        failures: u32,
        control: &ControlReceiver,
        error: fn() -> StoreError,
    ) -> (u32, Result<(), RunError>) {
        let mut tries = 0;
        let done = patiently(control, &mut Deaf, || {
            tries += 1;
            if tries <= failures { Err(error().into()) } else { Ok(()) }
        });
        (tries, done)
    }

    #[test]
    fn a_locked_database_is_waited_for_until_somebody_wants_the_end() {
        let (steer, receiver) = control();
        let (count, done) = tries(3, &receiver, StoreError::locked);
        assert!(count == 4 && done.is_ok(), "{count} {done:?}");
        steer.end();
        let (count, done) = tries(3, &receiver, StoreError::locked);
        assert!(count == 1 && done.unwrap_err().is_busy(), "{count}");
    }

    #[test]
    fn other_errors_are_not_waited_for() {
        let (_steer, receiver) = control();
        let gone = || StoreError::Missing("gone.db".into());
        let (count, done) = tries(3, &receiver, gone);
        assert!(count == 1 && done.is_err(), "{count}");
    }
}
