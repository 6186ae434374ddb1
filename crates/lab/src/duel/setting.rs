//! The growth of a tree: one arm of a duel.

use std::fmt;
use std::str::FromStr;

use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Breadth;
use deepanalyze_runner::Schedule;

/// When the engine's hash is cleared for a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HashRule {
    /// Before each search: an answer depends on nothing but the position.
    Cleared,
    /// Before the first only: an answer depends on all searches before it.
    Kept,
}

/// A share between nothing and all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartOfNodes {
    numerator: u32,
    denominator: u32,
}

impl FromStr for PartOfNodes {
    type Err = String;

    fn from_str(text: &str) -> Result<PartOfNodes, String> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, ""));
        let (numerator, denominator) = (number(numerator, 1, 999), number(denominator, 2, 1000));
        let share = numerator.zip(denominator).filter(|(n, d)| n < d);
        let share = share.map(|(numerator, denominator)| PartOfNodes { numerator, denominator });
        share.ok_or_else(|| "a share like 1/2".to_owned())
    }
}

impl fmt::Display for PartOfNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl PartOfNodes {
    /// The share of a number of nodes, rounded down.
    pub fn of(self, nodes: u64) -> u64 {
        let share = u128::from(nodes) * u128::from(self.numerator) / u128::from(self.denominator);
        u64::try_from(share).unwrap_or(nodes)
    }
}

/// The setting of a tree arm.
/// Written as it is read: `engine-depth=10 distance=20 hash=kept closing=1/2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The limit of each of the tree's searches, or that of each stage.
    pub schedule: Schedule,
    /// The move distance in centipawns.
    pub distance: u32,
    /// The root's minimum of moves, at any distance.
    pub root_moves: u32,
    /// When the hash is cleared.
    pub hash: HashRule,
    /// The share of the nodes left for one last search of the root.
    pub closing: Option<PartOfNodes>,
}

impl Setting {
    /// Its tree's breadth.
    pub fn breadth(&self) -> Breadth {
        Breadth { least: self.root_moves, ..self.distance.into() }
    }

    /// The root's minimum of moves, if more than one.
    pub fn more_root_moves(&self) -> Option<u32> {
        Some(self.root_moves).filter(|moves| *moves > 1)
    }
}

/// The greatest engine depth, distance and number of root moves, as `grow` takes them.
const GREATEST_DEPTH: u32 = 255;
const GREATEST_DISTANCE: u32 = 100_000;
const MOST_ROOT_MOVES: u32 = 218;

/// The default distance, as in `grow`.
const DISTANCE: u32 = 10;

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let mut words = SettingWords::default();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("{word:?} is not of the form KEY=VALUE"))?;
            if words.set(key, value)? {
                return Err(format!(
                    "{key} comes twice (engine-depth, engine-nodes and stages are one)"
                ));
            }
        }
        let schedule = words.schedule.ok_or_else(|| format!("no engine-depth; {SETTINGS}"))?;
        let hash = words.hash.unwrap_or(HashRule::Cleared);
        let distance = words.distance.unwrap_or(DISTANCE);
        let root_moves = words.root_moves.unwrap_or(1);
        Ok(Setting { schedule, distance, root_moves, hash, closing: words.closing })
    }
}

/// The words of a setting so far.
#[derive(Default)]
struct SettingWords {
    schedule: Option<Schedule>,
    distance: Option<u32>,
    root_moves: Option<u32>,
    hash: Option<HashRule>,
    closing: Option<PartOfNodes>,
}

impl SettingWords {
    /// Takes a word; true if another of its kind came before.
    fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let wrong = |takes: &str| format!("{key} takes {takes}, not {value:?}");
        Ok(match key {
            "engine-depth" => {
                let depth = number(value, 1, GREATEST_DEPTH).ok_or_else(|| wrong("1 to 255"))?;
                self.schedule.replace(Schedule::Once(Limit::Depth(depth))).is_some()
            }
            "engine-nodes" => {
                let nodes = value.parse().ok().filter(|n| (1..=i64::MAX as u64).contains(n));
                let nodes = nodes.ok_or_else(|| wrong("a number of nodes"))?;
                self.schedule.replace(Schedule::Once(Limit::Nodes(nodes))).is_some()
            }
            "stages" => {
                let first = number(value, 1, GREATEST_DEPTH).ok_or_else(|| wrong("1 to 255"))?;
                self.schedule.replace(Schedule::Stages { first }).is_some()
            }
            "distance" => {
                let cp = number(value, 0, GREATEST_DISTANCE);
                self.distance.replace(cp.ok_or_else(|| wrong("0 to 100000 centipawns"))?).is_some()
            }
            "root-moves" => {
                let moves = number(value, 1, MOST_ROOT_MOVES).ok_or_else(|| wrong("1 to 218"))?;
                self.root_moves.replace(moves).is_some()
            }
            "hash" => {
                let named = hash_of(value).ok_or_else(|| wrong("cleared or kept"))?;
                self.hash.replace(named).is_some()
            }
            "closing" => {
                let share = value.parse().map_err(|takes: String| wrong(&takes))?;
                self.closing.replace(share).is_some()
            }
            _ => return Err(format!("there is no setting {key:?}; {SETTINGS}")),
        })
    }
}

