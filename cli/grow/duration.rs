//! Durations as people write them.

use std::time::Duration;

/// Reads `8h`, `90m`, `1h 30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error} (write \"8h\", \"90m\" or \"1h 30m\")"))
}
