//! Whether a framework prints any plan of a question: the same is said without choosing one.

use shardwise_core::emit::FRAMEWORKS;
use shardwise_core::presets::presets;
use shardwise_core::{Question, flags, serves};

#[test]
fn a_framework_serves_what_it_prints() {
    // Some presets of every kind: all of them take minutes where nothing is optimised.
    let asked = presets().iter().filter_map(|preset| preset.question());
    let each = std::env::var("SHARDWISE_EACH").map_or(7, |own| own.parse().unwrap());
    let mut said = [0, 0];
    for question in asked.step_by(each) {
        for framework in FRAMEWORKS {
            let version = framework.versions[0];
            let question = Question {
                framework: Some(framework.id.to_owned()),
                framework_version: Some(version.to_owned()),
                plan: None,
                ..question.clone()
            };
            let prints =
                flags(&question, framework, version, "").is_ok_and(|texts| texts.is_ok_and(|own| !own.is_empty()));
            assert_eq!(serves(&question, framework, version), prints, "{} {:?}", framework.id, question);
            said[usize::from(prints)] += 1;
        }
    }
    assert!(said.into_iter().all(|count| count > 10), "{said:?}");
}
