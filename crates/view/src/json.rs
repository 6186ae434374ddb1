//! JSON shared by all reports: moves, lines, scores, roots, engines, depths and times.

mod write;

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize, Serializer};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use deepanalyze_core::chess::{
    DrawValue, Ending, Game, TableEnd, TableMove, Tables, fen_of, is_chess960, san_of,
};
use deepanalyze_core::search::{Limit, Profile, WinDrawLoss};
use deepanalyze_core::tree::{Graph, NodeId, PlayedRules};
use deepanalyze_store::{AnalysisRow, HumanNets, KeptGameSet, TreeSettings};

use crate::words::figures::timestamp;
use crate::words::manner::describe_table_move;
use crate::words::play;

pub use write::{Numbered, plain_json, write_json, write_json_array, write_plain_json};

/// A move of a position, in UCI notation and in SAN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Move"))]
pub struct NamedMove {
    /// The move.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "contract", schemars(with = "String"))]
    pub uci: UciMove,
    /// In SAN.
    pub san: String,
}

impl NamedMove {
    /// A move of a position.
    pub fn of(position: &Chess, uci: UciMove) -> NamedMove {
        NamedMove { uci, san: san_of(position, uci) }
    }

    /// The moves of a line.
    pub fn line(start: &Chess, line: &[UciMove]) -> Vec<NamedMove> {
        let mut position = start.clone();
        let named = |uci: &UciMove| {
            let named = NamedMove::of(&position, *uci);
            play(&mut position, *uci);
            named
        };
        line.iter().map(named).collect()
    }

    /// The moves of a line in UCI notation.
    pub fn ucis(line: &[NamedMove]) -> Vec<UciMove> {
        line.iter().map(|named| named.uci).collect()
    }
}

/// Progress of a tree, and its target.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Depth"))]
pub struct DepthReached {
    /// The deepest complete depth, in plies.
    settled: Option<u32>,
    target: u32,
}

impl DepthReached {
    /// Of a tree with this settled depth.
    pub fn of(settled: Option<u32>, row: &AnalysisRow) -> DepthReached {
        DepthReached { settled, target: row.target_depth }
    }

    /// Of an analysis, from its row.
    pub fn of_row(row: &AnalysisRow) -> DepthReached {
        DepthReached::of(row.settled_depth, row)
    }
}

/// The engine and breadth of an analysis.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct AnalysisManner<'a> {
    engine: NamedEngine<'a>,
    #[serde(flatten)]
    settings: SettingsObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<GamesObject<'a>>,
}

/// The games that a tree knows, and from which share and number of games on a played move is
/// followed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "GamesOfTree"))]
struct GamesObject<'a> {
    set: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    filter: &'a str,
    digest: &'a str,
    games: u64,
    white: Option<String>,
    black: Option<String>,
    /// The nets that predict moves of people.
    #[serde(skip_serializing_if = "Option::is_none")]
    human: Option<HumanObject<'a>>,
}

/// Nets of human play: the one for each side by its name, and the number of games that their
/// probabilities stand for beside counted ones.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "HumanNets"))]
pub struct HumanObject<'a> {
    white: Option<&'a str>,
    black: Option<&'a str>,
    weight: u32,
}

