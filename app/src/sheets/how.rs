//! How a figure comes about: the formula, the same with this question's numbers, its terms, how far off such figures
//! are, and where that is from.

use shardwise_core::methods::{self, ExplainedTerm, Explanation};
use shardwise_core::words;

use super::asked::{Ask, Asked};
use crate::protocol::Document;
use crate::text::Lang;
use crate::tree::parts::icon;
use crate::tree::{Tree, el};

fn term(own: &ExplainedTerm) -> Tree {
    let name = match &own.figure {
        Some(figure) => el("BUTTON.lnk|type=button")
            .set("data-how", figure.clone())
            .child(own.symbol.clone()),
        None => el("VAR").child(own.symbol.clone()),
    };
    el("DIV").child(el("DT").child(name)).child(
        el("DD")
            .child(el("SPAN").child(own.meaning.clone()))
            .child(el("B").child(own.value.clone())),
    )
}

fn explained(own: &Explanation, lang: Lang) -> Tree {
    let (text, sheet) = (lang.text(), lang.sheets());
    let head = el("HEADER")
        .child(
            el("H3|id=how-h")
                .child(own.title.clone())
                .child(" ")
                .child(el("B").child(own.shown.clone())),
        )
        .child(
            el("BUTTON.btn btn-s btn-q|type=button|popovertarget=how|popovertargetaction=hide")
                .child(icon("i-x"))
                .child(el("SPAN.vh").child(text.close)),
        );
    let sources = own.sources.iter().map(|link| {
        el("A|rel=noopener|target=_blank")
            .set("href", link.url.clone())
            .child(link.name.clone())
    });
    let more = el("A")
        .set("href", format!("{}#{}", Document::Methods.address(lang), own.method))
        .child(sheet.method);
    el("DIV.how-in")
        .child(head)
        .child(el("P.formula").child(own.formula.clone()))
        .child(el("P.formula put").child(own.put_in.clone()))
        .child(el("DL.calc").children(own.terms.iter().map(term)))
        .children(own.notes.iter().map(|note| el("P.err").child(note.clone())))
        .child((!own.error.is_empty()).then(|| {
            el("P.err")
                .child(el("B").child(sheet.measured_error))
                .child(" ")
                .child(own.error.clone())
        }))
        .child(el("P.src").children(sources).child(more))
}

/// The sheet.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
    let own = methods::explain(&asked.found, ask.word("figure"))?;
    Some(explained(&words::explanation(own, words::of(ask.lang.core())), ask.lang))
}
