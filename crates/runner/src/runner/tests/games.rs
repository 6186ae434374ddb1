//! Roots with and without games on one agenda.

use deepanalyze_core::chess::{Game, legal_uci};
use deepanalyze_core::tree::{MoveCounts, PlayedRules};
use deepanalyze_store::{AnalysisKey, HumanNets, KeptGameSet, KnownGames, TreeSettings};

use super::*;
use crate::facts::{CountError, CountSource};

/// A set in which each move of a position is played in ten games.
#[derive(Debug)]
struct AllMoves;

impl CountSource for AllMoves {
    fn counts(&mut self, game: &Game) -> Result<MoveCounts, CountError> {
        let moves = legal_uci(game.root()).into_iter();
        Ok(MoveCounts::new(moves.map(|uci| (uci, 10))))
    }
}

fn set(digest: &str) -> KeptGameSet {
    let (digest, name) = (digest.to_owned(), "club".to_owned());
    KeptGameSet { digest, name, filter: String::new(), games: 100, nets: HumanNets::default() }
}

fn rules(white: &str) -> PlayedRules {
    PlayedRules { white: Some(white.parse().unwrap()), black: None }
}

/// A place whose runners have the set "here", followed by White if a move is played in each second
/// game.
fn with_games() -> Place {
    let games = GamesUse::new(set("here"), rules("50%/1"), AllMoves);
    Place { games: Some(games), ..Place::new() }
}

/// An analysis of a root in the database with a set of games.
fn analysis(place: &Place, digest: &str, rules: PlayedRules) -> AnalysisId {
    let (mut store, game) = (place.store(), game(ONE_ROOK));
    let profile = store.profile_id(&profile()).unwrap();
    let games = Some(KnownGames { set: store.game_set_id(&set(digest)).unwrap(), rules });
    let settings = &TreeSettings { games, ..8.into() };
    store.open_analysis(AnalysisKey { game: &game, profile, settings }).unwrap()
}

/// A root whose tree follows the games of an agenda.
fn following(agenda: &Runner, fen: &str, text: &str) -> Result<Job, RunnerError> {
    let tree = agenda.tree(8.into(), DrawValue::default(), Some(rules(text)))?;
    Ok(Job { tree, ..root(fen) })
}

/// Number of analysed positions.
fn size(place: &Place, id: AnalysisId) -> usize {
    let kept = deepanalyze_view::load(&place.store(), id).unwrap();
    kept.growth.graph().analysed().count()
}

#[test]
fn each_root_follows_the_games_by_its_own_rules() {
    let place = with_games();
    let kept = analysis(&place, "here", rules("1%/1"));
    let agenda = place.agenda(2, MS);
    let new = following(&agenda, ONE_ROOK, "50%/1").unwrap();
    let asked = agenda.known(&new).unwrap();
    let [without, with] = [root(ONE_ROOK), new].map(|new| added(&agenda, &new).unwrap());
    assert_eq!((asked, without.is_new, with.is_new), (None, true, true));
    for id in [kept, without.id, with.id] {
        agenda.grow(id).unwrap();
    }
    wait_until(&agenda, all_done);
    let games = |id| place.store().analysis(id).unwrap().unwrap().settings.games;
    let known = games(kept).unwrap();
    assert_eq!((known.rules, games(without.id)), (rules("1%/1"), None));
    assert_eq!(games(with.id), Some(KnownGames { rules: rules("50%/1"), ..known }));
    // White's moves are played often enough for the one, and not for the others.
    assert!(size(&place, kept) > size(&place, with.id));
    assert_eq!(size(&place, with.id), size(&place, without.id));
    let same = following(&agenda, ONE_ROOK, "1%/1").unwrap();
    assert_eq!(agenda.known(&same).unwrap(), Some(kept));
}

#[test]
fn a_root_with_games_that_are_not_here_is_not_grown() {
    let place = with_games();
    let other = analysis(&place, "elsewhere", rules("1%/1"));
    let agenda = place.agenda(1, MS);
    let refused = agenda.grow(other).unwrap_err();
    assert!(
        matches!(&refused, RunnerError::OtherGames(set) if set.digest == "elsewhere"),
        "{refused}"
    );
    agenda.end();
    let without = Place { games: None, ..place };
    let agenda = without.agenda(1, MS);
    let new = following(&agenda, TWO_ROOKS, "1%/1");
    assert!(matches!(new, Err(RunnerError::NoGames)));
    assert!(matches!(agenda.grow(other), Err(RunnerError::OtherGames(_))));
}
