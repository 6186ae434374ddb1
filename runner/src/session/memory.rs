//! What the database has for a question, read through a connection of its own, and the engine's own line behind the edge
//! of the tree.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::Progress;
use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::{evaluation, score};
use deepanalyze_core::chess::{Ending, Game, PositionKey, Value, uci_of};
use deepanalyze_core::search::{Limit, Profile, WinDrawLoss};
use deepanalyze_report::{ToldVerdict, are_computed};
use deepanalyze_store::{KeptSearch, ProfileId, Store, StoreError};

use super::runs::EngineRoom;
use super::verdict::{KnownVerdict, RootVerdict, ValuedLine, VerdictOrigin, look_up};
use super::{Report, ReportedLine, SessionQuestion, SessionSettings};

/// How often it is looked what another program has made of a root that it grows.
const PAUSE: Duration = Duration::from_secs(1);

/// A reader of the database.
#[derive(Debug)]
pub struct SessionMemory {
    settings: Arc<SessionSettings>,
    engines: Arc<EngineRoom>,
    store: Option<Store>,
    /// The engine, once it is there.
    profile: Option<Profile>,
    /// When to look what is known; never again where there is none.
    next_look: Option<Duration>,
    /// Whether another program grows the root.
    is_elsewhere: bool,
    /// Answers that were known, of the tree or of its first passes.
    known: u64,
    searched: u64,
    /// What was told of the root when it was looked up, by tree and closing search.
    told: Option<ToldVerdict>,
}

impl SessionMemory {
    /// Nothing is read yet.
    pub fn new(settings: Arc<SessionSettings>, engines: Arc<EngineRoom>) -> SessionMemory {
        SessionMemory {
            settings,
            engines,
            store: None,
            profile: None,
            next_look: Some(Duration::ZERO),
            is_elsewhere: false,
            known: 0,
            searched: 0,
            told: None,
        }
    }

    /// Another program grows the root: what it makes of it is looked up again and again.
    pub fn look_again(&mut self) {
        self.is_elsewhere = true;
        self.next_look.get_or_insert(Duration::ZERO);
    }

    /// Where tables may know the root, what a run has kept of it is looked up.
    pub fn look_once_more(&mut self, question: &SessionQuestion) {
        let tables = self.settings.tree.tables.as_ref();
        if tables.is_some_and(|used| used.tables.may_know(question.game.root())) {
            self.next_look = Some(Duration::ZERO);
        }
    }

    /// What is known of the root, where it is time to look, and the engine is there whose answers count.
    pub fn look_up(&mut self, question: &SessionQuestion, now: Duration) -> Option<RootVerdict> {
        self.next_look.filter(|next| *next <= now)?;
        let engines = self.engines.engines()?;
        self.next_look = self.is_elsewhere.then_some(now + PAUSE);
        self.profile = Some(engines.ok()?.profile().clone());
        let profile = self.profile.clone()?;
        let settings = Arc::clone(&self.settings);
        let known = match look_up(self.store()?, question, &profile, &settings) {
            Ok(known) => known,
            Err(error) => {
                tracing::warn!(%error, "what is known cannot be read");
                None
            }
        };
        let KnownVerdict { verdict, answers, told } = known?;
        self.known = self.known.max(answers);
        self.told = told;
        Some(verdict)
    }

    /// What a run says by now, behind a closing search that it has made, or that was made before it.
    pub fn of_run(&self, question: &SessionQuestion, progress: &Progress) -> Option<RootVerdict> {
        let verdict = RootVerdict::of_run(progress)?;
        Some(match &progress.told {
            Some(told) => verdict.behind(question, Some(told), 0),
            None => verdict.behind(question, self.told.as_ref(), progress.nodes),
        })
    }

    /// Takes in how far the run has come.
    pub fn count(&mut self, progress: &Progress) {
        self.searched = progress.searches;
        self.known = self.known.max(progress.admitted.saturating_sub(progress.searches));
    }

    /// What came out of the database, in words; nothing before anything has.
    pub fn note(&self) -> Option<String> {
        let (known, searched) = (grouped(self.known), grouped(self.searched));
        (self.known + self.searched > 0)
            .then(|| format!("{known} answers known, {searched} searched"))
    }

