//! The table of published layouts that `src/recipes.rs` includes.

use crate::tables::Catalog;
use crate::tables::literal::{Rust, columns, literal, source, table};

/// The tables `PUBLISHERS` and `RECIPES`.
#[must_use]
pub(crate) fn emit(catalog: &Catalog) -> String {
    let mut text = String::from("// Written by build.rs from core/catalog.\n");
    table(&mut text, "PUBLISHERS", "Publisher", &catalog.publishers, |row| {
        literal("Publisher", &[("name", &row.name), ("source", &source(&row.source, &row.date))])
    });
    table(&mut text, "RECIPES", "Recipe", &catalog.recipes, |row| {
        let publisher = catalog.publishers.iter().position(|(_, own)| own.name == row.publisher);
        let publisher = Rust(format!("&PUBLISHERS[{}]", publisher.unwrap_or_default()));
        // `WorkloadKind`'s names are the words with a capital.
        let (first, rest) = row.kind.split_at(1);
        let kind = Rust(format!("WorkloadKind::{}{rest}", first.to_uppercase()));
        let own = columns!(row; model, gpu, gpus, sequence_length, file);
        let sizes = columns!(
            row.sizes;
            tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel,
            expert_tensor_parallel,
        );
        literal("Recipe", &[&[("publisher", &publisher as _), ("kind", &kind as _)], &own[..], &sizes[..]].concat())
    });
    text
}
