//! A played game as a page: one steps through it, with the verdict on each position.

use std::io::{self, Write};

use serde::Serialize;

use deepanalyze_core::chess::Heading;

use crate::game::{AnnotatedGame, GameForPrograms};
use crate::tree::html::{as_script, write_page};
use crate::words::moves::PointOfView;
use crate::words::roots::known_tag;

/// Markup, style and script of the page of a game.
pub const PAGE: &str = include_str!("../../../assets/game/dist/game.html");

/// What the page's script reads; `assets/game/src/data.ts` is the other end.
#[derive(Serialize)]
struct GamePageData<'a> {
    pov: &'static str,
    engine: &'a str,
    event: String,
    /// As in JSON.
    game: GameForPrograms<'a>,
}

/// Writes a game as a page. `pov` is the point of view that it opens with.
///
/// # Errors
///
/// Those of `out`.
pub fn write_game_html(
    game: &AnnotatedGame,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let data = GamePageData {
        pov: pov.name(),
        engine: &game.annotator,
        event: event(&game.heading),
        game: GameForPrograms::of(game),
    };
    let data = as_script(&serde_json::to_string(&data)?);
    let title = title(&game.heading);
    write_page((PAGE, &title), out, |out| out.write_all(data.as_bytes()))
}

/// The players, or the event.
fn title(heading: &Heading) -> String {
    let player = |name| known_tag(heading, name).unwrap_or_else(|| "?".to_owned());
    match (known_tag(heading, "White"), known_tag(heading, "Black")) {
        (None, None) => known_tag(heading, "Event").unwrap_or_else(|| "A game".to_owned()),
        _ => format!("{} – {}", player("White"), player("Black")),
    }
}

/// Where and when it was played: `Opera, Paris, 1858.11.02`.
fn event(heading: &Heading) -> String {
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
