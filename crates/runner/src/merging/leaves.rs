//! The answers of another database that decide the best moves of its analyses: those that would
//! have to be wrong for another move to be the best. Its trees are grown from its answers for that,
//! in memory; its own trees are ignored.

use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::search::{Answer, Profile};
use deepanalyze_core::tree::{
    Growth, IllegalMove, MovedLeaf, Selection, Served, Server, Service, grow_by, stability,
};
use deepanalyze_store::{
    AnalysisRow, Incoming, IncomingAnswer, IncomingLists, IncomingProfile, ListedAnswer, ProfileId,
    Store, StoreError, is_repeatable, is_within_reach,
};
use deepanalyze_view::after;
use shakmaty::Chess;

use super::checking::SearchedAgain;
use super::survey::AnswerDrawn;
use crate::control::ControlReceiver;

/// The most analysed positions grown for that, in one tree and in all.
const MOST_POSITIONS: u64 = 300_000;
const MOST_OF_ALL: u64 = 1_000_000;
/// Depth limit.
const DEEPEST: u32 = 500;

/// The answers that `holds` names for the best moves of the analyses there, and of those here that
/// would grow on with them, without those known here; at most `most`. Their trees are grown as they
/// are to be grown here: from the answers here and theirs, under the directives here. Trees that
/// use tables or know games are left out.
///
/// # Errors
///
/// [`StoreError`] if one of the databases fails.
pub fn deciding_answers(
    store: &Store,
    incoming: &Incoming,
    most: usize,
    control: &ControlReceiver,
) -> Result<Vec<AnswerDrawn>, StoreError> {
    let invalidated = store.invalidated_names()?;
    let (mut all, mut grown) = (Vec::new(), 0);
    for (of, row, game) in trees_at_stake(store, incoming)? {
        if all.len() >= most || grown >= MOST_OF_ALL || control.is_told_to_end() {
            break;
        }
        let both = BothLists::of(store, incoming.lists(&of, &invalidated), &row.profile)?;
        let (positions, answers) = deciding(store, &both, &row, &game)?;
        grown += positions;
        all.extend(answers);
    }
    all.truncate(most);
    Ok(all)
}

/// The analyses here, then those of the other database.
fn trees_at_stake(
    store: &Store,
    incoming: &Incoming,
) -> Result<Vec<(IncomingProfile, AnalysisRow, Game)>, StoreError> {
    let mut all = Vec::new();
    for of in incoming.profiles()? {
        let Some(own) =
            of.profile.as_ref().map(|profile| store.find_profile(profile)).transpose()?
        else {
            continue;
        };
        for (id, _) in own.map(|own| store.unsettled(own)).transpose()?.unwrap_or_default() {
            let row = store.analysis(id)?;
            all.extend(row.and_then(|row| Some((of.clone(), row.clone(), row.game()?))));
        }
    }
    for id in incoming.analyses()? {
        let Some((row, game)) = incoming.analysis(id)? else { continue };
        let of = incoming.profile_of_analysis(&row)?;
        all.extend(of.profile.is_some().then_some((of, row, game)));
    }
    let is_plain =
        |row: &AnalysisRow| row.settings.tables.is_none() && row.settings.games.is_none();
    all.retain(|(_, row, _)| {
        is_plain(row) && is_repeatable(&row.profile) && is_within_reach(row.profile.limit)
    });
    Ok(all)
}

/// The lists here, extended by theirs: as they are after a merge.
struct BothLists<'a> {
    store: &'a Store,
    own: Option<ProfileId>,
    theirs: IncomingLists<'a>,
}

impl<'a> BothLists<'a> {
    fn of(
        store: &'a Store,
        theirs: IncomingLists<'a>,
        profile: &Profile,
    ) -> Result<BothLists<'a>, StoreError> {
        Ok(BothLists { store, own: store.find_profile(profile)?, theirs })
    }

    fn own_of(&self, position: &Chess) -> Result<Vec<ListedAnswer>, StoreError> {
        let Some(own) = self.own else { return Ok(Vec::new()) };
        let mut list = Vec::new();
        while let Some(answer) = self.store.answer(own, position, list.len())? {
            list.push(answer);
        }
        Ok(list)
    }

    /// The list of a position.
    fn list_of(&self, position: &Chess) -> Result<Vec<ListedAnswer>, StoreError> {
        let own = self.own_of(position)?;
        let listed = |theirs: &IncomingAnswer| {
            let Answer { best, score, .. } = theirs.answer;
            ListedAnswer { uci: best, score }
        };
        let theirs: Vec<ListedAnswer> = self.theirs.list_of(position)?.iter().map(listed).collect();
        Ok(if theirs.starts_with(&own) { theirs } else { own })
    }
}

/// And the number of positions grown.
fn deciding(
    store: &Store,
    lists: &BothLists<'_>,
    row: &AnalysisRow,
    game: &Game,
) -> Result<(u64, Vec<AnswerDrawn>), StoreError> {
    let directives = store.directives(game)?.of_tree();
    let (breadth, draw) = (row.settings.breadth.clone(), row.settings.draw);
    let (wishes, played) = (directives.wishes(), row.played(game));
    let selection = Selection { draw, wishes, played, ..breadth.into() };
    let growth = grown(lists, (game, selection), row.target_depth.min(DEEPEST))?;
    let holds = stability(growth.graph(), growth.values(), growth.root());
    let leaves = holds.and_then(|holds| holds.flip).map(|flip| flip.leaves).unwrap_or_default();
    let mut all = Vec::new();
    for MovedLeaf { line, .. } in leaves {
        let Some((uci, before)) = line.split_last() else { continue };
        let position = after(game.root(), before);
        let is_here = lists.own_of(&position)?.iter().any(|own| own.uci == *uci);
        let list = lists.theirs.list_of(&position)?;
        let rank = list.iter().position(|listed| listed.answer.best == *uci);
        if let Some(rank) = rank.filter(|_| !is_here) {
            let again = SearchedAgain::of(&position, &list, rank, row.profile.limit);
            all.push(AnswerDrawn { profile: row.profile.clone(), again });
        }
    }
    Ok((growth.analysed(), all))
}

/// A tree as far as these lists answer.
fn grown(
    lists: &BothLists<'_>,
    (game, selection): (&Game, Selection),
    depth: u32,
) -> Result<Growth, StoreError> {
    let mut growth = Growth::new(game, selection);
    let mut server = FromLists { lists, depth };
    match grow_by(&mut growth, &mut server) {
        // An unplayable answer ends it, too: it has been looked at.
        Ok(()) | Err(LeafError::Illegal(_)) => Ok(growth),
        Err(LeafError::Store(error)) => Err(error),
    }
}

struct FromLists<'a> {
    lists: &'a BothLists<'a>,
    depth: u32,
}

#[derive(Debug, thiserror::Error)]
enum LeafError {
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Server for FromLists<'_> {
    type End = ();
    type Error = LeafError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, LeafError> {
        let settled = growth.settled().last().is_some_and(|last| last.depth >= self.depth);
        Ok((settled || growth.analysed() > MOST_POSITIONS).then_some(()))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, LeafError> {
        for service in &mut services {
            let position = growth.position(service.node());
            let list = self.lists.list_of(&position)?;
            while service.wants_search() {
                let Some(listed) = list.get(service.next_rank()) else {
                    return Ok(Served::End(()));
                };
                service.answer(listed.uci, Value::from(listed.score));
            }
        }
        Ok(Served::Answers(services))
    }
}
