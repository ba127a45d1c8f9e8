# Written by scripts/formula.mjs of a release's checksums; the template is deploy/homebrew/shardwise.rb.
class Shardwise < Formula
  desc "Memory, speed and cost of fine-tuning and RL-training language models"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["Apache-2.0", "MIT"]

  on_macos do
    on_arm do
      url "@DOWNLOADS@/shardwise-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@DOWNLOADS@/shardwise-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@DOWNLOADS@/shardwise-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@DOWNLOADS@/shardwise-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "shardwise"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/shardwise.bash" => "shardwise"
    zsh_completion.install "completions/_shardwise"
    fish_completion.install "completions/shardwise.fish"
    doc.install "THIRD-PARTY-LICENSES.txt", "shardwise.cdx.json"
  end

  service do
    run [opt_bin/"shardwise", "serve"]
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/shardwise --version")
    question = '{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8}, ' \
               '"workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}'
    assert_match '"fits":true', pipe_output("#{bin}/shardwise estimate", question, 0)
  end
end
