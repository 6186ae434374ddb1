//! Fleets with a real NATS server: workers, growers and the broker come and go, and the tree is the same.

mod certificates;
mod closing;
mod faults;
mod garbage;
mod growing;
mod hostile;
mod house;
mod logins;
mod lying;
mod stuck;
mod without_engine;
