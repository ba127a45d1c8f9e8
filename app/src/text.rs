//! Every word of the page, in both languages. A missing word does not compile.
//!
//! Sentences hold `{0}`, `{1}`, … where [`fill`] puts values, so that each language orders them
//! as it needs. What the calculator itself says (errors, advice, ) is English.

mod commands;
mod en;
pub(crate) mod guides;
pub(crate) mod your_run;
mod zh;

pub(crate) use commands::COMMANDS;
pub(crate) use guides::{Guide, Part, Said};

use shardwise_core::wire::Language;

use crate::form::Field;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// The words of this language.
    pub(crate) fn text(self) -> &'static Text {
        match self {
            Self::En => &en::TEXT,
            Self::Zh => &zh::TEXT,
        }
    }

    /// Words of what stands around every page.
    pub(crate) fn site(self) -> &'static Site {
        match self {
            Self::En => &en::SITE,
            Self::Zh => &zh::SITE,
        }
    }

    /// Words of the accuracy page.
    pub(crate) fn accuracy(self) -> &'static Accuracy {
        match self {
            Self::En => &en::ACCURACY,
            Self::Zh => &zh::ACCURACY,
        }
    }

    /// Words of what the worker writes.
    pub(crate) fn sheets(self) -> &'static Sheets {
        match self {
            Self::En => &en::SHEETS,
            Self::Zh => &zh::SHEETS,
        }
    }

    /// What is said in both, in this one.
    pub(crate) fn said(self, said: &Said) -> &'static str {
        let [english, chinese] = *said;
        match self {
            Self::En => english,
            Self::Zh => chinese,
        }
    }

    /// Its tag, for `lang` attributes.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// The language of a tag: `zh`, `zh-CN`, `en-GB`; `None` for others.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag);
        if primary.eq_ignore_ascii_case("zh") {
            Some(Self::Zh)
        } else if primary.eq_ignore_ascii_case("en") {
            Some(Self::En)
        } else {
            None
        }
    }

    /// The core's name of it.
    pub(crate) fn core(self) -> Language {
        match self {
            Self::En => Language::En,
            Self::Zh => Language::Zh,
        }
    }

    /// The other language.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::En => Self::Zh,
            Self::Zh => Self::En,
        }
    }

    /// Label of a control.
    pub(crate) fn label(self, field: Field) -> &'static str {
        match self {
            Self::En => en::label(field),
            Self::Zh => zh::label(field),
        }
    }

    /// A sentence of the core as the form writes it: labels in place of the names of the question's fields, and thousands
    /// separated.
    pub(crate) fn with_labels(self, sentence: &str) -> String {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let mut said = String::with_capacity(sentence.len() + 16);
        let mut rest = sentence;
        while let Some(start) = rest.find(is_name) {
            let (before, after) = rest.split_at(start);
            let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
            let name = after[..end].trim_end_matches('.');
            rest = &after[name.len().max(1)..];
            said.push_str(before);
            // The numbers of identifiers (`rtx-4090`) are none.
            let number = name.parse().ok().filter(|_| !before.ends_with('-')).map(crate::format::grouped);
            match Field::of_name(name).map(|field| format!("“{}”", self.label(field))).or(number) {
                Some(words) => said.push_str(&words),
                None => said.push_str(&after[..name.len().max(1)]),
            }
        }
        said.push_str(rest);
        let said = said.replace("`“", "“").replace("”`", "”");
        // Quotation marks of Chinese stand without blanks.
        if self == Self::Zh { said.replace(" “", "“").replace("” ", "”") } else { said }
    }

    /// A word of the calculator (part, phase, choice), for a person; itself where unknown.
    pub(crate) fn word(self, word: &str) -> &str {
        match self {
            Self::En => en::word(word),
            Self::Zh => zh::word(word),
        }
    }

    /// A phase, or what else decides whether a plan fits, within a sentence.
    pub(crate) fn place(self, phase: &str) -> &str {
        match self {
            Self::En => en::place(phase),
            Self::Zh => zh::place(phase),
        }
    }

    /// When, or where, a phase or what else decides is, within a sentence.
    pub(crate) fn during(self, phase: &str) -> String {
        match self {
            Self::En => en::during(phase),
            Self::Zh => zh::place(phase).to_owned(),
        }
    }

    /// A number of parameters.
    pub(crate) fn parameters(self, count: u64) -> String {
        match self {
            Self::En => crate::format::parameters(count),
            Self::Zh => crate::format::parameters_zh(count),
        }
    }

    /// A number of tokens.
    pub(crate) fn tokens(self, count: f64) -> String {
        match self {
            Self::En => crate::format::tokens(count),
            Self::Zh => crate::format::tokens_zh(count),
        }
    }
}

