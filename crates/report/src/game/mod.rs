//! A played game with the verdicts on its positions, as JSON and as a page to step through.

pub mod accuracy;
pub mod judged;
pub mod marks;
pub mod pgn;
mod reading;
pub mod summary;
mod turning;
mod variations;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;

use deepanalyze_core::chess::{Game, Heading, Remark, Value, epd_of, fen_of};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_store::AnalysisRow;

use crate::game::accuracy::Accuracy;
use crate::game::judged::{Annotation, JudgedLine};
use crate::tree::html::{as_script, write_page};
use deepanalyze_view::{
    ChosenBy, DepthReached, NamedEngine, NamedMove, PointOfView, SettingsObject, Variant, after,
    known_tag, variant_of, write_plain_json,
};

pub use reading::annotated_games;
pub use turning::closing_weights;
pub use variations::variations_begun;

/// A game with the analysis of its positions and moves.
#[derive(Debug, Clone)]
pub struct AnnotatedGame {
    /// The game.
    pub game: Game,
    /// Its tags and result.
    pub heading: Heading,
    /// The file's remarks before the first move, and then behind each move.
    pub remarks: Vec<Vec<Remark>>,
    /// The trees of its positions, from its start to its end.
    pub positions: Vec<JudgedPosition>,
    /// The annotation of each move.
    pub annotations: Vec<Annotation>,
    /// The name of the annotator.
    pub annotator: String,
}

/// A position of a game.
#[derive(Debug, Clone, Default)]
pub struct JudgedPosition {
    /// Its analysis, if the game is judged by one.
    pub row: Option<AnalysisRow>,
    /// Its best line, passed back along the game; `None` without an answer, or if the rules end the
    /// game.
    pub best: Option<JudgedLine>,
}

impl AnnotatedGame {
    /// Its result: `1-0`, `0-1`, `1/2-1/2`, or `*` if unknown.
    pub fn result(&self) -> &str {
        let known = |result: &&str| ["1-0", "0-1", "1/2-1/2"].contains(result);
        let of_moves = self.heading.result.as_deref();
        let found = of_moves.filter(known).or(self.heading.tag("Result").filter(known));
        found.unwrap_or("*")
    }

    /// The accuracy of its sides, if known.
    pub fn accuracy(&self) -> Option<Accuracy> {
        let lines = self.positions.iter().map(|position| position.best.as_ref());
        Accuracy::of(&self.game, lines, &self.annotations)
    }

    /// True if any of its positions is analysed.
    pub fn is_analysed(&self) -> bool {
        self.kind().is_some()
    }

    /// The shallowest of its analyses, which differ only in engine depth, if any.
    fn kind(&self) -> Option<&AnalysisRow> {
        let rows = self.positions.iter().filter_map(|position| position.row.as_ref());
        rows.min_by_key(|row| row.profile.limit)
    }
}

/// A game in JSON, and on its page. Scores are the mover's.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "AnnotatedGame"))]
pub struct GameForPrograms<'a> {
    format: u32,
    tags: BTreeMap<&'a str, &'a str>,
    result: &'a str,
    /// FEN of the initial position.
    start: String,
    /// Only of Chess960.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
    /// Null if no position is analysed.
    engine: Option<NamedEngine<'a>>,
    #[serde(flatten)]
    settings: Option<SettingsObject>,
    /// Of each side, 0 to 100, and its source; null if no move is judged.
    accuracy: Option<Accuracy>,
    positions: Vec<PositionOfGame>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct PositionOfGame {
    ply: usize,
    epd: String,
    analysis: Option<i64>,
    depth: Option<DepthReached>,
    positions: Option<u64>,
    searches: Option<u64>,
    /// The value for its side to move, passed back along the game.
    value: Option<Value>,
    /// The engine's win, draw and loss, for the side to move; only if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<WinDrawLoss>,
    /// The origin of the choice, and the ply of the position of the verdict: its own, or one behind
    /// it.
    by: Option<ChosenBy>,
    from: Option<usize>,
    best: Vec<NamedMove>,
    /// Null behind the last move.
    played: Option<PlayedMove>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct PlayedMove {
    #[serde(flatten)]
    named: NamedMove,
    /// Its value, for its mover.
    value: Option<Value>,
    /// True if the best line is better by the distance or more.
    better: bool,
    /// Of its loss of winning chances.
    glyph: Option<u8>,
}

/// Writes games with the verdicts on their positions as one JSON array. The format is public; each
/// object names it as `"format": 1`.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_games_json(games: &[AnnotatedGame], out: &mut dyn Write) -> io::Result<()> {
    let told: Vec<GameForPrograms<'_>> = games.iter().map(GameForPrograms::of).collect();
    write_plain_json(&told, out)?;
    writeln!(out)
}