impl<'a> HumanObject<'a> {
    /// Of a set; `None` without nets.
    pub fn of(HumanNets { white, black, weight }: &'a HumanNets) -> Option<HumanObject<'a>> {
        let [white, black] = [white, black].map(|net| net.as_ref().map(|net| &*net.name));
        (white.is_some() || black.is_some()).then_some(HumanObject {
            white,
            black,
            weight: *weight,
        })
    }
}

impl<'a> GamesObject<'a> {
    fn of(row: &'a AnalysisRow) -> Option<GamesObject<'a>> {
        let KeptGameSet { digest, name: set, filter, games, nets } = row.game_set.as_ref()?;
        let PlayedRules { white, black } =
            row.settings.games.map(|games| games.rules).unwrap_or_default();
        let [white, black] = [white, black].map(|rule| rule.map(|rule| rule.to_string()));
        let human = HumanObject::of(nets);
        Some(GamesObject { set, filter, digest, games: *games, white, black, human })
    }
}

impl<'a> AnalysisManner<'a> {
    /// Of an analysis.
    pub fn of(row: &'a AnalysisRow) -> AnalysisManner<'a> {
        let (engine, settings) = (NamedEngine::of(&row.profile), SettingsObject::of(&row.settings));
        AnalysisManner { engine, settings, games: GamesObject::of(row) }
    }
}

/// An engine, with its limit or without.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Engine"))]
pub struct NamedEngine<'a> {
    name: &'a str,
    options: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
}

impl<'a> NamedEngine<'a> {
    /// Of a profile, with its limit.
    pub fn of(profile: &'a Profile) -> NamedEngine<'a> {
        NamedEngine { limit: Some(profile.limit), ..NamedEngine::without_limit(profile) }
    }

    /// Of a profile, whatever its limit.
    pub fn without_limit(profile: &'a Profile) -> NamedEngine<'a> {
        NamedEngine { name: &profile.engine, options: profile.described_options(), limit: None }
    }
}

/// The settings of a tree.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Settings"))]
pub struct SettingsObject {
    /// Centipawns, where both sides have the same plain one.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    widths: BothWidths,
    root_moves: u32,
    /// Centipawns for White.
    #[serde(skip_serializing_if = "is_nothing")]
    draw_value: DrawValue,
}

/// True if a draw is worth nothing to either side.
fn is_nothing(draw: &DrawValue) -> bool {
    *draw == DrawValue::default()
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Widths"))]
struct BothWidths {
    white: String,
    black: String,
}

impl SettingsObject {
    /// Of an analysis.
    pub fn of(TreeSettings { breadth, draw, .. }: &TreeSettings) -> SettingsObject {
        let (white, black) = (breadth.white.to_string(), breadth.black.to_string());
        let widths = BothWidths { white, black };
        let (distance, root_moves) = (breadth.plain(), breadth.least);
        SettingsObject { distance, widths, root_moves, draw_value: *draw }
    }
}

/// How the game ends behind a move, as far as known.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum MoveWdl {
    /// By tablebases: from -2 to 2 for the side to move in the position behind it.
    Tables(i8),
    /// By the engine's word: wins, draws and losses in a thousand games, for the mover.
    Said(WinDrawLoss),
}

impl MoveWdl {
    /// By tablebases, else by the engine; `None` if neither is there.
    pub fn of(known: Option<TableEnd>, said: Option<WinDrawLoss>) -> Option<MoveWdl> {
        known.map(|known| MoveWdl::Tables(known.wdl.get())).or(said.map(MoveWdl::Said))
    }

    /// The engine's word, if it is that.
    pub fn said(self) -> Option<WinDrawLoss> {
        match self {
            MoveWdl::Said(said) => Some(said),
            MoveWdl::Tables(_) => None,
        }
    }
}

/// A move of a root that tablebases know.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    feature = "contract",
    derive(schemars::JsonSchema),
    schemars(rename = "TableMoveOfPrograms")
)]
pub struct NamedTableMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// From -2 to 2, for its mover.
    wdl: i8,
    /// Plies to the next capture, pawn move or mate; null if the tablebases do not say.
    pub dtz: Option<i32>,
}

/// A table move, with its result in words.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "TableMove"))]
pub struct WordedTableMove {
    /// Its JSON object.
    #[serde(flatten)]
    pub of: NamedTableMove,
    /// The result for its mover, in words.
    pub known: &'static str,
}

impl NamedTableMove {
    /// A move of a root as JSON.
    pub fn of(root: &Chess, TableMove { uci, wdl, dtz }: &TableMove) -> NamedTableMove {
        NamedTableMove { named: NamedMove::of(root, *uci), wdl: wdl.get(), dtz: *dtz }
    }
}

impl WordedTableMove {
    /// The moves of a root of a tree that uses tablebases; empty for another.
    pub fn all(root: &Chess, tables: Option<Tables>, moves: &[TableMove]) -> Vec<WordedTableMove> {
        let worded = |tables| {
            moves.iter().map(move |m| WordedTableMove {
                of: NamedTableMove::of(root, m),
                known: describe_table_move(tables, m),
            })
        };
        tables.into_iter().flat_map(worded).collect()
    }
}

/// A root with the game before it.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct RootOfGame<'a> {
    /// FEN.
    root: String,
    #[serde(serialize_with = "line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    history: &'a [UciMove],
    /// Only if the history began as only Chess960 can; castling is then the king's move onto its
    /// rook.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
}

