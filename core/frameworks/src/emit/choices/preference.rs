//! What trainers of preference data are told alike.

use shardwise_question::task::Preference;

/// How strongly a policy is held to its reference: what DPO's, IPO's and KTO's trainers start with (TRL 1.16.0,
/// `trainer/dpo_config.py`, `kto_config.py`; LLaMA-Factory 0.9.5, `hparams/finetuning_args.py`; `OpenRLHF` 0.11.2,
/// `cli/train_dpo.py`).
pub(crate) const BETA: &str = "0.1";
pub(crate) const BETA_REASON: &str = "how strongly the policy is held to the reference; yours to tune";
/// Weight of ORPO's odds ratio (arXiv:2403.07691, section 5.1).
pub(crate) const ORPO_WEIGHT: &str = "0.1";
pub(crate) const ORPO_REASON: &str = "weight of the odds ratio; yours to tune";
/// `SimPO`'s β, and its margin over that (arXiv:2405.14734, table 8).
pub(crate) const SIMPO_BETA: &str = "2.0";
pub(crate) const SIMPO_BETA_REASON: &str = "scale of the rewards; yours to tune";
pub(crate) const SIMPO_GAMMA: &str = "1.0";
pub(crate) const SIMPO_GAMMA_REASON: &str = "margin between the rewards; yours to tune";

/// What a pass of so many examples counts.
pub(crate) fn counted(own: Option<&Preference>) -> &'static str {
    match own {
        Some(own) if own.has_pairs() => "pairs of one forward pass on one GPU: twice as many sequences",
        _ => "sequences of one forward pass on one GPU",
    }
}
