//! What an arm may spend, and where its last search ends.

/// Engine nodes to spend on a tree.
#[derive(Debug, Clone)]
pub struct Allowance {
    nodes: u64,
    spent: u64,
    to_the_end: bool,
}

impl Allowance {
    /// Nodes that the sum of the searches is to come as near to as it can: the search that crosses
    /// them counts where the sum with it is nearer than the sum without it. So the arm spends too
    /// much as often as too little, and its mean does not depend on how long one search is.
    pub fn nearest(nodes: u64) -> Allowance {
        Allowance { nodes, spent: 0, to_the_end: false }
    }

    /// Nodes before whose end every search begins and counts: what is spent too much is taken from
    /// what comes after.
    pub fn at_least(nodes: u64) -> Allowance {
        Allowance { nodes, spent: 0, to_the_end: true }
    }

    /// Whether another search may begin.
    pub fn is_left(&self) -> bool {
        self.spent < self.nodes
    }

    /// Whether a search of so many nodes counts; nothing more is left where it does not. The first
    /// one always does: without it there is no move.
    pub fn take(&mut self, nodes: u64) -> bool {
        // An engine may report anything.
        let sum = self.spent.saturating_add(nodes);
        let nearer = sum.abs_diff(self.nodes) <= self.spent.abs_diff(self.nodes);
        if nearer || self.spent == 0 || self.to_the_end {
            self.spent = sum;
            return true;
        }
        self.nodes = self.spent;
        false
    }

    /// What the searches that count have spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut allowance: Allowance, searches: &[u64]) -> Vec<u64> {
        let mut taken = Vec::new();
        for nodes in searches {
            if !allowance.is_left() || !allowance.take(*nodes) {
                break;
            }
            taken.push(*nodes);
        }
        assert_eq!(allowance.spent(), taken.iter().sum::<u64>());
        taken
    }

    #[test]
    fn the_last_search_counts_where_the_sum_comes_nearer_with_it() {
        assert_eq!(taken(Allowance::nearest(100), &[60, 79, 1]), [60, 79], "139 is nearer than 60");
        assert_eq!(taken(Allowance::nearest(100), &[60, 80, 1]), [60, 80], "as near: it counts");
        assert_eq!(taken(Allowance::nearest(100), &[60, 81, 1]), [60], "nothing after it");
        assert_eq!(taken(Allowance::nearest(100), &[50, 50, 1]), [50, 50]);
    }

    #[test]
    fn the_first_search_always_counts() {
        assert_eq!(taken(Allowance::nearest(100), &[900, 1]), [900]);
    }

    #[test]
    fn what_comes_after_pays_for_the_whole_last_search() {
        assert_eq!(taken(Allowance::at_least(100), &[60, 39, 500, 1]), [60, 39, 500]);
    }
}
