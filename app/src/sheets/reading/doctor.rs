//! Where memory ran out, of a traceback that was pasted: what it says, the lines that say so, and what helps.

use super::super::words::words_of;
use super::{line_of, list, word};
use crate::protocol::blocks::words;
use crate::sheets::prelude::*;

/// The sheet of a diagnosis.
pub(super) fn sheet(found: &Value, lang: Lang) -> Vec<Block> {
    let sheet = lang.sheets();
    let mut says = list(found, "says")
        .iter()
        .filter_map(Value::as_str)
        .map(|own| words_of(own, lang));
    let verdict = says.next().unwrap_or_default();
    let framework = Some(word(found, "framework")).filter(|name| !name.is_empty());
    let head = framework
        .map(|name| words(format!("{name}{}", lang.colon())))
        .into_iter()
        .chain([strong(verdict)])
        .collect();
    let mut blocks = vec![prose(Kind::Summary, head)];
    blocks.extend(says.map(|own| said(Kind::Text, own)));
    let evidence = list(found, "evidence").iter().map(|own| {
        let line = line_of(own, lang).into_iter().chain([words(" "), code(word(own, "text"))]);
        Entry { tone: Tone::Info, ..Entry::new([line.collect::<Vec<_>>()]) }
    });
    let mends = list(found, "mends").iter().map(|own| {
        let settings = own[1].as_array().map_or(&[][..], Vec::as_slice);
        let settings = settings.iter().filter_map(Value::as_str).map(code).collect();
        Entry::new([vec![words(words_of(own[0].as_str().unwrap_or_default(), lang))], settings])
    });
    let source = list(found, "mends")
        .iter()
        .find_map(|own| own[2].as_str().filter(|own| !own.is_empty()));
    let part = |title, list| Section::headed("", Purpose::Group, title, vec![list]);
    blocks.push(part(sheet.doctor_helps, entries(Listed::Changes, mends)));
    blocks.extend(source.map(|own| prose(Kind::Sources, vec![link(own, sheet.source)])));
    blocks.push(part(sheet.doctor_lines, entries(Listed::Findings, evidence)));
    blocks
}
