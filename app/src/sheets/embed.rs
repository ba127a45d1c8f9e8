//! The code that puts the shown question into another page.

use crate::prices;
use crate::protocol::blocks::{Sign, listing};
use crate::sheets::prelude::*;

/// What a frame may do: its own storage and worker; files to save; links, and the whole page, in tabs of their own.
const SANDBOX: &str = "allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox";

/// The element and the plain frame as HTML; `site` is the page's address without query and hash.
fn markup(site: &str, hash: &str, lang: Lang) -> [String; 2] {
    let folder = site.rfind('/').map_or("", |slash| &site[..=slash]);
    let [site, hash] = [folder, hash].map(|text| text.replace('&', "&amp;").replace('"', "&quot;"));
    let [attribute, query] = lang.of([["", ""], [" lang=\"zh\"", "&amp;lang=zh"]]);
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
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Block {
    let words = ask.lang.sheets();
    let hash = permalink::to_hash(&prices::without(&asked.question, None));
    let [element, frame] = markup(ask.word("site"), &hash, ask.lang);
    let shown = |note: &str, id: &str, code: String| {
        let copy = Button::new(Look::Small, "", Action::Copy(id.to_owned()));
        [said(Kind::Quiet, note), listing(id, "", vec![(Sign::Stays, code)]), prose(Kind::Copies, vec![copy.into()])]
    };
    let element = shown(words.embed_element, "embed-element", element);
    let blocks = element.into_iter().chain(shown(words.embed_frame, "embed-frame", frame));
    Section::headed("", Purpose::Group, words.embed, blocks.collect())
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