const SETTINGS: &str = "write \"engine-depth=10 distance=20 hash=kept\"";

fn number(text: &str, least: u32, greatest: u32) -> Option<u32> {
    text.parse().ok().filter(|number| (least..=greatest).contains(number))
}

fn hash_of(text: &str) -> Option<HashRule> {
    match text {
        "cleared" => Some(HashRule::Cleared),
        "kept" => Some(HashRule::Kept),
        _ => None,
    }
}

/// As the command line takes it, all of it written out.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.schedule {
            Schedule::Once(Limit::Depth(depth)) => write!(f, "engine-depth={depth}")?,
            Schedule::Once(Limit::Nodes(nodes)) => write!(f, "engine-nodes={nodes}")?,
            Schedule::Stages { first } => write!(f, "stages={first}")?,
        }
        let hash = if self.hash == HashRule::Kept { "kept" } else { "cleared" };
        write!(f, " distance={}", self.distance)?;
        if let Some(moves) = self.more_root_moves() {
            write!(f, " root-moves={moves}")?;
        }
        write!(f, " hash={hash}")?;
        if let Some(share) = self.closing {
            write!(f, " closing={share}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_the_seed_s_own() {
        let setting: Setting = "engine-depth=12".parse().unwrap();
        assert_eq!(setting.to_string(), "engine-depth=12 distance=10 hash=cleared");
        let text = "engine-depth=10 distance=20 hash=kept closing=1/2";
        assert_eq!(text.parse::<Setting>().unwrap().to_string(), text);
        let setting: Setting = "hash=cleared,engine-nodes=5000,distance=0".parse().unwrap();
        assert_eq!(setting.to_string(), "engine-nodes=5000 distance=0 hash=cleared");
        let setting: Setting = "stages=8 distance=20".parse().unwrap();
        assert_eq!(setting.to_string(), "stages=8 distance=20 hash=cleared");
        let setting: Setting = "engine-depth=12 root-moves=1".parse().unwrap();
        assert_eq!(setting.to_string(), "engine-depth=12 distance=10 hash=cleared");
        let setting: Setting = "root-moves=4 engine-depth=12".parse().unwrap();
        assert_eq!(setting.to_string(), "engine-depth=12 distance=10 root-moves=4 hash=cleared");
        assert_eq!((setting.breadth().least, setting.breadth().plain()), (4, Some(10)));
    }

    #[test]
    fn senseless_setting_is_refused_with_its_word() {
        for (text, why) in [
            ("", "no engine-depth"),
            ("distance=10", "no engine-depth"),
            ("engine-depth", "\"engine-depth\" is not of the form KEY=VALUE"),
            ("engine-depth=0", "engine-depth takes 1 to 255, not \"0\""),
            ("engine-depth=256", "not \"256\""),
            ("engine-nodes=0", "engine-nodes takes a number of nodes"),
            ("engine-depth=8 engine-nodes=9", "comes twice"),
            ("engine-depth=8 stages=8", "comes twice"),
            ("stages=0", "stages takes 1 to 255, not \"0\""),
            ("engine-depth=8 distance=-1", "distance takes 0 to 100000 centipawns, not \"-1\""),
            ("engine-depth=8 root-moves=0", "root-moves takes 1 to 218, not \"0\""),
            ("engine-depth=8 root-moves=219", "not \"219\""),
            ("engine-depth=8 hash=warm", "hash takes cleared or kept, not \"warm\""),
            ("engine-depth=8 hash=kept closing=2/2", "closing takes a share like 1/2"),
            ("engine-depth=8 hash=kept closing=0/2", "not \"0/2\""),
            ("engine-depth=8 hash=kept closing=half", "not \"half\""),
            ("engine-depth=8 hash=kept hash=kept", "hash comes twice"),
            ("engine-depth=8 choice=settled", "there is no setting \"choice\""),
            ("depth=8", "there is no setting \"depth\""),
        ] {
            let error = text.parse::<Setting>().unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_share_is_rounded_down() {
        let third = "1/3".parse::<PartOfNodes>().unwrap();
        assert_eq!([third.of(0), third.of(100), third.of(u64::MAX)], [0, 33, u64::MAX / 3]);
    }
}
