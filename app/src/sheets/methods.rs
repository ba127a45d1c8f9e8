//! The methods page: every formula with its terms, its sources, its code and its measured error. The build asks for it
//! in both languages and writes it as a page that needs no program (`scripts/finish-site.mjs`).

use shardwise_core::methods::{self, Entry, Group};
use shardwise_core::words::{self, Formula, Words};

use super::document::whole;
use crate::protocol::Document;
use crate::text::Lang;
use crate::tree::{Tree, el};

/// Where the code lies; the repository's own files are named from its root.
fn code(entry: &Entry, lang: Lang) -> Tree {
    let place = format!("{}:{}, {}", entry.code.path, entry.code.line, entry.code.item);
    el("SPAN")
        .child(lang.sheets().in_code)
        .child(" ")
        .child(el("CODE").child(place))
}

fn formula(entry: &Entry, lang: Lang, own: Option<&Words>) -> Tree {
    let sheet = lang.sheets();
    let Formula { title, formula, text, meanings, citations } = Formula::of(entry, own);
    let terms = entry.terms.iter().zip(meanings).map(|(term, meaning)| {
        el("DIV").child(el("DT").child(el("VAR").child(term.symbol))).child(
            el("DD")
                .child(el("SPAN").child(meaning))
                .child((!term.unit.is_empty()).then(|| el("B").child(term.unit))),
        )
    });
    let sources = entry
        .citations
        .iter()
        .zip(citations)
        .map(|(citation, name)| el("A|rel=noopener").set("href", citation.url).child(name.into_owned()));
    let error = words::said(methods::error_of(entry.error), own);
    let constants = (!entry.constants.is_empty()).then(|| {
        let all = entry.constants.iter().map(|constant| {
            el("LI")
                .child(el("CODE").child(constant.name))
                .child(" ")
                .child(super::words::words_of(constant.basis, lang))
        });
        el("DETAILS.more")
            .child(
                el("SUMMARY")
                    .child(sheet.fitted_constants)
                    .child(" ")
                    .child(el("SPAN").child(entry.constants.len().to_string())),
            )
            .child(el("UL.read-list").children(all))
    });
    el("ARTICLE.method")
        .set("id", entry.id)
        .child(
            el("H3").child(
                el("A")
                    .set("href", format!("{}#{}", Document::Methods.address(lang), entry.id))
                    .child(title),
            ),
        )
        .child(el("P.formula").child(formula))
        .child(el("DL.calc").children(terms))
        .children(text.lines().map(|line| el("P").child(line.to_owned())))
        .child(
            (!error.is_empty()).then(|| el("P.err").child(el("B").child(sheet.measured_error)).child(" ").child(error)),
        )
        .child(constants)
        .child(el("P.src").children(sources).child(code(entry, lang)))
}

fn section(group: &Group, lang: Lang, own: Option<&Words>) -> Tree {
    let heading = format!("{}-h", group.id);
    el("SECTION.block")
        .set("id", group.id)
        .set("aria-labelledby", heading.clone())
        .child(el("H2").set("id", heading).child(words::title(group, own)))
        .children(group.entries.iter().map(|entry| formula(entry, lang, own)))
}

/// The page's body.
pub(super) fn page(lang: Lang) -> Tree {
    let (sheet, own) = (lang.sheets(), words::of(lang.core()));
    let contents = methods::groups().iter().map(|group| {
        el("LI").child(
            el("A")
                .set("href", format!("{}#{}", Document::Methods.address(lang), group.id))
                .child(words::title(group, own)),
        )
    });
    let main = el("MAIN.doc methods")
        .child(
            el("HEADER")
                .child(el("H1").child(sheet.methods_title))
                .child(el("P.note").child(sheet.methods_lead)),
        )
        .child(
            el("NAV.toc")
                .set("aria-label", sheet.contents)
                .child(el("UL").children(contents)),
        )
        .children(methods::groups().iter().map(|group| section(group, lang, own)));
    whole(Document::Methods, lang, main)
}
