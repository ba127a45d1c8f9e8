//! Starts the page.

fn main() {
    leptos::mount::mount_to_body(shardwise_app::App);
}
