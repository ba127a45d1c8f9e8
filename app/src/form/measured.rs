//! A run of one's own: what was measured stays beside the question, its factors are part of it.

use serde_json::Value;
use shardwise_core::Question;
use shardwise_core::calibration::Measured;
use shardwise_core::wire::{Calibration, WorkloadKind};

use super::{Field, FieldError, Form, Problem, generates, units};
use crate::protocol::state;

/// Whether a task has what the control asks for: passes are those of training alone, memory is not the engine's.
pub(crate) fn measurable(field: Field, kind: WorkloadKind) -> bool {
    match field {
        Field::ForwardSeconds | Field::BackwardSeconds => !generates(kind),
        Field::PeakGib => kind != WorkloadKind::Rollout,
        _ => field.is_measured(),
    }
}

impl Form {
    /// The form that asks `question`; what was measured stays.
    pub(crate) fn load(&mut self, question: &Question) {
        let mut form = Self::of(question);
        for field in Field::ALL.iter().filter(|field| field.is_measured()) {
            form.set(*field, self.get(*field));
        }
        *self = form;
    }

    /// The factors that the question carries.
    pub(crate) fn calibration(&self) -> Option<Calibration> {
        let mut found = Calibration::default();
        for (key, factor) in self.base.get("calibration")?.as_object()? {
            if let Some(own) = found.factor_mut(key) {
                *own = factor.as_f64();
            }
        }
        Some(found)
    }

    /// Puts factors into the question, or takes them out.
    pub(crate) fn calibrate(&mut self, calibration: Option<Calibration>) {
        let Value::Object(base) = &mut self.base else {
            return;
        };
        base.remove("calibration");
        if let Some(own) = calibration {
            let stated = own
                .factors()
                .into_iter()
                .filter_map(|(name, factor)| Some((name.to_owned(), factor?.into())));
            base.insert("calibration".to_owned(), Value::Object(state(stated)));
        }
    }

    /// What was typed about a run, as one text: to see whether it has changed.
    pub(crate) fn measured_text(&self) -> String {
        let fields = Field::ALL.iter().filter(|field| field.is_measured());
        let texts: Vec<&str> = fields.map(|field| self.get(*field)).collect();
        texts.join(" ")
    }

    /// What was measured; `None` while that is nothing, or one pass without the other.
    pub(crate) fn measured(&self) -> Result<Option<Measured>, Vec<FieldError>> {
        let mut errors = Vec::new();
        let fields = [Field::ForwardSeconds, Field::BackwardSeconds, Field::StepSeconds, Field::PeakGib];
        let [forward, backward, step_time_s, peak_gib] = fields.map(|field| {
            let text = self.get(field).trim();
            if text.is_empty() || !measurable(field, self.kind()) {
                return None;
            }
            let read = units::number(text, field.kilo());
            read.map_err(|problem| errors.push(FieldError::own(field, Problem::Number(problem))))
                .ok()
        });
        let passes = forward.zip(backward);
        let measured = Measured {
            forward_s: passes.map(|(forward, _)| forward),
            backward_s: passes.map(|(_, backward)| backward),
            step_time_s,
            peak_gib,
        };
        if errors.is_empty() { Ok((measured != Measured::default()).then_some(measured)) } else { Err(errors) }
    }
}
