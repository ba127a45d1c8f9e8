//! Which GPU: throughput and cost of every type in the catalog.

use shardwise_core::Objective;
use shardwise_core::search::limits::Standing;
use shardwise_core::wire::FitState;

use super::blocks::image;
use super::figure::{Plot, ShowAll, cell, drawn_legend, folded_table, head, label, legend, targets};
use super::how::How;
use super::objective::{self, Limits, Orders};
use crate::charts;
use crate::charts::gpus::{Bar, Bars, Gpus, Row, Seller};
use crate::charts::stack::SEPARATOR;
use crate::compute::{self, Compared, Market, top};
use crate::protocol::estimate::{Figures, Rented};
use crate::view::prelude::*;

/// The figures of a compared type that fits.
fn fitting(row: &Compared) -> Option<&Figures> {
    row.result.as_ref().ok().filter(|figures| figures.fits())
}

/// The rows in order: what fits, best first; then what does not, least shortfall first; then what
/// cannot be asked.
fn ordered(market: &Market, objective: Objective) -> Vec<Compared> {
    let ranked = objective::ranked(market, objective);
    let key = |row: &Compared| match &row.result {
        Ok(figures) if figures.fits() => {
            let rank = ranked.iter().position(|place| *place == row.place);
            (0, rank.unwrap_or_default() as f64)
        }
        Ok(figures) => (1, figures.needs_gib / figures.has_gib),
        Err(_) => (2, 0.0),
    };
    // Some fifty rows: inserting one by one is as quick as a sort, and a tenth of its code.
    let mut ordered: Vec<((u8, f64), Compared)> = Vec::with_capacity(market.rows.len());
    for row in &market.rows {
        let key = key(row);
        let place = ordered.iter().position(|(other, _)| key < *other).unwrap_or(ordered.len());
        ordered.insert(place, (key, row.clone()));
    }
    ordered.into_iter().map(|(_, row)| row).collect()
}

/// The first rows, and those that the sentence names wherever they are: the asked one, the fastest
/// and the cheapest.
fn selection(rows: Vec<Compared>, asked: Option<&str>, top: usize) -> Vec<Compared> {
    let (fastest, cheapest) = best(&rows);
    let named = [asked, fastest.map(|row| row.gpu.id), cheapest.map(|row| row.gpu.id)];
    rows.iter()
        .enumerate()
        .filter(|(index, row)| *index < top || named.contains(&Some(row.gpu.id)))
        .map(|(_, row)| row.clone())
        .collect()
}

/// What is said of a type whose best plan fits, but is less sure to than asked.
fn tight(figures: &Figures, lang: Lang) -> Option<String> {
    let less = figures.state == FitState::Tight;
    less.then(|| fit::short(figures.state, figures.probability, lang))
}

fn reason(row: &Compared, text: &Text) -> String {
    match &row.result {
        Ok(figures) => fill(text.needs_gib, &[&format::gib(figures.needs_gib), &format::gib(figures.has_gib)]),
        Err(_) => "–".to_owned(),
    }
}

/// The fastest and the cheapest of the types that fit.
fn best(rows: &[Compared]) -> (Option<&Compared>, Option<&Compared>) {
    let fastest = rows.iter().filter_map(|row| Some((row, fitting(row)?.speed)));
    let cheapest = rows.iter().filter_map(|row| Some((row, fitting(row)?.usd()?)));
    (
        fastest.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row),
        cheapest.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row),
    )
}

