//! Properties of the algorithm on thousands of random small graphs, compared with the plainest code
//! for the algorithm page: walks over all paths.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
#![allow(clippy::needless_range_loop, reason = "places are numbers here")]

mod claiming;
mod flipping;
mod following;
mod going_on;
mod growing;
mod naive;
mod peopling;
mod placing;
mod rechecking;
mod rescoring;
mod shape;
mod valuing;
mod world;

use proptest::test_runner::{Config, RngSeed};

use crate::support::by_day_or_night;

/// Equal cases in every run, an eighth of them by day; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` try others.
fn cases(cases: u32) -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = by_day_or_night(cases.div_ceil(8), cases);
    }
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(20_130_217);
    }
    config
}
