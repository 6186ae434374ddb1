//! Runs of the built program and of the library: growing, batches, however they end.

mod agenda;
mod batch;
mod batch_results;
mod closing;
mod direct_grow;
mod faults;
mod grow;
mod human;
mod look_ahead;
mod playing;
mod recheck;
mod shutdown;
mod standard_error;
mod tables;
mod tables_configured;
mod tables_messages;
mod until_stable;
