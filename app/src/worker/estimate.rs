//! What the engine answers as a person types: the question, then the same question on every GPU type, in slices.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use shardwise_core::calibration::{self, Measured};
use shardwise_core::complete::training_gpus;
use shardwise_core::hardware::Rentable;
use shardwise_core::job::Job;
use shardwise_core::market as rent;
use shardwise_core::search::chosen::{decided, takes_long};
use shardwise_core::search::measures::{self, Measures};
use shardwise_core::search::sweep::{Reached, Sweep, Tried};
use shardwise_core::wire::{FitState, HardwareSpec, question_from_value, to_value};
use shardwise_core::{Answer, Evaluated, InputError, Question, evaluate_alone};

use super::{answered_once, asked, known};
use crate::form::{Form, mend};
use crate::protocol::estimate::{Answered, Asking, Beside, Closer, Estimate, Figures, Offered, Refused, Rented, Slice};
use crate::sheets::asked::Asked;
use crate::words::plan_in_short;

/// The answer to a question, and its run beside it.
pub(super) fn estimate(asking: Asking) -> Estimate {
    let Asking { mut question, measured, calibrates, last } = asking;
    let run = measured.and_then(|measured| beside(question.clone(), &measured));
    let compared = run.as_ref().and_then(|run| run.compared.as_ref().ok());
    if let (true, Some(own)) = (calibrates, compared) {
        question["calibration"] = json!(own.calibration);
    }
    let answered = answered_once(question.clone());
    let answered = answered
        .map(|asked| answer_of(&asked))
        .map_err(|error| refused(error, question, last));
    Estimate { answered, run }
}

fn answer_of(asked: &Asked) -> Answered {
    let Evaluated { answer, considered, complete, .. } = &asked.found;
    let decided = to_value(&decided(&asked.question, answer));
    Answered { decided, answer: answer.clone(), considered: *considered, complete: *complete }
}

/// What was measured beside the estimate of the question without the factors of a run.
fn beside(mut question: Value, measured: &Measured) -> Option<Beside> {
    if let Value::Object(question) = &mut question {
        question.remove("calibration");
    }
    let asked = answered_once(question).ok()?;
    let decided = to_value(&decided(&asked.question, &asked.found.answer));
    Some(Beside { decided, compared: calibration::compare(&asked.found, measured) })
}

/// What refuses a question, with what mends it.
fn refused(error: InputError, question: Value, last: Option<Value>) -> Refused {
    let form = |document| question_from_value(document).ok().map(|question| Form::of(&question));
    let mends = form(question).map_or_else(Vec::new, |asked| {
        let own = asked.refused(error.clone());
        mend::mends(&asked, &own, last.and_then(form).as_ref(), &refusal)
    });
    Refused { error, mends }
}

/// What refuses a question, found as far as that is quick.
fn refusal(question: &Question) -> Option<InputError> {
    if takes_long(question) { mend::unresolved(question) } else { evaluate_alone(question).err() }
}

/// The question on the machines at `places`, as many of them as there is time for until it `is_over`, one at least where one is
/// named; without those that do not come near to what others have `reached`. `None` of a question that has no answer, or is none.
pub(super) fn compare(
    question: Value,
    round: u32,
    (places, reached): (&[usize], Option<Reached>),
    is_over: &dyn Fn() -> bool,
) -> Option<Slice> {
    let machines = Machines::of(question, places.contains(&0))?;
    let sweep = machines.sweep();
    let total = sweep.total();
    let mut left = places.iter().copied().filter(|place| *place < total);
    let (mut offers, mut put_off) = (Vec::with_capacity(places.len()), Vec::new());
    for place in left.by_ref() {
        if place > 0 && reached.is_some_and(|reached| !sweep.may_beat(place, reached)) {
            put_off.push(place);
        } else {
            offers.push((place, machines.offered(place)?));
        }
        if is_over() {
            break;
        }
    }
    Some(Slice { round, offers, put_off, left: left.collect(), total })
}

thread_local! {
    /// The machines of the last question that another worker answers.
    static SWEPT: RefCell<Option<(Value, Rc<Sweep>)>> = const { RefCell::new(None) };
}