    /// A verdict as it is reported, with the nodes of the search and its time.
    pub fn report(
        &mut self,
        question: &SessionQuestion,
        verdict: &RootVerdict,
        nodes: u64,
        time: Duration,
    ) -> Report {
        let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
        let profile = self.profile_of(verdict.origin);
        let lines = verdict.lines.iter().take(count);
        let extended: Vec<Extended> =
            lines.map(|line| self.extended(question, profile, line)).collect();
        let depth = depth_of(verdict.origin, extended.first().and_then(|best| best.depth));
        let seldepth = extended.iter().map(Extended::reach).max().unwrap_or(0).max(depth);
        let values = verdict.lines.iter().map(|line| line.value);
        let is_computed = self.profile.as_ref().is_some_and(are_computed);
        let closing = verdict.lines.iter().map(|line| line.wdl);
        type Told = ((Value, Option<WinDrawLoss>), Extended);
        let line = |((value, closing), Extended { moves, wdl, .. }): Told| ReportedLine {
            value,
            wdl: match verdict.origin {
                VerdictOrigin::Tables => closing,
                VerdictOrigin::Tree(_) => closing
                    .or(wdl)
                    .or_else(|| computed_wdl(question, value).filter(|_| is_computed)),
                VerdictOrigin::Quick(_) => computed_wdl(question, value),
            },
            moves,
        };
        Report {
            depth,
            seldepth,
            nodes,
            time,
            lines: values.zip(closing).zip(extended).map(line).collect(),
        }
    }

    /// Whose answers a verdict is made of.
    fn profile_of(&mut self, origin: VerdictOrigin) -> Option<ProfileId> {
        let VerdictOrigin::Tree(speaking) = origin else { return None };
        if self.profile.is_none() {
            self.profile = Some(self.engines.engines()?.ok()?.profile().clone());
        }
        let profile = Profile { limit: speaking.limit, ..self.profile.clone()? };
        self.store()?.find_profile(&profile).ok().flatten()
    }

    /// A line with the engine's own behind its edge; as it is where the database cannot be read.
    fn extended(
        &mut self,
        question: &SessionQuestion,
        profile: Option<ProfileId>,
        line: &ValuedLine,
    ) -> Extended {
        let moves = line.moves.clone();
        let bare = Extended { moves, seldepth: None, depth: None, wdl: None };
        let Some((profile, store)) = profile.zip(self.store()) else {
            return bare;
        };
        let read: Result<Extended, StoreError> =
            extended(store, profile, &question.game, &line.moves);
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "a line cannot be read on");
            bare
        })
    }

    /// The database, where it is there by now.
    fn store(&mut self) -> Option<&Store> {
        if self.store.is_none() {
            self.store = Store::open_to_read(&self.settings.database).ok();
        }
        self.store.as_ref()
    }
}

/// Where tables have the last word, nothing is left to chance.
pub fn decided_wdl(value: Value) -> WinDrawLoss {
    match value.cmp(&Value::EVEN) {
        Ordering::Greater => WinDrawLoss::WON,
        Ordering::Equal => WinDrawLoss::DRAWN,
        Ordering::Less => WinDrawLoss::LOST,
    }
}

/// Wins, draws and losses as they come of a value in games of the built-in engine.
fn computed_wdl(question: &SessionQuestion, value: Value) -> Option<WinDrawLoss> {
    let phase = evaluation::phase(&Board::new(question.game.root()));
    let [win, draw, loss] = score::permille(i32::from(value.get()), phase);
    let number = |n: i32| u16::try_from(n).ok();
    WinDrawLoss::new(number(win)?, number(draw)?, number(loss)?)
}

/// The depth that is told: that of the engine, and the settled one of the tree.
fn depth_of(origin: VerdictOrigin, at_edge: Option<u32>) -> u32 {
    match origin {
        VerdictOrigin::Quick(depth) => depth,
        VerdictOrigin::Tables => 1,
        VerdictOrigin::Tree(speaking) => {
            let engine = match speaking.limit {
                Limit::Depth(depth) => depth,
                Limit::Nodes(_) => at_edge.unwrap_or(1),
            };
            engine + speaking.settled.unwrap_or(0)
        }
    }
}

