//! `shardwise schema`: the JSON Schema of each document.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};
use shardwise_core::calibration::Calibrated;
use shardwise_core::catalog;
use shardwise_core::doctor::Diagnosis;
use shardwise_core::interface::{
    CalibratedRun, Checked, Explanations, Flags, GpuRow, ModelRow, OfferRow, Offers, Plans, PriceRow, ReadText,
    Refusal, Unread,
};
use shardwise_core::read::Reading;
use shardwise_core::wire::{
    Answer, CalibrateOptions, CheckOptions, EstimateOptions, ExplainOptions, FlagsOptions, Question, ReadOptions,
    SearchOptions, Sensitivity, SensitivityOptions, Table,
};

/// What is read: an absent field has its default.
fn asked<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

/// What is written: a field is absent where it does not apply.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}

/// A question's alone.
#[cfg(feature = "mcp")]
pub(crate) fn question() -> Value {
    asked::<Question>().to_value()
}

/// The schemas by the names of their documents.
pub(crate) fn all() -> Value {
    json!({
        "question": asked::<Question>(),
        "answer": written::<Answer>(),
        "refusal": written::<Refusal>(),
        "plans": written::<Plans>(),
        "offers": written::<Offers>(),
        "flags": written::<Flags>(),
        "read": written::<ReadText>(),
        "unread": written::<Unread>(),
        "checked": written::<Checked>(),
        "diagnosis": written::<Diagnosis>(),
        "calibrated": written::<Calibrated>(),
        "calibrated_run": written::<CalibratedRun>(),
        "explanations": written::<Explanations>(),
        "sensitivity": written::<Sensitivity>(),
        "reading": written::<Reading>(),
        "gpu_row": written::<GpuRow>(),
        "model_row": written::<ModelRow>(),
        "node_row": written::<catalog::Node>(),
        "price_row": written::<PriceRow>(),
        "offer_row": written::<OfferRow>(),
        "estimate_options": asked::<EstimateOptions>(),
        "search_options": asked::<SearchOptions>(),
        "flags_options": asked::<FlagsOptions>(),
        "check_options": asked::<CheckOptions>(),
        "read_options": asked::<ReadOptions>(),
        "sensitivity_options": asked::<SensitivityOptions>(),
        "explain_options": asked::<ExplainOptions>(),
        "calibrate_options": asked::<CalibrateOptions>(),
        "table": asked::<Table>(),
    })
}
