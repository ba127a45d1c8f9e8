//! One text: what it is for, the reasons beside its settings, copy and download, what changed in it.

use shardwise_core::emit::Named;

use crate::page::texts::Texts;
use crate::protocol::Text;
use crate::view::copying::{CopyButton, DownloadButton};
use crate::view::listing::{self, Changes, Line};
use crate::view::prelude::*;

/// Lines that show whose text it is; Copy and Download take all.
const FIRST: usize = 13;

/// Lines of comments at its head that are among them: the question, the answer, whose it is.
const HEAD: usize = 3;

/// Lines of a text that is shown whole: a few more are no reason to fold it.
const FEW: usize = 16;

#[component]
pub(super) fn Listing(
    page: Page,
    framework: &'static Named,
    version: String,
    index: usize,
    own: Text,
    before: Option<Text>,
) -> impl IntoView {
    let texts = page.texts;
    let id = format!("code-{index}");
    let changes = before.map(|before| Changes::between(&before, &own)).unwrap_or_default();
    let mut lines: Vec<(Line, bool)> = listing::lines(&own).into_iter().map(|line| (line, false)).collect();
    let count = lines.len();
    let folds = count > FEW;
    let last = if folds { fold_away(&mut lines) } else { 0 };
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
    let file = own.file.clone();
    view! {
        <div class="tabp-h">
            <p class="tabp-f">
                <code>{file.clone()}</code>
            </p>
            <Tools page of=id.clone() own/>
        </div>
        <Changed page index changes last/>
        <pre tabindex="0" role="region" class=class aria-label=file>
            <code id=id.clone()>{lines}</code>
        </pre>
        {folds.then(|| view! { <Fold texts of=id index count lang=page.lang/> })}
        <p class="acc acc-no">
            <Icon name="i-info"/>
            <a href=framework.docs_url rel="noopener" target="_blank">
                {fill(page.text().checked, &[framework.name, &version])}
            </a>
        </p>
    }
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
#[component]
fn Tools(page: Page, of: String, own: Text) -> impl IntoView {
    let texts = page.texts;
    let file = own.file.clone();
    let text = Signal::derive(move || listing::copied(&own, texts.reasons.get()));
    let id = of.replace("code-", "code-copy-");
    view! {
        <div class="tools">
            // What is selected to be copied by hand has to be there.
            <CopyButton lang=page.lang of text first=true id unfold=move || texts.whole.set(true)/>
            <DownloadButton lang=page.lang file text/>
            <label class="tog">
                <input
                    type="checkbox"
                    prop:checked=move || texts.reasons.get()
                    on:change=move |event| texts.reasons.set(event_target_checked(&event))
                />
                <span>{page.text().reasons}</span>
            </label>
        </div>
    }
}

/// The button that shows all of the text called `of`, or its first lines.
#[component]
fn Fold(texts: Texts, of: String, index: usize, count: usize, lang: Lang) -> impl IntoView {
    let words = lang.text();
    view! {
        <button
            class="btn btn-s code-more"
            type="button"
            id=format!("code-more-{index}")
            aria-controls=of
            aria-expanded=move || texts.whole.get().to_string()
            on:click=move |_| texts.whole.update(|whole| *whole = !*whole)
        >
            {move || if texts.whole.get() {
                words.show_fewer.to_owned()
            } else {
                fill(words.show_lines, &[&format::grouped(count as u64)])
            }}
        </button>
    }
}

/// How many lines are others than before the last change, how many of them are folded away, and what they were.
#[component]
fn Changed(page: Page, index: usize, changes: Changes, last: usize) -> impl IntoView {
    let (texts, words) = (page.texts, page.text());
    let number = |count: usize| format::grouped(count as u64);
    let said = match changes.count() {
        0 => return None,
        1 => words.changed_one.to_owned(),
        count => fill(words.changed_many, &[&number(count)]),
    };
    let below = changes.marks.iter().filter(|(at, _)| *at > last).count();
    let clear = move |_| {
        texts.clear_marks(page.flags.get_untracked());
        // The same texts again, without marks.
        page.flags.update(|_| ());
        browser::focus(&format!("code-copy-{index}"));
    };
    let lines = changes.lines.into_iter().map(|(sign, line)| {
        let class = if sign == '+' { "ln d-in" } else { "ln d-out" };
        view! { <span class=class>{format!("{sign} {}\n", line.trim_start())}</span> }
    });
    Some(view! {
        <div class="chg" id=format!("changed-{index}")>
            <p class="chg-h">
                <b>{said}</b>
                " "
                {move || (last > 0 && below > 0 && !texts.whole.get()).then(|| view! {
                    <span>{fill(words.changed_below, &[&number(below)])}</span>
                })}
                <button class="btn btn-s btn-q" type="button" id=format!("clear-marks-{index}") on:click=clear>
                    {words.clear_marks}
                </button>
            </p>
            <details class="more">
                <summary>{words.changed_were}</summary>
                <pre class="code" tabindex="0" role="region" aria-label=words.changed_were>
                    <code>{lines.collect_view()}</code>
                </pre>
            </details>
        </div>
    })
}

/// One line. Each is a block, so that a selection copies it with its line break. A marked one says by a sign and a word that it
/// is new, or changed.
fn line(line: Line, mark: Option<bool>, is_far: bool, lang: Lang) -> AnyView {
    let why = |why: String| (!why.is_empty()).then(|| view! { <span class="why">"  " {why}</span> });
    let words = lang.text();
    let said = mark.map(|changed| if changed { words.line_changed } else { words.line_new });
    let said = said.map(|said| view! { <span class="vh">{said}</span> });
    let kind = match (&line, mark) {
        (Line::Comment(_, true), _) => " ln-w",
        (Line::Comment(..), _) => " ln-c",
        (Line::Heading(_), _) => " ln-h",
        (_, Some(_)) => " ln-new",
        (_, None) => "",
    };
    let inside = match line {
        Line::Comment(text, _) | Line::Heading(text) => text.into_any(),
        Line::Plain(text, reason) => view! {
            <span class="cmd">{said} {text}</span>
            {why(reason)}
        },
        Line::Setting { indent, prefix, key, between, value, after, why: reason } => view! {
            <span class="cmd">
                {said}
                {indent}
                <span class="fp">{prefix}</span>
                <span class="fk">{key}</span>
                {between}
                <span class="fv">{value}</span>
                {after}
            </span>
            {why(reason)}
        },
    };
    view! { <span class=format!("ln{kind}{}", if is_far { " ln-far" } else { "" })>{inside}</span> }
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
