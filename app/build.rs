//! Has the linker leave in the calculator's program what cutting it needs.

fn main() {
    if std::env::var_os("CARGO_FEATURE_SPLIT").is_some() {
        println!("cargo::rustc-link-arg-bin=shardwise-app=--emit-relocs");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
