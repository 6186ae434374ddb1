//! Late-move reductions: how much less deep late moves are searched.

/// The natural logarithm in 1024ths, linear between powers of two: the same on every machine.
fn log(x: usize) -> i32 {
    let x = x.max(1);
    let power = x.ilog2();
    let rest = ((x - (1 << power)) << 10 >> power) as i32;
    (power as i32 * 1024 + rest) * 710 / 1024
}

/// The reduction of a quiet move by depth and its number.
pub fn base(depth: i32, count: usize) -> i32 {
    let product = log(depth.max(1) as usize) * log(count) / 1024;
    (780 + product * 100 / 215) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_grow_with_depth_and_number() {
        assert_eq!(base(1, 1), 0);
        assert!(base(3, 4) <= 1);
        assert!((3..6).contains(&base(20, 30)));
        for depth in 1..60 {
            for count in 1..100 {
                assert!(base(depth, count) <= base(depth + 1, count));
                assert!(base(depth, count) <= base(depth, count + 1));
            }
        }
    }
}
