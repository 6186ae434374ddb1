//! The guard of the engines: this program once more, as a small process that outlives a kill.

use deepanalyze_engine::guard_by;

/// Has the engines killed where this program is. Without it, most leave by themselves.
pub fn guard_engines() {
    let guard = std::env::current_exe().and_then(|program| {
        let mut command = std::process::Command::new(program);
        command.arg(super::GUARD);
        guard_by(command)
    });
    if let Err(error) = guard {
        tracing::warn!(%error, "engines are not guarded");
    }
}