/// The machines that a question is asked of.
enum Machines {
    Answered(Rc<Asked>),
    /// Its answer is nobody's business here.
    Unanswered(Rc<Sweep>),
}

impl Machines {
    /// Those of a question; its `own` has the plan that answers it.
    fn of(question: Value, own: bool) -> Option<Self> {
        if own {
            return asked(question).map(Self::Answered);
        }
        if let Some(known) = known(&question) {
            return Some(Self::Answered(known));
        }
        let swept = SWEPT.take().filter(|(last, _)| *last == question);
        let (question, sweep) = match swept {
            Some(swept) => swept,
            None => {
                let asked = question_from_value(question.clone()).ok()?;
                (question, Rc::new(Sweep::every_gpu(&asked)))
            }
        };
        SWEPT.set(Some((question, Rc::clone(&sweep))));
        Some(Self::Unanswered(sweep))
    }

    fn sweep(&self) -> &Sweep {
        match self {
            Self::Answered(asked) => asked.sweep(),
            Self::Unanswered(sweep) => sweep,
        }
    }

    fn offered(&self, place: usize) -> Option<Offered> {
        Some(match self {
            Self::Answered(asked) if place == 0 => own(asked),
            Self::Answered(asked) => offered(&asked.offer(place)?),
            Self::Unanswered(sweep) => offered(&sweep.at(place)?),
        })
    }
}

/// What would make a question fit, of which `tried` numbers of GPUs did not. `None` of a question that has no answer.
pub(super) fn closer(question: Value, tried: usize) -> Option<Closer> {
    let asked = asked(question)?;
    if is_sure(&asked.found.answer) {
        return Some(Closer::Fits);
    }
    // The search may find another plan than the one that was set by hand.
    if asked.offer(0).is_some_and(|own| is_sure_offer(&own)) {
        return Some(Closer::Plan);
    }
    let more = measures::more(&asked.question).and_then(|sweep| sweep.at(tried));
    Some(match more {
        Some(more) if !is_sure_offer(&more) => Closer::Next,
        more => Closer::More(more.as_ref().map(|more| Box::new(offered(more)))),
    })
}

/// Whether an answer is as sure to fit as asked.
fn is_sure(answer: &Answer) -> bool {
    answer.fit.state == FitState::Fits
}

/// Whether a machine's best plan is.
fn is_sure_offer(offer: &Tried) -> bool {
    offer.result.as_ref().is_ok_and(|found| is_sure(&found.answer))
}

fn offered(offer: &Tried) -> Offered {
    let result = offer.result.as_ref();
    let result = result.map(|found| figures(&found.answer, &found.job, found.considered, &offer.hardware));
    of(&offer.hardware, result.map_err(|error| error.message.clone()))
}

/// The question's own machine, with the plan that answers it.
fn own(asked: &Asked) -> Offered {
    let (found, machine) = (&asked.found, &asked.question.hardware);
    of(machine, Ok(figures(&found.answer, &found.job, found.considered, machine)))
}

fn of(machine: &HardwareSpec, result: Result<Figures, String>) -> Offered {
    Offered { gpu: machine.gpu.as_str().map(str::to_owned), result }
}

/// The offer that a machine is rented by, beside the prices of its market.
fn rented(answer: &Answer, machine: &HardwareSpec) -> Option<Rented> {
    let own = answer.offer.as_ref()?;
    let market = HardwareSpec {
        gpu: machine.gpu.clone(),
        gpus: machine.gpus,
        market: rent::around(machine),
        ..HardwareSpec::default()
    };
    let offers = rent::offers(&market).unwrap_or_default();
    Some(Rented { rental: own.clone(), prices: offers.iter().map(Rentable::usd_per_gpu_hour).collect() })
}

/// Why nobody in its market rents a machine out.
fn unoffered(answer: &Answer) -> Option<String> {
    let why = answer.caveats.iter().find(|own| own.id == rent::NO_OFFER);
    why.map(|own| own.text.clone())
}