/// A number with a comma between every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| str::from_utf8(group).unwrap_or(""))
        .collect();
    groups.join(",")
}

/// No line is longer than this, in plies.
const LONGEST: usize = 60;

/// A line with what the engine said behind its end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Extended {
    /// The moves.
    moves: Vec<UciMove>,
    /// How many plies from the root the search at its end went, its extensions among them; none where no
    /// answer is there.
    seldepth: Option<u32>,
    /// The engine depth of that search.
    depth: Option<u32>,
    /// How games end there for the root's side to move.
    wdl: Option<WinDrawLoss>,
}

impl Extended {
    /// How many plies from the root there is something.
    fn reach(&self) -> u32 {
        self.seldepth.unwrap_or(0).max(u32::try_from(self.moves.len()).unwrap_or(0))
    }
}

/// The moves of a line from the root of a game, as far as they are legal, and those of the kept answer whose move
/// is its last.
///
/// # Errors
///
/// Where the database fails.
fn extended(
    store: &Store,
    profile: ProfileId,
    game: &Game,
    line: &[UciMove],
) -> Result<Extended, StoreError> {
    let mut walk = VariationWalk::new(game);
    line.iter().for_each(|uci| walk.play(*uci));
    let plies = walk.moves.len();
    let kept = match walk.last() {
        Some((before, last)) if !walk.is_ended() => answer_of(store, profile, before, last)?,
        _ => None,
    };
    let wdl = match (&kept, walk.end()) {
        (Some(kept), _) => kept.wdl.map(|wdl| if plies % 2 == 1 { wdl } else { wdl.flipped() }),
        (None, Some(end)) if says_wdl(store, profile, game)? => Some(end),
        _ => None,
    };
    let behind = kept.iter().flat_map(|kept| kept.pv.iter().skip(1));
    behind.take(LONGEST.saturating_sub(plies)).for_each(|uci| walk.play(*uci));
    let before = u32::try_from(plies.saturating_sub(1)).unwrap_or(0);
    let depth = kept.as_ref().map(|kept| kept.depth);
    let seldepth = kept.map(|kept| before + kept.seldepth.max(kept.depth));
    Ok(Extended { moves: walk.moves, seldepth, depth, wdl })
}

/// Whether the engine has said win, draw and loss of a root.
fn says_wdl(store: &Store, profile: ProfileId, game: &Game) -> Result<bool, StoreError> {
    let first = store.kept_search(profile, game.root(), 0)?;
    Ok(first.is_some_and(|first| first.wdl.is_some()))
}

/// The kept answer of a position that is this move.
fn answer_of(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    uci: UciMove,
) -> Result<Option<KeptSearch>, StoreError> {
    for rank in 0..position.legal_moves().len() {
        match store.kept_search(profile, position, rank)? {
            Some(kept) if kept.pv.first() == Some(&uci) => return Ok(Some(kept)),
            Some(_) => {}
            None => break,
        }
    }
    Ok(None)
}

/// A line being played.
struct VariationWalk {
    earlier: Vec<PositionKey>,
    positions: Vec<Chess>,
    moves: Vec<UciMove>,
    is_broken: bool,
}

impl VariationWalk {
    fn new(game: &Game) -> VariationWalk {
        let positions = vec![game.root().clone()];
        VariationWalk {
            earlier: game.earlier().to_vec(),
            positions,
            moves: Vec::new(),
            is_broken: false,
        }
    }

    /// Plays a move; after one that is not legal none is played any more.
    fn play(&mut self, uci: UciMove) {
        let Some(position) = self.positions.last().filter(|_| !self.is_broken) else { return };
        let Ok(m) = uci.to_move(position) else {
            self.is_broken = true;
            return;
        };
        let mut next = position.clone();
        next.play_unchecked(m);
        self.earlier.push(PositionKey::of(position));
        self.moves.push(uci_of(position, m));
        self.positions.push(next);
    }