impl<'a> GameForPrograms<'a> {
    /// From a game.
    pub fn of(game: &'a AnnotatedGame) -> GameForPrograms<'a> {
        let tags = game.heading.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let (mut position, mut positions) = (game.game.start().clone(), Vec::new());
        for (ply, judged) in game.positions.iter().enumerate() {
            let (uci, annotation) = (game.game.moves().get(ply), game.annotations.get(ply));
            let played = uci.zip(annotation).map(|(uci, said)| PlayedMove {
                named: NamedMove::of(&position, *uci),
                value: said.played,
                better: said.is_beaten,
                glyph: said.glyph,
            });
            positions.push(position_of_game(ply, &position, judged, played));
            position = after(&position, uci);
        }
        let kind = game.kind();
        GameForPrograms {
            format: 1,
            tags: tags.collect(),
            result: game.result(),
            start: fen_of(game.game.start()),
            variant: variant_of(&game.game),
            engine: kind.map(|row| NamedEngine::of(&row.profile)),
            settings: kind.map(|row| SettingsObject::of(&row.settings)),
            accuracy: game.accuracy(),
            positions,
        }
    }
}

fn position_of_game(
    ply: usize,
    position: &Chess,
    JudgedPosition { row, best }: &JudgedPosition,
    played: Option<PlayedMove>,
) -> PositionOfGame {
    let (row, best) = (row.as_ref(), best.as_ref());
    PositionOfGame {
        ply,
        epd: epd_of(position),
        analysis: row.map(|row| row.id.0),
        depth: row.map(DepthReached::of_row),
        positions: row.map(|row| row.positions),
        searches: row.map(|row| row.searches),
        value: best.map(|best| best.value),
        wdl: best.and_then(|best| best.wdl),
        by: best.and_then(|best| best.by),
        from: best.map(|best| best.ply),
        best: best.map_or_else(Vec::new, |best| NamedMove::line(position, &best.moves)),
        played,
    }
}

/// Markup, style and script of the page of a game.
pub const PAGE: &str = include_str!("../../../../web/game/dist/game.html");

/// Data for the page's script; `web/game/src/data.ts` is the other end.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "GamePageData"))]
pub struct GamePageData<'a> {
    pov: PointOfView,
    engine: &'a str,
    /// The accuracy of each side, in words.
    accuracy: Option<String>,
    /// The players, or the event.
    title: String,
    event: String,
    /// As in JSON.
    game: GameForPrograms<'a>,
}

/// Writes a game as a page. `pov` is its initial point of view.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_game_html(
    game: &AnnotatedGame,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let data = as_script(&serde_json::to_string(&GamePageData::of(game, pov))?);
    let title = title(&game.heading);
    write_page(PAGE, &title, out, |out| out.write_all(data.as_bytes()))
}

impl<'a> GamePageData<'a> {
    /// The data of a game. `pov` is the page's initial point of view.
    pub fn of(game: &'a AnnotatedGame, pov: PointOfView) -> GamePageData<'a> {
        GamePageData {
            pov,
            engine: &game.annotator,
            accuracy: game.accuracy().map(|accuracy| accuracy.to_string()),
            title: title(&game.heading),
            event: event(&game.heading),
            game: GameForPrograms::of(game),
        }
    }
}

/// Title of a game: its players, or its event.
pub fn title(heading: &Heading) -> String {
    let player = |name| known_tag(heading, name).unwrap_or_else(|| "?".to_owned());
    match (known_tag(heading, "White"), known_tag(heading, "Black")) {
        (None, None) => known_tag(heading, "Event").unwrap_or_else(|| "A game".to_owned()),
        _ => format!("{} – {}", player("White"), player("Black")),
    }
}

/// Place and time of a game: `Opera, Paris, 1858.11.02`.
pub fn event(heading: &Heading) -> String {
    let parts =
        ["Event", "Site", "Date", "Round"].iter().filter_map(|name| known_tag(heading, name));
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_called_by_its_players_or_its_event() {
        let heading = |tags: &[(&str, &str)]| {
            let tag = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            Heading { tags: tags.iter().map(tag).collect(), result: None }
        };
        let opera = heading(&[("Event", "Opera"), ("White", "Morphy"), ("Date", "1858.??.??")]);
        assert_eq!(
            (title(&opera), event(&opera)),
            ("Morphy – ?".into(), "Opera, 1858.??.??".into())
        );
        assert_eq!(title(&heading(&[("White", "?"), ("Event", "Opera")])), "Opera");
        assert_eq!(title(&heading(&[])), "A game");
    }
}
