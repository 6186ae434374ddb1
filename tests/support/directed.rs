//! A tree with directives of every kind.

use deepanalyze_core::chess::{Game, GivenValue, PositionKey, parse_uci};
use deepanalyze_core::directives::{Directive, Refusal};
use deepanalyze_store::{Store, StoreError};

use super::program::Place;

/// How the tree is grown.
pub const GROWN: &[&str] = &["--depth", "3", "--distance", "20", "--root-moves", "3"];

/// A note that tries to be more than text, on several lines.
pub const NOTE: &str = "=Solid} {for\nBlack\"s \u{1b}[31m <b>%eval</b> [%eval 9.99];";

/// Directives with their lines from the initial position.
fn said() -> Vec<(&'static str, Directive)> {
    let uci = |text| parse_uci(text).unwrap();
    vec![
        ("", Directive::Exclude(uci("a2a3"))),
        ("", Directive::Exclude(uci("h2h3"))),
        ("", Directive::Include(uci("g1f3"))),
        ("Nf3", Directive::Include(uci("g7g5"))),
        ("Nf3 g5", Directive::Value(GivenValue::Centipawns(150))),
        ("Nc3", Directive::Stop),
        ("c4", Directive::Note(NOTE.to_owned())),
        ("", Directive::Note("Where it all begins".to_owned())),
        // The tree has no such position.
        ("h4 a5 Rh3", Directive::Value(GivenValue::Centipawns(-30_000))),
        // It waits: nothing is asked there.
        ("", Directive::Include(uci("g2g4"))),
        ("g4", Directive::Stop),
    ]
}

/// Why something was not said.
#[derive(Debug)]
pub enum Error {
    /// The store's reason.
    Store(#[allow(dead_code)] StoreError),
    /// Section 6's.
    Refused(#[allow(dead_code)] Refusal),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        Error::Store(error)
    }
}

/// Says things of positions behind lines from the initial position.
pub fn say(place: &Place, said: &[(&str, Directive)]) {
    let game = Game::from_start("startpos").unwrap();
    let root = PositionKey::of(game.root());
    let change = |set: &mut deepanalyze_core::directives::Directives| {
        said.iter().try_for_each(|(line, directive)| {
            let mut there = Game::from_position(game.root().clone());
            there.play_line(line).unwrap();
            set.add(&root, there.root(), directive.clone()).map_err(Error::Refused)
        })
    };
    Store::open(&place.db()).unwrap().change_directives(&game, change).unwrap();
}

/// A place with a tree that was grown with directives of every kind.
pub fn grown() -> Place {
    let place = Place::new();
    say(&place, &said());
    place.grow(GROWN);
    place
}
