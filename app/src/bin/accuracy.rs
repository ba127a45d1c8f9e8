//! Starts the accuracy page.

fn main() {
    shardwise_app::accuracy();
}
