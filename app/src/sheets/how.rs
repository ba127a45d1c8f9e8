//! How a figure comes about: the formula, the same with this question's numbers, its terms, how far off such figures
//! are, and where that is from.

use shardwise_core::methods::{self, ExplainedTerm, Explanation};
use shardwise_core::words;

use crate::languages;
use crate::money::{self, Currency};
use crate::protocol::Document;
use crate::protocol::blocks::{Line, Term};
use crate::sheets::prelude::*;

fn term(own: &ExplainedTerm) -> Term {
    let symbol = match &own.figure {
        Some(figure) => Button::new(Look::Link, own.symbol.clone(), Action::How(figure.to_string())).into(),
        None => run(own.symbol.clone()),
    };
    Term { symbol, meaning: own.meaning.to_string(), value: own.value.to_string() }
}

fn explained(own: &Explanation, lang: Lang) -> Block {
    let sheet = lang.sheets();
    let close = Button::new(Look::Quiet, "", Action::Close).icon("i-x").about(lang.text().close);
    let mut sources: Line = own.sources.iter().map(|own| link(own.url.clone(), own.name.clone())).collect();
    sources.push(link(format!("{}#{}", Document::Methods.address(lang), own.method), sheet.method));
    let mut blocks = vec![
        said(Kind::Formula, own.formula.clone()),
        said(Kind::Numbers, own.put_in.clone()),
        Block::Terms(own.terms.iter().map(term).collect()),
    ];
    blocks.extend(own.notes.iter().map(|note| said(Kind::Error, note.clone())));
    if !own.error.is_empty() {
        let line = vec![strong(sheet.measured_error), run(format!(" {}", own.error))];
        blocks.push(prose(Kind::Error, line));
    }
    if money::shown().currency == Currency::Cny && own.put_in.contains('$') {
        let rate = format::trimmed((money::shown().yuan * 1e4).round() / 1e4);
        blocks.push(said(Kind::Note, fill(sheet.how_dollars, &[&rate])));
    }
    blocks.push(prose(Kind::Sources, sources));
    let title = vec![run(format!("{} ", own.title)), strong(own.shown.clone())];
    Section::titled("", Purpose::Explanation, title, vec![close], blocks)
}

pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    let own = methods::explain(&asked.found, ask.word("figure"))?;
    let own = words::explanation(own, languages::words(ask.lang));
    Some(explained(&own, ask.lang))
}
