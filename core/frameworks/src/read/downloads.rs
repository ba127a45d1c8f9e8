//! Which repository a folder of weights is of: a line of the same text that downloads it there, or the comment beside it.

use super::launch;
use super::model;
use super::shell::Command;
use super::text::{Kind, Part};

/// Most such folders of a text.
const MOST: usize = 64;

/// Folders of weights by the last part of their path, each with the repository that the text says it is of.
pub(super) fn named(texts: &[&str], parts: &[Part]) -> Vec<(String, String)> {
    let scripts = parts.iter().filter_map(|part| match &part.kind {
        Kind::Shell(script) => Some(script),
        _ => None,
    });
    let loaded = scripts.flat_map(|script| &script.commands).filter_map(downloaded);
    loaded.chain(commented(texts)).take(MOST).collect()
}

/// The last part of a path, which is the folder's name.
pub(super) fn folder(path: &str) -> Option<&str> {
    let last = path.trim().trim_end_matches('/').rsplit('/').next()?;
    (!last.is_empty()).then_some(last)
}

/// `hf download NAME --local-dir PATH`, the same of its older command, and ModelScope's `--model NAME --local_dir PATH`.
fn downloaded(command: &Command) -> Option<(String, String)> {
    let words = &command.words;
    let tool = words
        .iter()
        .position(|word| matches!(word.text.rsplit('/').next(), Some("hf" | "huggingface-cli" | "modelscope")))?;
    let after = words.get(tool + 1..)?;
    let (verb, after) = after.split_first()?;
    if verb.text != "download" {
        return None;
    }
    let value = |names: &[&str]| Some(launch::option(after, names)?.text.rsplit('=').next()?.to_owned());
    let name =
        value(&["model"]).or_else(|| after.iter().map(|word| word.text.clone()).find(|text| is_repository(text)))?;
    let path = value(&["local_dir"])?;
    Some((folder(&path)?.to_owned(), name))
}

fn is_repository(text: &str) -> bool {
    !text.starts_with(['-', '/', '.', '~', '$']) && text.split('/').count() == 2
}

/// A path with the comment on its line, or on the line above, that names a repository whose model is known.
fn commented<'a>(texts: &'a [&str]) -> impl Iterator<Item = (String, String)> + 'a {
    texts.iter().flat_map(|text| {
        let mut above = None;
        text.lines().flat_map(move |line| {
            let (code, comment) = line
                .split_once('#')
                .map_or((line, None), |(code, comment)| (code, Some(comment)));
            let own = comment.and_then(repository);
            let alone = code.trim().is_empty();
            let repository = own.or(if alone { None } else { above.take() });
            above = repository.filter(|_| alone);
            let paths = repository
                .filter(|_| !alone)
                .map(|repository| paths(code).map(move |path| (path, repository.to_owned())));
            paths.into_iter().flatten()
        })
    })
}

/// A repository in a comment.
fn repository(comment: &str) -> Option<&str> {
    let words = comment.split([' ', ',', '(', ')', ':', '`', '"', '\'']);
    words
        .map(|word| word.trim_start_matches("//huggingface.co/").trim_end_matches('.'))
        .find(|word| is_repository(word) && model::find(word).is_some())
}

/// Folders of the paths in a line.
fn paths(code: &str) -> impl Iterator<Item = String> + '_ {
    let words = code.split([' ', '=', '"', '\'', '\t']).filter(|word| word.contains('/'));
    words.filter_map(folder).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::commented;

    #[test]
    fn comments_beside_a_path() {
        let text = "# Qwen/Qwen2.5-7B\nMODEL=~/seven\nOTHER=/data/eight # meta-llama/Llama-3.1-8B\nPLAIN=~/nine\n# a/b is not known\nLAST=~/ten\n";
        let found: Vec<_> = commented(&[text]).collect();
        let named = |path: &str, name: &str| (path.to_owned(), name.to_owned());
        assert_eq!(found, [named("seven", "Qwen/Qwen2.5-7B"), named("eight", "meta-llama/Llama-3.1-8B")]);
    }
}
