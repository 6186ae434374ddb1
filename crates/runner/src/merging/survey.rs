//! Survey of another database before a merge: how much of it is new, and a sample of that.

use std::collections::HashSet;

use deepanalyze_core::search::{Profile, Sample};
use deepanalyze_store::{
    Incoming, IncomingList, IncomingProfile, Joined, LeftOutCounts, ListCompared, Store,
    StoreError, WhyLeft, is_repeatable, is_within_reach,
};

use super::checking::SearchedAgain;
use crate::control::ControlReceiver;

/// The scope of a survey.
#[derive(Debug, Clone, Copy)]
pub struct SurveyAsked {
    /// Number of its new answers to draw.
    pub sample: usize,
    /// Their seed.
    pub seed: u64,
    /// True if unrepeatable answers are taken, too.
    pub with_unrepeatable: bool,
}

/// A profile of another database, and its answers beside those here.
#[derive(Debug, Clone)]
pub struct ProfileSurvey {
    /// Its row there.
    pub incoming: IncomingProfile,
    /// Its profile.
    pub profile: Profile,
    /// The result for its lists.
    pub joined: Joined,
}

/// A drawn answer of another database, to be searched again.
#[derive(Debug, Clone)]
pub struct AnswerDrawn {
    /// Its claimed profile.
    pub profile: Profile,
    /// The search and its claimed answer.
    pub again: SearchedAgain,
}

/// Another database's data.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// The profiles to merge.
    pub profiles: Vec<ProfileSurvey>,
    /// Skipped data, by reason.
    pub left: LeftOutCounts,
    /// A uniform sample of the answers that are new here.
    pub drawn: Vec<AnswerDrawn>,
}

impl Survey {
    /// The profiles alone, without looking at answers: if nothing is searched again.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of_profiles(incoming: &Incoming, with_unrepeatable: bool) -> Result<Survey, StoreError> {
        let (mut found, mut seen) = (Survey::default(), 0);
        for of in incoming.profiles()? {
            let count = incoming.count_of(&of)?;
            seen += count;
            match taken(&of, with_unrepeatable) {
                Ok(profile) => {
                    let joined = Joined::default();
                    found.profiles.push(ProfileSurvey { incoming: of, profile, joined });
                }
                Err(why) => found.left.add(why, count),
            }
        }
        // Answers of profiles not in the file.
        found.left.add(WhyLeft::Profile, incoming.count()?.saturating_sub(seen));
        Ok(found)
    }

    /// The result for all lists.
    pub fn joined(&self) -> Joined {
        let mut all = Joined::default();
        self.profiles.iter().for_each(|of| all += of.joined);
        all
    }
}

/// Surveys another database; `None` if asked to end. `tell` gets the number of answers looked at,
/// and the total.
///
/// # Errors
///
/// [`StoreError`] if one of the databases fails.
pub fn survey(
    store: &Store,
    incoming: &Incoming,
    asked: SurveyAsked,
    control: &ControlReceiver,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<Option<Survey>, StoreError> {
    let (all, invalidated) = (incoming.count()?, store.invalidated_names()?);
    let mut found = Survey::of_profiles(incoming, asked.with_unrepeatable)?;
    let sample = Sample::new(asked.sample, asked.seed);
    let left = LeftOutCounts::default();
    let mut surveyor = Surveyor { store, incoming, invalidated, sample, left, seen: 0 };
    let mut goes_on = |seen| {
        tell(seen, all);
        !control.is_told_to_end()
    };
    for of in &mut found.profiles {
        if !surveyor.look_through(of, &mut goes_on)? {
            return Ok(None);
        }
    }
    found.left.join(&surveyor.left);
    found.drawn = surveyor.sample.into_drawn();
    Ok(Some(found))
}

/// The answers' profile, if they are taken.
fn taken(of: &IncomingProfile, with_unrepeatable: bool) -> Result<Profile, WhyLeft> {
    let profile = of.profile.clone().ok_or(WhyLeft::Profile)?;
    match with_unrepeatable {
        false if !is_repeatable(&profile) => Err(WhyLeft::Unrepeatable),
        false if !is_within_reach(profile.limit) => Err(WhyLeft::Limit),
        _ => Ok(profile),
    }
}

struct Surveyor<'a> {
    store: &'a Store,
    incoming: &'a Incoming,
    /// Names of workers quarantined here.
    invalidated: HashSet<String>,
    sample: Sample<AnswerDrawn>,
    left: LeftOutCounts,
    /// Answers looked at.
    seen: u64,
}

impl Surveyor<'_> {
    /// Looks through the answers of a profile; `false` if it is to stop.
    fn look_through(
        &mut self,
        of: &mut ProfileSurvey,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<bool, StoreError> {
        let own = self.store.find_profile(&of.profile)?;
        let invalidated = self.invalidated.clone();
        let mut lists = self.incoming.lists(&of.incoming, &invalidated);
        while let Some(part) = lists.next_part()? {
            for list in &part.lists {
                let beside = self.store.compare_list(own, list)?;
                of.joined += beside.joined(list.answers.len());
                self.offer(&of.profile, list, beside);
            }
            self.left.join(&part.left);
            self.seen += part.rows;
            if !goes_on(self.seen) {
                return Ok(false);
            }
        }
        self.left.add(WhyLeft::Behind, of.joined.behind);
        Ok(true)
    }

    /// Offers the new answers of a list to the sample.
    fn offer(&mut self, profile: &Profile, list: &IncomingList, beside: ListCompared) {
        let new = beside.new_of(list.answers.len());
        for rank in beside.same..beside.same + new {
            let again = || SearchedAgain::of(&list.position, &list.answers, rank, profile.limit);
            self.sample.offer(|| AnswerDrawn { profile: profile.clone(), again: again() });
        }
    }
}
