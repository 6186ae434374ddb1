//! What happens, in words.

use deepanalyze_lichess::Notice;
use deepanalyze_report::{count, describe_root};

/// A line for a notice.
pub fn words(notice: &Notice<'_>) -> String {
    match notice {
        Notice::Analysing(question) => {
            let lines = count(u64::from(question.lines), "line");
            format!("analysing {}, {lines}", describe_root(&question.game))
        }
        Notice::Refused(refusal) => format!("not analysed: {refusal}"),
        Notice::Failed(why) => format!("not analysed: {why}"),
        Notice::NotTaken(error) => format!("what was found was not taken: {error}"),
        Notice::Trouble(error, wait) => {
            format!("{error}; trying again in {} s", wait.as_secs().max(1))
        }
        Notice::Back => "Lichess answers again".to_owned(),
    }
}
