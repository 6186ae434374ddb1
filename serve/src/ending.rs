//! The end of the server, as those hear of it who wait.

use tokio::sync::watch;

/// Waits until somebody wants the end.
pub async fn ended(end: &mut watch::Receiver<bool>) {
    // Where nobody can say so any more, it is the end, too.
    let _ = end.wait_for(|end| *end).await;
}
