//! `deepanalyze export`: a command for each format, with the options that mean something in it.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use serde::Deserialize;
use serde::de::value::{Error as NoFormat, StrDeserializer};

use crate::show::ShowArgs;
use deepanalyze_report::TreeFormat::{
    self, Anki, Conditional, Dot, Epd, Html, Json, Pgn, Polyglot, Study, Svg, Text,
};

/// Arguments of `show`, with the format of the command.
#[derive(Debug)]
pub struct ExportArgs(pub ShowArgs);

impl Args for ExportArgs {
    fn augment_args(command: Command) -> Command {
        let formats = TreeFormat::ALL.into_iter().filter(|(.., format)| *format != Text);
        let each = formats.map(|(name, about, format)| {
            let command = ShowArgs::augment_args(Command::new(name)).about(about).long_about(None);
            let given =
                move |text: &str| (text == name).then_some(format).ok_or("the format is given");
            let command = command.mut_args(|arg| of_format(arg, format));
            let command =
                command.mut_arg("format", |arg| arg.default_value(name).value_parser(given));
            if format == Polyglot { command.alias("book") } else { command }
        });
        command
            .subcommands(each)
            .subcommand_required(true)
            .subcommand_help_heading("Formats")
            .subcommand_value_name("FORMAT")
    }

    fn augment_args_for_update(command: Command) -> Command {
        ExportArgs::augment_args(command)
    }
}

impl FromArgMatches for ExportArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ExportArgs, Error> {
        // clap has refused a command line without one.
        let of_format = matches.subcommand().map_or(matches, |(_, matches)| matches);
        ShowArgs::from_arg_matches(of_format).map(ExportArgs)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = ExportArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Reads the name of a format, as the API does.
pub fn parse_format(text: &str) -> Result<TreeFormat, NoFormat> {
    TreeFormat::deserialize(StrDeserializer::new(text))
}

/// The option as the help of a format has it.
pub fn of_format(arg: Arg, format: TreeFormat) -> Arg {
    let formats = formats_with(arg.get_id().as_str());
    arg.hide(formats.is_some_and(|formats| !formats.contains(&format)))
}

/// The formats in which an option means something; none where it does in all.
pub fn formats_with(option: &str) -> Option<&'static [TreeFormat]> {
    Some(match option {
        "format" => &[],
        "every" => &[Text, Json, Pgn, Html],
        "all" => &[Text, Dot, Svg],
        "max_loss" => &[Polyglot, Anki],
        "side" => &[Text, Json, Pgn, Polyglot, Html, Anki, Study, Conditional],
        "people" | "sound" => &[Text, Json, Html],
        "counts" => &[Pgn],
        "sort" => &[Text, Json],
        "write_out_transpositions" => &[Pgn, Study],
        "cards" | "all_moves" => &[Anki],
        "clear" => &[Conditional],
        "pov" => &[Text, Pgn, Epd, Dot, Svg, Html, Anki, Study],
        _ => return None,
    })
}
