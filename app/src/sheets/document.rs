//! Pages of text: the build asks for each in both languages, and writes it as a page that needs no program
//! (`scripts/finish-site.mjs`).

use super::{command_line, methods};
use crate::protocol::Document;
use crate::text::Lang;
use crate::tree::parts::{brand, facts, themes};
use crate::tree::{Tree, el};

/// The whole body of a page of text.
pub(crate) fn body(document: Document, lang: Lang) -> Tree {
    match document {
        Document::Methods => methods::page(lang),
        Document::CommandLine => command_line::page(lang),
    }
}

/// A page's body around its `main`, which comes without an identifier.
pub(super) fn whole(document: Document, lang: Lang, main: Tree) -> Tree {
    el("DIV.whole")
        .child(
            el("A.skip")
                .set("href", format!("{}#main", document.address(lang)))
                .child(lang.sheets().skip_to_text),
        )
        .child(header(document, lang))
        .child(main.set("id", "main").set("tabindex", "-1"))
        .child(el("FOOTER.foot").child(
            el("DIV.foot-in").children(facts(lang)).child(
                el("P.foot-links").child(el("A|href=THIRD-PARTY-LICENSES.txt").child(lang.sheets().third_party)),
            ),
        ))
}

fn header(document: Document, lang: Lang) -> Tree {
    let (site, other) = (lang.site(), lang.other());
    let program = |to: &str, name: &'static str| el("A").set("href", format!("{to}?lang={}", lang.tag())).child(name);
    let text = |to: Document, name: &'static str| {
        let link = el("A").set("href", to.address(lang)).child(name);
        if to == document { link.set("aria-current", "page") } else { link }
    };
    el("HEADER.top")
        .child(brand())
        .child(
            el("NAV.top-nav")
                .set("aria-label", site.site)
                .child(program("./", site.calculator))
                .child(program("accuracy/", site.accuracy))
                .child(text(Document::Methods, site.methods))
                .child(text(Document::CommandLine, site.command_line)),
        )
        .child(
            el("DIV.top-tools")
                .child(
                    el("A.btn btn-s btn-q|id=language")
                        .set("lang", other.tag())
                        .set("href", document.address(other))
                        .child(other.site().language),
                )
                .child(themes(lang)),
        )
}
