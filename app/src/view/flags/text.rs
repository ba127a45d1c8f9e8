//! One text: what it is for, the reasons beside its settings, copy and download, what changed in it.

use leptos::prelude::*;
use shardwise_core::emit::Named;

use crate::browser;
use crate::format;
use crate::page::Page;
use crate::page::texts::Texts;
use crate::protocol::Text;
use crate::text::{Lang, fill};
use crate::view::copying;
use crate::view::dom::{El, el, live, node, part, press, ticked};
use crate::view::icons::icon;
use crate::view::listing::{self, Changes, Line};

/// Lines that show whose text it is; Copy and Download take all.
const FIRST: usize = 13;

/// Lines of comments at its head that are among them: the question, the answer, whose it is.
const HEAD: usize = 3;

/// Lines of a text that is shown whole: a few more are no reason to fold it.
const FEW: usize = 16;

pub(super) fn view(
    page: Page,
    framework: &'static Named,
    version: &str,
    index: usize,
    own: &Text,
    before: Option<&Text>,
) -> AnyView {
    let (texts, words) = (page.texts, page.text());
    let id = format!("code-{index}");
    let changes = before.map(|before| Changes::between(before, own)).unwrap_or_default();
    let mut lines: Vec<(Line, bool)> = listing::lines(own).into_iter().map(|line| (line, false)).collect();
    let count = lines.len();
    let folds = count > FEW;
    let mut last = 0;
    if folds {
        last = fold_away(&mut lines);
    }
    let lines: Vec<AnyView> = lines
        .into_iter()
        .enumerate()
        .map(|(at, (own, is_far))| {
            let mark = changes.marks.iter().find(|(place, _)| *place == at);
            line(own, mark.map(|(_, changed)| *changed), is_far, page.lang)
        })
        .collect();
    let class = move || match (texts.reasons.get(), folds && !texts.whole.get()) {
        (true, false) => "code",
        (true, true) => "code code-top",
        (false, false) => "code no-why",
        (false, true) => "code code-top no-why",
    };
    let about = el("P.acc acc-no").child(icon("i-info")).child(
        el("A")
            .set("href", framework.docs_url)
            .set("rel", "noopener")
            .set("target", "_blank")
            .child(fill(words.checked, &[framework.name, version])),
    );
    vec![
        node(
            el("DIV.tabp-h")
                .child(el("P.tabp-f").child(el("CODE").child(own.file.clone())))
                .child(tools(page, id.clone(), own)),
        ),
        node(changed(page, index, changes, last)),
        node(
            el("PRE|tabindex=0|role=region")
                .live("class", class)
                .set("aria-label", own.file.clone())
                .child(el("CODE").set("id", id.clone()).child(lines)),
        ),
        node(folds.then(|| fold(texts, id, index, count, page.lang))),
        node(about),
    ]
    .into_any()
}

/// Marks the lines that a folded text does not show, and says which is the last that it does. In its head that is the link,
/// which is long, and notes; a warning is always shown.
fn fold_away(lines: &mut [(Line, bool)]) -> usize {
    let (mut shown, mut last) = (0, 0);
    for (at, (line, is_far)) in lines.iter_mut().enumerate() {
        let aside = match line {
            Line::Comment(_, true) => false,
            Line::Comment(words, false) => words.contains("://") || shown >= HEAD,
            Line::Plain(words, _) => words.is_empty(),
            _ => false,
        };
        *is_far = shown >= FIRST || aside;
        if !*is_far {
            (shown, last) = (shown + 1, at);
        }
    }
    last
}

/// Copy first: it is what most come for.
fn tools(page: Page, id: String, own: &Text) -> El {
    let texts = page.texts;
    let text = {
        let own = own.clone();
        move || listing::copied(&own, texts.reasons.get_untracked())
    };
    // What is selected to be copied by hand has to be there.
    let unfold = Box::new(move || texts.whole.set(true));
    el("DIV.tools")
        .child(copying::folded(page.lang, id, text.clone(), unfold))
        .child(copying::download(page.lang, own.file.clone(), text))
        .child(
            el("LABEL.tog")
                .child(
                    el("INPUT|type=checkbox")
                        .flag("checked", move || texts.reasons.get())
                        .on("change", ticked(move |on| texts.reasons.set(on))),
                )
                .child(el("SPAN").child(page.text().reasons)),
        )
}

/// The button that shows all of a text, or its first lines.
fn fold(texts: Texts, id: String, index: usize, count: usize, lang: Lang) -> El {
    let words = lang.text();
    let face = move || {
        if texts.whole.get() {
            words.show_fewer.to_owned()
        } else {
            fill(words.show_lines, &[&format::grouped(count as u64)])
        }
    };
    el("BUTTON.btn btn-s code-more|type=button")
        .set("id", format!("code-more-{index}"))
        .set("aria-controls", id)
        .live("aria-expanded", move || texts.whole.get().to_string())
        .on("click", press(move || texts.whole.update(|whole| *whole = !*whole)))
        .child(live(face))
}

