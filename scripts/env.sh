# Sourced by the other scripts: paths, pins and small helpers.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=$root/.tools
cd "$root" || exit 1

# The pins. Cargo.toml, Trunk.toml and e2e/package.json name the same versions.
rust_version=1.95.0
wasm_bindgen_version=0.2.129
wasm_split_version=0.2.2
trunk_version=0.21.14
binaryen_version=132
cargo_deny_version=0.20.2

# No path of this machine in what is passed on. This folder's are in nothing: cargo compiles it by names below it.
remap="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=crates"
# How the site's programs are compiled: Leptos without its types' names in every view.
site_rustflags="--cfg erase_components $remap"

[ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
export PATH=$tools/bin:$root/e2e/node_modules/.bin:$PATH
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 NPM_CONFIG_FUND=false NPM_CONFIG_AUDIT=false NPM_CONFIG_UPDATE_NOTIFIER=false

# A `stable` that is the pinned version serves where that version has no toolchain of its own.
has_toolchain() { rustup toolchain list 2>/dev/null | grep -q "^$1-"; }
if [ -z "${RUSTUP_TOOLCHAIN:-}" ] && ! has_toolchain "$rust_version" && has_toolchain stable &&
  [[ $(rustup run stable rustc --version 2>/dev/null) == "rustc $rust_version "* ]]; then
  export RUSTUP_TOOLCHAIN=stable
fi

have() { command -v "$1" >/dev/null 2>&1; }

fail() {
  printf '\n%s\n' "$*" >&2
  exit 1
}

# What the command says its version is; empty where it is missing or does not start.
version_of() { "$@" --version 2>/dev/null | head -n 1; }

now_ms() { date +%s%3N; }

# Milliseconds as seconds with one digit.
seconds() { printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100)); }
