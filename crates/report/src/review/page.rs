//! A review as one web page: a board for each place, then the games. It has no script.

use std::io::{self, Write};

use crate::board::board;
use crate::review::text::{
    DepartureWords, course_words, describe_games, describe_left, describe_repertoire,
};
use crate::review::{LeftBy, PlaceLeft, Review};
use crate::tree::svg::escaped;
use deepanalyze_view::{PointOfView, count, describe_profile};

const STYLE: &str = "\
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{opacity:.7}dd{margin:0}
.place{display:flex;flex-wrap:wrap;gap:1rem;margin:1.5rem 0}.place svg{width:15rem;height:15rem;flex:none}
.place div{flex:1;min-width:16rem}.place p{margin:.3rem 0}.many{font-weight:bold}
.player .who{color:#b35900}.opponent .who{color:#0b7285}.end .who{opacity:.7}
@media(prefers-color-scheme:dark){.player .who{color:#ffb46b}.opponent .who{color:#66d9e8}}
td{padding:.1rem .8rem .1rem 0;vertical-align:top}td:first-child{text-align:right;opacity:.7}";

/// Writes a page that needs nothing else: readable on light and dark screens, and on a phone.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_review_page(
    review: &Review<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = match &review.player {
        Some(player) => format!("Games of {player}"),
        None => "Games beside the repertoire".to_owned(),
    };
    let title = escaped(&title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
        content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>{STYLE}</style>\n\
        <h1>{title}</h1>\n"
    )?;
    write_head(review, pov, out)?;
    let places = review.places();
    if !places.is_empty() {
        writeln!(out, "<h2>Where they left the repertoire</h2>")?;
    }
    places.iter().try_for_each(|place| write_place(place, pov, out))?;
    writeln!(out, "<h2>Game by game</h2>\n<table>")?;
    for game in &review.games {
        let (number, words) = (game.written.number, escaped(&course_words(game)));
        writeln!(out, "<tr><td>{number}<td>{words}")?;
    }
    writeln!(out, "</table>")
}

fn write_head(review: &Review<'_>, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<dl>")?;
    for (name, value) in [
        ("engine", describe_profile(&review.tree.row.profile)),
        ("repertoire", describe_repertoire(review)),
        ("games", describe_games(review)),
        ("left", describe_left(review)),
        ("scores", format!("in pawns, {}", pov.whose())),
    ] {
        writeln!(out, "<dt>{name}<dd>{}", escaped(&value))?;
    }
    writeln!(out, "</dl>")
}

/// A board seen from the player's side, with the words beside it.
fn write_place(place: &PlaceLeft<'_>, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    let PlaceLeft { games, first, departure } = place;
    let words = DepartureWords::of(&first.written.game, departure, pov);
    let class = match departure.by {
        LeftBy::Player => "player",
        LeftBy::Opponent => "opponent",
        LeftBy::End => "end",
    };
    let picture = board(&departure.position, departure.side);
    let number = count(*games as u64, "game");
    let (who, what) = (escaped(words.who), escaped(&words.what));
    writeln!(
        out,
        "<div class=\"place {class}\">{picture}<div><p class=\"many\">{number}</p>\
        <p><span class=\"who\">{who}</span>{what}</p>"
    )?;
    for sentence in words.sentences() {
        writeln!(out, "<p>{}</p>", escaped(sentence))?;
    }
    writeln!(out, "</div></div>")
}
