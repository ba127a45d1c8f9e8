//! Compiles the Chinese in `chinese/` into static tables; with the feature `serve`, the built site too.
//!
//! A sentence without Chinese fails the build and names itself.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/chinese.rs"]
mod chinese;
#[path = "build/script.rs"]
mod script;
#[cfg(feature = "serve")]
#[path = "build/site.rs"]
mod site;

#[cfg_attr(not(feature = "serve"), expect(unused_variables, reason = "the site alone has files of its own"))]
fn main() {
    let watched = [&["build.rs", "build", "chinese"], chinese::SOURCES.as_slice()].concat();
    script::run(&watched, |root, out| {
        let made = vec![
            #[cfg(feature = "serve")]
            ("site.rs", site::literal(root, &out.join("site"))?),
            ("chinese.rs", chinese::literal(root)?),
        ];
        Ok((made, Vec::new()))
    });
}
