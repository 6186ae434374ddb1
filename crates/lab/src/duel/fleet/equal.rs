//! How many times as fast one engine must be to do as well: between searches of several times the
//! nodes, on a logarithmic scale.

use crate::duel::statistics::{RESAMPLES, SplitMix};

/// A speed in multiples of one engine of the fleet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WorthSpeed {
    /// One engine of the fleet alone does better.
    Less,
    /// This factor.
    At(f64),
    /// Even the fastest search does worse.
    More,
}

/// A speed with its 95% confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualSpeed {
    /// The measured speed; `None` if all searches cost the same as the arm, so that speeds look
    /// alike.
    pub value: Option<WorthSpeed>,
    /// The lower end of the interval.
    pub low: WorthSpeed,
    /// The upper end.
    pub high: WorthSpeed,
}

/// The speeds of the searches compared with `engines` engines: 1, 2, 4 and so on, and their number.
pub fn speeds(engines: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |speed| speed.checked_mul(2));
    powers.take_while(|speed| *speed < engines).chain([engines.max(1)]).collect()
}

/// The speed at which one search costs as much as another arm, with the percentile bootstrap's
/// interval: the positions are drawn again, for all arms together. Costs are those of each speed,
/// by position, and the arm's. `None` without any.
pub fn equal_speed(searches: &[(u32, Vec<i64>)], arm: &[i64], seed: u64) -> Option<EqualSpeed> {
    if arm.is_empty() || searches.is_empty() {
        return None;
    }
    let of = |drawn: &[usize]| -> (WorthSpeed, WorthSpeed) {
        let sum = |costs: &[i64]| whole(drawn.iter().filter_map(|at| costs.get(*at)).sum());
        let curve = searches.iter().map(|(speed, costs)| (f64::from(*speed).log2(), sum(costs)));
        crossing(&falling(curve.collect()), sum(arm))
    };
    let all: Vec<usize> = (0..arm.len()).collect();
    let mut random = SplitMix::new(seed);
    let mut draw = || all.iter().map(|_| random.below(arm.len())).collect::<Vec<usize>>();
    let resampled = (0..RESAMPLES).map(|_| of(&draw()));
    let (mut lows, mut highs): (Vec<WorthSpeed>, Vec<WorthSpeed>) = resampled.unzip();
    for ends in [&mut lows, &mut highs] {
        ends.sort_unstable_by(|a, b| a.number().total_cmp(&b.number()));
    }
    let tail = RESAMPLES / 40;
    let (low, high) = (*lows.get(tail)?, *highs.get(RESAMPLES - 1 - tail)?);
    Some(EqualSpeed { value: middle(of(&all)), low, high })
}

/// The middle of a range on the logarithmic scale; `None` if the range is everything.
fn middle(range: (WorthSpeed, WorthSpeed)) -> Option<WorthSpeed> {
    match range {
        (WorthSpeed::At(from), WorthSpeed::At(to)) => Some(WorthSpeed::At((from * to).sqrt())),
        (WorthSpeed::Less, WorthSpeed::More) => None,
        (one, _) => Some(one),
    }
}

impl WorthSpeed {
    /// For comparisons: 0 and infinity outside the range.
    pub fn number(self) -> f64 {
        match self {
            WorthSpeed::Less => 0.0,
            WorthSpeed::At(speed) => speed,
            WorthSpeed::More => f64::INFINITY,
        }
    }
}

/// The falling curve nearest to the costs (pool adjacent violators): a faster search does not do
/// worse, and if it seems to, that is chance.
fn falling(curve: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (_, cost) in &curve {
        let (mut mean, mut count) = (*cost, 1_usize);
        while let Some((before, of)) = blocks.pop_if(|(before, _)| *before < mean) {
            let both = before.mul_add(float(of), mean * float(count));
            count += of;
            mean = both / float(count);
        }
        blocks.push((mean, count));
    }
    let costs = blocks.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count));
    curve.into_iter().map(|(speed, _)| speed).zip(costs).collect()
}

/// The range in which a falling curve over logarithms of speeds has this cost.
fn crossing(curve: &[(f64, f64)], cost: f64) -> (WorthSpeed, WorthSpeed) {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else {
        return (WorthSpeed::Less, WorthSpeed::More);
    };
    if cost > first.1 {
        return (WorthSpeed::Less, WorthSpeed::Less);
    }
    if cost < last.1 {
        return (WorthSpeed::More, WorthSpeed::More);
    }
    if curve.len() > 1 && first.1 <= last.1 {
        return (WorthSpeed::Less, WorthSpeed::More);
    }
    let pairs = || curve.iter().zip(curve.iter().skip(1));
    // The start where it is at most the cost, the end where it is at least it.
    let reached = pairs().find(|(a, b)| a.1 > cost && b.1 <= cost);
    let left = pairs().find(|(a, b)| a.1 >= cost && b.1 < cost);
    let from = reached.map_or(first.0, |(a, b)| between(*a, *b, cost));
    let to = left.map_or(last.0, |(a, b)| between(*a, *b, cost));
    (WorthSpeed::At(from.exp2()), WorthSpeed::At(to.exp2()))
}

