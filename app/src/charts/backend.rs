//! A plotters backend that collects SVG nodes.
//!
//! plotters colours its shapes; here a colour is an index into [`INKS`], and the index becomes a
//! CSS class. So a theme, forced colours and print reach every mark, and no `style` attribute is
//! ever written. Text is measured by a table of widths: plotters' own way asks the page, which the
//! page's content policy forbids.

use std::convert::Infallible;

use plotters::style::{Color, RGBAColor};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use serde::{Deserialize, Serialize};

macro_rules! inks {
    ($($name:ident = $class:literal),* $(,)?) => {
        /// A palette colour: what a mark means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "u8", into = "u8")]
        #[allow(missing_docs, reason = "the class beside each name says what it draws")]
        pub(crate) enum Ink {
            $($name,)*
        }

        /// Every palette colour with its CSS class, in the order of their indices.
        pub(crate) const INKS: &[(Ink, &str)] = &[$((Ink::$name, $class),)*];
    };
}

inks! {
    // Lines and grounds.
    Grid = "grid", Axis = "axis", RowSel = "row-sel", Halo = "halo", Cap = "cap",
    Gap = "gap", Whisker = "whisk", WhiskerGround = "whisk-bg",
    Rail = "rail", RailOwn = "rail own", Ideal = "ideal", Guide = "guide", Band = "band", Ring = "pt-ring",
    // Points.
    Full = "pt-full", FullOff = "pt-full off", FullSel = "pt-full sel",
    Point = "pt", PointFront = "pt-front", PointSel = "pt-sel", Front = "front",
    Part = "pt-part", PartOff = "pt-part off", PartSel = "pt-part sel",
    // Bars.
    Bar = "bar", BarSel = "bar-sel", BarMissed = "bar-missed", Hatched = "hatched",
    Parameters = "k-par", Gradients = "k-grad", Optimizer = "k-opt", Activations = "k-act",
    Logits = "k-log", KvCache = "k-kv", RolloutWeights = "k-genw", FrozenWeights = "k-refw",
    Communication = "k-com", Framework = "k-fw", Forward = "k-fwd", Forward2 = "k-fwd2",
    Prefill = "k-pre",
    // Text.
    Tick = "t-k", Head = "t-h", Label = "t-l", LabelSel = "t-l sel", LabelOff = "t-l off",
    Value = "t-v", ValueSel = "t-v sel", ValueBest = "t-v best", Reason = "t-u", CapText = "t-cap",
    Miss = "t-l t-miss", Near = "t-l t-near",
    // Text on bars.
    OnParameters = "t-on on-par", OnGradients = "t-on on-grad", OnOptimizer = "t-on on-opt",
    OnActivations = "t-on on-act", OnLogits = "t-on on-log", OnKvCache = "t-on on-kv",
    OnRolloutWeights = "t-on on-genw", OnFrozenWeights = "t-on on-refw",
    OnCommunication = "t-on on-com", OnFramework = "t-on on-fw", OnForward = "t-on on-fwd",
    OnPrefill = "t-on on-pre",
}

impl Ink {
    /// Its CSS class.
    pub(crate) fn class(self) -> &'static str {
        INKS.get(self as usize).map_or("", |(_, class)| class)
    }

    /// The colour of text on a bar of this colour.
    pub(crate) fn on(self) -> Self {
        match self {
            Self::Parameters => Self::OnParameters,
            Self::Gradients => Self::OnGradients,
            Self::Optimizer => Self::OnOptimizer,
            Self::Activations => Self::OnActivations,
            Self::Logits => Self::OnLogits,
            Self::KvCache => Self::OnKvCache,
            Self::RolloutWeights => Self::OnRolloutWeights,
            Self::FrozenWeights => Self::OnFrozenWeights,
            Self::Communication => Self::OnCommunication,
            Self::Forward | Self::Forward2 => Self::OnForward,
            Self::Prefill => Self::OnPrefill,
            Self::Hatched => Self::Reason,
            _ => Self::OnFramework,
        }
    }
}

impl From<Ink> for u8 {
    fn from(ink: Ink) -> Self {
        ink as Self
    }
}

impl From<u8> for Ink {
    fn from(index: u8) -> Self {
        INKS.get(usize::from(index)).map_or(Self::Grid, |(ink, _)| *ink)
    }
}

impl Color for Ink {
    fn to_backend_color(&self) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: (0, 0, *self as u8) }
    }
}

impl From<Ink> for RGBAColor {
    fn from(ink: Ink) -> Self {
        ink.to_rgba()
    }
}

/// What a colour of plotters stands for; `None` draws nothing.
fn ink_of(color: BackendColor) -> Option<Ink> {
    (color.alpha != 0.0).then(|| color.rgb.2.into())
}

/// Which end of a text stands where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "SVG's own words")]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// As `text-anchor` has it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// One SVG element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Node {
    /// A filled rectangle.
    Rect {
        /// Left and top in pixels.
        at: (i32, i32),
        /// Width and height in pixels.
        size: (i32, i32),
        /// What it means.
        ink: Ink,
    },
    /// A path: lines, circles, polygons.
    Path {
        /// The `d` attribute.
        d: String,
        /// What it means.
        ink: Ink,
    },
    /// One line of text.
    Text {
        /// Anchor and baseline in pixels.
        at: (i32, i32),
        /// Its end that stands there.
        anchor: Anchor,
        /// What it means.
        ink: Ink,
        /// What it says.
        text: String,
    },
}

