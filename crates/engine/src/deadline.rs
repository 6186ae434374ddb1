//! When a search counts as hung.
//!
//! No fixed time can be right: the same engine takes 50 ms to depth 10 and hours to depth 50. So
//! the first search has no deadline; later ones are judged by the searches before them, and by the
//! signs of life that UCI demands: an engine must say `readyok` during a search, too.

use std::time::{Duration, Instant};

use super::HangPolicy;

/// The pool's experience with its searches so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Experience {
    /// The slowest answered search, if any.
    pub(super) slowest: Option<Duration>,
    /// True if the engine has ever said `readyok` during a search.
    pub(super) answers_probes: bool,
}

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchStep {
    /// Listen, until then if given.
    Listen(Option<Instant>),
    /// Ask `isready`.
    Probe,
    /// Hang: the missing reply and the time waited.
    GiveUp(&'static str, Duration),
}

/// Watches one search.
#[derive(Debug, Clone)]
pub(super) struct HangWatch {
    policy: HangPolicy,
    experience: Experience,
    /// Factor by which this search may take longer: its lines, doubled with every attempt, so that
    /// a search that is slow by nature gets through in the end.
    allowance: u32,
    start: Instant,
    last_sign: Instant,
    /// The greatest depth reported, and when it first was.
    depth: u32,
    last_depth: Instant,
    probed: bool,
}

impl HangWatch {
    /// Starts at `go`.
    pub(super) fn start(
        policy: HangPolicy,
        experience: Experience,
        allowance: u32,
        now: Instant,
    ) -> HangWatch {
        HangWatch {
            policy,
            experience,
            allowance,
            start: now,
            last_sign: now,
            depth: 0,
            last_depth: now,
            probed: false,
        }
    }

    /// Restarts the clock once `go` was sent.
    pub(super) fn begin(&mut self, now: Instant) {
        self.start = now;
        self.last_sign = now;
        self.last_depth = now;
    }

    /// Excludes time in which the program did not listen: it was stopped, as by Ctrl-Z, or had no
    /// processor.
    pub(super) fn missed(&mut self, time: Duration) {
        for moment in [&mut self.start, &mut self.last_sign, &mut self.last_depth] {
            *moment = moment.checked_add(time).unwrap_or(*moment);
        }
    }

    /// A line came.
    pub(super) fn heard(&mut self, now: Instant) {
        self.last_sign = now;
    }

    /// Records an iteration of this depth.
    pub(super) fn deepened(&mut self, depth: u32, now: Instant) {
        if depth > self.depth {
            self.depth = depth;
            self.last_depth = now;
        }
    }

    /// Records `readyok`: the engine answers probes.
    pub(super) fn answered(&mut self, now: Instant) {
        self.experience.answers_probes |= self.probed;
        self.probed = false;
        self.last_sign = now;
    }

    /// Notes an `isready`.
    pub(super) fn asked(&mut self) {
        self.probed = true;
    }

    /// True if the engine has ever answered a probe.
    pub(super) fn answers_probes(&self) -> bool {
        self.experience.answers_probes
    }

    /// The next step.
    pub(super) fn step(&self, now: Instant) -> WatchStep {
        let silent = now.saturating_duration_since(self.last_sign);
        let taken = now.saturating_duration_since(self.start);
        let patience = self.patience();
        if silent >= self.silence() {
            return WatchStep::GiveUp("nothing heard", silent);
        }
        if patience.is_some_and(|patience| taken >= patience) {
            return WatchStep::GiveUp("no bestmove", taken);
        }
        if !self.probed && silent >= self.policy.probe {
            return WatchStep::Probe;
        }
        let next_silence =
            if self.probed { self.silence() } else { self.policy.probe.min(self.silence()) };
        let silent_at = self.last_sign.checked_add(next_silence);
        let endless_at = patience.and_then(|patience| self.start.checked_add(patience));
        WatchStep::Listen([silent_at, endless_at].into_iter().flatten().min())
    }

    /// Silence that is a hang.
    fn silence(&self) -> Duration {
        let least = self.policy.silence;
        if self.experience.answers_probes {
            return least;
        }
        let until_last_sign = self.last_sign.saturating_duration_since(self.start);
        let longest = until_last_sign.max(self.experience.slowest.unwrap_or_default());
        least.max(longest.saturating_mul(self.policy.silence_factor)).saturating_mul(self.allowance)
    }

    /// Time that is a hang, if anything is known.
    fn patience(&self) -> Option<Duration> {
        let slowest = self.experience.slowest?;
        let grown = slowest.saturating_mul(self.policy.patience_factor);
        let deepened = self.last_depth.saturating_duration_since(self.start);
        let deepening = deepened.saturating_mul(self.policy.silence_factor);
        let least = self.policy.patience.max(grown).max(deepening);
        Some(least.saturating_mul(self.allowance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watch(slowest: Option<u32>, answers_probes: bool, allowance: u32) -> (HangWatch, Instant) {
        let now = Instant::now();
        let experience = Experience { slowest: slowest.map(|s| SECOND * s), answers_probes };
        let watch = HangWatch::start(HangPolicy::default(), experience, allowance, now);
        (watch, now)
    }

    #[test]
    fn first_search_with_signs_of_life_has_no_deadline() {
        let (mut watch, start) = watch(None, false, 1);
        for hour in 1..100 {
            let now = start + hour * 3600 * SECOND;
            watch.heard(now);
            assert_eq!(watch.step(now), WatchStep::Listen(Some(now + 10 * SECOND)));
        }
    }

    #[test]
    fn silence_is_first_asked_about_and_then_a_hang() {
        let (mut watch, start) = watch(None, false, 1);
        assert_eq!(watch.step(start), WatchStep::Listen(Some(start + 10 * SECOND)));
        assert_eq!(watch.step(start + 10 * SECOND), WatchStep::Probe);
        watch.asked();
        let end = start + 60 * SECOND;
        assert_eq!(watch.step(start + 11 * SECOND), WatchStep::Listen(Some(end)));
        assert_eq!(watch.step(end), WatchStep::GiveUp("nothing heard", 60 * SECOND));
    }

    #[test]
    fn engine_that_answers_probes_is_probed_again() {
        let (mut watch, start) = watch(None, false, 1);
        let mut now = start;
        for _ in 0..1000 {
            now += 10 * SECOND;
            assert_eq!(watch.step(now), WatchStep::Probe);
            watch.asked();
            watch.answered(now);
        }
        assert!(watch.answers_probes());
    }

    #[test]
    fn deaf_deep_search_may_be_silent_as_long_as_others() {
        let (mut slow, start) = watch(Some(600), false, 1);
        slow.asked();
        assert!(matches!(slow.step(start + 11_999 * SECOND), WatchStep::Listen(_)));
        assert!(matches!(slow.step(start + 12_000 * SECOND), WatchStep::GiveUp(..)));
        let (mut first, start) = watch(None, false, 1);
        first.heard(start + 300 * SECOND);
        first.asked();
        assert!(matches!(first.step(start + 6_299 * SECOND), WatchStep::Listen(_)));
    }

    #[test]
    fn endless_search_hangs_once_others_were_answered() {
        let (mut endless, start) = watch(Some(2), true, 1);
        endless.heard(start + 299 * SECOND);
        assert!(matches!(endless.step(start + 299 * SECOND), WatchStep::Listen(_)));
        assert_eq!(
            endless.step(start + 300 * SECOND),
            WatchStep::GiveUp("no bestmove", 300 * SECOND)
        );
        let (mut again, start) = watch(Some(2), true, 4);
        again.heard(start + 1199 * SECOND);
        assert!(matches!(again.step(start + 1199 * SECOND), WatchStep::Listen(_)));
    }

    #[test]
    fn a_hundred_times_the_slowest_search_is_no_hang() {
        for slowest in [2, 60, 3600] {
            let (mut slow, start) = watch(Some(slowest), true, 1);
            let now = start + slowest * 110 * SECOND;
            slow.heard(now);
            assert!(matches!(slow.step(now), WatchStep::Listen(_)), "{slowest} s");
            slow.heard(start + slowest * 160 * SECOND);
            assert!(matches!(slow.step(start + slowest * 160 * SECOND), WatchStep::GiveUp(..)));
        }
    }

    #[test]
    fn deepening_search_is_no_hang_after_quick_ones() {
        // The only answer so far was a mate in no time; this one takes longer.
        let (mut deep, start) = watch(Some(0), true, 1);
        deep.deepened(20, start + 60 * SECOND);
        deep.deepened(20, start + 1000 * SECOND);
        deep.heard(start + 1199 * SECOND);
        assert!(matches!(deep.step(start + 1199 * SECOND), WatchStep::Listen(_)));
        assert!(matches!(deep.step(start + 1200 * SECOND), WatchStep::GiveUp("no bestmove", _)));
    }

    #[test]
    fn unread_time_does_not_count_against_the_engine() {
        let (mut stopped, start) = watch(Some(2), true, 1);
        let now = start + 10_000 * SECOND;
        stopped.missed(9_999 * SECOND);
        assert_eq!(stopped.step(now), WatchStep::Listen(Some(now + 9 * SECOND)));
    }
}