/// Rules other than those of standard chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Starting positions of Chess960.
    Chess960,
}

/// A root with the game before it; flatten it.
pub fn root<S: Serializer>(game: &Game, to: S) -> Result<S::Ok, S::Error> {
    let (root, variant) = (fen_of(game.root()), variant_of(game));
    RootOfGame { root, history: game.moves(), variant }.serialize(to)
}

/// Chess960 if the game began as only it can; else `None`.
pub fn variant_of(game: &Game) -> Option<Variant> {
    is_chess960(game.start()).then_some(Variant::Chess960)
}

/// The first position of a history; `None` if it is the initial position, or there is no history.
pub fn start_of(game: &Game) -> Option<String> {
    let is_told = !game.moves().is_empty() && *game.start() != Chess::default();
    is_told.then(|| fen_of(game.start()))
}

/// Reason why a tree ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EndOfLine {
    /// Checkmate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// Neither side can mate.
    #[serde(rename = "insufficient material")]
    InsufficientMaterial,
    /// Tablebases know the result.
    Tables,
    /// The user has given it a value.
    Value,
    /// The position was there before.
    Repetition,
}

impl EndOfLine {
    /// The end of the tree at a position, by the rules, by tablebases or by the user's value;
    /// `None` if it may go on.
    pub fn of(graph: &Graph, node: NodeId) -> Option<EndOfLine> {
        let by_rules = graph.ending(node).map(EndOfLine::from);
        let by_tables = || graph.known(node).map(|_| EndOfLine::Tables);
        by_rules.or_else(by_tables).or_else(|| graph.given(node).map(|_| EndOfLine::Value))
    }

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            EndOfLine::Checkmate => Ending::Checkmate.name(),
            EndOfLine::Stalemate => Ending::Stalemate.name(),
            EndOfLine::InsufficientMaterial => Ending::InsufficientMaterial.name(),
            EndOfLine::Tables => TableEnd::NAME,
            EndOfLine::Value => "value",
            EndOfLine::Repetition => "repetition",
        }
    }
}

impl From<Ending> for EndOfLine {
    fn from(ending: Ending) -> EndOfLine {
        match ending {
            Ending::Checkmate => EndOfLine::Checkmate,
            Ending::Stalemate => EndOfLine::Stalemate,
            Ending::InsufficientMaterial => EndOfLine::InsufficientMaterial,
        }
    }
}

/// A line in UCI notation.
pub fn line<S: Serializer>(moves: &[UciMove], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(moves.iter().map(ToString::to_string))
}

/// A displayable value.
pub fn text<S: Serializer>(told: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(told)
}

/// A side, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<Color> for Side {
    fn from(side: Color) -> Side {
        side.fold_wb(Side::White, Side::Black)
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

/// A time of the database (milliseconds since 1970), as RFC 3339, UTC.
pub fn time<S: Serializer>(milliseconds: &i64, to: S) -> Result<S::Ok, S::Error> {
    timestamp(*milliseconds).serialize(to)
}

/// A time, or null.
pub fn known_time<S: Serializer>(milliseconds: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
    milliseconds.map(timestamp).serialize(to)
}

/// True if it can be left out, for serde.
pub fn is_false(flag: &bool) -> bool {
    !flag
}
