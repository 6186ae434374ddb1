//! `deepanalyze verify`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use deepanalyze_core::chess::TableFiles;
use deepanalyze_store::Store;
use deepanalyze_view::{VerifyFindings, count, verify, write_json};

use super::args::database::DbArgs;
use super::args::report::ReportFormat;
use super::args::tree::TableFolders;
use super::error::{CliError, FAILURE};
use super::output::Output;
use crate::printer::tell;

/// Check the database for damage
///
/// Checks the file and every answer, and grows every tree again from the answers to compare. Stored tablebase results
/// are compared with the files that --tables names.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    db: DbArgs,
    #[command(flatten)]
    tables: TableFolders,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
    /// Print only what is wrong, and the object of --format json
    #[arg(long, short)]
    quiet: bool,
}

/// JSON object of the findings.
#[derive(Serialize)]
struct FindingsObject<'a> {
    database: &'a str,
    #[serde(flatten)]
    findings: &'a VerifyFindings,
}

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, CliError> {
    let path = args.db.path()?;
    let warn = |why: String| tell!("warning: {why}");
    let tables = args.tables.files_if_there(warn)?;
    let mut last = String::new();
    let mut step = |what: &str| {
        // A duel's trees on a kept hash have a profile each: their answers are one step.
        if !args.quiet && last != what {
            tell!("checking {what}");
        }
        what.clone_into(&mut last);
    };
    let checked =
        Store::open_to_read(&path).and_then(|store| verify(&store, tables.as_ref(), &mut step));
    let findings = match checked {
        // So damaged that it cannot even be opened: that is what there is to say.
        Err(error) if error.is_damage() => {
            VerifyFindings { flaws: vec![error.flaw()], ..VerifyFindings::default() }
        }
        checked => checked?,
    };
    for complaint in tables.iter().flat_map(TableFiles::take_complaints) {
        tell!("warning: {complaint}");
    }
    let database = path.display().to_string();
    let told = Output::stdout().write(|out| match args.format {
        ReportFormat::Json => {
            write_json(&FindingsObject { database: &database, findings: &findings }, out)
        }
        ReportFormat::Text => write_findings(&findings, &database, args.quiet, out),
    });
    // Also where the reader has closed the pipe after the first lines.
    if findings.flaws.is_empty() { told } else { Ok(ExitCode::from(FAILURE)) }
}

/// How much is kept of tablebases, where there is something, and how much of it was held against their files.
fn facts(findings: &VerifyFindings) -> String {
    match (findings.facts, findings.compared) {
        (0, _) => String::new(),
        (facts, 0) => {
            let facts = count(facts, "position");
            format!(", {facts} of tablebases as they were written, not compared with files")
        }
        (facts, compared) => {
            let facts = count(facts, "position");
            format!(", {facts} of tablebases, {compared} compared with files")
        }
    }
}

fn write_findings(
    findings: &VerifyFindings,
    path: &str,
    quiet: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    for flaw in findings.flaws.iter().flat_map(|flaw| flaw.lines()) {
        writeln!(out, "wrong: {flaw}")?;
    }
    match findings.flaws.len() {
        0 if quiet => Ok(()),
        0 => writeln!(
            out,
            "{path}: all is well ({}, {} grown again{})",
            count(findings.answers, "answer"),
            count(findings.trees, "tree"),
            facts(findings)
        ),
        flaws => writeln!(out, "{path}: {}", count(flaws as u64, "flaw")),
    }
}