/// Puts values into the `{0}`, `{1}`, … of a sentence, and into `{0|GPU|GPUs}` the word that the value asks for: the first
/// where that is 1.
pub(crate) fn fill(sentence: &str, values: &[&str]) -> String {
    let mut text = String::with_capacity(sentence.len() + 16);
    let mut rest = sentence;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        text.push_str(before);
        let Some(close) = after.find('}') else {
            rest = after;
            break;
        };
        let mut inside = after.get(1..close).unwrap_or_default().split('|');
        let index: Option<usize> = inside.next().and_then(|digits| digits.parse().ok());
        let value = index.and_then(|index| values.get(index)).copied().unwrap_or("");
        text.push_str(match (inside.next(), inside.next()) {
            (Some(one), Some(many)) => {
                if value == "1" {
                    one
                } else {
                    many
                }
            }
            _ => value,
        });
        rest = after.get(close + 1..).unwrap_or("");
    }
    text.push_str(rest);
    text
}

// One table for what each program needs, so that neither carries the other's words.
macro_rules! text {
    ($(#[$doc:meta])* $table:ident: $($name:ident)*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $table {
            $(pub(crate) $name: &'static str,)*
        }

        #[cfg(test)]
        impl $table {
            fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

text! {
    /// Words of what stands around every page, in one language.
    Site:
    site calculator accuracy methods command_line python embed api elsewhere how_accurate language copy_link link_copied theme theme_auto theme_light theme_dark
    about data prices build licence
}

text! {
    /// Words of the accuracy page in one language.
    Accuracy:
    title skip loading failed failed_load failed_read retry tabs tab_training tab_memory tab_generation tab_step
    count_runs count_steps count_unfitted head_training head_memory head_generation head_step
    lead_training lead_memory lead_generation lead_step median_left_out median_step median_peak nine_in_ten holds aim
    sub_fitted sub_peak worst_kind worst_phase sure_right sub_sure ran_unfit sub_ran failed_fit sub_failed of_all
    strips_kind strips_phase errors note_training note_memory note_generation note_step group_by
    by_kind by_phase by_group by_gpu by_framework by_family in_nine inside col_inside col_fitted exact
    dot_left_out dot_memory within_band median_signed tenths beyond right_speed right_memory no_errors all_full all_partly
    k_dense_node k_dense_nodes k_experts_node k_experts_nodes k_adapters k_megatron k_fsdp k_other k_experts k_hybrid
    k_one k_few k_many k_crowd k_step k_rollout k_old_log_prob k_update_actor k_weight_sync
    chart take_chart_speed take_chart_memory take_chosen across up unit_speed keys point_at full partly
    as_table col_runs wrong wrong_note wrong_run runs runs_all
    runs_some show_only everything sort_by col_model col_gpus col_precision col_date col_measured
    col_estimated col_left_out col_error col_interval col_open open open_run source new_tab show_all
    show_fewer rel_title rel_take rel_note rel_across rel_tenth rel_predicted rel_observed method method_run method_left_out
    method_headline method_memory method_generation method_step method_interval file_runs file_generation file_overview
}

text! {
    /// Words of the calculator in one language.
    Text:
    // Around it.
    title skip report report_how dismiss on_this_page
    nav_gpus nav_flags nav_advice
    update_ready update_now
    // Form.
    your_question any_framework framework_taken framework_none presets preset_label preset_source reset model_hint model_hint_active use_config use_name config_hint
    split_hint gpus node_network node_summary price_hint price_source price_none own_machines own_note own_hour
    prices prices_label prices_note prices_kept prices_kept_only prices_count prices_only prices_erase prices_link prices_link_no
    prices_linked prices_leave prices_line prices_whole prices_more prices_sheet prices_undated
    home_asked home_none home_all home_first home_every
    rent_list money money_usd money_cny money_rate money_wrong money_hint rent_hint rent_stated rent_all rent_back rent_spread rent_legend rent_line rent_line_run rent_none
    workload task_which task_algorithm task_adapters task_pretrain task_full task_lora task_prefer task_rl all_weights pairs_per_step task_generate tokens_unit step_hint more_rl more_agent more_images more_teacher more_pool more_sft more_rollout plan plan_auto plan_yours plan_hint
    auto auto_is yes no offload_legend free_plan read_as
    bad_number bad_comma bad_negative bad_fraction bad_large missing bad_json no_model wrong_at no_model_of use_value use_most use_open
    banner_hash banner_left_out
    // Verdict.
    fits_short tight unlikely unlikely_short fit_short fit_sure fit_tight fit_no sure_over
    fit_tokens fit_spare fit_spare_while fit_missing fit_lacking fit_host fit_host_unknown fit_usable fit_sure_below fit_bar
    how_sure near near_all
    asked_short asked_rl asked_train asked_pairs asked_rollout stale_none
    throughput per_gpu cost per_mt no_price hours step seconds_unit usd_step mfu hfu
    best_of the_plan chip_tokens chip_sequences chip_no_recompute chip_recompute
    chip_no_offload chip_offload chip_fused interval_note
    // Which GPU.
    which_gpu sort_by fastest cheapest gpus_note gpus_counting gpus_take_best gpus_take_faster
    gpus_take_cheaper gpus_take_fastest gpus_take_unfit gpus_none yours others does_not_fit interval_legend show_all show_fewer table table_of
    chart_throughput chart_cost needs_gib col_gpu col_mt_hour col_usd_mt col_plan action use_gpu price_missing offer_missing
    by_deadline by_budget deadline_label budget_label above_zero
    misses_deadline misses_budget untried
    front
    // What would fit.
    close_ways close_looking close_none close_unpriced close_plan
    // Memory and time.
    memory memory_take memory_note limits limits_note without_offload with_offload card total
    time time_take time_take_beside time_take_one time_note
    phase
    // A run of one's own.
    calibrate cal_note cal_passes cal_step cal_memory cal_seconds cal_gib cal_mfu cal_guide cal_inside cal_outside cal_of
    cal_apply cal_cluster cal_keep cal_kept_here cal_use cal_use_short cal_erase cal_erase_short cal_times cal_gib_times cal_rollout cal_forward cal_update cal_sync cal_other calibrated cal_notice cal_forget cal_link
    // Plans.
    plans pin_a of_card of_step how how_of
    sensitivity sensitivity_note
    // Flags.
    framework version_of checked reasons download copy copied select_copy unsupported replanned switch_slower switch_faster switch_same no_flags flags_unfit flags_writing flags_others
    // Paste box.
    paste close paste_hint paste_label paste_files paste_drop paste_clear paste_file paste_begun paste_long paste_reading
    broken no_worker retry
    // Advice.
    advice advice_note
    // Embed.
    embed_title open_full no_panel
    // The form, continued.
    pick_models pick_active pick_more pick_none kind_dense kind_moe kind_vision no_license config_choose config_file bad_address
    gpu_own gpu_own_hint gpu_scratch price_back nodes_summary nodes_hint
    // Coming back, passing on.
    recent recent_manage recent_note recent_none recent_erase recent_erase_one share share_note share_line share_cost share_system
    report_text keys key_model key_gpu key_flags key_link key_theme key_language key_pin key_list keys_on
    paste_into skip_flags show_lines changed_one changed_many changed_below changed_were clear_marks line_new
    line_changed copied_text key_copy stale whole whole_run an_hour all_gpus
    tokens_hour step_phases usd_step_at usd_mt chip_not_fused chip_train_gpus chip_share chip_kv newest chip_eager
    chip_graphs row_train row_rollout chip_found chip_pinned alternatives_of alternatives_wait why_not why_not_title why_not_wait deadline_also budget_also
    need_run need_run_go the_run run_note run_generates run_none ops_goodput ops_never ops_expected ops_failures ops_between ops_saves ops_every ops_energy ops_co2 ops_min run_note_all run_cost run_h run_range
    run_done run_now run_years run_between run_steps run_assumed run_step run_checkpoint run_kept
    sample sample_label sample_file sample_note sample_counted sample_begun sample_of sample_begun_of sample_lengths
    sample_use close_run close_run_usd close_mt close_sure close_use lead_name lead dock_speed
    dock_each nav_verdict nav_cost nav_why run_line steps_of steps_assumed cost_part why_part open_all close_all
    why_memory why_time why_plans why_sensitivity why_caveats why_calibrate why_offers why_offers_take why_front why_scaling why_memory_take
    why_plans_take why_plans_none why_sensitivity_take why_caveats_take why_caveats_one why_caveats_none why_calibrate_take why_calibrate_on why_front_take
    why_scaling_take
}

text! {
    /// Words of what the worker writes, in one language.
    Sheets:
    offers offers_take offers_none offers_note offer_terms offer_seller offer_price offer_machine offer_undated offer_take offer_network
    offer_usual offer_no_network offer_old offer_divides offer_unjoined offer_refused offer_slower
    plans_counted layout batch batch_tokens batch_sequences recompute rollout_tp step_s why chosen slower
    faster_tight same_speed not_longest sens_numerics sens_machine sure_run sure_step sure_time save_run save_step save_time sure_free sure_same
    sure_none ways way_same way_costs way_run way_step change try_it remedy remedy_none show_changes no_difference
    advice_none advice_best thumbs source severity_error severity_warning severity_hint line line_of_file read_count read_by count_refused
    count_unknown count_unmodelled read_no_key read_near read_unmodelled read_assumed read_understood
    read_ignored as_it_is with_change with_changes changes_none changes_elsewhere times_as_fast
    per_cent_faster per_cent_slower as_fast diff use_as_it_is use_change use_changes
    rank find_plans only_fitting no_plans more_plans compare two_plans unpin scaling scale_keeps scale_dearer
    scale_cheaper scale_none scale_each scale_share scale_linear scale_best scale_note better worse pinned_a
    now_b question run_hours run_usd compared only_a_fits only_b_fits none_fits costs_same costs_less
    costs_more b_beside_a b_beside_a_alone intervals_meet intervals_apart change_something swap unpin_a method measured_error
    setting yours_value ours_value beside_yours diff_none diff_count only_yours
    in_code how_dollars fitted_constants skip_to_text methods_title methods_lead contents
    front_note front_take front_take_one front_own front_on front_beaten front_untried front_legend front_legend_beaten
    front_col front_hours front_hours_rate front_usd tip_hours tip_hours_rate tip_usd tip_usd_rate timeline
    timeline_note take_colocated take_split take_engine_waits take_training_waits take_sides take_sides_hide
    waits from_to role starts_s takes_s how_searched
    command_line_title command_line_lead get_it get_it_how ask_it ask_it_how commands commands_more exits without_network
    without_network_how third_party
    embed embed_element embed_frame
    assumed_here assumed_more not_stated changes_shown model_asked migrated doctor_helps doctor_lines log_steps log_question log_table
    log_measured log_estimated log_factor log_gaps log_apply text_same text_one text_many text_of_a
    text_of_b alt_note alt_step alt_run alt_usd_step alt_fits alt_chosen alt_pinned alt_lacks
    alt_with alt_less alt_more alt_other alt_own alt_pin alt_free alt_is_pinned alt_is_free
    ways_far use_it within_hours within_both within_cheapest within_fastest within_none within_nothing within_keeps
    within_limit within_table within_note within_counting
    wn_guide wn_paper wn_recipe wn_default wn_verl_fsdp wn_verl_megatron wn_llmforge wn_megatron_dense wn_megatron_moe
    wn_parameters wn_long wn_recipe_sizes wn_unset wn_plan wn_own wn_chosen wn_layout wn_from wn_run wn_cost wn_fits
    wn_where wn_use wn_table wn_alike wn_host wn_same wn_faster wn_slower_run wn_slower wn_none_fits wn_textbook
    wn_parts wn_at_once wn_sum wn_note
    near_measured near_run near_open near_differs near_same near_instead near_experts near_dense near_adapters near_full near_active near_parameters near_model near_rollout_tp near_more
    near_requests near_gpus near_tokens near_note near_note_speed near_none near_unknown near_missing
}

#[cfg(test)]
mod tests {
    use super::{Lang, en, fill, zh};

    use crate::form::Field;

    fn places(sentence: &str) -> Vec<&str> {
        let mut found: Vec<_> = sentence
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split(['}', '|']).next())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn both_languages_say_the_same_values() {
        let english = [en::SITE.all(), en::ACCURACY.all(), en::TEXT.all(), en::SHEETS.all()].concat();
        let chinese = [zh::SITE.all(), zh::ACCURACY.all(), zh::TEXT.all(), zh::SHEETS.all()].concat();
        for ((name, english), (_, chinese)) in english.into_iter().zip(chinese) {
            assert!(!english.is_empty() && !chinese.is_empty(), "{name} is empty");
            assert_eq!(places(english), places(chinese), "{name}");
        }
    }

    #[test]
    fn sentences_are_filled_in_any_order() {
        assert_eq!(fill("{1} of {0}, {1}", &["a", "b"]), "b of a, b");
        assert_eq!(fill("nothing", &[]), "nothing");
        assert_eq!(fill("{0} and {9}", &["a"]), "a and ");
        assert_eq!(fill("open {0", &["a"]), "open {0");
        assert_eq!(fill("{0} {0|GPU|GPUs}", &["1"]), "1 GPU");
        assert_eq!(fill("{0} {0|GPU|GPUs}", &["16"]), "16 GPUs");
    }

    #[test]
    fn every_control_has_a_label() {
        for field in Field::ALL {
            assert!(!Lang::En.label(*field).is_empty() && !Lang::Zh.label(*field).is_empty());
        }
    }

    #[test]
    fn names_of_fields_become_their_labels() {
        for (said, shown) in [
            ("Lower it, or change hardware.gpus.", "Lower it, or change “GPUs”."),
            ("Both micro_batch and max_tokens_per_gpu are given.", "Both “Micro-batch” and “Tokens/GPU” are given."),
            ("A GPU without `memory_gib` needs 0.6 of it.", "A GPU without “Memory, GiB” needs 0.6 of it."),
            ("Use its config.json, or `base` (h100-sxm).", "Use its config.json, or `base` (h100-sxm)."),
            ("The mean of 9999 tokens is above 3072.", "The mean of 9,999 tokens is above 3,072."),
            ("There is no GPU rtx-40901.", "There is no GPU rtx-40901."),
            ("model_type is no field. 1.5 is a number.", "model_type is no field. 1.5 is a number."),
        ] {
            assert_eq!(Lang::En.with_labels(said), shown);
        }
        assert_eq!(Lang::Zh.with_labels("请减小此项，或修改 hardware.gpus。"), "请减小此项，或修改“GPU 数”。");
    }

    #[test]
    fn tags_name_languages() {
        assert_eq!(Lang::of_tag("zh-CN"), Some(Lang::Zh));
        assert_eq!(Lang::of_tag("EN"), Some(Lang::En));
        assert_eq!(Lang::of_tag("fr"), None);
    }
}