/// Why a type that fits has no cost, in short.
fn unpriced(figures: &Figures, text: &'static Text) -> &'static str {
    if figures.unoffered.is_some() { text.offer_missing } else { text.price_missing }
}

/// Who rents a machine out that costs so much, beside what the others would ask for it.
fn seller(own: &Rented, usd: f64, lang: Lang) -> Seller {
    Seller {
        name: words::provider(&own.rental.provider, lang).to_owned(),
        costs: own
            .prices
            .iter()
            .map(|price| money::of(usd * price / own.rental.usd_per_gpu_hour))
            .collect(),
    }
}

/// Whose price it is, and how far prices go.
fn sold(own: &Rented, lang: Lang) -> Vec<String> {
    let text = lang.text();
    let mut lines = vec![words::offer(&own.rental, lang)];
    if let Some([low, median, high]) = words::spread(&own.prices).filter(|_| own.prices.len() > 1) {
        lines.push(fill(text.rent_spread, &[&own.prices.len().to_string(), &low, &median, &high]));
    }
    lines
}

/// The plan in short, behind the word for one that is less sure to fit than asked.
fn plan(answer: &Figures, lang: Lang) -> String {
    let parts = [tight(answer, lang), Some(answer.layout.clone()).filter(|layout| !layout.is_empty())];
    parts.into_iter().flatten().collect::<Vec<String>>().join(" · ")
}

fn chart(chosen: &Chosen, lang: Lang) -> Gpus {
    let text = lang.text();
    let [fastest, cheapest] = chosen.best;
    let is = |row: &Compared, other: Option<&str>| other == Some(row.gpu.id);
    let rows = chosen.rows.iter().map(|row| {
        let bars = match fitting(row) {
            None => Bars::Unfit(reason(row, text)),
            Some(answer) => Bars::Fits {
                speed: Bar {
                    value: answer.speed,
                    range: answer.range,
                    label: answer.at_least(format::figure(answer.speed)),
                    best: is(row, fastest),
                    seller: None,
                },
                cost: answer.usd().ok_or_else(|| unpriced(answer, text).to_owned()).map(|usd| Bar {
                    value: money::of(usd),
                    range: answer.usd_range.map(|ends| ends.map(money::of)),
                    label: answer.at_most(format::cost(usd)),
                    best: is(row, cheapest),
                    seller: answer.rented.as_ref().map(|own| seller(own, usd, lang)),
                }),
            },
        };
        Row {
            name: words::gpu_label(row.gpu.id),
            memory: format!("{} GB", format::fixed(row.gpu.memory_gb, 0)),
            plan: fitting(row).map(|answer| plan(answer, lang)).unwrap_or_default(),
            selected: Some(row.gpu.id) == chosen.asked.as_deref(),
            missed: chosen.misses(row),
            bars,
        }
    });
    Gpus {
        rows: rows.collect(),
        plan_head: text.col_plan.to_owned(),
        speed_head: text.chart_throughput.to_owned(),
        cost_head: money::signed(text.chart_cost),
    }
}

/// All about a type, line by line.
fn about(page: Page, row: &Compared) -> Vec<String> {
    let text = page.text();
    let mut lines =
        vec![format!("{}{SEPARATOR}{} GB", words::gpu_label(row.gpu.id), format::fixed(row.gpu.memory_gb, 0))];
    if let Ok(figures) = &row.result {
        let (state, probability) = (figures.state, figures.probability);
        lines.push(fit::short(state, probability, page.lang));
    }
    let Some(answer) = fitting(row) else {
        lines.push(match &row.result {
            Ok(_) => reason(row, text),
            Err(why) => page.say(why),
        });
        return lines;
    };
    let range = answer
        .range
        .map(|[low, high]| format!(" ({}–{})", format::figure(low), format::figure(high)));
    let speed = answer.at_least(format::figure(answer.speed));
    lines.push(format!("{speed} {}{}", text.per_gpu, range.unwrap_or_default()));
    lines.push(match (answer.usd(), &answer.unoffered) {
        (Some(usd), _) => {
            let range = answer
                .usd_range
                .map(|[low, high]| format!(" ({}–{})", format::usd(low), format::cost(high)));
            format!("{} {}{}", answer.at_most(format::usd(usd)), text.per_mt, range.unwrap_or_default())
        }
        (None, Some(why)) => page.say(why),
        (None, None) => text.price_missing.to_owned(),
    });
    lines.push(answer.layout.clone());
    lines.extend(answer.untried.then(|| text.untried_legend.to_owned()));
    lines.extend(answer.rented.iter().flat_map(|own| sold(own, page.lang)));
    lines.retain(|line| !line.is_empty());
    lines
}

/// What the chart shows, in words.
fn takeaway(all: &[Compared], asked: Option<&str>, lang: Lang) -> String {
    let text = lang.text();
    let (fastest, cheapest) = best(all);
    let Some(fastest) = fastest else {
        return text.gpus_none.to_owned();
    };
    let name = |row: &Compared| words::gpu_label(row.gpu.id);
    let yours = all.iter().find(|row| Some(row.gpu.id) == asked);
    let mut sentences = Vec::new();
    match yours.map(|yours| (yours, fitting(yours))) {
        Some((yours, None)) => {
            sentences.push(fill(text.gpus_take_unfit, &[&name(yours), &name(fastest)]));
        }
        Some((yours, Some(answer))) if fastest.gpu.id != yours.gpu.id => {
            let best = fitting(fastest).map_or(0.0, |best| best.speed);
            let times = format::fixed(best / answer.speed, 1);
            sentences.push(fill(text.gpus_take_faster, &[&name(fastest), &times, &name(yours)]));
        }
        _ => {}
    }
    match cheapest.and_then(|row| Some((row, fitting(row)?.usd()?))) {
        Some((row, _)) if sentences.is_empty() && Some(row.gpu.id) == asked => {
            sentences.push(fill(text.gpus_take_best, &[&name(row)]));
        }
        Some((row, usd)) => sentences.push(fill(text.gpus_take_cheaper, &[&name(row), &format::usd(usd)])),
        None => {}
    }
    if sentences.is_empty() {
        sentences.push(fill(text.gpus_take_fastest, &[&name(fastest)]));
    }
    sentences.join(lang.of([" ", ""]))
}

/// What chart and table show now.
#[derive(Clone, PartialEq)]
pub(super) struct Chosen {
    objective: Objective,
    /// The fastest and the cheapest of all.
    best: [Option<&'static str>; 2],
    /// Those that are shown.
    rows: Vec<Compared>,
    /// Catalog id of the asked one.
    asked: Option<String>,
}

impl Chosen {
    /// Whether a type fits, but not the deadline or the budget.
    fn misses(&self, row: &Compared) -> bool {
        fitting(row).is_some_and(|figures| figures.measures.standing(self.objective) == Standing::Beyond)
    }

    /// Whether a type keeps the deadline or the budget by its estimate, and not at the slow end of its interval.
    fn is_close(&self, row: &Compared) -> bool {
        fitting(row).is_some_and(|figures| figures.measures.standing(self.objective) == Standing::Close)
    }
}

fn chosen(page: Page, embedded: bool) -> Option<Chosen> {
    let market = page.market();
    let shown = page.standing()?;
    let asked = shown.gpu().map(str::to_owned);
    let objective = objective::of(page, &market);
    let all = ordered(&market, objective);
    let top = if page.all_gpus.get() && !embedded { usize::MAX } else { top(embedded) };
    let (fastest, cheapest) = best(&all);
    let best = [fastest, cheapest].map(|row| row.map(|row| row.gpu.id));
    let rows = selection(all, asked.as_deref(), top);
    Some(Chosen { objective, best, rows, asked })
}

/// What is shown, which mostly stays when types come to it that were put off.
pub(super) fn choice(page: Page, embedded: bool) -> Memo<Option<Chosen>> {
    Memo::new(move |_| chosen(page, embedded))
}

/// The chart alone.
#[component]
pub(super) fn Drawing(page: Page, chosen: Memo<Option<Chosen>>, #[prop(optional)] embedded: bool) -> impl IntoView {
    let draw = move |width: u32| {
        let chosen = chosen.get().filter(|chosen| !chosen.rows.is_empty())?;
        let chart = chart(&chosen, page.lang);
        let drawing = charts::draw((width, chart.height(width)), |area| chart.draw(area));
        if embedded {
            return Some(image(drawing, label("gpus")));
        }
        let about = chosen.rows.iter().map(|row| about(page, row)).collect();
        let targets = targets(&drawing, chart.boxes(width), about, label("gpus"));
        Some(view! { {image(drawing, label("gpus"))} {targets} })
    };
    view! { <Plot label=label("gpus") draw/> }
}

/// The sentence of the chart; what is going on until there is one.
pub(super) fn sentence(page: Page) -> String {
    let lang = page.lang;
    let market = page.market();
    if market.rows.is_empty() {
        let total = shardwise_core::catalog::gpus().len().to_string();
        let done = page.comparison.done.get().to_string();
        return fill(lang.text().gpus_counting, &[&done, &total]);
    }
    page.standing()
        .map(|shown| takeaway(&market.rows, shown.gpu(), lang))
        .unwrap_or_default()
}

/// What was compared, in words.
fn note(page: Page) -> Option<String> {
    let market = page.market();
    let shown = page.standing()?;
    let text = page.text();
    let total = shardwise_core::catalog::gpus().len();
    let note = fill(text.gpus_note, &[&format::grouped(shown.found.job.hardware.gpus.into())]);
    let searched = if market.rows.len() < total {
        fill(text.gpus_note_some, &[&total.to_string()])
    } else {
        fill(text.gpus_note_all, &[&format::grouped(market.considered), &market.offers.len().to_string()])
    };
    Some([note, searched].join(page.lang.of([" ", ""])))
}

/// The chart with its choice, its limits and its table.
#[component]
pub(super) fn GpuTypes(page: Page) -> impl IntoView {
    let title = page.text().which_gpu;
    follow(move || {
        page.all_gpus.track();
        page.order.track();
        compute::go_on(page);
    });
    let busy = move || page.comparison.busy.get().to_string();
    let chosen = choice(page, false);
    view! {
        <section class="block" id="gpus" aria-labelledby="gpus-h" aria-busy=busy>
            <div class="block-h">
                <h2 id="gpus-h">{title}</h2>
                <How page figure="tokens_per_s_per_gpu" name=title/>
                <Orders page/>
            </div>
            <Limits page/>
            <figure class="fgr">
                <figcaption>
                    <p class="take" id="c-gpus">{move || sentence(page)}</p>
                    <p class="note">{move || note(page)}</p>
                </figcaption>
                <Drawing page chosen/>
                <More page/>
                <div class="fgr-f">
                    {move || chosen.with(|chosen| legends(page, chosen.as_ref()))}
                    {move || chosen.get().map(|chosen| table(page, &chosen))}
                </div>
            </figure>
        </section>
    }
}

/// Shows all rows, or the first again.
#[component]
fn More(page: Page) -> impl IntoView {
    move || {
        let total = if page.market().rows.is_empty() { 0 } else { shardwise_core::catalog::gpus().len() };
        (total > top(false)).then(|| {
            let text = page.text();
            let all = page.all_gpus.get();
            let name = if all { text.show_fewer.to_owned() } else { fill(text.show_all, &[&total.to_string()]) };
            view! { <ShowAll id="all-gpus" whole=page.all_gpus words=name/> }
        })
    }
}

fn legends(page: Page, chosen: Option<&Chosen>) -> AnyView {
    let text = page.text();
    let untried = |row: &Compared| fitting(row).is_some_and(|own| own.untried);
    let some_untried = chosen.is_some_and(|chosen| chosen.rows.iter().any(untried));
    let rented = |row: &Compared| fitting(row).is_some_and(|own| own.rented.is_some());
    let sold = page.market().rows.iter().any(rented);
    let missing = objective::missing(objective::of(page, &page.market()), text);
    let interval = page
        .shown
        .with(|shown| shown.as_ref().and_then(|shown| shown.found.answer.interval));
    let coverage = interval.map(|interval| {
        let words = fill(text.interval_legend, &[&format::percent(interval.coverage, 0)]);
        drawn_legend(view! { <path class="whisk" d="M1 5H17M1 1.5v7M17 1.5v7"/> }, words)
    });
    let rail =
        || drawn_legend(view! { <path class="rail" d="M1 5H17M1 2v6M7 2v6M17 2v6"/> }, text.rent_legend.to_owned());
    view! {
        <ul class="legend">
            {legend("k-sel", text.yours.to_owned())}
            {legend("k-bar", text.others.to_owned())}
            {coverage}
            {sold.then(rail)}
            {missing.map(|name| legend("k-missed", name.to_owned()))}
            {some_untried.then(|| view! { <li>"≥ ≤ " {text.untried_legend}</li> })}
            {legend("k-idle", text.does_not_fit.to_owned())}
        </ul>
    }
}

/// What a row of a table of GPU types does: choose its type.
#[component]
fn Choose(page: Page, id: &'static str, yours: bool) -> impl IntoView {
    let text = page.text();
    if yours {
        return view! { <b>{text.yours}</b> };
    }
    view! {
        <button class="btn btn-s" type="button" on:click=move |_| page.change(|form| form.choose_gpu(id))>
            {text.use_gpu}
            <span class="vh">" " {words::gpu_label(id)}</span>
        </button>
    }
}

/// The figures of a type, or why it has none.
fn figures(page: Page, row: &Compared) -> AnyView {
    let text = page.text();
    match &row.result {
        Ok(answer) if answer.fits() => view! {
            {cell(text.per_gpu, answer.at_least(format::figure(answer.speed)))}
            {cell(text.col_mt_hour, answer.at_least(format::figure(answer.mtok_per_hour)))}
            {cell(money::signed(text.col_usd_mt), answer.usd().map(|usd| answer.at_most(format::cost(usd))).unwrap_or_default())}
            <td data-l=text.col_plan>{answer.layout.clone()}</td>
        },
        Ok(figures) => view! {
            <td colspan="4">
                {fit::short(figures.state, figures.probability, page.lang)} {page.lang.colon()} {reason(row, text)}
            </td>
        },
        Err(error) => view! { <td colspan="4">{page.say(error)}</td> },
    }
}

fn table(page: Page, chosen: &Chosen) -> AnyView {
    let text = page.text();
    let lines = chosen.rows.iter().map(|row| {
        let yours = Some(row.gpu.id) == chosen.asked.as_deref();
        let missed = objective::missing(chosen.objective, text).filter(|_| chosen.misses(row));
        let close = chosen.is_close(row).then_some(text.close_to_limit);
        let less = fitting(row).and_then(|figures| tight(figures, page.lang));
        let untried = fitting(row).is_some_and(|figures| figures.untried);
        let unjoined = fitting(row).is_some_and(|figures| figures.unjoined);
        let class = match (yours, fitting(row).is_some()) {
            (true, _) => "is-sel",
            (false, true) => "",
            (false, false) => "is-off",
        };
        view! {
            <tr class=class>
                <th scope="row">
                    {words::gpu_label(row.gpu.id)} " "
                    {untried.then(|| view! { <span class="tag tag-warn">{text.untried}</span> })}
                    {unjoined.then(|| view! { <span class="tag tag-warn">{text.unjoined}</span> })}
                    {missed.map(|name| view! { <span class="tag tag-bad">{name}</span> })}
                    {close.map(|name| view! { <span class="tag tag-warn">{name}</span> })}
                    {less.map(|words| view! { <span class="tag tag-warn">{words}</span> })}
                </th>
                {figures(page, row)}
                <td>
                    <Choose page id=row.gpu.id yours/>
                </td>
            </tr>
        }
    });
    let heads = view! {
        {head(text.col_gpu, false)}
        {head(text.per_gpu, true)}
        {head(text.col_mt_hour, true)}
        {head(money::signed(text.col_usd_mt), true)}
        {head(text.col_plan, false)}
        <th scope="col">
            <span class="vh">{text.action}</span>
        </th>
    };
    folded_table(page, text.which_gpu.to_owned(), 8, heads, view! { {lines.collect_view()} })
}
