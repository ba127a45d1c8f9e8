//! The form as the question document: each control is the value at its path.

use serde_json::{Map, Value};
use shardwise_core::catalog::Generation;
use shardwise_core::model::{Model, resolve_model};
use shardwise_core::wire::{MarketSpec, VERSION, WorkloadKind, at, put, question_from_value, take};
use shardwise_core::{Question, belonging, catalog, json};

use super::{CUSTOM_GPU, Field, FieldError, Form, HOME, OFFLOADS, Problem, Takes, is_rl, units};
use crate::format;
use crate::protocol::{compact, state};

/// Keys of `plan.offload`, in the order of [`OFFLOADS`].
const OFFLOAD_KEYS: [&str; 4] = ["parameters", "gradients", "optimizer", "activations"];

/// The task a word of the interface names; GRPO where it names none.
pub(super) fn kind(word: &str) -> WorkloadKind {
    WorkloadKind::of(word).unwrap_or(WorkloadKind::Grpo)
}

/// Where an address of a model on Hugging Face begins.
const HUB: [&str; 3] = ["https://huggingface.co/", "huggingface.co/", "https://hf.co/"];

/// Whether a text is an address instead of what stands there.
fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://") || repository(text).is_some()
}

/// The repository that an address on Hugging Face is of: `Qwen/Qwen3-8B`.
fn repository(text: &str) -> Option<&str> {
    let rest = HUB.iter().find_map(|start| text.strip_prefix(start))?;
    let mut slashes = rest.match_indices(['/', '?', '#']);
    let end = slashes.nth(1).map_or(rest.len(), |(place, _)| place);
    rest.get(..end)
}

/// The catalog id of a model typed by id, repository, its address or name; else the text itself, which the
/// calculator refuses with the names nearest to it.
fn model_id(typed: &str) -> &str {
    let typed = repository(typed).unwrap_or(typed);
    let same = |name: &str| name.eq_ignore_ascii_case(typed);
    catalog::models()
        .iter()
        .find(|model| same(model.id) || same(model.hf_repo) || same(model.name))
        .map_or(typed, |model| model.id)
}

/// A document with nothing but a model, a task and a schedule: whether a field belongs is said of it.
fn task(form: &Form) -> Value {
    let mut document = Value::Object(Map::new());
    if let Ok(model) = form.model() {
        put(&mut document, "model", model);
    }
    put(&mut document, Field::Kind.path(), Value::from(form.kind().as_str()));
    let schedule = form.get(Field::Schedule).trim();
    if is_rl(form.kind()) && !schedule.is_empty() {
        put(&mut document, Field::Schedule.path(), schedule.into());
    }
    // What a teacher's pool and its largest few have.
    for field in [Field::Teacher, Field::Placement, Field::TeacherLogits] {
        let word = form.get(field).trim();
        if !word.is_empty() {
            put(&mut document, field.path(), word.into());
        }
        if !belonging::belongs(&document, field.path()) {
            take(&mut document, field.path());
        }
    }
    document
}

/// Controls that a task and its schedule have a use for: the others keep what they hold and say nothing. Without a place
/// on the page their errors would have none either.
fn applies(field: Field, task: &Value) -> bool {
    let path = field.path();
    // What a link says beyond the controls of RL stays: packing, adapters.
    let hidden = path.starts_with("workload.lora") || field == Field::Packing;
    let rl = is_rl(kind(at(task, Field::Kind.path()).as_str().unwrap_or_default()));
    let nobodys = path.starts_with("workload.distillation.") && path != Field::Teacher.path() && lacks_teacher(task);
    !(nobodys || (rl && hidden)) && belonging::belongs(task, path)
}

/// Whether nothing is said of a teacher: where a task needs none, that waits for one.
fn lacks_teacher(task: &Value) -> bool {
    let needed = at(task, Field::Kind.path()) == WorkloadKind::Distill.as_str();
    !needed && at(task, Field::Teacher.path()).is_null()
}

/// Whether a control says where a machine is rented.
fn is_rented(field: Field) -> bool {
    matches!(field, Field::Offer | Field::Terms | Field::Providers)
}

/// The names of a text between commas.
fn names(text: &Value) -> Vec<Value> {
    let names = text.as_str().unwrap_or_default().split([',', '，', '、']).map(str::trim);
    names.filter(|name| !name.is_empty()).map(Value::from).collect()
}

/// Controls without which a task has no size.
fn required(field: Field) -> bool {
    matches!(
        field,
        Field::Gpu
            | Field::SequenceLength
            | Field::GlobalBatch
            | Field::Prompts
            | Field::MaxPrompt
            | Field::MaxResponse
            | Field::Requests
            | Field::RequestPrompt
            | Field::RequestResponse
    )
}

