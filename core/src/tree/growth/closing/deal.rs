//! How things are dealt to engines.

use shakmaty::uci::UciMove;

/// Deals moves to and fro: from the first engine to the last, then from the last to the first, and so on.
pub fn deal(order: &[UciMove], engines: usize) -> Vec<Vec<UciMove>> {
    let mut dealt = vec![Vec::new(); engines];
    for (index, uci) in order.iter().enumerate() {
        let (round, place) = (index / engines, index % engines);
        let to = if round % 2 == 0 { place } else { engines - 1 - place };
        if let Some(share) = dealt.get_mut(to) {
            share.push(*uci);
        }
    }
    dealt
}

/// How many of so many engines each move has, one at least: in turn, but none more than it has replies.
pub fn engines_each(replies: &[usize], engines: usize) -> Vec<usize> {
    let mut each = vec![1; replies.len()];
    let mut left = engines.saturating_sub(replies.len());
    let mut before = usize::MAX;
    while left > 0 && left < before {
        before = left;
        for (engines, most) in each.iter_mut().zip(replies) {
            if left > 0 && *engines < *most {
                (*engines, left) = (*engines + 1, left - 1);
            }
        }
    }
    each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_go_to_the_moves_in_turn_and_none_has_more_than_replies() {
        for (replies, engines, each) in [
            (&[9, 9, 9][..], 3, &[1, 1, 1][..]),
            (&[9, 9, 9], 5, &[2, 2, 1]),
            (&[9, 1, 9, 0], 7, &[3, 1, 2, 1]),
            // A mate has no reply, and a forced one cannot be shared.
            (&[0, 1, 2], 20, &[1, 1, 2]),
            (&[], 3, &[]),
        ] {
            assert_eq!(engines_each(replies, engines), each, "{replies:?} {engines}");
        }
    }
}