fn figures(answer: &Answer, job: &Job, considered: u64, machine: &HardwareSpec) -> Figures {
    let slower = measures::slower(answer);
    // Everything that is said of one is what it is ranked by.
    let slow = slower.unwrap_or(1.0);
    Figures {
        measures: Measures::of(answer, job),
        untried: slower.is_some(),
        unjoined: measures::unjoined(answer),
        state: answer.fit.state,
        probability: answer.fit.probability,
        speed: answer.tokens_per_s_per_gpu / slow,
        range: answer.interval.map(|interval| interval.tokens_per_s_per_gpu),
        usd_range: answer.usd_per_mtok.and_then(|usd| answer.against_speed(usd)),
        mtok_per_hour: answer.mtok_per_hour / slow,
        needs_gib: answer.fit.needed_gib,
        has_gib: answer.fit.capacity_gib,
        layout: plan_in_short(&answer.plan, training_gpus(job)),
        considered,
        rented: rented(answer, machine),
        unoffered: unoffered(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::{closer, compare, estimate};
    use crate::form::{Field, Form};
    use crate::protocol::compact;
    use crate::protocol::estimate::{Answered, Asking, Closer, Estimate, Figures, Offered, Slice};
    use serde_json::{Value, json};
    use shardwise_core::calibration::Measured;
    use shardwise_core::job::resolve;
    use shardwise_core::presets::{self, Preset};
    use shardwise_core::search::measures;
    use shardwise_core::search::sweep::{Reached, Sweep};
    use shardwise_core::wire::{question_from_value, to_value};
    use shardwise_core::{Answer, Question, evaluate_alone};

    fn presets() -> Vec<Question> {
        presets::presets().iter().filter_map(Preset::question).collect()
    }

    fn read(document: Value) -> Question {
        question_from_value(document).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As it travels.
    fn sent(asking: Asking) -> Estimate {
        let text = json!(estimate(asking)).to_string();
        compact::read_text(&text).unwrap_or_else(|| panic!("{text}"))
    }

    fn ask(question: &Question) -> Asking {
        Asking { question: to_value(question), measured: None, calibrates: false, last: None }
    }

    fn answered(estimate: Estimate) -> Answered {
        estimate.answered.unwrap_or_else(|refused| panic!("{}", refused.error))
    }

    #[test]
    fn what_is_found_here_is_read_there() {
        for question in presets() {
            let found = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}"));
            let own = answered(sent(ask(&question)));
            // As often through text as the engine's: reading a number may change its last bit.
            let core: Answer =
                serde_json::from_str(&json!(found.answer).to_string()).unwrap_or_else(|error| panic!("{error}"));
            let core: Value = serde_json::from_str(&json!(core).to_string()).unwrap_or_default();
            let read_back: Value = serde_json::from_str(&json!(own.answer).to_string()).unwrap_or_default();
            assert_eq!(read_back, core);
            let job = resolve(&read(own.decided)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(job.hardware.gpus, found.job.hardware.gpus);
            assert_eq!(super::training_gpus(&job), super::training_gpus(&found.job));
        }
    }

    #[test]
    fn what_is_refused_says_where_and_what_is_right() {
        let last = presets().swap_remove(0);
        let mut question = last.clone();
        question.hardware.gpus = Some(100_000);
        let refused = sent(Asking { last: Some(to_value(&last)), ..ask(&question) }).answered;
        let Err(refused) = refused else { panic!("there are not so many") };
        assert_eq!(refused.error.field, "hardware.gpus");
        assert_eq!(Some(refused.error), evaluate_alone(&question).err());
        let mends: Vec<&str> = refused.mends.iter().map(|mend| mend.text.as_str()).collect();
        assert!(mends.contains(&"8") && refused.mends[0].is_most, "{mends:?}");
    }

    #[test]
    fn a_run_is_compared_and_its_factors_are_taken() {
        let mut question = presets().swap_remove(0);
        let plain = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}")).answer;
        let measured = Measured { step_time_s: Some(plain.step_time_s * 2.0), ..Measured::default() };
        // Older factors make room for it.
        question.calibration = Some(shardwise_core::wire::Calibration { time: Some(1.5), ..Default::default() });
        for calibrates in [false, true] {
            let own = sent(Asking { measured: Some(measured), calibrates, ..ask(&question) });
            let factor = own
                .run
                .as_ref()
                .and_then(|run| run.compared.as_ref().ok())
                .and_then(|own| own.calibration.time);
            assert!(factor.is_some_and(|factor| (1.9..2.4).contains(&factor)), "{factor:?}");
            let time = answered(own).answer.calibration.and_then(|own| own.time);
            assert_eq!(time, if calibrates { factor } else { Some(1.5) });
        }
    }

    /// The question on every machine, some at a time, by place.
    fn offers(question: &Question) -> Vec<Offered> {
        let mut found = Vec::new();
        // Whoever asks knows of a first one.
        let mut left = vec![0];
        while !left.is_empty() {
            let slice = compare(to_value(question), 3, (&left, None), &|| true);
            let Slice { round, offers, left: rest, total, .. } =
                slice.unwrap_or_else(|| panic!("the question has an answer"));
            assert_eq!((round, offers.len()), (3, 1), "what is over ends it after one");
            left = if found.is_empty() { (1..total).rev().collect() } else { rest };
            found.extend(offers);
        }
        found.sort_by_key(|(place, _)| *place);
        assert!(found.iter().enumerate().all(|(place, (own, _))| place == *own));
        found.into_iter().map(|(_, offer)| offer).collect()
    }

    #[test]
    fn slices_hold_every_machine_once_and_its_own_plan_first() {
        let mut question = presets().swap_remove(0);
        question.hardware.gpu = "h20".into();
        let offers = offers(&question);
        let sweep = Sweep::every_gpu(&question);
        assert_eq!(offers.len(), sweep.total());
        let own = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}"));
        let speed = |place: usize| offers[place].result.as_ref().map_or(0.0, |own| own.speed);
        assert_eq!(offers[0].gpu.as_deref(), Some("h20"));
        assert_eq!(speed(0), own.answer.tokens_per_s_per_gpu);
        for place in [3, 7] {
            let found = sweep.at(place).and_then(|offer| offer.result.ok());
            let slow = |answer: &Answer| answer.tokens_per_s_per_gpu / measures::slower(answer).unwrap_or(1.0);
            assert_eq!(Some(speed(place)), found.map(|found| slow(&found.answer)));
        }
        // A card without a published run has the figures of the slow end.
        let untried: Vec<&Figures> = offers
            .iter()
            .filter_map(|own| own.result.as_ref().ok())
            .filter(|own| own.untried)
            .collect();
        assert!(untried.iter().any(|own| own.fits()));
        for own in untried {
            assert!(own.range.is_some_and(|[low, _]| (own.speed / low - 1.0).abs() < 1e-9), "{own:?}");
            assert_eq!(own.at_least(own.speed.to_string()), format!("≥ {}", own.speed));
        }
    }

    #[test]
    fn who_has_no_answer_finds_the_same_on_other_machines() {
        let questions = presets();
        let (first, second) = (&questions[0], &questions[1]);
        let found = |question: &Question, places: &[usize]| {
            let slice = compare(to_value(question), 1, (places, None), &|| false);
            let slice = slice.unwrap_or_else(|| panic!("the question can be asked"));
            json!(slice.offers)
        };
        let answered = |question: &Question| {
            let all = found(question, &[0, 4, 9]);
            json!(all.as_array().map(|all| &all[1..]))
        };
        // Only the last question is known.
        let own = answered(first);
        assert_eq!(found(second, &[9, 4]), json!([answered(second)[1], answered(second)[0]]));
        assert_eq!(found(first, &[4, 9]), own);
        assert!(compare(json!({}), 1, (&[4], None), &|| false).is_none());
    }

    #[test]
    fn what_comes_near_to_what_is_reached_is_found_and_the_others_are_put_off() {
        for mut question in presets().into_iter().take(4) {
            question.plan = None;
            let all = offers(&question);
            let speed = |own: &Offered| own.result.as_ref().map_or(0.0, |own| if own.fits() { own.speed } else { 0.0 });
            let mut seconds: Vec<f64> = all
                .iter()
                .filter_map(|own| own.result.as_ref().ok())
                .filter(|own| own.fits())
                .map(|own| own.measures.seconds)
                .collect();
            seconds.sort_by(f64::total_cmp);
            let answer = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}")).answer;
            let mtok = answer.tokens_per_s * answer.step_time_s / 1e6;
            let reached = Reached { seconds: seconds[5] * mtok, usd: Some(0.0), runs: true };
            let places: Vec<usize> = (0..all.len()).collect();
            let slice = compare(to_value(&question), 1, (&places, Some(reached)), &|| false);
            let Slice { offers, put_off, left, .. } = slice.unwrap_or_else(|| panic!("the question has an answer"));
            assert_eq!((offers.len() + put_off.len(), left.len()), (all.len(), 0));
            assert!(put_off.len() > all.len() / 4, "{} of {}", put_off.len(), all.len());
            // What is found is what it is by itself, and whoever is among the first six is found.
            for (place, own) in &offers {
                assert_eq!(speed(own), speed(&all[*place]));
            }
            let found: Vec<usize> = offers.iter().map(|(place, _)| *place).collect();
            for (place, own) in all.iter().enumerate() {
                let is_first = own
                    .result
                    .as_ref()
                    .is_ok_and(|own| own.fits() && own.measures.seconds <= seconds[5]);
                assert!(!is_first || found.contains(&place), "{:?}", own.gpu);
            }
        }
    }

    #[test]
    fn a_market_names_one_seller_of_each_type_and_every_price() {
        let question = read(json!({
            "version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 16, "market": {}},
            "workload": {"kind": "lora", "sequence_length": 2048, "global_batch": 64},
        }));
        let offers = offers(&question);
        assert_eq!(offers.len(), Sweep::every_gpu(&question).total());
        let own = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}")).answer;
        let rented: Vec<_> = offers.iter().filter_map(|offer| offer.result.as_ref().ok()).collect();
        let first = rented[0].rented.as_ref().map(|own| own.rental.usd_per_gpu_hour);
        assert_eq!(first, own.offer.map(|own| own.usd_per_gpu_hour));
        for figures in &rented {
            assert_eq!(figures.rented.is_some(), figures.usd().is_some());
            assert_eq!(figures.rented.is_none(), figures.unoffered.is_some());
            let Some(own) = &figures.rented else { continue };
            assert!(own.prices.contains(&own.rental.usd_per_gpu_hour) && own.prices.is_sorted(), "{own:?}");
            assert!(!own.rental.provider.is_empty() && own.rental.source.starts_with("https:"));
        }
        assert!(rented.iter().any(|own| own.rented.is_some()) && rented.iter().any(|own| own.unoffered.is_some()));
        // An offer that is chosen is compared with all of its kind.
        let mut chosen = question;
        chosen.hardware.market = None;
        chosen.hardware.offer = Some("voltage-park/8x-h100-infiniband/us/on-demand".to_owned());
        let first = super::compare(to_value(&chosen), 0, (&[0], None), &|| true);
        let first = first.map(|slice| slice.offers).unwrap_or_default().remove(0).1;
        let own = first.result.unwrap_or_else(|error| panic!("{error}")).rented;
        assert!(own.is_some_and(|own| own.rental.provider == "Voltage Park" && own.prices.len() > 2));
    }

    #[test]
    fn what_does_not_fit_gets_a_remedy() {
        let question = |plan: Value| {
            read(json!({
                "version": 1, "model": "llama-3.1-405b", "hardware": {"gpu": "l4", "gpus": 4},
                "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}, "plan": plan,
            }))
        };
        let found = |question: &Question| {
            let mut all = (0..).map(|tried| closer(to_value(question), tried));
            let last = all.find(|found| !matches!(found, Some(Closer::Next))).flatten();
            last.unwrap_or_else(|| panic!("the question has an answer"))
        };
        let Closer::More(more) = found(&question(json!({}))) else {
            panic!("no plan fits");
        };
        let more = more.and_then(|more| more.result.ok());
        let more = more.unwrap_or_else(|| panic!("more of them do"));
        assert!(more.measures.gpus > 4 && more.fits());
        let mut pinned = Form::of(&question(json!({})));
        pinned.choose_gpu("h200-sxm");
        pinned.set(Field::Gpus, "64");
        pinned.set(Field::Backend, "ddp");
        let pinned = pinned.question().unwrap_or_else(|errors| panic!("{errors:?}"));
        assert!(matches!(found(&pinned), Closer::Plan));
        assert!(matches!(found(&presets().swap_remove(0)), Closer::Fits));
    }
}
