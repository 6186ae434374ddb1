//! `deepanalyze` without a command, `completions` and `man`, examples, and the usage line of an error.

use std::io::Write;
use std::process::ExitCode;

use clap::builder::{Resettable, StyledStr};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Args, Command, CommandFactory};
use clap_mangen::roff::{Roff, bold, roman};

use deepanalyze_report::{RootNotes, RootSummary};
use deepanalyze_store::{Store, StoreError, now};
use deepanalyze_view::{PointOfView, Stages, count, time_ago};

use crate::args::database::DbArgs;
use crate::output::Output;

use super::Cli;
use super::error::CliError;

/// The command line: commands in groups, each with its examples.
pub fn commands() -> Command {
    let command = Cli::command().mut_subcommands(|command| {
        let examples = text_of(command.get_name());
        command.after_help(examples)
    });
    let template = template(&command);
    command.help_template(template)
}

/// The help of the program, with its commands in the groups of `help.txt`.
fn template(command: &Command) -> StyledStr {
    let header = command.get_styles().get_header();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in text_of("groups").lines().filter_map(|line| line.split_once(": ")) {
        let named = names.split(' ').filter_map(|name| command.find_subcommand(name));
        let told = named.filter(|named| !named.is_hide_set()).map(|named| {
            Command::new(named.get_name().to_owned())
                .about(named.get_about().cloned().unwrap_or_default())
        });
        // clap has groups of options, but not of commands.
        let listed = Command::new("").disable_help_subcommand(true).subcommands(told);
        let listed = listed.help_template("{subcommands}").render_help();
        text +=
            &format!("\n{header}{group}:{header:#}\n{}\n", listed.ansi().to_string().trim_end());
    }
    (text + &format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}")).into()
}

/// Text of a command in `help.txt`: examples, and the text printed without a command.
pub fn text_of(command: &str) -> &'static str {
    let mut texts = include_str!("help.txt").split("== ").filter_map(|text| text.split_once('\n'));
    texts.find(|(name, _)| *name == command).map_or("", |(_, text)| text.trim_end())
}

/// Print completions for your shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page of the program or of one command
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command ("grow"), and its action if it has any ("direct include") [default: the program]
    command: Vec<String>,
}

/// Writes completions.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut command = commands();
    command.build();
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&command), "deepanalyze", &mut text);
    write(&text)
}

/// The command without hidden options and commands, which `clap_complete` would offer: older
/// spellings work, and are not to be learnt any more.
fn visible(command: &Command) -> Command {
    let is_visible = |arg: &&Arg| {
        // clap adds these to any command.
        !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str())
    };
    let args = command.get_arguments().filter(is_visible).map(|arg| {
        let conflicts = command.get_arg_conflicts_with(arg).into_iter().filter(is_visible);
        let conflicts: Vec<_> = conflicts.map(|other| other.get_id().clone()).collect();
        // They may name hidden options.
        let free = arg.clone().conflicts_with(Resettable::Reset).requires(Resettable::Reset);
        free.required_unless_present(Resettable::Reset).conflicts_with_all(conflicts)
    });
    let below = command.get_subcommands();
    let below = below.filter(|below| !below.is_hide_set() && below.get_name() != "help");
    let mut shown = Command::new(command.get_name().to_owned())
        .disable_help_subcommand(command.is_disable_help_subcommand_set())
        .args(args)
        .subcommands(below.map(visible));
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        shown = shown.version(version.to_owned());
    }
    shown
}

/// Writes a manual page.
pub fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let mut command = commands();
    command.build();
    let mut page = "deepanalyze".to_owned();
    for name in &args.command {
        let found = command.find_subcommand(name).cloned();
        let found = found.ok_or_else(|| CliError::usage(format!("no command {name:?}")))?;
        page = format!("{page}-{name}");
        command = found.display_name(page.clone());
    }
    let mut text = Vec::new();
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = command.after_help(Resettable::Reset);
    clap_mangen::Man::new(command).render(&mut text)?;
    let mut more = Roff::new();
    for heading in ["EXIT STATUS", "ENVIRONMENT"] {
        more.control("SH", [heading]);
        for (name, meaning) in text_of(heading).lines().filter_map(|line| line.split_once(": ")) {
            more.control("TP", []).text([bold(name)]).text([roman(meaning)]);
        }
    }
    let mut examples = examples.lines().skip(1).peekable();
    if examples.peek().is_some() {
        more.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples {
            more.text([roman(line)]);
        }
        more.control("fi", []);
    }
    more.to_writer(&mut text)?;
    write(&text)
}

fn write(text: &[u8]) -> Result<ExitCode, CliError> {
    std::io::stdout().lock().write_all(text)?;
    Ok(ExitCode::SUCCESS)
}

