//! Members of a JSON object, changed in the text, so that everything else stays as it is written.

use std::ops::Range;

use super::change::Edit;

/// A member of an object: where its key begins and where its value stands.
#[derive(Debug)]
struct Member {
    path: String,
    key: usize,
    value: Range<usize>,
}

/// Where the object of a text begins.
pub(super) fn begins(text: &str) -> Option<usize> {
    let mut offset = 0;
    text.split_inclusive('\n').find_map(|line| {
        let at = offset + (line.len() - line.trim_start().len());
        offset += line.len();
        let inner = text.get(at..)?.strip_prefix('{')?;
        inner.trim_start().starts_with('"').then_some(at)
    })
}

/// Whether a text is an object that states a key.
pub(super) fn states(text: &str, key: &str) -> bool {
    members(text).is_some_and(|(_, members)| members.iter().any(|member| member.path == key))
}

/// Changes a member, takes it away, or adds it. Whether the text holds an object.
pub(super) fn change(text: &mut String, edit: &Edit) -> bool {
    let Some((all, members)) = members(text) else {
        return false;
    };
    let at = |path: &str| members.iter().find(|member| member.path == path);
    let Some(value) = &edit.value else {
        let gone = edit.section.as_deref().and_then(at).or_else(|| at(&edit.key));
        if let Some(gone) = gone {
            let place = without(text, gone);
            text.replace_range(place, "");
        }
        return true;
    };
    if let Some(member) = at(&edit.key) {
        // What the trainer fills in follows its own arguments.
        if text.get(member.value.clone()) != Some("\"auto\"") {
            text.replace_range(member.value.clone(), &literal(value));
        }
        return true;
    }
    // The innermost section that is there takes the rest of the path.
    let mut inside = all;
    let mut rest = edit.key.as_str();
    for (dot, _) in edit.key.match_indices('.') {
        let (path, name) = (&edit.key[..dot], &edit.key[dot + 1..]);
        if let Some(section) = at(path).filter(|member| text[member.value.clone()].starts_with('{')) {
            inside = section.value.clone();
            rest = name;
        }
    }
    let names: Vec<&str> = rest.split('.').collect();
    let (last, sections) = names.split_last().map_or(("", &[][..]), |(last, sections)| (*last, sections));
    let mut new = format!("\"{last}\": {}", literal(value));
    for section in sections.iter().rev() {
        new = format!("\"{section}\": {{{new}}}");
    }
    let first = inside.start + 1;
    let gap: String = text[first..].chars().take_while(|c| c.is_whitespace()).collect();
    let empty = text[first + gap.len()..].starts_with('}');
    let new = if empty { new } else { format!("{gap}{new},") };
    text.insert_str(first, &new);
    true
}

/// What to cut, so that the commas are right without a member.
fn without(text: &str, member: &Member) -> Range<usize> {
    let tail = &text[member.value.end..];
    let spaces = tail.len() - tail.trim_start().len();
    if tail.trim_start().starts_with(',') {
        let behind = &tail[spaces + 1..];
        let end = member.value.end + spaces + 1 + (behind.len() - behind.trim_start().len());
        return member.key..end;
    }
    let head = text[..member.key].trim_end();
    let start = head.strip_suffix(',').unwrap_or(head).len();
    start..member.value.end
}

/// A value as JSON writes it.
fn literal(value: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(value) {
        Ok(parsed) if !parsed.is_string() => value.to_owned(),
        _ => match value {
            "True" => "true".to_owned(),
            "False" => "false".to_owned(),
            _ => serde_json::Value::from(value).to_string(),
        },
    }
}

/// The object of a text and all members in it. The reader has accepted it, so that only its own form counts here.
fn members(text: &str) -> Option<(Range<usize>, Vec<Member>)> {
    let begin = begins(text)?;
    let bytes = text.as_bytes();
    let mut found: Vec<Member> = Vec::new();
    // Open containers: where each began, and the member whose value it is.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut pending: Option<usize> = None;
    let mut at = begin;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                open.push((at, pending.take()));
                at += 1;
            }
            b'}' | b']' => {
                let (start, member) = open.pop()?;
                at += 1;
                if let Some(member) = member.and_then(|member| found.get_mut(member)) {
                    member.value = start..at;
                }
                if open.is_empty() {
                    return Some((begin..at, found));
                }
            }
            b'"' => {
                let end = string_end(bytes, at)?;
                let colon = text.get(end..)?.trim_start().starts_with(':');
                let object = open.last().is_some_and(|(start, _)| bytes[*start] == b'{');
                if pending.is_none() && colon && object {
                    let parent = open.iter().rev().find_map(|(_, member)| found.get((*member)?));
                    let name = text.get(at + 1..end - 1)?;
                    let path = parent.map_or(name.to_owned(), |parent| format!("{}.{name}", parent.path));
                    pending = Some(found.len());
                    found.push(Member { path, key: at, value: 0..0 });
                    at = end + text.get(end..)?.find(':')? + 1;
                } else {
                    if let Some(member) = pending.take().and_then(|member| found.get_mut(member)) {
                        member.value = at..end;
                    }
                    at = end;
                }
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            _ => {
                let rest = text.get(at..)?;
                let end = at + rest.find([',', '}', ']', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                if let Some(member) = pending.take().and_then(|member| found.get_mut(member)) {
                    member.value = at..end;
                }
                at = end.max(at + 1);
            }
        }
    }
    None
}

/// End of the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in bytes.get(at + 1..)?.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + offset + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Edit, change};

    fn changed(text: &str, key: &str, value: Option<&str>, section: Option<&str>) -> String {
        let mut text = text.to_owned();
        let edit =
            Edit { key: key.into(), value: value.map(Into::into), bare: false, section: section.map(Into::into) };
        assert!(change(&mut text, &edit));
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        text
    }

    #[test]
    fn members_are_changed_added_and_taken_away() {
        let text = "{\n  \"a\": [1, {\"b\": 2}],\n  \"z\": {\n    \"b\": \"x, }\",\n    \"c\": {\"d\": 1}\n  }\n}\n";
        assert_eq!(changed(text, "z.b", Some("cpu"), None), text.replace("\"x, }\"", "\"cpu\""));
        assert_eq!(changed(text, "z.c.d", Some("20"), None), text.replace("1}", "20}"));
        assert_eq!(
            changed(text, "z.e", Some("True"), None),
            text.replace("\"z\": {\n", "\"z\": {\n    \"e\": true,\n")
        );
        assert_eq!(changed(text, "z.c.d", None, Some("z.c")), text.replace(",\n    \"c\": {\"d\": 1}", ""));
        assert_eq!(changed(text, "z.b", None, None), text.replace("\"b\": \"x, }\",\n    ", ""));
        assert_eq!(changed(text, "o.p", Some("[1]"), None), text.replacen("{\n", "{\n  \"o\": {\"p\": [1]},\n", 1));
        assert_eq!(changed("{\"a\": {}}", "a.b", Some("1"), None), "{\"a\": {\"b\": 1}}");
    }
}
