//! The modules of a crate and the paths that each of them says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use serde::de::DeserializeOwned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, UseTree, Visibility};

/// A path as it is written: `crate`, `plan`, `Plan`.
pub(crate) type Said = Vec<String>;

/// What a module says, leaving out what is for tests alone.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Paths in imports and in code.
    pub(crate) says: BTreeSet<Said>,
    /// Names that it has from elsewhere, and where they come from: modules below it may take them from it.
    pub(crate) imports: BTreeMap<String, Said>,
    /// Modules below it that are for tests alone.
    tests: Vec<String>,
}

/// The modules of a crate by their path below its root, which is the empty one. Programs in `bin` are others' crates.
///
/// # Errors
/// What cannot be read, or is no Rust.
pub(crate) fn modules(src: &Path) -> Result<BTreeMap<Said, Module>, String> {
    let mut all = BTreeMap::new();
    for file in files(src)?.into_iter().filter(|file| !file.starts_with(src.join("bin"))) {
        let place = file.strip_prefix(src).unwrap_or(&file);
        let mut module = Module::default();
        module.visit_file(&parse(&file)?);
        all.insert(path_of(place), module);
    }
    let tests: Vec<Said> = all
        .iter()
        .flat_map(|(path, own)| own.tests.iter().map(|name| below(path, name)))
        .collect();
    all.retain(|path, _| !tests.iter().any(|tests| path.starts_with(tests)));
    Ok(all)
}

/// The path of what a module holds.
pub(crate) fn below(path: &[String], name: &str) -> Said {
    [path, &[name.to_owned()]].concat()
}

/// What a file of TOML says.
///
/// # Errors
/// What cannot be read, or says something else.
pub(crate) fn toml<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// What is in a folder, in order.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = read.map_err(|error: io::Error| format!("{}: {error}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

/// Every source of Rust below a folder.
///
/// # Errors
/// A folder cannot be read.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|own| own == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// A source as Rust reads it.
///
/// # Errors
/// The file cannot be read, or is no Rust.
pub(crate) fn parse(file: &Path) -> Result<syn::File, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    syn::parse_file(&text).map_err(|error| named(&error))
}

/// `search/space.rs` is `search::space`; `lib.rs` is the root.
fn path_of(file: &Path) -> Said {
    let mut parts: Said = file
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if parts == ["lib"] {
        parts.pop();
    }
    parts
}

/// Whether something is compiled for tests alone.
pub(crate) fn is_for_tests(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Mod(own) => &own.attrs,
        Item::Fn(own) => &own.attrs,
        Item::Impl(own) => &own.attrs,
        Item::Use(own) => &own.attrs,
        _ => &[],
    };
    attributes.iter().any(|one| {
        let words = one.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        one.path().is_ident("cfg") && (words == "test" || words.starts_with("all (test"))
    })
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            _ if !is_for_tests(item) => visit::visit_item(self, item),
            Item::Mod(own) => self.tests.push(own.ident.to_string()),
            _ => {}
        }
    }

    /// A module written inside of a file counts as that file's.
    fn visit_item_mod(&mut self, own: &'ast ItemMod) {
        for item in own.content.iter().flat_map(|(_, items)| items) {
            self.visit_item(item);
        }
    }

    fn visit_item_use(&mut self, own: &'ast ItemUse) {
        self.import(&own.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let said: Said = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.say(said);
        visit::visit_path(self, path);
    }

    /// Who may see something is not taken.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    /// What a macro is given is no syntax yet: words with `::` between them are taken for paths.
    fn visit_macro(&mut self, own: &'ast Macro) {
        self.words(own.tokens.clone());
        visit::visit_macro(self, own);
    }
}

impl Module {
    fn say(&mut self, said: Said) {
        if said.len() > 1 {
            self.says.insert(said);
        }
    }

    fn import(&mut self, tree: &UseTree, before: &mut Said) {
        match tree {
            UseTree::Path(own) => {
                before.push(own.ident.to_string());
                self.import(&own.tree, before);
                before.pop();
            }
            UseTree::Name(own) => self.imported(before, &own.ident.to_string(), None),
            UseTree::Rename(own) => {
                let name = own.rename.to_string();
                self.imported(before, &own.ident.to_string(), Some(name));
            }
            UseTree::Glob(_) => self.say(below(before, "*")),
            UseTree::Group(own) => {
                for tree in &own.items {
                    self.import(tree, before);
                }
            }
        }
    }

    fn imported(&mut self, before: &Said, name: &str, renamed: Option<String>) {
        let mut said = before.clone();
        if name != "self" {
            said.push(name.to_owned());
        }
        let name = renamed.unwrap_or_else(|| said.last().cloned().unwrap_or_default());
        self.imports.insert(name, said.clone());
        self.say(said);
    }

    fn words(&mut self, tokens: TokenStream) {
        let mut said = Said::new();
        let mut joined = false;
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    if !joined {
                        self.say(std::mem::take(&mut said));
                    }
                    said.push(word.to_string());
                    joined = false;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => joined = !said.is_empty(),
                TokenTree::Group(group) => {
                    self.say(std::mem::take(&mut said));
                    self.words(group.stream());
                    joined = false;
                }
                _ => {
                    self.say(std::mem::take(&mut said));
                    joined = false;
                }
            }
        }
        self.say(said);
    }
}