    /// The last move, and the position in which it was played.
    fn last(&self) -> Option<(&Chess, UciMove)> {
        let before = self.positions.get(self.moves.len().checked_sub(1)?)?;
        Some((before, *self.moves.last()?))
    }

    /// How the game ends with its last move, for the root's side to move, where it does: whoever mates has played it.
    fn end(&self) -> Option<WinDrawLoss> {
        let last = self.positions.last().filter(|_| !self.is_broken)?;
        match Ending::of(last) {
            Some(Ending::Checkmate) if self.moves.len() % 2 == 1 => Some(WinDrawLoss::WON),
            Some(Ending::Checkmate) => Some(WinDrawLoss::LOST),
            _ => self.is_ended().then_some(WinDrawLoss::DRAWN),
        }
    }

    /// Whether the line ends with its last move: the game is over there, or a position has come back.
    fn is_ended(&self) -> bool {
        let end = self.positions.last();
        self.is_broken
            || end.is_none_or(|end| {
                Ending::of(end).is_some() || self.earlier.contains(&PositionKey::of(end))
            })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Speaking;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::Answer;
    use deepanalyze_store::NewAnswer;

    #[test]
    fn the_depth_is_the_engines_and_the_trees() {
        let tree = |limit, settled| VerdictOrigin::Tree(Speaking { limit, settled });
        assert_eq!(depth_of(tree(Limit::Depth(12), Some(5)), Some(14)), 17);
        assert_eq!(depth_of(tree(Limit::Depth(12), None), None), 12);
        assert_eq!(depth_of(tree(Limit::Nodes(1000), Some(3)), Some(8)), 11);
        assert_eq!(depth_of(VerdictOrigin::Quick(7), None), 7);
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let all = [0, 999, 1000, 12_345_678].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,345,678"]);
    }

    fn moves(text: &str) -> Vec<UciMove> {
        text.split_whitespace().map(|uci| parse_uci(uci).unwrap()).collect()
    }

    fn answer(pv: &str) -> Answer {
        let (pv, time) = (moves(pv), Duration::ZERO);
        Answer {
            best: pv[0],
            score: Score::Cp(1),
            wdl: None,
            depth: 10,
            seldepth: 14,
            nodes: 1,
            time,
            pv,
        }
    }

    #[test]
    fn a_line_goes_on_with_the_answer_whose_move_is_its_last() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let (engine, options) = ("Some".to_owned(), BTreeMap::new());
        let profile = Profile { engine, options, limit: Limit::Depth(10), kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("e4").unwrap();
        let kept = [answer("c7c5 g1f3"), answer("e7e5 g1f3 b8c6 e1e8 a7a6")];
        for (rank, answer) in kept.iter().enumerate() {
            let excluded: Vec<UciMove> = kept[..rank].iter().map(|answer| answer.best).collect();
            let (position, answer) = (game.root().clone(), answer.clone());
            let row = NewAnswer { position, excluded, answer, worker: None };
            store.keep(profile, &[row]).unwrap();
        }
        let start = Game::from_start("startpos").unwrap();
        let long = extended(&store, profile, &start, &moves("e2e4 e7e5")).unwrap();
        assert_eq!(long.moves, moves("e2e4 e7e5 g1f3 b8c6"), "as far as it is legal");
        assert_eq!(long.seldepth, Some(15));
        let short = extended(&store, profile, &start, &moves("e2e4 d7d5")).unwrap();
        assert_eq!((short.moves, short.seldepth), (moves("e2e4 d7d5"), None));
        let broken = extended(&store, profile, &start, &moves("e2e4 e1e8 e7e5")).unwrap();
        assert_eq!((broken.moves, broken.seldepth), (moves("e2e4"), None));
    }

    #[test]
    fn nothing_follows_a_repetition() {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("Nf3 Nf6 Ng1").unwrap();
        let mut walk = VariationWalk::new(&game);
        assert!(!walk.is_ended() || walk.moves.is_empty());
        walk.play(parse_uci("f6g8").unwrap());
        assert!(walk.is_ended());
    }
}
