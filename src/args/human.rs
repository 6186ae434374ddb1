//! Nets that predict what people play: which ones, and where they are.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use shakmaty::{Color, Position};

use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::MoveCounts;
use deepanalyze_human::{Net, Past, Prediction, permille};
use deepanalyze_store::{HumanNet, HumanNets, USUAL_WEIGHT};

use crate::args::database::{data_file, files_in};
use crate::error::CliError;

/// The end of a net's file name.
const EXTENSION: &str = ".pb.gz";

/// The nets that predict what people play.
#[derive(Debug, Clone, Args)]
pub struct HumanArgs {
    /// Predict what people play by a Maia net: a file, or the name of one in your data folder, like maia-1500
    ///
    /// The nets are of players on Lichess rated 1100 to 1900: take that of your opponents' rating. The net's
    /// probabilities count as 30 games at each position beside those of --games (--human-weight N says how many), so
    /// --played follows the likely moves where no game has been. --human-white NET and --human-black NET name the net
    /// of one side. `deepanalyze doctor` says where nets are looked for.
    #[arg(long, value_name = "NET", help_heading = "Games")]
    human: Option<PathBuf>,
    /// The net for White's moves
    #[arg(long, value_name = "NET", help_heading = "Games", hide = true)]
    human_white: Option<PathBuf>,
    /// The net for Black's moves
    #[arg(long, value_name = "NET", help_heading = "Games", hide = true)]
    human_black: Option<PathBuf>,
    /// How many games the probabilities of a net count as at each position [default: 30]
    #[arg(long, value_name = "N", help_heading = "Games", hide = true, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    human_weight: Option<u32>,
}

impl HumanArgs {
    /// True if a net is named.
    pub fn is_named(&self) -> bool {
        [&self.human, &self.human_white, &self.human_black].into_iter().any(Option::is_some)
    }

    /// These options with the nets that an analysis knows; `None` if one is not here. A weight that the
    /// user gives stays.
    ///
    /// # Errors
    ///
    /// If the folder of nets cannot be read.
    pub fn find(&self, known: &HumanNets) -> Result<Option<HumanArgs>, CliError> {
        let place = |net: &Option<HumanNet>| net.as_ref().map(place_of_net).transpose();
        let (human_white, human_black) = (place(&known.white)?, place(&known.black)?);
        if human_white == Some(None) || human_black == Some(None) {
            return Ok(None);
        }
        let weight = (!known.is_empty()).then_some(known.weight);
        Ok(Some(HumanArgs {
            human: None,
            human_white: human_white.flatten(),
            human_black: human_black.flatten(),
            human_weight: self.human_weight.or(weight),
        }))
    }

    /// True if the user says what a net counts as.
    pub fn has_weight(&self) -> bool {
        self.human_weight.is_some()
    }

    /// The nets that are named, read.
    ///
    /// # Errors
    ///
    /// If one cannot be read, or a weight is given without a net.
    pub fn nets(&self) -> Result<AskedNets, CliError> {
        if self.human_weight.is_some() && !self.is_named() {
            return Err(CliError::usage(
                "--human-weight needs a net: --human, --human-white or --human-black",
            ));
        }
        let both = self.human.as_deref().map(read_net).transpose()?;
        let side = |named: &Option<PathBuf>| match named {
            Some(named) => read_net(named).map(Some),
            None => Ok(both.clone()),
        };
        let (white, black) = (side(&self.human_white)?, side(&self.human_black)?);
        Ok(AskedNets { white, black, weight: self.human_weight.unwrap_or(USUAL_WEIGHT) })
    }
}

/// The folder of nets that have a name alone.
pub fn nets_folder() -> Result<PathBuf, CliError> {
    data_file("human", "a path, like ./maia-1500.pb.gz")
}

/// All nets of the data folder, by name.
///
/// # Errors
///
/// If it cannot be read.
pub fn all_nets() -> Result<Vec<PathBuf>, CliError> {
    files_in(&nets_folder()?, EXTENSION)
}

/// Where a net is: a path, or a file of the data folder by its name.
fn net_place(named: &Path) -> Result<PathBuf, CliError> {
    let is_path = named.components().count() != 1 || named.is_absolute() || named.is_file();
    if is_path || named.to_string_lossy().ends_with(".gz") {
        return Ok(named.to_owned());
    }
    let mut name = named.as_os_str().to_owned();
    name.push(EXTENSION);
    Ok(nets_folder()?.join(name))
}

fn read_net(named: &Path) -> Result<Arc<Net>, CliError> {
    let place = net_place(named)?;
    let net = Net::open(&place).map_err(|error| {
        let name = |net: &PathBuf| {
            let file = net.file_name()?.to_string_lossy().into_owned();
            Some(file.trim_end_matches(EXTENSION).to_owned())
        };
        let here: Vec<String> = all_nets().iter().flatten().filter_map(name).collect();
        CliError::missing(error.to_string()).hint(if here.is_empty() {
            "`deepanalyze doctor` says where nets are looked for and how to get one".to_owned()
        } else {
            format!("your data folder has {}", here.join(", "))
        })
    })?;
    Ok(Arc::new(net))
}

/// Where a kept net is, by its digest: in the data folder, or a file of its name here.
fn place_of_net(known: &HumanNet) -> Result<Option<PathBuf>, CliError> {
    let mut places = all_nets()?;
    places.push(PathBuf::from(format!("{}{EXTENSION}", known.name)));
    let is_it = |place: &PathBuf| Net::open(place).is_ok_and(|net| net.digest() == known.digest);
    Ok(places.into_iter().find(is_it))
}

/// Nets for the two sides, read.
#[derive(Clone)]
pub struct AskedNets {
    white: Option<Arc<Net>>,
    black: Option<Arc<Net>>,
    weight: u32,
}

impl fmt::Debug for AskedNets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kept().fmt(f)
    }
}

impl AskedNets {
    /// As a tree knows them.
    pub fn kept(&self) -> HumanNets {
        let kept = |net: &Option<Arc<Net>>| {
            let (name, digest) = net.as_ref().map(|net| (net.name(), net.digest()))?;
            Some(HumanNet { name: name.to_owned(), digest: digest.to_owned() })
        };
        let (white, black) = (kept(&self.white), kept(&self.black));
        let nets = HumanNets { white, black, weight: self.weight };
        if nets.is_empty() { HumanNets::default() } else { nets }
    }

    /// The counts at the root of a game with the probabilities of the net for its side to move.
    pub fn with(&self, game: &Game, counts: MoveCounts) -> MoveCounts {
        match self.after(game) {
            Some((_, likely)) => counts.with_human(&permille(&likely), self.weight),
            None => counts,
        }
    }

    /// A prediction at the root of a game, which is known to the net, and the net's name; `None`
    /// without a net for the side to move, and if there is no legal move.
    pub fn after(&self, game: &Game) -> Option<(String, Prediction)> {
        let net = self.of(game.root().turn())?;
        Some((net.name().to_owned(), net.evaluate(&Past::of_game(game))?))
    }

    fn of(&self, side: Color) -> Option<&Net> {
        side.fold_wb(&self.white, &self.black).as_deref()
    }
}
