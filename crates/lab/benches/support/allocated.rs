//! Memory use, counted by the allocator.

#[global_allocator]
static ALLOCATED: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// Memory that a step keeps, and its peak above that, in bytes.
pub fn measure<T>(step: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    let result = step();
    let kept = ALLOCATED.current_usage().saturating_sub(before);
    let peak = ALLOCATED.peak_usage().saturating_sub(before);
    (result, kept, peak.saturating_sub(kept))
}