impl Form {
    /// The value that a control stands for; `None` where it is empty.
    fn value(&self, field: Field) -> Result<Option<Value>, Problem> {
        let text = self.get(field).trim();
        if text.is_empty() {
            return if required(field) { Err(Problem::Missing) } else { Ok(None) };
        }
        let value = match field.takes() {
            Takes::Count if field == Field::Gpus && units::nodes(text).is_some() => {
                units::nodes(text).map_or(Value::Null, |(nodes, own)| Value::from(nodes * own))
            }
            Takes::Count | Takes::Tokens => Value::from(units::whole(text, field.kilo()).map_err(Problem::Number)?),
            Takes::MeanTokens | Takes::Number | Takes::Share => {
                number(units::number(text, field.kilo()).map_err(Problem::Number)?)
            }
            Takes::Flag => Value::Bool(text == "true"),
            Takes::Text | Takes::Choice => Value::String(text.to_owned()),
        };
        Ok(Some(value))
    }

    fn model(&self) -> Result<Value, FieldError> {
        let refuse = FieldError::own;
        let config = self.get(Field::ModelConfig).trim();
        let name = self.get(Field::Model).trim();
        if is_address(config) {
            Err(refuse(Field::ModelConfig, Problem::Address))
        } else if !config.is_empty() {
            let config = json::of_python(config);
            if let Some(key) = shardwise_core::wire::repeated(&config) {
                return Err(refuse(Field::ModelConfig, Problem::Twice(key)));
            }
            serde_json::from_str(&config).map_err(|error| refuse(Field::ModelConfig, Problem::Json(error.to_string())))
        } else if name.is_empty() {
            Err(refuse(Field::Model, Problem::Missing))
        } else {
            let id = model_id(name);
            if is_address(name) && catalog::model(id).is_none() {
                return Err(refuse(Field::Model, Problem::Address));
            }
            Ok(Value::String(id.to_owned()))
        }
    }

    /// The model that the form names, whatever else it lacks.
    pub(crate) fn named_model(&self) -> Option<Model> {
        resolve_model(&self.model().ok()?, Field::Model.path()).ok()
    }

    /// The question that the form asks.
    pub(crate) fn question(&self) -> Result<Question, Vec<FieldError>> {
        let task = task(self);
        let mut document = self.base.clone();
        let mut errors = Vec::new();
        put(&mut document, "version", VERSION.into());
        match self.model() {
            Ok(model) => put(&mut document, "model", model),
            Err(error) => errors.push(error),
        }
        for path in [Field::Kind.path(), Field::Schedule.path()] {
            match at(&task, path) {
                Value::Null => take(&mut document, path),
                word => put(&mut document, path, word.clone()),
            }
        }
        belonging::strip(&mut document);
        if lacks_teacher(&task) {
            take(&mut document, "workload.distillation");
        }
        for field in Field::ALL
            .iter()
            .copied()
            .filter(|field| !field.is_measured() && applies(*field, &task))
        {
            // What is typed about a GPU of one's own is kept while another is chosen, and says nothing.
            if field.is_of_gpu() && self.get(Field::Gpu) != CUSTOM_GPU {
                continue;
            }
            // What is typed about them is kept while they are not counted, and says nothing.
            if field.is_of_operations() && self.get(Field::Operations) != "true" {
                continue;
            }
            // What is typed about machines of one's own says nothing until it says what one cost, unless it is no number.
            if field.is_of_owned() && !self.is_owned() {
                take(&mut document, field.path());
                errors.extend(self.value(field).err().map(|problem| FieldError::own(field, problem)));
                continue;
            }
            // Where to rent says nothing of a machine that is stated by hand, and no terms of an offer that is chosen.
            if is_rented(field) && (self.is_stated() || (field != Field::Offer && !self.get(Field::Offer).is_empty())) {
                take(&mut document, field.path());
                continue;
            }
            match self.value(field) {
                Err(problem) => errors.push(FieldError::own(field, problem)),
                Ok(value) => set(&mut document, field, value),
            }
        }
        // Without a word they are counted too, as long as that is said.
        let operations = Field::Operations.path();
        if self.get(Field::Operations) == "true"
            && applies(Field::Operations, &task)
            && at(&document, operations).is_null()
        {
            put(&mut document, operations, Value::Object(Map::new()));
        }
        if self.is_stated() || at(&document, "hardware.market").as_object().is_some_and(Map::is_empty) {
            take(&mut document, "hardware.market");
        }
        // `2x8` says how large a node is, unless another size is typed or its instances say so.
        let rented = !at(&document, "hardware.market").is_null() || !at(&document, "hardware.offer").is_null();
        if let (Some((_, own)), "") = (units::nodes(self.get(Field::Gpus)), self.get(Field::GpusPerNode).trim())
            && !rented
        {
            put(&mut document, Field::GpusPerNode.path(), own.into());
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        // A role that was taken out has no plan.
        belonging::strip(&mut document);
        question_from_value(document).map_err(|error| vec![error.into()])
    }

    /// The market whose terms and sellers it names, whatever it says of the machine itself: another question is rented there, too.
    pub(crate) fn market(&self) -> Option<MarketSpec> {
        let mut document = Value::Object(Map::new());
        for field in [Field::Terms, Field::Providers] {
            set(&mut document, field, self.value(field).ok().flatten());
        }
        let market = at(&document, "hardware.market");
        let named = market.as_object().is_some_and(|own| !own.is_empty());
        named.then(|| compact::read(market.clone())).flatten()
    }

    /// How many parts of the plan are set by hand, of those that the task has a use for.
    pub(crate) fn pinned(&self) -> usize {
        let task = task(self);
        let set = |field: &&Field| field.is_plan() && !self.get(**field).is_empty() && applies(**field, &task);
        Field::ALL.iter().filter(set).count()
    }

    /// The form that asks `question`.
    pub(crate) fn of(question: &Question) -> Self {
        let document = shardwise_core::wire::to_value(question);
        let mut form = Self::default();
        for field in Field::ALL {
            let text = text(&document, *field);
            form.set(*field, text);
        }
        // As a page in Chinese writes it: there it follows the machine.
        form.any_seller = form.get(Field::Providers) == HOME;
        form.base = document;
        form
    }
}

/// A teacher by its catalog id, or the object of its `config.json`.
fn teacher(typed: &Value) -> Value {
    let text = typed.as_str().unwrap_or_default();
    let object = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten();
    object.unwrap_or_else(|| model_id(text).into())
}

/// A number, as short as JSON writes it.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value < 1e15 { Value::from(value as u64) } else { Value::from(value) }
}

