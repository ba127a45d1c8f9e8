//! A formula as a tree over terms: one thing that is printed with symbols, printed with numbers, and computed.

use std::ops::{Add, Div, Mul, Sub};

use serde::Serialize;

use super::number::{Unit, print, result};

/// A formula. `term` is a place in the list of terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expression {
    /// A term of the list.
    Term(usize),
    /// A number that is part of the formula.
    Number(f64),
    /// A sum.
    Sum(Box<[Self; 2]>),
    /// The first less the second.
    Difference(Box<[Self; 2]>),
    /// A product.
    Product(Box<[Self; 2]>),
    /// The first over the second.
    Quotient(Box<[Self; 2]>),
    /// The larger of two.
    Max(Box<[Self; 2]>),
    /// The smaller of two.
    Min(Box<[Self; 2]>),
    /// The largest whole number that is not above it.
    Floor(Box<Self>),
    /// The square root.
    Root(Box<Self>),
}

use Expression::{Difference, Floor, Max, Min, Number, Product, Quotient, Root, Sum, Term};

macro_rules! operators {
    ($($operator:ident, $name:ident, $variant:ident);* $(;)?) => {$(
        impl $operator for Expression {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                $variant(Box::new([self, other]))
            }
        }
        impl $operator<f64> for Expression {
            type Output = Self;
            fn $name(self, other: f64) -> Self {
                $variant(Box::new([self, Number(other)]))
            }
        }
    )*};
}

operators! { Add, add, Sum; Sub, sub, Difference; Mul, mul, Product; Div, div, Quotient }

impl Expression {
    /// The larger of both.
    pub(super) fn max(self, other: Self) -> Self {
        Max(Box::new([self, other]))
    }

    /// The smaller of both.
    pub(super) fn min(self, other: Self) -> Self {
        Min(Box::new([self, other]))
    }

    /// Rounded down.
    pub(super) fn floor(self) -> Self {
        Floor(Box::new(self))
    }

    /// Its square root.
    pub(super) fn root(self) -> Self {
        Root(Box::new(self))
    }

    /// The sum of all; 0 of none.
    pub(super) fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().reduce(|sum, one| sum + one).unwrap_or(Number(0.0))
    }

    /// Its operands, in the order in which they are written.
    fn operands(&self) -> &[Self] {
        match self {
            Term(_) | Number(_) => &[],
            Floor(inner) | Root(inner) => std::slice::from_ref(inner),
            Sum(pair) | Difference(pair) | Product(pair) | Quotient(pair) | Max(pair) | Min(pair) => pair.as_slice(),
        }
    }

    /// Hands the places of its terms to `see`, in the order in which they are written.
    pub(super) fn visit(&self, see: &mut dyn FnMut(usize)) {
        if let Term(place) = self {
            see(*place);
        }
        for own in self.operands() {
            own.visit(see);
        }
    }

    /// This expression with terms numbered by their place in `order`.
    pub(super) fn renumbered(self, order: &[usize]) -> Self {
        let both = |pair: Box<[Self; 2]>| Box::new((*pair).map(|own| own.renumbered(order)));
        match self {
            Term(place) => Term(order.iter().position(|own| *own == place).unwrap_or(place)),
            Number(number) => Number(number),
            Sum(pair) => Sum(both(pair)),
            Difference(pair) => Difference(both(pair)),
            Product(pair) => Product(both(pair)),
            Quotient(pair) => Quotient(both(pair)),
            Max(pair) => Max(both(pair)),
            Min(pair) => Min(both(pair)),
            Floor(inner) => Floor(Box::new(inner.renumbered(order))),
            Root(inner) => Root(Box::new(inner.renumbered(order))),
        }
    }

    /// Its value, where `of` says what a term is.
    pub(super) fn value(&self, of: &dyn Fn(usize) -> f64) -> f64 {
        let both = |pair: &[Self; 2]| (pair[0].value(of), pair[1].value(of));
        match self {
            Term(place) => of(*place),
            Number(number) => *number,
            Sum(pair) => {
                let (a, b) = both(pair);
                a + b
            }
            Difference(pair) => {
                let (a, b) = both(pair);
                a - b
            }
            Product(pair) => {
                let (a, b) = both(pair);
                a * b
            }
            Quotient(pair) => {
                let (a, b) = both(pair);
                a / b
            }
            Max(pair) => {
                let (a, b) = both(pair);
                a.max(b)
            }
            Min(pair) => {
                let (a, b) = both(pair);
                a.min(b)
            }
            // A hair of rounding is no whole number less.
            Floor(inner) => libm::floor(inner.value(of) * (1.0 + 1e-12)),
            Root(inner) => inner.value(of).sqrt(),
        }
    }

    /// How tightly it binds: a sum, a product, anything else.
    fn binding(&self) -> u8 {
        match self {
            Sum(_) | Difference(_) => 1,
            Product(_) | Quotient(_) => 2,
            _ => 3,
        }
    }

    /// As text, where `of` writes a term. `least` is how tightly it must bind to stand without parentheses.
    fn write(&self, out: &mut String, of: &dyn Fn(usize) -> String, least: u8) {
        let bracketed = self.binding() < least;
        if bracketed {
            out.push('(');
        }
        let mut two = |pair: &[Self; 2], sign: &str, left: u8, right: u8| {
            pair[0].write(out, of, left);
            out.push_str(sign);
            pair[1].write(out, of, right);
        };
        match self {
            Term(place) => out.push_str(&of(*place)),
            Number(number) => out.push_str(&print(*number, Unit::One, 6).text),
            Sum(pair) => two(pair, " + ", 1, 1),
            Difference(pair) => two(pair, " − ", 1, 2),
            Product(pair) => two(pair, " × ", 2, 2),
            Quotient(pair) => two(pair, " ÷ ", 2, 3),
            Max(pair) | Min(pair) => {
                out.push_str(if matches!(self, Max(_)) { "max(" } else { "min(" });
                pair[0].write(out, of, 0);
                out.push_str(", ");
                pair[1].write(out, of, 0);
                out.push(')');
            }
            Floor(inner) => {
                out.push('⌊');
                inner.write(out, of, 0);
                out.push('⌋');
            }
            Root(inner) => {
                out.push_str("√(");
                inner.write(out, of, 0);
                out.push(')');
            }
        }
        if bracketed {
            out.push(')');
        }
    }

    /// With symbols for its terms.
    pub(super) fn symbols(&self, symbols: &dyn Fn(usize) -> String) -> String {
        let mut out = String::new();
        self.write(&mut out, symbols, 0);
        out
    }

    /// With numbers for its terms, of as many digits as it takes to come to the same `result`, and these digits.
    pub(super) fn numbers(&self, terms: &[(f64, Unit)], unit: Unit) -> (String, u8) {
        let exact = result(self.value(&|place| terms[place].0), unit);
        let printed = |place: usize, digits| print(terms[place].0, terms[place].1, digits);
        let comes = |digits: &u8| result(self.value(&|place| printed(place, *digits).value), unit) == exact;
        let digits = (4..=12).find(comes).unwrap_or(12);
        (self.symbols(&|place| printed(place, digits).text), digits)
    }
}
