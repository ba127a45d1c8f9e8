//! Elements as data: what stands still while it is shown.
//!
//! The page turns them into Leptos's views; for the pages of text the worker turns them into JSON, which the build writes
//! down (`scripts/finish-site.mjs`): `["TAG.class|attr=value", {"attr": "value"}, child, …]`.

pub(crate) mod parts;

use std::borrow::Cow;

use serde_json::{Map, Value};

/// An element under construction.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Tag, class and fixed attributes: `BUTTON.btn btn-s|type=button`. Tags of SVG are in small letters.
    pub(crate) spec: &'static str,
    /// Its other attributes.
    pub(crate) attributes: Vec<(&'static str, Cow<'static, str>)>,
    /// What stands in it.
    pub(crate) children: Vec<Piece>,
}

/// What stands in an element.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// A text.
    Text(Cow<'static, str>),
    /// An element.
    Tree(Tree),
}

/// An element from its tag, its class and its fixed attributes.
pub(crate) fn el(spec: &'static str) -> Tree {
    Tree { spec, attributes: Vec::new(), children: Vec::new() }
}

impl Tree {
    /// An attribute.
    pub(crate) fn set(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// Something inside it.
    pub(crate) fn child(mut self, child: impl Branch) -> Self {
        child.add(&mut self.children);
        self
    }

    /// A list inside it.
    pub(crate) fn children<B: Branch>(mut self, children: impl IntoIterator<Item = B>) -> Self {
        for child in children {
            child.add(&mut self.children);
        }
        self
    }
}

impl From<Tree> for Value {
    fn from(tree: Tree) -> Self {
        let mut all = vec![Self::from(tree.spec)];
        if !tree.attributes.is_empty() {
            let attributes = tree.attributes.into_iter();
            let attributes = attributes.map(|(name, value)| (name.to_owned(), Self::from(value.into_owned())));
            all.push(Self::Object(Map::from_iter(attributes)));
        }
        let children = tree.children.into_iter();
        all.extend(children.map(|child| match child {
            Piece::Text(text) => Self::from(text.into_owned()),
            Piece::Tree(tree) => tree.into(),
        }));
        Self::Array(all)
    }
}

/// What can stand inside an element.
pub(crate) trait Branch {
    /// Puts it after what is there.
    fn add(self, to: &mut Vec<Piece>);
}

impl Branch for Tree {
    fn add(self, to: &mut Vec<Piece>) {
        to.push(Piece::Tree(self));
    }
}

impl Branch for &'static str {
    fn add(self, to: &mut Vec<Piece>) {
        to.push(Piece::Text(Cow::Borrowed(self)));
    }
}

impl Branch for String {
    fn add(self, to: &mut Vec<Piece>) {
        to.push(Piece::Text(Cow::Owned(self)));
    }
}

impl<B: Branch> Branch for Option<B> {
    fn add(self, to: &mut Vec<Piece>) {
        if let Some(branch) = self {
            branch.add(to);
        }
    }
}

impl<B: Branch> Branch for Vec<B> {
    fn add(self, to: &mut Vec<Piece>) {
        for branch in self {
            branch.add(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::el;
    use serde_json::{Value, json};

    #[test]
    fn an_element_is_a_list() {
        let tree = el("P.a|id=b")
            .set("lang", "en")
            .child("x")
            .child(None::<String>)
            .children(vec![el("B").child("y".to_owned())]);
        assert_eq!(Value::from(tree), json!(["P.a|id=b", {"lang": "en"}, "x", ["B", "y"]]));
    }
}
