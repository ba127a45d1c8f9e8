//! Elements by name, built with Leptos's builder behind one type.
//!
//! Leptos compiles its machinery anew for the type of every element, attribute and closure. Here
//! all elements share one type, all closures of a kind another: the download is a quarter smaller
//! than with the types apart.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use leptos::either::Either;
use leptos::ev;
use leptos::html::custom;
use leptos::prelude::*;
use leptos::svg;
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

/// An element under construction. One pointer, so that passing it along costs nothing.
pub(super) struct El(Box<Parts>);

struct Parts {
    tag: &'static str,
    attributes: Vec<AnyAttribute>,
    children: Vec<AnyView>,
}

/// An element from its tag, its class and its fixed attributes: `BUTTON.btn btn-s|type=button`.
#[inline(never)]
pub(super) fn el(spec: &'static str) -> El {
    let (tag, attributes) = of_spec(spec);
    El(Box::new(Parts { tag, attributes, children: Vec::new() }))
}

/// Tag, class and fixed attributes of `BUTTON.btn btn-s|type=button`.
fn of_spec(spec: &'static str) -> (&'static str, Vec<AnyAttribute>) {
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

fn attribute(name: &'static str, value: Cow<'static, str>) -> AnyAttribute {
    custom_attribute(name, value).into_any_attr()
}

/// An element by its tag, which is written in capitals where it is HTML's, as browsers report it: Leptos compares the two
/// when it decides whether an element can stay.
fn element(tag: &'static str, attributes: Vec<AnyAttribute>, children: Vec<AnyView>) -> AnyView {
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

// The generic methods do no more than hand over to one that is compiled once.
impl El {
    fn with(mut self, attribute: AnyAttribute) -> Self {
        self.0.attributes.push(attribute);
        self
    }

    /// An attribute.
    pub(super) fn set(self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.set_text(name, value.into())
    }

    #[inline(never)]
    fn set_text(self, name: &'static str, value: Cow<'static, str>) -> Self {
        self.with(attribute(name, value))
    }

    /// An attribute that follows what it reads; `None` takes it away.
    pub(super) fn live<V: Words>(self, name: &'static str, mut value: impl FnMut() -> V + Send + 'static) -> Self {
        self.live_text(name, Arc::new(Mutex::new(move || value().words())))
    }

    #[inline(never)]
    fn live_text(self, name: &'static str, value: Live<Option<String>>) -> Self {
        self.with(custom_attribute(name, value).into_any_attr())
    }

    /// The text of an input.
    pub(super) fn value(self, value: impl FnMut() -> String + Send + 'static) -> Self {
        self.live_value(Arc::new(Mutex::new(value)))
    }

    #[inline(never)]
    fn live_value(self, value: Live<String>) -> Self {
        self.with(prop("value", value).into_any_attr())
    }

    /// Whether a box is ticked, an option chosen.
    pub(super) fn flag(self, name: &'static str, value: impl FnMut() -> bool + Send + 'static) -> Self {
        self.live_flag(name, Arc::new(Mutex::new(value)))
    }

    #[inline(never)]
    fn live_flag(self, name: &'static str, value: Live<bool>) -> Self {
        self.with(prop(name, value).into_any_attr())
    }

    /// What an event does.
    #[inline(never)]
    pub(super) fn on(self, event: &'static str, act: Act) -> Self {
        self.with(on(ev::Custom::<Event>::new(event), act).into_any_attr())
    }

    /// Something inside it.
    pub(super) fn child(mut self, child: impl Node) -> Self {
        child.add(&mut self.0.children);
        self
    }

    /// A list inside it.
    pub(super) fn children<N: Node>(mut self, children: impl IntoIterator<Item = N>) -> Self {
        for child in children {
            child.add(&mut self.0.children);
        }
        self
    }

    /// The finished element.
    #[inline(never)]
    pub(super) fn into_any(self) -> AnyView {
        let Parts { tag, attributes, children } = *self.0;
        element(tag, attributes, children)
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

#[inline(never)]
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
    live_words(Arc::new(Mutex::new(move || words().words().unwrap_or_default())))
}

#[inline(never)]
fn live_words(words: Live<String>) -> AnyView {
    words.into_any()
}

/// A part of the page that follows what it reads.
pub(super) fn part<N: Node>(mut view: impl FnMut() -> N + Send + 'static) -> AnyView {
    live_part(Arc::new(Mutex::new(move || view().view())))
}

#[inline(never)]
fn live_part(view: Live<AnyView>) -> AnyView {
    view.into_any()
}

/// What a press does.
pub(super) fn press(act: impl Fn() + 'static) -> Act {
    Box::new(move |_| act())
}

/// What a new value of an input does.
pub(super) fn typed(act: impl Fn(String) + 'static) -> Act {
    Box::new(move |event| act(event_target_value(&event)))
}

/// What a box that is ticked or cleared does.
pub(super) fn ticked(act: impl Fn(bool) + 'static) -> Act {
    Box::new(move |event| act(event_target_checked(&event)))
}
