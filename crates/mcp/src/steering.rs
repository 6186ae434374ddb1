//! Directives of a client, if the server was started for that.

use std::path::Path;

use deepanalyze_core::directives::{Change, Dates, Directives, parse_value};
use deepanalyze_store::{RootOrigin, Store, StoreError};
use deepanalyze_view::{DirectError, DirectedLine, describe_directives_or};
use serde_json::json;

use crate::asked::DirectiveAsked;
use crate::desk::Root;
use crate::told::{Answer, Told, words};

/// Why a directive is refused.
enum Refused {
    Store(StoreError),
    Direct(DirectError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        Refused::Store(error)
    }
}

/// Gives or takes back a directive.
pub fn direct(path: &Path, root: &Root, asked: &DirectiveAsked) -> Answer {
    let game = root.game()?;
    let change = match &*asked.action {
        "exclude" => Change::Exclude,
        "include" => Change::Include,
        "stop" => Change::Stop,
        "undo" => Change::Undo,
        "value" => Change::Value(parse_value(&asked.text).map_err(words)?),
        "note" => Change::Note(asked.text.clone()),
        other => {
            return Err(format!(
                "there is no action {other:?}: exclude, include, value, stop, note and undo are"
            ));
        }
    };
    let line = DirectedLine::read(game.root(), &asked.line).map_err(words)?;
    let mut store = Store::open(path).map_err(words)?;
    let act = |set: &mut Directives, dates: &mut Dates| {
        line.change(&change, set, dates).map_err(Refused::Direct)
    };
    let changed = store.begin_directed(&game, RootOrigin::Study, act);
    let changed = changed.map_err(|refused| match refused {
        Refused::Store(error) => error.to_string(),
        Refused::Direct(error) => error.to_string(),
    })?;
    let all = describe_directives_or(&changed.after, "no directives");
    let text = format!(
        "{}; now {all}. It counts at once; what is missing is searched by the next grow.",
        changed.result
    );
    Ok(Told::new(text, json!({ "done": changed.result, "directives": all })))
}
