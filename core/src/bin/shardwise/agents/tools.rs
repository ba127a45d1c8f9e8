//! The tools: what each is for, what it takes, and what it answers.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use shardwise_core::interface::{self, Speak, line};
use shardwise_core::methods::figures;
use shardwise_core::wire::{
    CheckOptions, Document, FlagsOptions, Language, Question, ReadOptions, SearchOptions, parse_options,
    parse_question, question_from_value,
};
use shardwise_core::{InputError, estimate, evaluate_alone};

use super::arguments::{self, schema};
use super::short;
use crate::schemas;

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// For the model that chooses it.
    pub(super) description: &'static str,
    /// The schema of its arguments.
    pub(super) takes: fn() -> Map<String, Value>,
    /// Its answer, or why there is none; links lead to a page at the address.
    pub(super) run: fn(Map<String, Value>, &str) -> Result<Value, Value>,
}

/// Every tool.
pub(super) const TOOLS: [Tool; 10] = [
    Tool {
        name: "estimate",
        title: "Estimate a training run",
        description: "Memory, speed and cost of a run of fine-tuning, RL or generation: whether it fits, seconds a step, tokens per second, \
            dollars, the complete plan, and what would help. Leave `plan` out and the best one is found.",
        takes: schema::<arguments::Estimate>,
        run: |given, page| {
            let own: arguments::Estimate = taken(given)?;
            let question = asked(&own.question)?;
            let answer = spoken(&estimate(&question).map_err(refused)?, own.lang)?;
            let mut document = short::answer(&answer, own.full);
            document["link"] = json!(short::link(&question, page));
            Ok(document)
        },
    },
    Tool {
        name: "search",
        title: "Search plans, GPUs and offers",
        description: "The best plans of a question on its GPUs; with `gpu`, `gpus`, `within_hours` or `within_usd` in the options the best \
            GPU types, numbers of GPUs and offers to rent.",
        takes: schema::<arguments::Search>,
        run: search,
    },
    Tool {
        name: "flags",
        title: "Write a framework's flags",
        description: "Ready-to-paste command, script or configuration of a framework for a question; the plan is searched where it is open.",
        takes: schema::<arguments::Flags>,
        run: |given, _| {
            let own: arguments::Flags = taken(given)?;
            let question = asked(&own.question)?;
            let options: FlagsOptions = options(Some(&own.options))?;
            let found = interface::flags(&question, &options).map_err(refused)?;
            document(line(&found, Language::En))
        },
    },
    Tool {
        name: "read",
        title: "Read a script",
        description: "A script, command or configuration file read back: the question that it asks, whether it fits, what is wrong with it, and \
            changes that make it fit or faster, as a diff.",
        takes: schema::<arguments::Read>,
        run: read,
    },
    Tool {
        name: "check",
        title: "Check a script before it runs",
        description: "One decision on a script: fits, tight, unfit or unknown, held against GPUs, a deadline and a budget, with findings by line.",
        takes: schema::<arguments::Check>,
        run: |given, page| {
            let own: arguments::Check = taken(given)?;
            let options: CheckOptions = options(own.options.as_ref())?;
            let texts: Vec<&str> = own.texts.iter().map(String::as_str).collect();
            let checked = interface::check(&texts, &options).map_err(refused)?;
            let link = checked.question.as_ref().map(|question| short::link(question, page));
            let checked = spoken(&checked, options.lang.unwrap_or_default())?;
            let mut document = short::only(&checked, &["verdict", "says", "findings"]);
            if !checked["answer"].is_null() {
                document["answer"] = short::answer(&checked["answer"], false);
            }
            document["link"] = json!(link);
            Ok(document)
        },
    },
    Tool {
        name: "doctor",
        title: "Diagnose an out-of-memory error",
        description: "Where memory ran out, by a traceback, a log or a message of the kernel: phase, allocation, and what helps; with the script \
            beside it, by how much.",
        takes: schema::<arguments::Read>,
        run: |given, _| {
            let own: arguments::Read = taken(given)?;
            let options: ReadOptions = options(own.options.as_ref())?;
            let texts: Vec<&str> = own.texts.iter().map(String::as_str).collect();
            let found = interface::doctor(&texts, &options).map_err(failed)?;
            document(Ok(found))
        },
    },
    Tool {
        name: "explain",
        title: "Explain figures",
        description: "How figures of an answer come about: each formula with the question's numbers put in, its sources and its measured error.",
        takes: schema::<arguments::Explain>,
        run: explained,
    },
    Tool {
        name: "offers",
        title: "Offers of machines",
        description: "Dated offers of machines by the hour, the cheapest GPU hour first: provider, instance, GPUs, network, price, source.",
        takes: schema::<arguments::Offers>,
        run: |given, _| {
            let own: arguments::Offers = taken(given)?;
            let rows = interface::offers(own.gpu.as_deref(), own.kind.as_deref()).map_err(refused)?;
            let (all, limit) = (rows.len(), own.limit.unwrap_or(10));
            let rows: Vec<_> = rows.into_iter().filter(|row| !row.history).take(limit).collect();
            Ok(json!({"of": all, "offers": rows}))
        },
    },
    Tool {
        name: "catalog",
        title: "Models, GPUs, machines, prices",
        description: "Rows of the catalog with their sources: ids for questions.",
        takes: schema::<arguments::Catalog>,
        run: catalog,
    },
    Tool {
        name: "schema",
        title: "Schema of a document",
        description: "The JSON Schema of a document or of one of its types, for fields that `estimate` only names.",
        takes: schema::<arguments::Schema>,
        run: |given, _| {
            let own: arguments::Schema = taken(given)?;
            let all = schemas::all();
            let document = all.get(&own.of);
            let of_type = || all.as_object()?.values().find_map(|schema| schema["$defs"].get(&own.of));
            document.or_else(of_type).cloned().ok_or_else(|| {
                let known: Vec<&String> = all.as_object().into_iter().flat_map(|own| own.keys()).collect();
                let types: Vec<&String> =
                    all["question"]["$defs"].as_object().into_iter().flat_map(|own| own.keys()).collect();
                json!({"error": {"field": "of", "message": "There is no such document or type.", "documents": known, "types": types}})
            })
        },
    },
];

