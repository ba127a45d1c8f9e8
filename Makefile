# `make help` lists what there is. The scripts do the work; each says what it does and how long it takes.

SHELL := /bin/bash
.DEFAULT_GOAL := help
PORT ?= 8080
# What is built to be passed on names its commit. Tests build without: a new commit would compile programs anew that are the same.
identity = SHARDWISE_COMMIT="$${SHARDWISE_COMMIT-$$(node scripts/identity.mjs)}"

# The crates of the core, without their tests.
core_sources := $(shell find core -maxdepth 1 -mindepth 1 ! -name tests ! -name benches ! -name examples ! -name python ! -name xtask)
# What the site is built from: where none is newer than dist/index.html, there is nothing to build.
site_sources := $(shell find .cargo app $(core_sources) public Cargo.toml Cargo.lock Trunk.toml \
	rust-toolchain.toml scripts/build-site.mjs scripts/drawing.mjs scripts/env.sh scripts/fetch-files.mjs scripts/finish-site.mjs scripts/first-answer.mjs scripts/hosting.mjs scripts/identity.mjs scripts/licenses.mjs scripts/offline.mjs scripts/parts.mjs \
	scripts/service-worker.js scripts/text-page.mjs scripts/worker.js -type f 2>/dev/null)

.PHONY: help setup serve gallery visual build release test test-long bench bench-page bench-wasm bench-peers bench-lighthouse parts accuracy layouts fit clean
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: ## Build the site and serve it on http://127.0.0.1:8080 (PORT=… for another port)
	@scripts/setup site
	@$(MAKE) --no-print-directory dist/index.html
	@node e2e/serve.mjs --port $(PORT)

test: ## Run the tests, the quick ones first
	@scripts/setup test
	@scripts/check all

test-long: ## Run what takes too long for that: the crates as they are packed, 10,000 random acts, a million random texts, every failed file of an update, Lighthouse, Trunk
	@scripts/setup test
	@scripts/setup trunk
	@scripts/setup platforms
	@scripts/check long

build: ## Build the release site in dist/
	@scripts/setup site
	@$(MAKE) --no-print-directory dist/index.html

release: ## Pack the release site for hosts: target/release-site/
	@$(MAKE) --no-print-directory build
	@source scripts/env.sh && node scripts/release-site.mjs

site_flags = CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$$site_rustflags"

dist/index.html: $(site_sources)
	@source scripts/env.sh && $(site_flags) node scripts/build-site.mjs

.PHONY: watch
watch: ## Serve the site with Trunk, which builds it anew as files change
	@scripts/setup trunk
	@source scripts/env.sh && env -u NO_COLOR $(site_flags) trunk serve

.PHONY: cli
cli: ## Build the command line with the site in it: target/fast/shardwise (`shardwise serve`)
	@scripts/setup site
	@$(MAKE) --no-print-directory dist/index.html
	@source scripts/env.sh && $(identity) cargo build --locked --profile fast -p shardwise-core --features serve --bin shardwise
	@source scripts/env.sh && node scripts/licenses.mjs program >target/fast/THIRD-PARTY-LICENSES.txt

bench: ## Time the core
	@scripts/setup rust
	@source scripts/env.sh && cargo bench --locked --profile fast -p shardwise-core --bench core

bench-wasm: ## Time the search in Chromium
	@scripts/setup test
	@scripts/bench-wasm

bench-peers: ## Time other estimators' search on one question, where they can be installed
	@scripts/setup rust
	@scripts/bench-peers

bench-lighthouse: ## Run Lighthouse five times on each page and print the medians
	@scripts/setup test
	@$(MAKE) --no-print-directory dist/index.html
	@source scripts/env.sh && node e2e/lighthouse.mjs --runs 5

parts: ## Print what each part of the first download costs
	@scripts/setup site
	@CARGO_TARGET_DIR=target/parts scripts/wasm-program shardwise-app target/parts/site app -g
	@node scripts/wasm-parts.mjs target/parts/site/app_bg.wasm

bench-page: ## Time the built site in Chromium: from a keystroke until every chart is new, and opening large questions
	@scripts/setup test
	@$(MAKE) --no-print-directory dist/index.html
	@source scripts/env.sh && node e2e/bench/keystrokes.mjs
	@source scripts/env.sh && node e2e/bench/large.mjs

