//! Images of a question, held to what the model's processor takes and to the lengths that they are part of.

use crate::place::Place;
use crate::task::Task;
use crate::wire::{ImagesSpec, VisionTower};
use crate::workload::{Images, Workload};
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::model::Model;
use shardwise_catalog::units::{grouped, shortest};

const AT: Place<'static> = Place::at("workload.images");

/// Most images of an example.
const MOST: f64 = 1e4;

/// Longest side, and most pixels, of an image.
const SIDE: u64 = 100_000;
const PIXELS: u64 = SIDE * SIDE;

/// The images that `spec` states. Of a model without a tower there are none: what belongs says so.
///
/// # Errors
/// The first field that is missing, out of range, or of more tokens than the example has.
pub(super) fn resolve(
    spec: &ImagesSpec,
    model: &Model,
    workload: &Workload,
    caveats: &mut Vec<Caveat>,
) -> Result<Option<Images>, InputError> {
    let side = |key: &str, stated: Option<u64>| AT.positive(key, AT.required(key, stated)?, SIDE);
    let most = spec.max_pixels.map(|most| AT.positive("max_pixels", most, PIXELS));
    let images = Images {
        per_example: AT.within("per_example", spec.per_example.unwrap_or(1.0), 0.0, MOST)?,
        width: side("width", spec.width)?,
        height: side("height", spec.height)?,
        max_pixels: most.transpose()?,
        tower: tower(spec, workload, caveats)?,
    };
    if model.shape.vision.is_none() {
        return Ok(None);
    }
    let Some(picture) = images.picture(model) else {
        return Err(AT.wrong(
            "width",
            "An image of this width and height is none that the model's processor takes. Give sides of at least 10 pixels, the longer at most 200 times the shorter.",
        ));
    };
    for (field, length) in lengths(workload) {
        let tokens = picture.tokens * images.per_example;
        if tokens > length {
            return Err(AT.refuse(format!(
                "{} images of {} tokens each fill more than the {} tokens of {field}, which they are part of. Raise that, or lower per_example, the size or max_pixels.",
                shortest(images.per_example),
                grouped(picture.tokens as u64),
                shortest(length)
            )));
        }
    }
    Ok(Some(images))
}

/// The lengths that have the images in them, by field: the longest first.
fn lengths(workload: &Workload) -> Vec<(&'static str, f64)> {
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => vec![
            ("workload.rl.max_prompt_length", rl.max_prompt_length as f64),
            ("workload.rl.mean_prompt_length", rl.mean_prompt_length),
        ],
        (None, Some(own)) => vec![("workload.rollout.mean_prompt_length", own.mean_prompt_length)],
        (None, None) => vec![
            ("workload.sequence_length", workload.sequence_length as f64),
            ("workload.mean_sequence_length", workload.mean_sequence_length),
        ],
    }
}

/// What trains of the tower. All of it where nothing is said, as TRL and veRL train it (verl 0.9.1, `trainer/config/actor/actor.yaml`,
/// `freeze_vision_tower: false`), with a caveat: LLaMA-Factory 0.9.5 (`hparams/finetuning_args.py`) and ms-swift 4
/// (`arguments/tuner_args.py`, `freeze_vit`, `freeze_aligner`) freeze it. Adapters are of the language model's matrices.
fn tower(spec: &ImagesSpec, workload: &Workload, caveats: &mut Vec<Caveat>) -> Result<VisionTower, InputError> {
    if workload.kind.task() == Task::Generate {
        return Ok(VisionTower::Frozen);
    }
    match (workload.lora, spec.vision_tower) {
        (None, Some(own)) => Ok(own),
        (Some(_), None | Some(VisionTower::Frozen)) => Ok(VisionTower::Frozen),
        (Some(_), Some(_)) => Err(AT.wrong(
            "vision_tower",
            "Adapters are of the language model's matrices, and the vision tower keeps its weights. Set it to frozen, or leave it out.",
        )),
        (None, None) => {
            caveats.push(Caveat::new(
                "vision-tower-assumed",
                "What trains of the vision tower is not given: all of it, as in TRL and veRL. LLaMA-Factory and ms-swift freeze it unless they are told otherwise.",
            ));
            Ok(VisionTower::Trained)
        }
    }
}
