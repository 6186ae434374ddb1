//! The options as UCI lists and sets them.

use super::worker::SearchJob;
use crate::options::Options;
use deepanalyze_core::uci::{OptionKind, OptionLine};

/// UCI kind of an option, and the field it sets.
enum OptionTarget {
    Check(fn(&mut Options) -> &mut bool),
    Spin(i64, i64, fn(&Options) -> i64, fn(&mut Options, i64)),
    Text(fn(&mut Options) -> &mut String),
    Button,
    /// Listed because GUIs set it; it has no effect.
    Fixed(OptionKind),
}

/// The greatest table, in mebibytes.
const MOST_HASH: i64 = 1 << 15;

/// The most search threads.
const MOST_THREADS: i64 = 256;

fn all() -> [(&'static str, OptionTarget); 20] {
    use OptionTarget::{Button, Check, Fixed, Spin, Text};
    [
        ("Hash", Spin(1, MOST_HASH, |o| o.hash as i64, |o, v| o.hash = v as usize)),
        ("Clear Hash", Button),
        ("Threads", Spin(1, MOST_THREADS, |o| o.threads as i64, |o, v| o.threads = v as usize)),
        ("Ponder", Fixed(OptionKind::Check(false))),
        ("MultiPV", Spin(1, 256, |o| o.multi_pv as i64, |o, v| o.multi_pv = v as usize)),
        (
            "Move Overhead",
            Spin(0, 5000, |o| o.move_overhead as i64, |o, v| o.move_overhead = v as u64),
        ),
        ("UCI_ShowWDL", Check(|o| &mut o.show_wdl)),
        ("UCI_Chess960", Check(|o| &mut o.chess960)),
        ("OwnBook", Check(|o| &mut o.own_book)),
        ("BookFile", Text(|o| &mut o.book_file)),
        ("BestBookMove", Check(|o| &mut o.best_book_move)),
        ("SyzygyPath", Text(|o| &mut o.syzygy_path)),
        ("Speculation", Check(|o| &mut o.speculation)),
        ("Quiescence", Check(|o| &mut o.quiescence)),
        (
            "QuiescenceDepth",
            Spin(1, 64, |o| o.quiescence_depth.into(), |o, v| o.quiescence_depth = v as i32),
        ),
        (
            "SelectiveCandidateLimit",
            Spin(0, 20, |o| o.candidate_limit as i64, |o, v| o.candidate_limit = v as usize),
        ),
        (
            "SelectiveDepth",
            Spin(0, 50, |o| o.selective_depth.into(), |o, v| o.selective_depth = v as i32),
        ),
        ("ForcedDepth", Spin(0, 50, |o| o.forced_depth.into(), |o, v| o.forced_depth = v as i32)),
        (
            "AspirationWindow",
            Spin(2, 10_000, |o| o.aspiration.into(), |o, v| o.aspiration = v as i32),
        ),
        ("UCI_AnalyseMode", Fixed(OptionKind::Check(false))),
    ]
}

/// The lines that list the options.
pub fn listing() -> Vec<String> {
    let mut defaults = Options::default();
    all()
        .into_iter()
        .map(|(name, kind)| {
            let kind = match kind {
                OptionTarget::Check(at) => OptionKind::Check(*at(&mut defaults)),
                OptionTarget::Spin(min, max, get, _) => {
                    OptionKind::Spin { default: get(&defaults), min, max }
                }
                OptionTarget::Text(_) => OptionKind::Text(String::new()),
                OptionTarget::Button => OptionKind::Button,
                OptionTarget::Fixed(kind) => kind,
            };
            OptionLine::new(name, kind).to_string()
        })
        .collect()
}

/// Sets an option and returns the worker's job for it, if any. Names ignore case.
///
/// # Errors
///
/// An unknown name, or a value that the option cannot have.
pub fn set(options: &mut Options, name: &str, value: &str) -> Result<Option<SearchJob>, String> {
    let Some((known, kind)) = all().into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
    else {
        return Err(format!("no option {name:?}"));
    };
    match kind {
        OptionTarget::Check(at) => match value.to_ascii_lowercase().as_str() {
            "true" => *at(options) = true,
            "false" => *at(options) = false,
            _ => return Err(format!("{known} is true or false, not {value:?}")),
        },
        OptionTarget::Spin(min, max, _, set) => match value.parse() {
            Ok(number) if (min..=max).contains(&number) => set(options, number),
            _ => {
                return Err(format!("{known} is a number from {min} to {max}, not {value:?}"));
            }
        },
        OptionTarget::Text(at) => {
            *at(options) = if value == "<empty>" { "" } else { value }.to_owned()
        }
        OptionTarget::Button => return Ok(Some(SearchJob::Clear)),
        OptionTarget::Fixed(_) => {}
    }
    Ok(match known {
        "Hash" => Some(SearchJob::Resize(options.hash)),
        "BookFile" => Some(SearchJob::OpenBook(options.book_file.clone())),
        "SyzygyPath" => Some(SearchJob::OpenTables(options.syzygy_path.clone())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_defaults_are_told() {
        let lines = listing();
        for line in [
            "option name Threads type spin default 1 min 1 max 256",
            "option name Quiescence type check default true",
            "option name QuiescenceDepth type spin default 2 min 1 max 64",
            "option name SelectiveCandidateLimit type spin default 3 min 0 max 20",
            "option name SelectiveDepth type spin default 4 min 0 max 50",
            "option name ForcedDepth type spin default 10 min 0 max 50",
            "option name OwnBook type check default false",
            "option name BookFile type string default <empty>",
            "option name SyzygyPath type string default <empty>",
            "option name Clear Hash type button",
        ] {
            assert!(lines.iter().any(|told| told == line), "{line}");
        }
    }

    #[test]
    fn values_out_of_range_change_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "99999999999999999999"),
            ("MultiPV", "-1"),
            ("Quiescence", "maybe"),
            ("QuiescenceDepth", ""),
            ("Contempt", "3"),
            ("UCI_Chess960", "yes"),
        ] {
            assert!(set(&mut options, name, value).is_err(), "{name} {value}");
        }
        assert_eq!(options, Options::default());
        assert!(set(&mut options, "multipv", "3").is_ok());
        assert_eq!(options.multi_pv, 3);
    }
}
