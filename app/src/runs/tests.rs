use super::{By, Case, Column, Kind, Overview, Reader, Reading, Runs};

const RUNS: &str = r#"[
{"id":"a","source":"s","url":"https://a.example/","date":"2024-01-02","group":"A","model":"m1","family":"f","gpu":"h100-sxm","gpus":8,"framework":"fsdp","precision":"bf16","headline":true,"speed":{"kind":"dense_node","measured":100,"predicted":110.5,"left_out":90,"low":80,"high":140,"left_out_error":-0.1},"link":"v=1&z=1"},
{"id":"b","source":"s","url":"javascript:alert(1)","group":"B","model":"M0","gpu":"a100-sxm-80g","gpus":16,"framework":"ddp","precision":"bf16","headline":false,"speed":{"measured":200,"predicted":150},"memory":{"measured":60,"left_out":61},"link":"v=1&z=1"}
]
"#;

const OVERVIEW: &str = r#"{"data":"1","coverage":0.8,"new":[1],"figures":[
        {"kind":"speed","by":"all","name":"headline","case":"predicted","runs":1,"median":0.1,"mean":0.1,"p90":0.1,"covered":1.0},
        {"kind":"speed","by":"group","name":"A","case":"left_out","runs":1,"median":0.1,"mean":0.1,"p90":0.1},
        {"kind":"step","by":"kind","name":"rollout","case":"left_out","runs":2,"median":0.1,"dots":[-0.1,0.2]},
        {"kind":"speed","by":"group","name":"B","case":"left_out","runs":2,"median":0.2,"mean":0.2,"p90":0.2,"covered":0.5}]}"#;

fn file() -> Runs {
    match Reader::new(RUNS.to_owned()).read(|| true) {
        Reading::Done(runs) => runs,
        other => panic!("the file is sound: {other:?}"),
    }
}

fn overview(text: &str) -> Overview {
    Overview::read(text).unwrap_or_else(|| panic!("the file is sound"))
}

#[test]
fn what_is_not_measured_is_not_shown() {
    let runs = file();
    assert_eq!(runs.shown(Kind::Speed, None), [0]);
    assert_eq!(runs.shown(Kind::Memory, None), [1]);
    assert_eq!(runs.shown(Kind::Memory, Some((By::Group, "A"))), [0_usize; 0]);
    assert_eq!(runs.shown(Kind::Step, None), [0_usize; 0]);
    assert_eq!(runs.errors(Kind::Speed, (By::Kind, "dense_node")), [-0.1]);
}

#[test]
fn groups_come_by_their_runs() {
    let overview = overview(OVERVIEW);
    let names = |kind, by| -> Vec<String> {
        let groups = overview.groups(kind, by);
        groups.iter().map(|figure| figure.name.clone()).collect()
    };
    assert_eq!(names(Kind::Speed, By::Group), ["B", "A"]);
    assert_eq!(names(Kind::Step, By::Kind), ["rollout"]);
    assert!(overview.figure(Kind::Speed, By::All, "headline", Case::Predicted).is_some());
    assert!(overview.figure(Kind::Speed, By::All, "headline", Case::LeftOut).is_none());
}

#[test]
fn a_file_is_read_in_slices() {
    let mut reader = Reader::new(RUNS.to_owned());
    let mut slices = 0;
    let runs = loop {
        slices += 1;
        match reader.read(|| false) {
            Reading::More(more) => reader = more,
            Reading::Done(runs) => break runs,
            Reading::Bad => panic!("the file is sound"),
        }
    };
    assert_eq!((slices, runs), (3, file()));
}

#[test]
fn every_column_sorts_both_ways_and_the_unknown_comes_last() {
    let runs = file();
    let sorted = |column, down| {
        let mut shown = vec![0, 1];
        runs.sort(&mut shown, column, down, Kind::Speed);
        shown
    };
    assert_eq!(sorted(Column::Model, false), [1, 0]);
    assert_eq!(sorted(Column::Model, true), [0, 1]);
    assert_eq!(sorted(Column::Gpus, true), [1, 0]);
    assert_eq!(sorted(Column::LeftOut, false), [0, 1]);
    assert_eq!(sorted(Column::LeftOut, true), [0, 1]);
    assert_eq!(sorted(Column::Date, false), [0, 1]);
    assert_eq!(sorted(Column::Error, true), [0, 1]);
}

#[test]
fn only_the_web_is_linked() {
    let runs = file();
    let addresses: Vec<_> = runs.runs.iter().map(super::Run::address).collect();
    assert_eq!(addresses, [Some("https://a.example/"), None]);
}

#[test]
fn reliability_is_read_where_it_is_there() {
    assert!(overview(OVERVIEW).reliability.is_empty());
    let with = OVERVIEW.replace(
        "\"new\":[1]",
        r#""reliability":[{"from":0,"to":0.1,"predicted":0,"observed":0,"rows":0},{"from":0.9,"to":1,"predicted":0.95,"observed":0.93,"rows":30}]"#,
    );
    let read = overview(&with);
    assert_eq!(read.reliability.len(), 1);
    assert_eq!(read.reliability[0].rows, 30);
}

#[test]
fn a_file_that_is_none_is_refused() {
    for text in [
        "",
        "null",
        "{}",
        r#"{"data":"1","coverage":0.8,"figures":{}}"#,
        &OVERVIEW.replace("\"by\":\"all\"", "\"by\":\"nothing\""),
        &OVERVIEW
            .replace("\"new\":[1]", r#""reliability":[{"from":0.9,"to":1,"predicted":0.95,"observed":1.5,"rows":3}]"#),
        &OVERVIEW.replace("\"new\":[1]", r#""sure":[{"asked":0.95,"held":1.5,"rows":3}]"#),
        &OVERVIEW[..OVERVIEW.len() - 1],
    ] {
        assert_eq!(Overview::read(text), None, "{text}");
    }
    for text in [
        "",
        "[]",
        "{}",
        &RUNS.replace("\"measured\":200", "\"measured\":-200"),
        &RUNS.replace("\"measured\":200", "\"measured\":1e999"),
        &RUNS.replace("\"measured\":200", "\"measured\":\"200\""),
        &RUNS[..RUNS.len() - 3],
    ] {
        assert!(matches!(Reader::new(text.to_owned()).read(|| true), Reading::Bad), "{text}");
    }
}