fn between(a: (f64, f64), b: (f64, f64), cost: f64) -> f64 {
    let part = (a.1 - cost) / (a.1 - b.1);
    (b.0 - a.0).mul_add(part, a.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts and sums far below 2^52")]
fn whole(sum: i64) -> f64 {
    sum as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(costs: &[f64], cost: f64) -> (WorthSpeed, WorthSpeed) {
        let curve = (0_u32..).zip(costs).map(|(log, cost)| (f64::from(log), *cost));
        crossing(&falling(curve.collect()), cost)
    }

    /// To a millionth: logarithms may differ in their last bits.
    fn at(costs: &[f64], cost: f64) -> Option<WorthSpeed> {
        middle(range(costs, cost)).map(|speed| match speed {
            WorthSpeed::At(speed) => WorthSpeed::At((speed * 1e6).round() / 1e6),
            outside => outside,
        })
    }

    fn exp2(log: f64) -> Option<WorthSpeed> {
        Some(WorthSpeed::At((log.exp2() * 1e6).round() / 1e6))
    }

    #[test]
    fn speeds_double_up_to_the_number_of_engines() {
        assert_eq!(speeds(1), [1]);
        assert_eq!(speeds(6), [1, 2, 4, 6]);
        assert_eq!(speeds(16), [1, 2, 4, 8, 16]);
    }

    #[test]
    fn speed_between_two_searches_is_logarithmic() {
        // 1, 2, 4 and 8 times as fast.
        let costs = [40.0, 30.0, 20.0, 20.0];
        assert_eq!(at(&costs, 41.0), Some(WorthSpeed::Less));
        assert_eq!(at(&costs, 40.0), exp2(0.0));
        assert_eq!(at(&costs, 35.0), exp2(0.5));
        assert_eq!(at(&costs, 30.0), exp2(1.0));
        assert_eq!(at(&costs, 20.0), exp2(2.5), "in the middle of 4 and 8");
        assert_eq!(range(&costs, 20.0), (WorthSpeed::At(4.0), WorthSpeed::At(8.0)));
        assert_eq!(at(&costs, 19.0), Some(WorthSpeed::More));
    }

    #[test]
    fn faster_but_worse_search_is_pooled_with_the_slower() {
        assert_eq!(at(&[40.0, 20.0, 30.0, 10.0], 25.0), exp2(1.5));
        let curve = vec![(0.0, 1.0), (1.0, 2.0), (2.0, 6.0)];
        assert_eq!(falling(curve), [(0.0, 3.0), (1.0, 3.0), (2.0, 3.0)]);
    }

    #[test]
    fn interval_holds_the_value_and_depends_on_the_seed() {
        let searches: Vec<(u32, Vec<i64>)> = [(1, 30), (2, 24), (4, 18), (8, 12)]
            .map(|(speed, unsolved)| (speed, (0..60).map(|at| i64::from(at < unsolved)).collect()))
            .into();
        let arm: Vec<i64> = (0..60).map(|at| i64::from(at >= 39)).collect();
        let equal = equal_speed(&searches, &arm, 3).unwrap();
        let Some(WorthSpeed::At(value)) = equal.value else { panic!("{equal:?}") };
        assert!((value - 1.5_f64.exp2()).abs() < 1e-9, "21 unsolved: {value}");
        assert!(equal.low.number() < 2.0 && equal.high.number() > 4.0, "{equal:?}");
        assert_eq!(equal_speed(&searches, &arm, 3), Some(equal));
        assert_eq!(equal_speed(&searches, &[], 3), None);
    }

    #[test]
    fn arm_equal_to_a_search_everywhere_has_no_interval() {
        let costs = |unsolved: usize| (0..60).map(|at| i64::from(at < unsolved)).collect();
        let searches: Vec<(u32, Vec<i64>)> = vec![(1, costs(60)), (2, costs(30)), (4, costs(0))];
        let equal = equal_speed(&searches, &costs(60), 1).unwrap();
        let one = WorthSpeed::At(1.0);
        assert_eq!((equal.low, equal.value, equal.high), (one, Some(one), one));
    }

    #[test]
    fn equal_costs_give_no_speed() {
        let costs: Vec<i64> = (0..60).map(|at| i64::from(at < 30)).collect();
        let searches: Vec<(u32, Vec<i64>)> = [1, 2, 4].map(|speed| (speed, costs.clone())).into();
        let equal = equal_speed(&searches, &costs, 1).unwrap();
        let nothing = EqualSpeed { value: None, low: WorthSpeed::Less, high: WorthSpeed::More };
        assert_eq!(equal, nothing);
        // A single engine can only be compared with itself.
        assert_eq!(
            equal_speed(&searches[..1], &costs, 1).unwrap().value,
            Some(WorthSpeed::At(1.0))
        );
    }
}
