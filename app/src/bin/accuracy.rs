//! Starts the accuracy page.

fn main() {
    leptos::mount::mount_to_body(shardwise_app::Accuracy);
}
