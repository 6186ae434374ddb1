//! What can go wrong with a fleet before anything is done with it.

/// Why a fleet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The address is none.
    #[error("{url:?} is no address of a fleet: {why}")]
    Address {
        /// What was given, without passwords.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The credentials cannot be read.
    #[error("the credentials for the fleet cannot be used: {0}")]
    Credentials(String),
    /// The broker does not let us in.
    #[error("the fleet at {url} refuses the connection: {why}")]
    Refused {
        /// Its address.
        url: String,
        /// What it says.
        why: String,
    },
    /// The system gives no thread.
    #[error("cannot start a thread for the fleet: {0}")]
    Thread(#[source] std::io::Error),
    /// The connection's thread has ended by a fault of this program.
    #[error("the connection to the fleet has ended by a fault of this program")]
    Ended,
    /// The system has no randomness.
    #[error("cannot make up a name: {0}")]
    Random(#[source] std::io::Error),
}