gallery: ## Show the parts of the page on http://127.0.0.1:8080/gallery/ (PORT=… for another port)
	@scripts/setup site
	@$(MAKE) --no-print-directory dist/index.html
	@node e2e/serve.mjs --port $(PORT) --gallery

visual: ## Record how the page looks, after a change on purpose; look at the pictures before committing them
	@scripts/setup test
	@$(MAKE) --no-print-directory dist/index.html
	@source scripts/env.sh && LONG=1 playwright test -c e2e/playwright.config.mjs e2e/tests/visual.spec.mjs --update-snapshots=all

accuracy: ## Print predicted against measured for the published runs
	@scripts/setup rust
	@source scripts/env.sh && cargo test --locked --profile fast -p shardwise-core --test suite -- --nocapture accuracy::

layouts: ## Print the best measured layouts of published runs beside what the search proposes
	@scripts/setup rust
	@source scripts/env.sh && cargo test --locked --profile fast -p shardwise-core --test suite -- --nocapture layouts::the_best

fit: ## Fit the efficiencies anew on kernels and published runs, cross-validate, and write what was found
	@scripts/setup rust
	@source scripts/env.sh && cargo run --locked --profile fast -p shardwise-core --features cli --example fit

npm: ## Pack the core for JavaScript: target/shardwise-VERSION.tgz
	@scripts/setup site
	@$(identity) scripts/pack-npm

wheel: ## Pack the core, with the command line, for Python: target/wheels/
	@scripts/setup wheel
	@$(identity) scripts/pack-wheel

bench-python: ## Time the Python package: import, first answer, 10,000 estimates
	@scripts/setup wheel
	@scripts/bench-python

.PHONY: wheel bench-python test-python npm test-npm test-browsers fmt lint clippy doc test-core test-fit test-wasm test-e2e test-e2e-long test-trunk test-lighthouse test-frameworks test-fuzz bench-test size
fmt: ## Check the format
	@scripts/setup rust
	@scripts/check fmt
lint: ## Check the rules that no compiler checks
	@scripts/check lint
.PHONY: deny advisories
deny: ## Check licences and sources of the crates, offline
	@scripts/setup deny
	@scripts/check deny
advisories: ## Ask, over the network, for known holes in crates, npm and Python packages; no part of the tests
	@scripts/setup deny
	@scripts/advisories
clippy: ## Check the Rust code with clippy
	@scripts/setup rust
	@scripts/check clippy
doc: ## Check the Rust documentation
	@scripts/setup rust
	@scripts/check doc
test-core: ## Run the Rust tests natively
	@scripts/setup rust
	@scripts/check core
test-fit: ## Check that the efficiencies are what the fit finds
	@scripts/setup rust
	@scripts/check fit
bench-test: ## Run each bench once
	@scripts/setup rust
	@scripts/check bench
size: ## Compare the size of the site with its budget
	@scripts/setup site
	@scripts/check build size
test-wasm: ## Run the page's Rust tests in Chromium
	@scripts/setup test
	@scripts/check wasm
test-e2e: ## Run the browser tests on the release site
	@scripts/setup test
	@scripts/check build e2e
test-e2e-long: ## Run the browser tests of the long run: 10,000 random acts, every failed file of an update
	@scripts/setup test
	@scripts/check build e2e-long
test-trunk: ## Check that Trunk builds the same site as scripts/build-site.mjs
	@scripts/setup test
	@scripts/setup trunk
	@scripts/check build trunk
test-lighthouse: ## Run Lighthouse on the release site: accessibility, best practices and SEO must be 100
	@scripts/setup test
	@scripts/check build lighthouse
test-frameworks: ## Run the emitted flags through the frameworks' own checks
	@scripts/setup rust
	@scripts/check frameworks
test-fuzz: ## Read a million random texts, search 100,000 random questions, hold 5,000 decisions against what may beat them
	@scripts/setup rust
	@scripts/check fuzz

test-browsers: ## Go ten journeys through the built site in Firefox and WebKit
	@scripts/setup test
	@$(MAKE) --no-print-directory build
	@scripts/check browsers

test-npm: ## Use the packed JavaScript package from Node, a Vite project and a page
	@scripts/setup test
	@scripts/check npm

test-python: ## Pack the wheel and use it from clean Pythons: tests, types, README, notebooks
	@scripts/setup test
	@scripts/check python

setup: ## Install all that the other commands need
	@scripts/setup test

clean: ## Remove what was built; installed tools stay
	@rm -rf target dist e2e/test-results e2e/screenshots e2e/out
