//! What `verify` asks of directives: that each could have been given where it stands.

use deepanalyze_core::chess::{Game, PositionKey, epd_of, parse_uci};
use deepanalyze_core::directives::Directives;

use super::analyses::AnalysisRow;
use super::check::Flaw;
use super::error::StoreError;
use super::open::Store;

impl Store {
    /// Checks the directives of every root.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn check_directives(&self) -> Result<Vec<Flaw>, StoreError> {
        self.at_one_moment(|| self.flaws_of_directives())
    }

    fn flaws_of_directives(&self) -> Result<Vec<Flaw>, StoreError> {
        let mut flaws = Vec::new();
        for (id, start, history) in self.directed_games()? {
            let place = format!("the directives of game {id}");
            let Some(game) = play(&start, &history) else {
                flaws.push(format!("{place}: {start} {history} cannot be played"));
                continue;
            };
            let set = match self.directives(&game) {
                Ok(set) => set,
                Err(error) if error.is_damage() => {
                    flaws.push(error.flaw());
                    continue;
                }
                Err(error) => return Err(error),
            };
            flaws.extend(refused(&set, &game).map(|flaw| format!("{place}: {flaw}")));
        }
        Ok(flaws)
    }

    /// Checks the directives that a tree was grown with.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn check_grown_with(
        &self,
        row: &AnalysisRow,
        game: &Game,
    ) -> Result<Vec<Flaw>, StoreError> {
        let set = self.grown_with(row.id)?;
        Ok(refused(&set, game).map(|flaw| format!("its directives: {flaw}")).into_iter().collect())
    }
}

fn play(start_epd: &str, history: &str) -> Option<Game> {
    let mut game = Game::from_start(start_epd).ok()?;
    for word in history.split_whitespace() {
        let m = parse_uci(word)?.to_move(game.root()).ok()?;
        game.play(m);
    }
    Some(game)
}

/// The first thing of a set that could not have been said.
fn refused(set: &Directives, game: &Game) -> Option<Flaw> {
    let root = PositionKey::of(game.root());
    let mut again = Directives::default();
    for (key, said) in set.positions() {
        let position = key.position();
        for directive in said.each() {
            if let Err(reason) = again.add(&root, &position, directive) {
                return Some(format!("in {}: {reason}", epd_of(&position)));
            }
        }
        if again.at(key) != Some(said) {
            return Some(format!(
                "in {}: a move that is written in another way",
                epd_of(&position)
            ));
        }
    }
    None
}
