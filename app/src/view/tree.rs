//! Elements as data ([`Tree`]) as views, for `{tree}` in a `view!`.

use std::borrow::Cow;

use leptos::html::custom;
use leptos::prelude::*;
use leptos::svg;
use leptos::tachys::html::attribute::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::tachys::html::attribute::custom::custom_attribute;
use leptos::tachys::view::iterators::StaticVec;

use crate::tree::{Piece, Tree};

impl IntoRender for Tree {
    type Output = AnyView;

    fn into_render(self) -> AnyView {
        let (tag, mut attributes) = of_spec(self.spec);
        attributes.extend(self.attributes.into_iter().map(|(name, value)| attribute(name, value)));
        let children = self.children.into_iter().map(|child| match child {
            Piece::Text(words) => words.into_any(),
            Piece::Tree(tree) => tree.into_render(),
        });
        element(tag, attributes, children.collect())
    }
}

/// Tag, class and fixed attributes of `BUTTON.btn btn-s|type=button`.
pub(super) fn of_spec(spec: &'static str) -> (&'static str, Vec<AnyAttribute>) {
    let mut parts = spec.split('|');
    let head = parts.next().unwrap_or(spec);
    let (tag, class) = head.split_once('.').unwrap_or((head, ""));
    let class = (!class.is_empty()).then_some(("class", class));
    let fixed = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
    (
        tag,
        class
            .into_iter()
            .chain(fixed)
            .map(|(name, value)| attribute(name, value.into()))
            .collect(),
    )
}

pub(super) fn attribute(name: &'static str, value: Cow<'static, str>) -> AnyAttribute {
    custom_attribute(name, value).into_any_attr()
}

/// An element by its tag, which is written in capitals where it is HTML's, as browsers report it: Leptos compares the two
/// when it decides whether an element can stay.
pub(super) fn element(tag: &'static str, attributes: Vec<AnyAttribute>, children: Vec<AnyView>) -> AnyView {
    let children = StaticVec::from(children);
    macro_rules! of {
        ($element:expr) => {
            $element.child(children).add_any_attr(attributes).into_any()
        };
    }
    // Browsers know the elements of SVG by their namespace, Leptos by their types.
    match tag {
        "svg" => of!(svg::svg()),
        "rect" => of!(svg::rect()),
        "path" => of!(svg::path()),
        "text" => of!(svg::text()),
        "circle" => of!(svg::circle()),
        "defs" => of!(svg::defs()),
        "pattern" => of!(svg::pattern()),
        _ => of!(custom(tag)),
    }
}
