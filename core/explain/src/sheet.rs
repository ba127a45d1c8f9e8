//! One explanation as it is written: terms are added one by one, a formula joins them, and both are printed.

use std::borrow::Cow;

use serde::Serialize;

use super::entries::{Citation, entry};
use super::expression::Expression;
use super::number::{Unit, print, result};

/// How a figure comes about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// The figure: see [`figures`](super::figures).
    pub figure: String,
    /// The entry of [`groups`](super::groups) that states the formula.
    pub method: &'static str,
    /// What the figure is called.
    pub title: String,
    /// The formula in symbols: `throughput = tokens ÷ (t × GPUs)`.
    pub formula: String,
    /// The formula with this question's numbers put in, and what it comes to.
    pub put_in: String,
    /// What it comes to, as printed at the end of `put_in`.
    pub shown: String,
    /// What the formula comes to as a number, in the unit of the answer document.
    pub value: f64,
    /// The formula as a tree over `terms`.
    #[cfg_attr(feature = "cli", schemars(schema_with = "tree"))]
    pub expression: Expression,
    /// What the symbols stand for.
    pub terms: Vec<ExplainedTerm>,
    /// What else is good to know: where a price is from, what a question's calibration changes.
    pub notes: Vec<String>,
    /// How far off such figures are where they were measured.
    pub error: String,
    /// Where the formula and its numbers come from.
    pub sources: Vec<Link>,
}

/// A tree is an object whose one key says what it does.
#[cfg(feature = "cli")]
fn tree(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object", "additionalProperties": true})
}

/// A term of a formula.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ExplainedTerm {
    /// As in the formula.
    pub symbol: String,
    /// Its value with its unit, as in `put_in`.
    pub value: String,
    /// The unit's name where `value` has none; may be empty.
    pub unit: Cow<'static, str>,
    /// What it is.
    pub meaning: String,
    /// The figure that it is, where that can be explained in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
}

/// An address with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Link {
    /// Name.
    pub name: String,
    /// Address, https.
    pub url: String,
}

impl Link {
    fn of(citation: &Citation) -> Self {
        Self { name: citation.name.to_owned(), url: citation.url.to_owned() }
    }
}

struct Quantity {
    symbol: Cow<'static, str>,
    value: f64,
    unit: Unit,
    meaning: Cow<'static, str>,
    figure: Option<String>,
}

/// An explanation being written.
pub(super) struct Sheet {
    terms: Vec<Quantity>,
    notes: Vec<String>,
    sources: Vec<Link>,
}

impl Sheet {
    pub(super) fn new() -> Self {
        Self { terms: Vec::new(), notes: Vec::new(), sources: Vec::new() }
    }

    /// A new term.
    pub(super) fn term(
        &mut self,
        symbol: impl Into<Cow<'static, str>>,
        value: f64,
        unit: Unit,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Expression {
        self.add(symbol.into(), value, unit, meaning.into(), None)
    }

    /// A new term that is a figure by itself.
    pub(super) fn part(
        &mut self,
        symbol: impl Into<Cow<'static, str>>,
        value: f64,
        unit: Unit,
        meaning: impl Into<Cow<'static, str>>,
        figure: impl Into<String>,
    ) -> Expression {
        self.add(symbol.into(), value, unit, meaning.into(), Some(figure.into()))
    }

    fn add(
        &mut self,
        symbol: Cow<'static, str>,
        value: f64,
        unit: Unit,
        meaning: Cow<'static, str>,
        figure: Option<String>,
    ) -> Expression {
        // What occurs twice is one term.
        let known = |own: &Quantity| own.symbol == symbol && own.value == value;
        if let Some(place) = self.terms.iter().position(known) {
            return Expression::Term(place);
        }
        self.terms.push(Quantity { symbol, value, unit, meaning, figure });
        Expression::Term(self.terms.len() - 1)
    }

    /// `expression` times a term, which is left out where it is 1.
    pub(super) fn scaled(
        &mut self,
        expression: Expression,
        symbol: &'static str,
        factor: f64,
        meaning: &'static str,
    ) -> Expression {
        if factor == 1.0 {
            return expression;
        }
        self.term(symbol, factor, Unit::One, meaning) * expression
    }

    /// A sentence beside the formula.
    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// A source beside those of the method.
    pub(super) fn source(&mut self, name: &str, url: &str) {
        self.sources.push(Link { name: name.to_owned(), url: url.to_owned() });
    }

    /// The explanation of `figure`, called `title` and `symbol`, by `expression`, whose unit is `unit`.
    pub(super) fn finish(
        self,
        figure: &str,
        method: &'static str,
        title: &str,
        symbol: &str,
        expression: Expression,
        unit: Unit,
    ) -> Explanation {
        // Terms stand in the order in which the formula names them.
        let mut order = Vec::with_capacity(self.terms.len());
        expression.visit(&mut |place| {
            if !order.contains(&place) {
                order.push(place);
            }
        });
        let expression = expression.renumbered(&order);
        let mut given: Vec<Option<Quantity>> = self.terms.into_iter().map(Some).collect();
        let terms: Vec<Quantity> = order
            .iter()
            .filter_map(|place| given.get_mut(*place).and_then(Option::take))
            .collect();
        let values: Vec<(f64, Unit)> = terms.iter().map(|own| (own.value, own.unit)).collect();
        let total = expression.value(&|place| values[place].0);
        let symbols = expression.symbols(&|place| terms[place].symbol.clone().into_owned());
        let (numbers, digits) = expression.numbers(&values, unit);
        let shown = result(total, unit);
        let printed = |own: Quantity| ExplainedTerm {
            symbol: own.symbol.into_owned(),
            value: print(own.value, own.unit, digits).text,
            unit: own.unit.name().into(),
            meaning: own.meaning.into_owned(),
            figure: own.figure,
        };
        let mut sources = self.sources;
        if let Some(method) = entry(method) {
            sources.extend(method.citations.iter().map(Link::of));
        }
        Explanation {
            figure: figure.to_owned(),
            method,
            title: title.to_owned(),
            formula: format!("{symbol} = {symbols}"),
            put_in: format!("{numbers} = {shown}"),
            shown,
            value: total / unit.of_answer(),
            expression,
            terms: terms.into_iter().map(printed).collect(),
            notes: self.notes,
            error: String::new(),
            sources,
        }
    }
}
