//! The methods page: every formula with its terms, its sources, its code and its measured error. The build asks for it
//! in both languages and writes it as a page that needs no program (`scripts/finish-site.mjs`).

use shardwise_core::catalog;
use shardwise_core::methods::{self, Entry, Group, Language};

use super::how::language;
use crate::text::Lang;
use crate::tree::{Tree, el};

/// Where the code lies; the repository's own files are named from its root.
fn code(entry: &Entry, lang: Lang) -> Tree {
    let place = format!(
        "{}:{}, {}",
        entry.code.path, entry.code.line, entry.code.item
    );
    el("SPAN")
        .child(lang.sheets().in_code)
        .child(" ")
        .child(el("CODE").child(place))
}

fn formula(entry: &Entry, lang: Lang, own: Language) -> Tree {
    let sheet = lang.sheets();
    let [title, text] = [entry.title, entry.text].map(|both| own.pick(both[0], both[1]));
    let terms = entry.terms.iter().map(|term| {
        el("DIV")
            .child(el("DT").child(el("VAR").child(term.symbol)))
            .child(
                el("DD")
                    .child(el("SPAN").child(own.pick(term.meaning[0], term.meaning[1])))
                    .child((!term.unit.is_empty()).then(|| el("B").child(term.unit))),
            )
    });
    let sources = entry.citations.iter().map(|citation| {
        el("A|rel=noopener")
            .set("href", citation.url)
            .child(own.pick(citation.name, citation.name_zh))
    });
    let error = methods::error_of(entry.error, own);
    let constants = (!entry.constants.is_empty()).then(|| {
        let all = entry.constants.iter().map(|constant| {
            el("LI")
                .child(el("CODE").child(constant.name))
                .child(" ")
                .child(super::words_of(constant.basis, lang))
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
                    .set("href", format!("{}#{}", address(lang), entry.id))
                    .child(title),
            ),
        )
        .child(el("P.formula").child(own.pick(entry.formula, entry.formula_zh)))
        .child(el("DL.calc").children(terms))
        .children(text.lines().map(|line| el("P").child(line.to_owned())))
        .child((!error.is_empty()).then(|| {
            el("P.err")
                .child(el("B").child(sheet.measured_error))
                .child(" ")
                .child(error)
        }))
        .child(constants)
        .child(el("P.src").children(sources).child(code(entry, lang)))
}

/// The page's address from the site's root.
pub(super) fn address(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "methods/",
        Lang::Zh => "methods/zh/",
    }
}

fn section(group: &Group, lang: Lang, own: Language) -> Tree {
    let heading = format!("{}-h", group.id);
    el("SECTION.block")
        .set("id", group.id)
        .set("aria-labelledby", heading.clone())
        .child(
            el("H2")
                .set("id", heading)
                .child(own.pick(group.title[0], group.title[1])),
        )
        .children(group.entries.iter().map(|entry| formula(entry, lang, own)))
}

fn header(lang: Lang) -> Tree {
    let site = lang.site();
    let other = lang.other();
    let query = format!("?lang={}", lang.tag());
    let link =
        |to: &str, name: &'static str| el("A").set("href", format!("{to}{query}")).child(name);
    el("HEADER.top")
        .child(
            el("SPAN.brand")
                .child(
                    el("svg.brand-mark|viewBox=0 0 16 16|aria-hidden=true")
                        .child(el("rect.b1|x=1|y=2|width=9|height=3|rx=1"))
                        .child(el("rect.b2|x=4|y=6.5|width=9|height=3|rx=1"))
                        .child(el("rect.b3|x=2|y=11|width=13|height=3|rx=1")),
                )
                .child("Shardwise"),
        )
        .child(
            el("NAV.top-nav")
                .set("aria-label", site.site)
                .child(link("./", site.calculator))
                .child(link("accuracy/", site.accuracy))
                .child(
                    el("A|aria-current=page")
                        .set("href", address(lang))
                        .child(site.methods),
                ),
        )
        .child(
            el("DIV.top-tools").child(
                el("A.btn btn-s btn-q|id=language")
                    .set("lang", other.tag())
                    .set("href", address(other))
                    .child(other.site().language),
            ),
        )
}

/// The whole page's body.
pub(crate) fn page(lang: Lang) -> Tree {
    let (site, sheet, own) = (lang.site(), lang.sheets(), language(lang));
    let contents = methods::groups().iter().map(|group| {
        el("LI").child(
            el("A")
                .set("href", format!("{}#{}", address(lang), group.id))
                .child(own.pick(group.title[0], group.title[1])),
        )
    });
    let fact = |name: &'static str, value: &'static str| {
        el("DIV")
            .child(el("DT").child(name))
            .child(el("DD").child(value))
    };
    el("DIV.whole")
        .child(
            el("A.skip")
                .set("href", format!("{}#methods", address(lang)))
                .child(sheet.skip_formulas),
        )
        .child(header(lang))
        .child(
            el("MAIN.doc methods|id=methods|tabindex=-1")
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
                .children(
                    methods::groups()
                        .iter()
                        .map(|group| section(group, lang, own)),
                ),
        )
        .child(
            el("FOOTER.foot").child(
                el("DIV.foot-in")
                    .child(
                        el("P.foot-about")
                            .child(el("B").child("Shardwise"))
                            .child(" ")
                            .child(site.about),
                    )
                    .child(
                        el("DL.foot-facts")
                            .child(fact(site.data, catalog::VERSION))
                            .child(fact(site.prices, catalog::PRICES_AS_OF))
                            .child(fact(site.build, env!("CARGO_PKG_VERSION")))
                            .child(fact(site.licence, "Apache-2.0 OR MIT")),
                    ),
            ),
        )
}
