//! JUnit's XML, as the readers of build servers take it
//! (<https://github.com/testmoapp/junitxml>, read 2026-11-26).

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::BytesText;
use shardwise_core::interface::{Level, Verdict};

use super::Run;

/// Writes a suite for each run: a test of its verdict, which fails where it does not fit or is not known, and what was found as its
/// output.
pub(super) fn write(runs: &[Run], out: &mut impl Write) -> io::Result<()> {
    let count = |verdict: fn(Verdict) -> bool| runs.iter().filter(|run| verdict(run.checked.verdict)).count();
    let (tests, failures) = (runs.len().to_string(), count(|own| own == Verdict::Unfit).to_string());
    let errors = count(|own| own == Verdict::Unknown).to_string();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let mut writer = Writer::new_with_indent(&mut *out, b' ', 2);
    let totals = [("name", "shardwise"), ("tests", &tests), ("failures", &failures), ("errors", &errors)];
    writer
        .create_element("testsuites")
        .with_attributes(totals)
        .write_inner_content(|writer| runs.iter().try_for_each(|run| suite(run, writer)))?;
    writeln!(out)
}

fn suite(run: &Run, writer: &mut Writer<impl Write>) -> io::Result<()> {
    let verdict = run.checked.verdict;
    let failures = if verdict == Verdict::Unfit { "1" } else { "0" };
    let errors = if verdict == Verdict::Unknown { "1" } else { "0" };
    let totals = [("name", run.file.as_str()), ("tests", "1"), ("failures", failures), ("errors", errors)];
    let line = &run.line;
    writer
        .create_element("testsuite")
        .with_attributes(totals)
        .write_inner_content(|writer| {
            writer
                .create_element("testcase")
                .with_attributes([("name", "check"), ("classname", run.file.as_str()), ("file", run.file.as_str())])
                .write_inner_content(|writer| case(run, line, writer))?;
            Ok(())
        })?;
    Ok(())
}

fn case(run: &Run, line: &str, writer: &mut Writer<impl Write>) -> io::Result<()> {
    let told = |levels: &[Level]| -> String {
        let own = run.checked.findings.iter().filter(|one| levels.contains(&one.level));
        let lines = own.map(|one| format!("{}:{}: {} [{}]", run.file_of(one), one.line.max(1), one.text, one.rule));
        lines.collect::<Vec<_>>().join("\n")
    };
    let element = match run.checked.verdict {
        Verdict::Unfit => Some("failure"),
        Verdict::Unknown => Some("error"),
        Verdict::Fits | Verdict::Tight => None,
    };
    if let Some(element) = element {
        let own = writer.create_element(element).with_attribute(("message", line));
        own.write_text_content(BytesText::new(&told(&[Level::Error])))?;
    }
    let rest = told(&[Level::Warning, Level::Note]);
    let rest = if rest.is_empty() { line.to_owned() } else { format!("{line}\n{rest}") };
    writer.create_element("system-out").write_text_content(BytesText::new(&rest))?;
    Ok(())
}
