//! Starts the calculator.

fn main() {
    shardwise_app::calculator();
}