/// A finished drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drawing {
    /// Width in pixels.
    pub(crate) width: u32,
    /// Height in pixels.
    pub(crate) height: u32,
    /// Its elements, in the order of painting.
    pub(crate) nodes: Vec<Node>,
}

impl Drawing {
    /// Left and top, width and height of its bars, in the order of drawing.
    pub(crate) fn bars(&self) -> Vec<((i32, i32), (i32, i32))> {
        let bars = self.nodes.iter().filter_map(|node| match node {
            Node::Rect { at, size, ink } if *ink != Ink::Halo => Some((*at, *size)),
            _ => None,
        });
        bars.collect()
    }
}

/// Collects the elements of a [`Drawing`].
#[derive(Debug)]
pub(crate) struct SvgNodes<'a>(pub(crate) &'a mut Drawing);

/// Width of a character in em, on average over the faces of the page's font stack.
fn em(c: char) -> f64 {
    match c {
        '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => 1.0,
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | 'I' | ' ' | '\u{a0}' | '·' => 0.3,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' => 0.7,
        _ => 0.58,
    }
}

/// Width of a line of text in pixels.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl SvgNodes<'_> {
    fn path(&mut self, d: String, color: BackendColor) -> Drawn {
        if let Some(ink) = ink_of(color) {
            self.0.nodes.push(Node::Path { d, ink });
        }
        Ok(())
    }
}

fn points(path: impl IntoIterator<Item = BackendCoord>, end: &str) -> String {
    let mut d = String::new();
    for (index, (x, y)) in path.into_iter().enumerate() {
        d.push(if index == 0 { 'M' } else { 'L' });
        d.push_str(&x.to_string());
        d.push(' ');
        d.push_str(&y.to_string());
    }
    d.push_str(end);
    d
}

impl DrawingBackend for SvgNodes<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.0.width, self.0.height)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        if let Some(ink) = ink_of(color) {
            self.0.nodes.push(Node::Rect { at: point, size: (1, 1), ink });
        }
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.path(points([from, to], ""), style.color())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        if !fill {
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            return self.path(points(corners, "Z"), style.color());
        }
        if let Some(ink) = ink_of(style.color()) {
            let at = (left.min(right), top.min(bottom));
            let size = ((right - left).abs(), (bottom - top).abs());
            self.0.nodes.push(Node::Rect { at, size, ink });
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.path(points(path, ""), style.color())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, radius: u32, style: &S, _fill: bool) -> Drawn {
        let d = format!(
            "M{} {y}a{radius} {radius} 0 1 0 {} 0a{radius} {radius} 0 1 0 -{} 0Z",
            x - radius as i32,
            radius * 2,
            radius * 2
        );
        self.path(d, style.color())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        self.path(points(corners, "Z"), style.color())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => Anchor::Start,
            HPos::Right => Anchor::End,
            HPos::Center => Anchor::Middle,
        };
        // SVG places the baseline; capitals and figures are about 0.72 em high.
        let below = match style.anchor().v_pos {
            VPos::Top => 0.78,
            VPos::Center => 0.36,
            VPos::Bottom => -0.22,
        };
        if let Some(ink) = ink_of(style.color()) {
            let baseline = y + (style.size() * below).round() as i32;
            self.0
                .nodes
                .push(Node::Text { at: (x, baseline), anchor, ink, text: text.to_owned() });
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((text_width(text, style.size()).ceil() as u32, (style.size() * 1.2).ceil() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::{Drawing, INKS, Ink, Node, SvgNodes, text_width};
    use plotters::prelude::*;

    #[test]
    fn every_colour_is_its_own_class() {
        for (index, (ink, class)) in INKS.iter().enumerate() {
            assert_eq!(*ink as usize, index);
            assert_eq!(ink.class(), *class);
            assert_eq!(INKS.iter().filter(|(_, other)| other == class).count(), 1, "{class}");
        }
    }

    #[test]
    fn shapes_become_nodes_with_classes() {
        let mut drawing = Drawing { width: 100, height: 50, nodes: Vec::new() };
        {
            let root = SvgNodes(&mut drawing).into_drawing_area();
            assert!(root.draw(&Rectangle::new([(10, 20), (30, 24)], Ink::Bar.filled())).is_ok());
            assert!(root.draw(&PathElement::new([(0, 0), (5, 6)], Ink::Grid)).is_ok());
            assert!(root.draw(&PathElement::new([(0, 0), (5, 6)], TRANSPARENT)).is_ok());
        }
        assert_eq!(
            drawing.nodes,
            [
                Node::Rect { at: (10, 20), size: (20, 4), ink: Ink::Bar },
                Node::Path { d: "M0 0L5 6".to_owned(), ink: Ink::Grid },
            ]
        );
    }

    #[test]
    fn chinese_is_one_em_wide() {
        assert!((text_width("吞吐量", 12.0) - 36.0).abs() < 1e-9);
    }
}