/// How many lines are others than before the last change, how many of them are folded away, and what they were.
fn changed(page: Page, index: usize, changes: Changes, last: usize) -> Option<El> {
    let (texts, words) = (page.texts, page.text());
    let number = |count: usize| format::grouped(count as u64);
    let said = match changes.count() {
        0 => return None,
        1 => words.changed_one.to_owned(),
        count => fill(words.changed_many, &[&number(count)]),
    };
    let below = changes.marks.iter().filter(|(at, _)| *at > last).count();
    let below = move || {
        let hidden = last > 0 && below > 0 && !texts.whole.get();
        hidden.then(|| el("SPAN").child(fill(words.changed_below, &[&number(below)])))
    };
    let clear = move || {
        texts.clear_marks(page.flags.get_untracked());
        // The same texts again, without marks.
        page.flags.update(|_| ());
        browser::focus(&format!("code-copy-{index}"));
    };
    let lines = changes.lines.into_iter().map(|(sign, line)| {
        let class = if sign == '+' { "ln d-in" } else { "ln d-out" };
        el("SPAN").set("class", class).child(format!("{sign} {}\n", line.trim_start()))
    });
    Some(
        el("DIV.chg")
            .set("id", format!("changed-{index}"))
            .child(
                el("P.chg-h").child(el("B").child(said)).child(" ").child(part(below)).child(
                    el("BUTTON.btn btn-s btn-q|type=button")
                        .set("id", format!("clear-marks-{index}"))
                        .on("click", press(clear))
                        .child(words.clear_marks),
                ),
            )
            .child(
                el("DETAILS.more").child(el("SUMMARY").child(words.changed_were)).child(
                    el("PRE.code|tabindex=0|role=region")
                        .set("aria-label", words.changed_were)
                        .child(el("CODE").children(lines)),
                ),
            ),
    )
}

/// One line. Each is a block, so that a selection copies it with its line break. A marked one says by a sign and a word that it
/// is new, or changed.
fn line(line: Line, mark: Option<bool>, is_far: bool, lang: Lang) -> AnyView {
    let why = |why: String| (!why.is_empty()).then(|| el("SPAN.why").child("  ").child(why));
    let words = lang.text();
    let said = mark.map(|changed| if changed { words.line_changed } else { words.line_new });
    let said = || said.map(|said| el("SPAN.vh").child(said));
    let kind = match (&line, mark) {
        (Line::Comment(_, true), _) => " ln-w",
        (Line::Comment(..), _) => " ln-c",
        (Line::Heading(_), _) => " ln-h",
        (_, Some(_)) => " ln-new",
        (_, None) => "",
    };
    let whole = el("SPAN").set("class", format!("ln{kind}{}", if is_far { " ln-far" } else { "" }));
    match line {
        Line::Comment(text, _) | Line::Heading(text) => whole.child(text).into_any(),
        Line::Plain(text, reason) => whole
            .child(el("SPAN.cmd").child(said()).child(text))
            .child(why(reason))
            .into_any(),
        Line::Setting { indent, prefix, key, between, value, after, why: reason } => whole
            .child(
                el("SPAN.cmd")
                    .child(said())
                    .child(indent)
                    .child(el("SPAN.fp").child(prefix))
                    .child(el("SPAN.fk").child(key))
                    .child(between)
                    .child(el("SPAN.fv").child(value))
                    .child(after),
            )
            .child(why(reason))
            .into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, fold_away};
    use crate::view::listing::Line;

    #[test]
    fn the_first_lines_are_those_that_say_whose_text_it_is() {
        let comment = |words: &str, warning| Line::Comment(words.to_owned(), warning);
        let mut lines = vec![
            comment("# GRPO", false),
            comment("# https://x/#v=1", false),
            comment("# Warning: too much", true),
            comment("# fast", false),
            comment("# Note: long", false),
            Line::Plain(String::new(), String::new()),
        ];
        lines.extend((0..30).map(|at| Line::Plain(format!("run {at}"), String::new())));
        let mut lines: Vec<(Line, bool)> = lines.into_iter().map(|line| (line, false)).collect();
        let last = fold_away(&mut lines);
        let far: Vec<usize> = (0..6).filter(|at| lines[*at].1).collect();
        assert_eq!(far, [1, 4, 5]);
        assert_eq!(lines.iter().filter(|(_, is_far)| !is_far).count(), FIRST);
        assert_eq!(lines[last].0, Line::Plain("run 9".to_owned(), String::new()));
    }
}
