//! UCI engines as processes, and the pool of them.