/// Puts what a control stands for into the document.
fn set(document: &mut Value, field: Field, value: Option<Value>) {
    if matches!(field, Field::Model | Field::ModelConfig) {
        return;
    }
    let path = field.path();
    let Some(value) = value else {
        // A GPU without figures stays one of one's own.
        if !field.is_of_gpu() {
            take(document, path);
        }
        return;
    };
    match field {
        Field::Teacher => put(document, path, teacher(&value)),
        Field::Terms | Field::Providers => put(document, path, Value::Array(names(&value))),
        // What is said of them follows.
        Field::Operations if value == false => take(document, path),
        Field::Operations if at(document, path).is_object() => {}
        Field::Operations => put(document, path, Value::Object(Map::new())),
        // Its figures follow.
        Field::Gpu if value == CUSTOM_GPU => put(document, path, Value::Object(Map::new())),
        // The modules of a loaded plan stay while its granularity does.
        Field::Recompute if at(document, "plan.recompute.granularity") == &value => {}
        Field::Offload => {
            let letters = value.as_str().unwrap_or_default();
            let entries = OFFLOAD_KEYS.iter().zip(OFFLOADS);
            let map = state(entries.map(|(key, letter)| ((*key).to_owned(), letters.contains(letter).into())));
            put(document, path, Value::Object(map));
        }
        _ => put(document, path, value),
    }
}

/// What a control shows of a document.
fn text(document: &Value, field: Field) -> String {
    let value = at(document, field.path());
    match (field, value) {
        (Field::Teacher, object @ Value::Object(_)) => object.to_string(),
        (Field::Model | Field::Teacher, Value::String(id)) => {
            catalog::model(id).map_or(id.as_str(), |entry| entry.name).to_owned()
        }
        (Field::ModelConfig, _) => match at(document, "model") {
            object @ Value::Object(_) => object.to_string(),
            _ => String::new(),
        },
        (Field::Gpu, Value::Object(_)) => CUSTOM_GPU.to_owned(),
        (Field::Operations, Value::Object(_)) => "true".to_owned(),
        (Field::Terms | Field::Providers, Value::Array(names)) => {
            let names: Vec<String> = names.iter().map(text_of).collect();
            names.join(", ")
        }
        (Field::GpuArchitecture, Value::String(word)) => {
            // As the control lists it: `cdna3` is CDNA.
            let starts = |known: &&Generation| {
                let start = word.get(..known.name.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(known.name))
            };
            let known = catalog::generations().iter().find(starts);
            known.map_or(word.as_str(), |known| known.name).to_owned()
        }
        (Field::Recompute, Value::Object(_)) => text_of(at(document, "plan.recompute.granularity")),
        (Field::Offload, Value::Object(map)) => {
            let on = |key: &&str| map.get(*key).is_some_and(|on| on == &Value::Bool(true));
            let letters: String = OFFLOAD_KEYS
                .iter()
                .zip(OFFLOADS)
                .filter(|(key, _)| on(key))
                .map(|(_, letter)| letter)
                .collect();
            if letters.is_empty() { "-".to_owned() } else { letters }
        }
        (_, value) => text_of(value),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(on) => if *on { "true" } else { "false" }.to_owned(),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => format::grouped(whole),
            (None, Some(value)) => format::trimmed(value),
            (None, None) => String::new(),
        },
        _ => String::new(),
    }
}
