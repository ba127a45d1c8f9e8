//! Whether the largest misses are explained, as the accuracy page shows them.

use serde_json::Value;

const PAGE: [&str; 2] = [include_str!("../../../public/runs.json"), include_str!("../../../public/generation.json")];
/// The largest misses of a quantity that are to be explained.
const EXPLAINED: usize = 10;

#[test]
fn the_largest_misses_of_each_quantity_are_explained() {
    let rows: Vec<Value> = PAGE
        .iter()
        .flat_map(|page| serde_json::from_str::<Vec<Value>>(page).unwrap())
        .collect();
    for quantity in ["speed", "memory", "generation", "step"] {
        let error = |row: &&Value| row[quantity]["left_out_error"].as_f64().map(f64::abs);
        let mut own: Vec<&Value> = rows.iter().filter(|row| error(row).is_some()).collect();
        own.sort_by(|a, b| error(b).partial_cmp(&error(a)).unwrap());
        assert!(own.len() > 5 * EXPLAINED, "{quantity}");
        for row in own.iter().take(EXPLAINED) {
            for language in ["en", "zh"] {
                let why = row[quantity]["why"][language].as_str().unwrap_or_default();
                assert!(
                    why.len() > 40,
                    "core/tests/data/misses.toml says nothing of {} ({quantity}) in {language}",
                    row["id"]
                );
            }
        }
    }
}