fn search(given: Map<String, Value>, page: &str) -> Result<Value, Value> {
    let own: arguments::Search = taken(given)?;
    let question = asked(&own.question)?;
    let options: SearchOptions = options(own.options.as_ref())?;
    let mut found = document(interface::search(&question, &options))?;
    for list in ["plans", "offers", "front"] {
        for one in found.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let answered = if one.get("answer").is_some() { &one["answer"] } else { &*one };
            let told = short::answer(answered, own.full);
            let link = chosen(&question, one, &told["plan"]).map(|question| short::link(&question, page));
            let mut short = short::only(one, &["gpu", "gpus", "meets", "meets_surely"]);
            short["answer"] = told;
            short["link"] = json!(link);
            *one = short;
        }
    }
    if !own.full {
        short::round(&mut found);
    }
    Ok(found)
}

/// The question that a plan or an offer of it answers.
fn chosen(question: &Question, one: &Value, plan: &Value) -> Option<Question> {
    let mut own = serde_json::to_value(question).ok()?;
    for field in ["gpu", "gpus"] {
        if let Some(value) = one.get(field) {
            own["hardware"][field] = value.clone();
        }
    }
    own["plan"] = plan.clone();
    question_from_value(own).ok()
}

fn read(given: Map<String, Value>, page: &str) -> Result<Value, Value> {
    let own: arguments::Read = taken(given)?;
    let options: ReadOptions = options(own.options.as_ref())?;
    let texts: Vec<&str> = own.texts.iter().map(String::as_str).collect();
    let read = document(Ok(interface::read(&texts, &options).map_err(failed)?))?;
    if own.full {
        return Ok(read);
    }
    let mut told =
        short::only(&read, &["framework", "release", "question", "missing", "refused", "unknown", "assumed"]);
    if !read["answer"].is_null() {
        told["answer"] = short::answer(&read["answer"], false);
    }
    if !read["improved"].is_null() {
        told["improved"] = short::only(&read["improved"], &["changes", "diff", "elsewhere"]);
    }
    let question = question_from_value(read["question"].clone()).ok();
    told["link"] = json!(question.map(|question| short::link(&question, page)));
    short::round(&mut told);
    Ok(told)
}

fn explained(given: Map<String, Value>, _: &str) -> Result<Value, Value> {
    let own: arguments::Explain = taken(given)?;
    let question = asked(&own.question)?;
    if own.figures.is_empty() {
        return Ok(json!({"figures": figures(&evaluate_alone(&question).map_err(refused)?)}));
    }
    // The tool's argument has a name of its own.
    let named = |error: InputError| match error.field.as_str() {
        "figure" => InputError::new("figures", own.lang.sentence(&error.message)),
        _ => error,
    };
    let all = interface::explained(&question, &own.figures, own.lang).map_err(|error| refused(named(error)))?;
    Ok(json!({"explanations": all}))
}

fn catalog(given: Map<String, Value>, _: &str) -> Result<Value, Value> {
    let own: arguments::Catalog = taken(given)?;
    let rows = interface::look_up(&own.table);
    let mut found = Vec::new();
    let part = own.contains.unwrap_or_default().to_lowercase();
    for row in rows.lines() {
        let row: Value = document(Ok(row.to_owned()))?;
        if row.get("error").is_some() {
            return Err(row);
        }
        let told = ["id", "name", "hf_repo", "instance", "provider", "gpu"];
        let says = |field: &&str| row[*field].as_str().is_some_and(|own| own.to_lowercase().contains(&part));
        if part.is_empty() || told.iter().any(says) {
            found.push(row);
        }
    }
    let all = found.len();
    found.truncate(own.limit.unwrap_or(20));
    Ok(json!({"of": all, "rows": found}))
}

/// The arguments of a tool.
fn taken<T: DeserializeOwned>(given: Map<String, Value>) -> Result<T, Value> {
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        let says = format!("The arguments are not what the tool takes: {error}.");
        json!({"error": {"field": "arguments", "message": says}})
    })
}

/// A question; some clients pass documents as text.
fn asked(question: &Value) -> Result<Question, Value> {
    let text = match question {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    parse_question(&text).map_err(refused)
}

fn options<T: Document>(options: Option<&Value>) -> Result<T, Value> {
    let text = match options {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    parse_options(&text).map_err(refused)
}

/// A document with its sentences in the language.
fn spoken<T: serde::Serialize>(own: &T, lang: Language) -> Result<Value, Value> {
    document(line(own, lang))
}

fn document(line: Result<String, InputError>) -> Result<Value, Value> {
    let line = line.map_err(refused)?;
    serde_json::from_str(&line).map_err(|error| json!({"error": error.to_string()}))
}

fn refused(error: InputError) -> Value {
    json!({"error": error})
}

/// The document of what could not be read.
fn failed(line: String) -> Value {
    serde_json::from_str(&line).unwrap_or(Value::String(line))
}
