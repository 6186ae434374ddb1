//! Limits that end a run early.

use std::time::Duration;

use chrono::{Local, NaiveTime};
use clap::Args;

use deepanalyze_runner::RunLimits;

use super::times::{parse_duration, parse_time_of_day, time_until};
use crate::error::CliError;

/// Limits of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of this run")]
pub struct RunLimitArgs {
    /// Stop after this time ("8h", "90m", "1h 30m")
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration,
        allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Stop at this time of day ("07:00"), today or tomorrow; otherwise as --for
    #[arg(long, value_name = "TIME", value_parser = parse_time_of_day, conflicts_with = "time",
        allow_hyphen_values = true)]
    until: Option<NaiveTime>,
    /// Stop after this many engine searches
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_searches: Option<u64>,
    /// Stop once the engines have searched this many nodes
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide = true)]
    max_nodes: Option<u64>,
}

impl RunLimitArgs {
    /// The limits as of now.
    pub fn limits(&self) -> Result<RunLimits, CliError> {
        let until = self.until.map(|time| {
            let left = time_until(&Local::now(), time);
            left.ok_or_else(|| CliError::missing(format!("--until: there is no {time} tomorrow")))
        });
        let until = until.transpose()?;
        Ok(RunLimits {
            time: self.time.or(until),
            searches: self.max_searches,
            nodes: self.max_nodes,
        })
    }
}
