//! A page and the marks in it where data go in.

use std::io::{self, Write};

const TITLE: &str = "{{title}}";
const PROGRAM: &str = "{{program}}";
const DATA: &str = "{{data}}";

/// Writes a page with its title and its data.
///
/// # Errors
///
/// Those of `out` and of the data.
pub fn write_page(
    (page, title): (&str, &str),
    out: &mut dyn Write,
    write_data: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let title = as_text(title);
    let mut rest = page;
    while let Some(at) = rest.find("{{") {
        let (before, marked) = rest.split_at(at);
        out.write_all(before.as_bytes())?;
        rest = if let Some(rest) = marked.strip_prefix(TITLE) {
            out.write_all(title.as_bytes())?;
            rest
        } else if let Some(rest) = marked.strip_prefix(PROGRAM) {
            write!(out, "deepanalyze {}", env!("CARGO_PKG_VERSION"))?;
            rest
        } else if let Some(rest) = marked.strip_prefix(DATA) {
            write_data(out)?;
            rest
        } else {
            let (braces, rest) = marked.split_at("{{".len());
            out.write_all(braces.as_bytes())?;
            rest
        };
    }
    out.write_all(rest.as_bytes())
}

/// Text between tags.
fn as_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON inside a script element: nothing in it may end the element or begin a comment. `<` stands in
/// JSON within strings alone.
pub fn as_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::{PAGE, game};

    #[test]
    fn each_page_has_each_mark_where_it_belongs() {
        for page in [PAGE, game::PAGE] {
            for (mark, count) in [(TITLE, 2), (PROGRAM, 1), (DATA, 1)] {
                assert_eq!(page.matches(mark).count(), count, "{mark}");
            }
            assert!(!page.contains("{{script}}") && !page.contains("{{policy}}"));
        }
    }

    #[test]
    fn json_in_a_script_element_cannot_end_it() {
        assert_eq!(as_script(r#"["</script><!--"]"#), r#"["\u003c/script>\u003c!--"]"#);
        assert_eq!(as_text("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
