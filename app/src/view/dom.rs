//! Elements by name, built with Leptos's builder behind one type.
//!
//! Leptos compiles its machinery anew for the type of every element, attribute and closure. Here
//! all elements share one type, all closures of a kind another: the download is a quarter smaller
//! than with the types apart.
//!
//! Tags are written in capitals, as browsers report them: Leptos compares the two when it decides
//! whether an element can stay.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use leptos::either::Either;
use leptos::ev;
use leptos::html::custom;
use leptos::prelude::*;
use leptos::tachys::html::attribute::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::tachys::html::attribute::custom::custom_attribute;
use leptos::tachys::html::event::on;
use leptos::tachys::html::property::prop;
use leptos::tachys::view::iterators::StaticVec;
use web_sys::Event;

/// A closure that runs again as what it reads changes.
type Live<T> = Arc<Mutex<dyn FnMut() -> T + Send>>;

/// What an event does.
pub(super) type Act = Box<dyn FnMut(Event)>;

/// An element under construction.
pub(super) struct El {
    tag: &'static str,
    attributes: Vec<AnyAttribute>,
    children: Vec<AnyView>,
}

/// An element with its class; empty for none.
pub(super) fn el(tag: &'static str, class: &'static str) -> El {
    let el = El {
        tag,
        attributes: Vec::new(),
        children: Vec::new(),
    };
    if class.is_empty() {
        el
    } else {
        el.set("class", class)
    }
}

impl El {
    /// An attribute.
    pub(super) fn set(self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.attribute(name, value.into())
    }

    fn attribute(mut self, name: &'static str, value: Cow<'static, str>) -> Self {
        self.attributes
            .push(custom_attribute(name, value).into_any_attr());
        self
    }

    /// An attribute that follows what it reads; `None` takes it away.
    pub(super) fn live<V: Words>(
        self,
        name: &'static str,
        mut value: impl FnMut() -> V + Send + 'static,
    ) -> Self {
        self.live_attribute(name, Arc::new(Mutex::new(move || value().words())))
    }

    fn live_attribute(mut self, name: &'static str, value: Live<Option<String>>) -> Self {
        self.attributes
            .push(custom_attribute(name, value).into_any_attr());
        self
    }

    /// The text of an input.
    pub(super) fn value(mut self, value: impl FnMut() -> String + Send + 'static) -> Self {
        let value: Live<String> = Arc::new(Mutex::new(value));
        self.attributes.push(prop("value", value).into_any_attr());
        self
    }

    /// Whether a box is ticked, an option chosen.
    pub(super) fn flag(
        mut self,
        name: &'static str,
        value: impl FnMut() -> bool + Send + 'static,
    ) -> Self {
        let value: Live<bool> = Arc::new(Mutex::new(value));
        self.attributes.push(prop(name, value).into_any_attr());
        self
    }

    /// What an event does.
    pub(super) fn on(mut self, event: &'static str, act: Act) -> Self {
        self.attributes
            .push(on(ev::Custom::<Event>::new(event), act).into_any_attr());
        self
    }

    /// Something inside it.
    pub(super) fn child(mut self, child: impl Node) -> Self {
        child.add(&mut self.children);
        self
    }

    /// A list inside it.
    pub(super) fn children<N: Node>(mut self, children: impl IntoIterator<Item = N>) -> Self {
        for child in children {
            child.add(&mut self.children);
        }
        self
    }

    /// The finished element.
    pub(super) fn into_any(self) -> AnyView {
        let Self {
            tag,
            attributes,
            children,
        } = self;
        custom(tag)
            .child(StaticVec::from(children))
            .add_any_attr(attributes)
            .into_any()
    }
}

/// What can stand inside an element.
pub(super) trait Node: Sized {
    /// As a view.
    fn view(self) -> AnyView;

    /// Puts it after what is there.
    fn add(self, to: &mut Vec<AnyView>) {
        to.push(self.view());
    }
}

impl Node for AnyView {
    fn view(self) -> AnyView {
        self
    }
}

impl Node for El {
    fn view(self) -> AnyView {
        self.into_any()
    }
}

fn text(words: Cow<'static, str>) -> AnyView {
    words.into_any()
}

impl Node for &'static str {
    fn view(self) -> AnyView {
        text(Cow::Borrowed(self))
    }
}

impl Node for String {
    fn view(self) -> AnyView {
        text(Cow::Owned(self))
    }
}

/// Two views that replace each other as a whole.
impl Node for Either<AnyView, AnyView> {
    fn view(self) -> AnyView {
        self.into_any()
    }
}

/// Nothing keeps its place, so that what follows stays what it is.
impl<N: Node> Node for Option<N> {
    fn view(self) -> AnyView {
        self.map_or_else(|| ().into_any(), Node::view)
    }
}

impl<N: Node> Node for Vec<N> {
    fn view(self) -> AnyView {
        let views: Vec<AnyView> = self.into_iter().map(Node::view).collect();
        StaticVec::from(views).into_any()
    }

    fn add(self, to: &mut Vec<AnyView>) {
        for node in self {
            node.add(to);
        }
    }
}

/// Anything as a view.
pub(super) fn node(node: impl Node) -> AnyView {
    node.view()
}

/// The views of a list.
pub(super) fn all<N: Node>(nodes: impl IntoIterator<Item = N>) -> Vec<AnyView> {
    nodes.into_iter().map(Node::view).collect()
}

/// Words for an attribute or a text; `None` for nothing.
pub(super) trait Words {
    /// As words.
    fn words(self) -> Option<String>;
}

impl Words for &'static str {
    fn words(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl Words for String {
    fn words(self) -> Option<String> {
        Some(self)
    }
}

impl<W: Words> Words for Option<W> {
    fn words(self) -> Option<String> {
        self.and_then(Words::words)
    }
}

/// A text that follows what it reads.
pub(super) fn live<V: Words>(mut words: impl FnMut() -> V + Send + 'static) -> AnyView {
    live_text(Arc::new(Mutex::new(move || {
        words().words().unwrap_or_default()
    })))
}

fn live_text(words: Live<String>) -> AnyView {
    words.into_any()
}

/// A part of the page that follows what it reads.
pub(super) fn part<N: Node>(mut view: impl FnMut() -> N + Send + 'static) -> AnyView {
    live_part(Arc::new(Mutex::new(move || view().view())))
}

fn live_part(view: Live<AnyView>) -> AnyView {
    view.into_any()
}

/// What a press does.
pub(super) fn press(act: impl Fn() + 'static) -> Act {
    Box::new(move |_| act())
}

/// The same of a link that leads nowhere by itself, and of a form that is never sent.
pub(super) fn press_link(act: impl Fn() + 'static) -> Act {
    Box::new(move |event| {
        event.prevent_default();
        act();
    })
}

/// What a new value of an input does.
pub(super) fn typed(act: impl Fn(String) + 'static) -> Act {
    Box::new(move |event| act(event_target_value(&event)))
}

/// What a box that is ticked or cleared does.
pub(super) fn ticked(act: impl Fn(bool) + 'static) -> Act {
    Box::new(move |event| act(event_target_checked(&event)))
}
