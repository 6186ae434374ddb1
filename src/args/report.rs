//! Format and destination of a report.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use shakmaty::Color;

use deepanalyze_store::Store;
use deepanalyze_view::PointOfView;

use crate::error::CliError;
use crate::output::Output;

/// A word that an option takes, what it means for people where that is to be said, and what for the program.
pub type OptionWord<T> = (&'static str, &'static str, T);

/// Reads one of several words.
pub fn one_of<T>(words: &'static [OptionWord<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let possible = words.iter().map(|(word, help, _)| match *help {
        "" => PossibleValue::new(*word),
        help => PossibleValue::new(*word).help(help),
    });
    PossibleValuesParser::new(possible).try_map(|text| {
        let found = words.iter().find(|(word, ..)| word.eq_ignore_ascii_case(&text));
        found.map(|(.., value)| *value).ok_or("no such value")
    })
}

/// A side.
pub const SIDES: &[OptionWord<Color>] = &[("white", "", Color::White), ("black", "", Color::Black)];

const POINTS_OF_VIEW: &[OptionWord<PointOfView>] = &[
    ("white", "White: plus is good for White", PointOfView::White),
    ("mover", "The side that plays the move: plus is good for that side", PointOfView::Mover),
];

/// The option, the same for every command that prints scores for people.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Output")]
pub struct PovArgs {
    /// Point of view of the scores
    ///
    /// JSON and CSV always have the mover's, [%eval] in PGN always White's.
    #[arg(long, default_value = "white", value_parser = one_of(POINTS_OF_VIEW))]
    pov: PointOfView,
}

impl PovArgs {
    /// The point of view.
    pub fn get(self) -> PointOfView {
        self.pov
    }
}

/// How a command prints what has no other form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// How a report is printed, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ReportArgs<F: ValueEnum + Send + Sync + 'static = ReportFormat> {
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: F,
    #[command(flatten)]
    pov: PovArgs,
    /// Write to a file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl<F: ValueEnum + Send + Sync + PartialEq> ReportArgs<F> {
    /// Point of view of the scores.
    pub fn pov(&self) -> PointOfView {
        self.pov.get()
    }

    /// Where it goes. A file of the database is refused: call this before any work whose result would be lost.
    pub fn output(&self, store: &Store) -> Result<Output<'_>, CliError> {
        let is_text = F::from_str("text", false).as_ref() == Ok(&self.format);
        Ok(Output::to(self.output.as_deref(), store)?.styled(is_text))
    }
}
