//! The code that puts the shown question into another page.

use shardwise_core::permalink;

use super::asked::{Ask, Asked};
use crate::text::Lang;
use crate::tree::parts::copy;
use crate::tree::{Tree, el};

/// What a frame may do: its own storage and worker; files to save; links, and the whole page, in tabs of their own.
const SANDBOX: &str = "allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox";

/// The element and the plain frame as HTML; `site` is the page's address without query and hash.
fn markup(site: &str, hash: &str, lang: Lang) -> [String; 2] {
    let folder = site.rfind('/').map_or("", |slash| &site[..=slash]);
    let [site, hash] = [folder, hash].map(|text| text.replace('&', "&amp;").replace('"', "&quot;"));
    let [attribute, query] = match lang {
        Lang::En => ["", ""],
        Lang::Zh => [" lang=\"zh\"", "&amp;lang=zh"],
    };
    [
        format!(
            "<script src=\"{site}embed.js\" async></script>\n\
             <shardwise-calculator{attribute} question=\"{hash}\"></shardwise-calculator>"
        ),
        format!(
            "<iframe src=\"{site}?embed{query}#{hash}\" title=\"Shardwise\" width=\"100%\" height=\"600\" loading=\"lazy\"\n  \
             sandbox=\"{SANDBOX}\"\n  allow=\"clipboard-write\" data-shardwise></iframe>"
        ),
    ]
}

/// The sheet: the element, and the frame for pages that run no scripts.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
    let lang = ask.lang;
    let words = lang.sheets();
    let hash = permalink::to_hash(&asked.question);
    let [element, frame] = markup(ask.word("site"), &hash, lang);
    let shown = |note: &'static str, id: &'static str, code: String| {
        vec![el("P.muted").child(note), el("PRE.quote").set("id", id).child(code), el("P.copies").child(copy(id, lang))]
    };
    Some(
        el("DIV")
            .child(el("H3").child(words.embed))
            .children(shown(words.embed_element, "embed-element", element))
            .children(shown(words.embed_frame, "embed-frame", frame)),
    )
}

#[cfg(test)]
mod tests {
    use super::{SANDBOX, markup};
    use crate::text::Lang;

    #[test]
    fn the_element_and_the_frame_may_do_the_same() {
        let element = include_str!("../../../public/embed.js");
        assert!(element.contains(&format!("frame.sandbox = '{SANDBOX}';")));
    }

    #[test]
    fn an_address_stays_one_attribute() {
        let [element, frame] = markup("https://a.example/x&\"y/index.html", "v=1&m=a", Lang::Zh);
        assert!(element.starts_with("<script src=\"https://a.example/x&amp;&quot;y/embed.js\""));
        assert!(element.contains(" lang=\"zh\" question=\"v=1&amp;m=a\">"));
        assert!(frame.contains("y/?embed&amp;lang=zh#v=1&amp;m=a\""));
    }
}
