//! The table of published layouts that `src/recipes.rs` includes.

use std::fmt::Write as _;

use crate::tables::{Catalog, SizesRow};

/// The tables `PUBLISHERS` and `RECIPES`.
#[must_use]
pub(crate) fn emit(catalog: &Catalog) -> String {
    let mut text = String::from("// Written by build.rs from core/catalog.\nstatic PUBLISHERS: &[Publisher] = &[\n");
    for (_, row) in &catalog.publishers {
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "Publisher {{ name: {:?}, source: Source {{ url: {:?}, date: {:?} }} }},",
            row.name, row.source, row.date
        );
    }
    text.push_str("];\nstatic RECIPES: &[Recipe] = &[\n");
    for (_, row) in &catalog.recipes {
        let publisher = catalog.publishers.iter().position(|(_, own)| own.name == row.publisher);
        // `WorkloadKind`'s names are the words with a capital.
        let (first, rest) = row.kind.split_at(1);
        let kind = first.to_uppercase() + rest;
        let SizesRow { tp, pp, vpp, cp, ep, etp } = row.sizes;
        let _ = writeln!(
            text,
            "Recipe {{ publisher: &PUBLISHERS[{}], model: {:?}, kind: WorkloadKind::{kind}, gpu: {:?}, gpus: {:?}, \
             sequence_length: {:?}, tensor_parallel: {tp:?}, pipeline_parallel: {pp:?}, virtual_pipeline: {vpp:?}, \
             context_parallel: {cp:?}, expert_parallel: {ep:?}, expert_tensor_parallel: {etp:?}, file: {:?} }},",
            publisher.unwrap_or_default(),
            row.model,
            row.gpu,
            row.gpus,
            row.sequence_length,
            row.file
        );
    }
    text.push_str("];\n");
    text
}
