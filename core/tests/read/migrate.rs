//! Texts of older releases, said for the newest: nothing is left that it refuses, and what is asked stays.

use shardwise_core::emit::{self, Emission};
use shardwise_core::presets::presets;
use shardwise_core::read::{Reading, migrate, read};
use shardwise_core::{evaluate, permalink};

/// Keys of a text that the newest release has renamed or removed.
fn outdated(reading: &Reading) -> Vec<&str> {
    let old = reading
        .refused
        .iter()
        .filter(|one| ["Renamed in", "Removed in"].iter().any(|old| one.why.starts_with(old)));
    old.map(|one| one.key.as_str()).collect()
}

#[test]
fn what_is_printed_for_an_older_release_becomes_the_newests() {
    let verl = emit::framework("verl").unwrap();
    let mut migrated_texts = 0;
    for preset in presets() {
        let question = preset.question().unwrap();
        let Ok(found) = evaluate(&question) else { continue };
        for version in &verl.versions[1..] {
            let (job, plan, answer) = (&found.job, &found.plan, &found.answer);
            let permalink = permalink::to_hash(&question);
            let emission = Emission { framework: verl, job, plan, answer, permalink: &permalink, version };
            let Ok(snippets) = emit::emit(&emission) else { continue };
            let texts: Vec<&str> = snippets.iter().map(|one| one.text.as_str()).collect();
            let reading = read(&texts, None).unwrap();
            let name = format!("{} for {version}", preset.id);
            let Some(migrated) = migrate(&texts, None, &reading) else {
                assert!(outdated(&reading).is_empty(), "{name}: {:?}", outdated(&reading));
                continue;
            };
            migrated_texts += 1;
            let texts: Vec<&str> = migrated.texts.iter().map(String::as_str).collect();
            let again = read(&texts, None).unwrap();
            assert!(outdated(&again).is_empty() && migrated.elsewhere.is_empty(), "{name}: {:?}", outdated(&again));
            assert_eq!(again.release, None, "{name}");
            assert_eq!(again.question.workload.rl, reading.question.workload.rl, "{name}");
        }
    }
    assert!(migrated_texts >= 8, "{migrated_texts}");
}

#[test]
fn names_change_more_than_once_and_pluses_no_longer_fail() {
    let text =
        "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    actor_rollout_ref.rollout.name=vllm data.train_batch_size=512 +trainer.val_before_train=False \\
    critic.model.fsdp_config.grad_offload=True \\
    critic.model.fsdp_config.param_offload=$OFF \\
    reward_model.reward_manager=dapo
";
    let migrated = migrate(&[text], None, &read(&[text], None).unwrap()).unwrap();
    let [changed] = migrated.texts.as_slice() else { panic!("{migrated:?}") };
    assert!(changed.contains("++trainer.val_before_train=False"), "{changed}");
    assert!(changed.contains("critic.fsdp.param_offload=$OFF"), "{changed}");
    assert!(changed.contains("reward.reward_manager.name=dapo"), "{changed}");
    assert!(!changed.contains("grad_offload"), "{changed}");
    assert_eq!(migrated.release, "0.9.1");
    assert!(migrate(&[changed], None, &read(&[changed], None).unwrap()).is_none());
}

#[test]
fn a_release_is_guessed_by_its_keys_and_changes_speak_its_words() {
    let older = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    actor_rollout_ref.rollout.name=vllm data.train_batch_size=512 trainer.n_gpus_per_node=8 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 reward_model.reward_manager=naive";
    let newer = older.replace("reward_model.reward_manager", "reward.reward_manager.name");
    let release = |text: &str| read(&[text], None).unwrap().release;
    assert_eq!(release(older).as_deref(), Some("0.5.0"));
    assert_eq!(release(&newer), None);
}

const UNNAMED: &str = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 \\
    data.max_prompt_length=1024 data.max_response_length=3072 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\
    actor_rollout_ref.actor.ppo_mini_batch_size=128 actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.nnodes=1";

#[test]
fn an_engine_that_an_older_release_took_by_itself_is_named_for_the_newest() {
    let reading = read(&[UNNAMED], None).unwrap();
    assert_eq!(reading.release.as_deref(), Some("0.5.0"));
    assert!(reading.older_by_default());
    let migrated = migrate(&[UNNAMED], None, &reading).unwrap();
    let [changed] = migrated.texts.as_slice() else { panic!("{migrated:?}") };
    assert!(changed.contains("actor_rollout_ref.rollout.name=vllm"), "{changed}");
    let again = read(&[changed], None).unwrap();
    assert_eq!(again.release, None);
    assert!(again.refused.iter().all(|one| one.key != "actor_rollout_ref.rollout.name"), "{:?}", again.refused);
}

#[test]
fn what_is_left_out_shows_no_older_release_where_a_key_came_later() {
    for later in ["trainer.use_v1=True", "actor_rollout_ref.rollout.data_parallel_size=1"] {
        let reading = read(&[&format!("{UNNAMED} {later}")], None).unwrap();
        assert_eq!(reading.release, None, "{later}");
        assert!(reading.refused.iter().any(|one| one.key == "actor_rollout_ref.rollout.name"), "{later}");
    }
}

#[test]
fn names_of_ms_swift_2_become_todays() {
    let text = "CUDA_VISIBLE_DEVICES=0 swift sft --model_type qwen2-7b-instruct --model_id_or_path qwen/Qwen2-7B-Instruct --sft_type lora --batch_size 2 --max_length 2048 \\
        --lora_target_modules ALL --dtype AUTO";
    let migrated = migrate(&[text], None, &read(&[text], None).unwrap()).unwrap();
    let now = &migrated.texts[0];
    for word in ["--model qwen/Qwen2-7B-Instruct", "--tuner_type lora", "--per_device_train_batch_size 2"] {
        assert!(now.contains(word), "no {word} in {now}");
    }
    assert!(!now.contains("model_type"), "{now}");
    assert!(!now.contains("dtype") && !now.contains("lora_target_modules"), "{now}");
}
