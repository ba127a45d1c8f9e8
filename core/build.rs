//! Compiles the languages in `words/` into static tables; with the feature `serve`, the built site too.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/script.rs"]
mod script;
#[cfg(feature = "serve")]
#[path = "build/site.rs"]
mod site;
#[path = "build/words.rs"]
mod words;

#[cfg_attr(not(feature = "serve"), expect(unused_variables, reason = "the site alone has files of its own"))]
fn main() {
    script::run(&["build.rs", "build", "words", "tests/words"], |root, out| {
        let made = vec![
            #[cfg(feature = "serve")]
            ("site.rs", site::literal(root, &out.join("site"))?),
            ("words.rs", words::literal(&root.join("words"))?),
            // A language that exists in tests alone.
            ("words-of-tests.rs", words::literal(&root.join("tests/words"))?),
        ];
        Ok((made, Vec::new()))
    });
}
