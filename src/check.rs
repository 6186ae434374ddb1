//! `deepanalyze check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use deepanalyze_core::claims::Claim;
use deepanalyze_core::reading::MIB;
use deepanalyze_view::{AnsweredClaim, ClaimError, ClaimReader, Truth, write_json};

use crate::args::database::ChosenArgs;
use crate::args::report::ReportFormat;
use crate::args::root::{bytes_to, name_of};
use crate::error::CliError;
use crate::output::Output;

/// Check claims about an analysis: each is true, false or unknown
///
/// A claim is a JSON object: {"claim": "best", "at": "e4 e5", "move": "Nf3"}. `docs/facts.md` has all kinds: score,
/// best, worse, line, ends, legal, captures, check, material, played. What does not follow from the analysis, as your
/// directives have it now, is unknown: nothing is searched, and nothing is guessed.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// A claim, as JSON; several in a list
    #[arg(value_name = "CLAIM", required_unless_present = "claims")]
    claim: Vec<String>,
    /// Read claims from a JSON file: a list, or an object with "claims"; "-" reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "claim")]
    claims: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
}

/// Claims as they may be written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Many { claims: Vec<Value> },
    List(Vec<Value>),
    One(Value),
}

/// The answers as JSON.
#[derive(Serialize)]
struct Answers {
    claims: Vec<AnsweredClaim>,
}

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<ExitCode, CliError> {
    let claims = read(args)?;
    let store = args.chosen.open()?;
    let tree = args.chosen.load(&store)?;
    let mut reader = ClaimReader::new(&store, &tree);
    let many = claims.len() > 1;
    let mut answers = Vec::new();
    for (index, claim) in claims.iter().enumerate() {
        let answer = reader.answer(claim).map_err(|error| match error {
            ClaimError::Store(error) => CliError::from(error),
            ClaimError::Moves(error) => CliError::usage(format!("{}: {error}", name(many, index))),
        })?;
        answers.push(answer);
    }
    Output::stdout().write(|out| match args.format {
        ReportFormat::Json => write_json(&Answers { claims: answers }, out),
        ReportFormat::Text => answers.iter().try_for_each(|answered| {
            let answer = match answered.answer {
                Truth::True => "true",
                Truth::False => "false",
                Truth::Unknown => "unknown",
            };
            writeln!(out, "{answer:<8} {}", answered.words)
        }),
    })
}

/// The claims of the command line, or of the file.
fn read(args: &CheckArgs) -> Result<Vec<Claim<String>>, CliError> {
    let bad = |from: &str, error: serde_json::Error| {
        CliError::usage(format!("{from}: {error}"))
            .hint("like {\"claim\": \"best\", \"at\": \"e4 e5\", \"move\": \"Nf3\"}; docs/facts.md has all kinds")
    };
    let mut all = Vec::new();
    let mut take = |from: &str, text: &[u8]| {
        match serde_json::from_slice(text).map_err(|error| bad(from, error))? {
            Written::Many { claims } | Written::List(claims) => all.extend(claims),
            Written::One(claim) => all.push(claim),
        }
        Ok::<_, CliError>(())
    };
    match &args.claims {
        Some(path) => take(&name_of(path), &bytes_to(path, 64 * MIB)?)?,
        None => args.claim.iter().try_for_each(|text| take("the claim", text.as_bytes()))?,
    }
    let many = all.len() > 1;
    let claim = |(index, value): (usize, Value)| {
        Claim::from_json(&value).map_err(|error| bad(&name(many, index), error))
    };
    all.into_iter().enumerate().map(claim).collect()
}

/// The name of a claim in an error.
fn name(many: bool, index: usize) -> String {
    if many { format!("claim {}", index + 1) } else { "the claim".to_owned() }
}