/// The error with the usage of its command as `--help` has it.
/// clap's own line names every option that was given or has a value from the environment, as if all of them were needed.
pub fn with_usage(mut error: Error, command: &Command) -> Error {
    let Some(ContextValue::StyledStr(told)) = error.get(ContextKind::Usage) else { return error };
    let told = told.to_string();
    let mut root = command.clone();
    root.build();
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) if error.kind() == ErrorKind::UnknownArgument => {
            option.strip_prefix("--").unwrap_or_default().to_owned()
        }
        _ => String::new(),
    };
    // `Usage: deepanalyze direct include …`
    let mut asked = Asked { option: &option, before: None };
    let usage = asked.usage_of(&mut root, &mut told.split_whitespace().skip(2));
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    if let Some(action) = asked.before {
        let tip = format!("'--{option}' goes before '{action}'").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// An option that a command does not know.
struct Asked<'a> {
    option: &'a str,
    /// The subcommand before which it can stand.
    before: Option<String>,
}

impl Asked<'_> {
    /// Usage of the subcommand that these words begin with, or of the command itself.
    fn usage_of<'w>(
        &mut self,
        command: &mut Command,
        words: &mut impl Iterator<Item = &'w str>,
    ) -> StyledStr {
        let has_it = command.get_arguments().any(|arg| arg.get_long() == Some(self.option));
        if let Some(below) = words.next().and_then(|word| command.find_subcommand_mut(word)) {
            if has_it {
                self.before = Some(below.get_name().to_owned());
            }
            return self.usage_of(below, words);
        }
        command.render_usage()
    }
}

/// Prints the text of a call without a command.
pub fn welcome() -> Result<ExitCode, CliError> {
    let latest = DbArgs::unnamed().path().ok().and_then(|path| latest(&path).ok().flatten());
    let text = latest.unwrap_or_else(|| text_of("to begin with").to_owned());
    Output::stdout().write(|out| {
        let (about, more) = (text_of("about"), text_of("more"));
        writeln!(out, "{about}\n\n{text}\n\n{more}")
    })
}

/// The position that was analysed last, and how to go on with it; nothing where there is none.
fn latest(path: &std::path::Path) -> Result<Option<String>, StoreError> {
    let store = Store::open_to_read(path)?;
    let all = Stages::all(&store)?;
    let Some(stages) = all.first() else { return Ok(None) };
    let Some(root) = RootSummary::of(&store, stages, &RootNotes::read(&store)?)? else {
        return Ok(None);
    };
    let verdict = root.told.as_ref().map(|told| told.headline(PointOfView::White));
    let verdict = verdict.unwrap_or_else(|| "no verdict yet".to_owned());
    let (id, age, name) = (root.row.id.0, time_ago(root.changed_at, now()), root.called());
    let all = count(all.len() as u64, "analysed position");
    Ok(Some(format!(
        "Analysed last ({age}): {name}\n  {verdict}\n\n\
        To go on:\n  \
          deepanalyze grow --analysis {id:<12}analyse it further\n  \
          deepanalyze show --analysis {id:<12}print its moves, scores and best lines\n  \
          deepanalyze list                        list your {all}\n  \
          deepanalyze serve --open                see them in the browser"
    )))
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command, Parser};

    use super::*;
    use deepanalyze_core::quoting;

    /// The commands among the lines of a text, without what a shell does with their output.
    fn lines_of(text: &str) -> Vec<String> {
        let joined = text.replace("\\\n        ", "");
        let indented = joined.lines().filter(|line| line.starts_with("  ")).map(str::trim);
        let lines = indented.filter(|line| line.starts_with("deepanalyze "));
        let own = lines.filter_map(|line| line.split(['|', '>']).next());
        own.map(|line| line.split("   ").next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let mut all = lines_of(text_of("to begin with"));
        assert_eq!(all.len(), 4, "four to begin with");
        for command in commands().get_subcommands() {
            let own = command.get_after_help().map(|text| lines_of(&text.to_string()));
            let own = own.unwrap_or_default();
            let begins = format!("deepanalyze {}", command.get_name());
            assert!(own.iter().any(|line| line.starts_with(&begins)), "{begins}: {own:?}");
            all.extend(own);
        }
        for command in all {
            let words = quoting::split(&command).unwrap();
            let parsed = Cli::try_parse_from(&words);
            assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
        }
    }

    #[test]
    fn grow_shows_at_most_45_options() {
        let command = commands();
        let grow = command.find_subcommand("grow").unwrap();
        let shown = grow.get_arguments().filter(|arg| !arg.is_hide_set()).count();
        assert!(shown <= 45, "{shown} options");
    }

    #[test]
    fn usage_is_the_command_s_without_given_options() {
        let with_value = Arg::new("db").long("db").default_value("x");
        let command = Command::new("program").subcommand(
            Command::new("direct").subcommand(
                Command::new("include")
                    .arg(with_value)
                    .arg(Arg::new("side").long("side").required(true))
                    .arg(Arg::new("line").required(true)),
            ),
        );
        let error = |args: &[&str]| {
            let words = ["program"].iter().chain(args);
            let error = command.clone().try_get_matches_from(words).unwrap_err();
            with_usage(error, &command).to_string()
        };
        for args in [
            &["direct", "include", "--db", "y"][..],
            &["direct", "include", "--side", "white"],
            &["direct", "include", "--sid", "white"],
        ] {
            let said = error(args);
            let usage = "Usage: program direct include [OPTIONS] --side <side> <line>\n";
            assert!(said.contains(usage), "{args:?}: {said}");
        }
    }
}
