//! Who rents out the question's GPUs: what each offer asks, and what the run would cost there.

use shardwise_core::catalog::{self, OfferKind};
use shardwise_core::hardware::Rentable;
use shardwise_core::market::{self, Strength, Unfit, own};
use shardwise_core::wire::{HardwareSpec, MarketSpec};
use shardwise_core::{Answer, Question, evaluate_alone, ordered};

use super::parts::more;
use crate::protocol::blocks::{Control, Row, Takes, wide};
use crate::sheets::prelude::*;

/// Its address in the page.
const ID: &str = "offers";

/// What the table of offers says of a region that nobody states.
const NOT_STATED: &str = "not stated";

/// Rows that are shown before all are asked for.
const TOP: usize = 10;

/// The key of the terms in its state.
const TERMS: &str = "terms";

/// An offer, with the answer on its machines where it can hold the question's.
struct Priced {
    offer: Rentable,
    answer: Option<Answer>,
}

impl Priced {
    /// Dollars: of the run, or of a million tokens.
    fn usd(&self) -> Option<f64> {
        let answer = self.answer.as_ref().filter(|answer| answer.fits)?;
        answer.run.map_or(answer.usd_per_mtok, |run| run.all_usd())
    }
}

/// An answer at another price.
fn at_price(answer: &Answer, offer: &Rentable) -> Answer {
    let mut answer = answer.clone();
    let times = answer.usd_per_gpu_hour.map_or(1.0, |known| offer.usd_per_gpu_hour() / known);
    for usd in [&mut answer.usd_per_mtok, &mut answer.usd_per_step, &mut answer.usd_per_gpu_hour]
        .into_iter()
        .flatten()
    {
        *usd *= times;
    }
    if let Some(run) = &mut answer.run {
        let expected = run.operations.as_mut().and_then(|own| own.expected.as_mut());
        let all = [run.usd.as_mut(), expected.and_then(|expected| expected.usd.as_mut())];
        for usd in all.into_iter().flatten() {
            *usd *= times;
        }
    }
    answer
}

/// Every offer of the question's GPU on these terms: those that hold it by what it costs there, then the others by price.
fn priced(question: &Question, gpu: &str, kind: OfferKind) -> Vec<Priced> {
    let own = question.hardware.market.as_ref().and_then(|market| market.own.clone());
    let market = MarketSpec { kinds: Some(vec![kind]), own, ..MarketSpec::default() };
    let own = own::rows(&market).unwrap_or_default();
    let hardware =
        HardwareSpec { gpu: gpu.into(), gpus: question.hardware.gpus, market: Some(market), ..HardwareSpec::default() };
    let asked = Question { hardware, ..question.clone() };
    let mut known: Vec<(Strength, Option<Answer>)> = Vec::new();
    let mut found: Vec<Priced> = Vec::new();
    for (strength, offer) in market::strengths(&asked).unwrap_or_default() {
        let same = known.iter().find(|(other, _)| *other == strength);
        let answer = match same {
            Some((_, answer)) => answer.clone(),
            None => {
                let rented = Question { hardware: market::rented(&asked.hardware, &offer), ..asked.clone() };
                let answer = evaluate_alone(&rented).ok().map(|found| found.answer);
                known.push((strength, answer.clone()));
                answer
            }
        };
        let answer = answer.map(|answer| at_price(&answer, &offer));
        found.push(Priced { offer, answer });
    }
    ordered::sort(&mut found, &|a, b| a.usd().unwrap_or(f64::MAX).total_cmp(&b.usd().unwrap_or(f64::MAX)));
    let is_known = |found: &[Priced], offer: &Rentable| found.iter().any(|known| known.offer == *offer);
    let mut others: Vec<Rentable> = own
        .into_iter()
        .chain(catalog::offers().iter().map(Rentable::Listed))
        .filter(|offer| {
            offer.kind() == kind && offer.gpu().is_some_and(|own| own.id == gpu) && !is_known(&found, offer)
        })
        .collect();
    ordered::sort(&mut others, &|a, b| {
        is_old(a)
            .cmp(&is_old(b))
            .then(a.usd_per_gpu_hour().total_cmp(&b.usd_per_gpu_hour()))
    });
    found.extend(others.into_iter().map(|offer| Priced { offer, answer: None }));
    found
}

/// Whether its price is too old to be taken unasked.
fn is_old(offer: &Rentable) -> bool {
    offer.listed().is_some_and(|offer| offer.history)
}

struct Scene<'a> {
    lang: Lang,
    asked: &'a Asked,
    kind: OfferKind,
    priced: Vec<Priced>,
}

impl Scene<'_> {
    /// The offer that the answer rents.
    fn own(&self) -> Option<String> {
        self.asked.found.answer.offer.as_ref().map(|own| own.id.clone())
    }

    fn gpus(&self) -> u64 {
        self.asked.found.job.hardware.gpus.into()
    }

    /// Why an offer is not the one that is rented.
    fn why(&self, own: &Priced) -> String {
        let words = self.lang.sheets();
        let offer = &own.offer;
        if is_old(offer) {
            return words.offer_old.to_owned();
        }
        match (market::holds(offer, self.gpus()), &own.answer) {
            (Err(Unfit::Divides), _) => fill(words.offer_divides, &[&offer.gpus().to_string()]),
            (Err(Unfit::Network), _) => words.offer_unjoined.to_owned(),
            (Ok(()), None) => words.offer_refused.to_owned(),
            (Ok(()), Some(answer)) if !answer.fits => {
                let gib = [answer.fit.needed_gib, answer.fit.capacity_gib].map(format::gib);
                fill(self.lang.text().needs_gib, &[&gib[0], &gib[1]])
            }
            (Ok(()), Some(answer)) => {
                let best = self.asked.found.answer.tokens_per_s_per_gpu;
                let slower = 1.0 - answer.tokens_per_s_per_gpu / best;
                if slower > 0.005 { fill(words.offer_slower, &[&format::percent(slower, 0)]) } else { String::new() }
            }
        }
    }

    fn row(&self, own: &Priced) -> Row {
        let (lang, words) = (self.lang, self.lang.sheets());
        let offer = &own.offer;
        let id = offer.id();
        let is_own = self.own().as_ref() == Some(&id);
        let machine = match offer.network_gbit_per_s() {
            Some(gbit) => fill(words.offer_network, &[&format::figure(gbit)]),
            None if !offer.is_machine() => words.offer_usual.to_owned(),
            None => words.offer_no_network.to_owned(),
        };
        let why = self.why(own);
        let mut cells = vec![self.seller(offer), cell(format::price(offer.usd_per_gpu_hour())), cell(machine)];
        let answer = own.answer.as_ref().filter(|answer| answer.fits);
        match answer.zip(own.usd()) {
            Some((answer, usd)) => {
                let time = answer.run.map_or_else(
                    || format::figure(answer.tokens_per_s_per_gpu),
                    |run| format::figure(run.all_hours().unwrap_or_default()),
                );
                let time = if why.is_empty() { vec![run(time)] } else { vec![run(time), run(" "), quiet(why)] };
                cells.extend([runs(time), cell(format::usd(usd))]);
            }
            None => cells.push(wide(2, run(why))),
        }
        let about = format!("{} {}", words::provider(offer.provider(), lang), offer.instance());
        let action = answer.filter(|_| !is_own).map(|_| {
            let button = Button::new(Look::Small, words.offer_take, Action::ask(&self.taking(offer)));
            button.about(about)
        });
        let tags = is_own.then(|| strong(lang.text().yours));
        cells.push(Cell { line: action.map(Into::into).into_iter().chain(tags).collect(), ..cell("") });
        let stands = match (is_own, answer) {
            (true, _) => Stands::Own,
            (false, Some(_)) => Stands::Plain,
            (false, None) => Stands::Off,
        };
        row(stands, cells)
    }

    /// Who rents it out, what, and of which day its price is.
    fn seller(&self, offer: &Rentable) -> Cell {
        let words = self.lang.sheets();
        let name = strong(words::provider(offer.provider(), self.lang));
        let Some(listed) = offer.listed() else {
            let instance = offer.instance();
            let day = offer
                .date()
                .map_or_else(|| instance.to_owned(), |date| [instance, date].join(self.lang.comma()));
            return runs(vec![name, run(" "), quiet(day)]);
        };
        let when = words::day(listed.date(), Some(listed), self.lang);
        let region = listed.region();
        let region = if region == NOT_STATED { words.offer_no_network } else { self.lang.word(region) };
        runs(vec![
            name,
            run(" "),
            quiet(format!("{}{}{region} ", listed.instance(), self.lang.comma())),
            link(listed.url(), when),
        ])
    }

    fn taking(&self, offer: &Rentable) -> Question {
        let question = &self.asked.question;
        let hardware = HardwareSpec {
            market: market::rented(&question.hardware, offer).market,
            gpu: question.hardware.gpu.clone(),
            gpus: question.hardware.gpus,
            offer: Some(offer.id()),
            ..HardwareSpec::default()
        };
        Question { hardware, ..question.clone() }
    }

    /// The rows that are shown: the first, and the one that is rented.
    fn shown(&self, all: bool) -> Vec<Row> {
        let own = self.own();
        let first = |(place, priced): &(usize, &Priced)| all || *place < TOP || own == Some(priced.offer.id());
        self.priced
            .iter()
            .enumerate()
            .filter(first)
            .map(|(_, own)| self.row(own))
            .collect()
    }

    /// What shows all rows, or the first again.
    fn more(&self, all: bool) -> Option<Block> {
        let count = self.priced.len();
        (count > TOP).then(|| more("offers-all", count, all, self.lang))
    }

    fn table(&self, all: bool) -> Block {
        let (text, words) = (self.lang.text(), self.lang.sheets());
        let run = self.asked.found.answer.run.is_some();
        let (time, usd) = if run { (words.front_hours, words.front_usd) } else { (text.per_gpu, text.col_usd_mt) };
        let columns = vec![
            column(words.offer_seller, Holds::Names),
            column(money::signed(words.offer_price), Holds::Numbers),
            column(words.offer_machine, Holds::Words),
            column(time, Holds::Numbers),
            column(money::signed(usd), Holds::Key),
            column(text.action, Holds::Actions),
        ];
        Block::Table(Table::new(words.offers, Tabled::Numbers, columns, self.shown(all)))
    }

    fn takeaway(&self) -> String {
        let words = self.lang.sheets();
        let gpu = words::gpu_label(&self.asked.found.job.hardware.gpu);
        let terms = self.lang.word(self.kind.as_str());
        let holding: Vec<&Priced> = self.priced.iter().filter(|own| own.usd().is_some()).collect();
        let Some(best) = holding.first() else {
            return fill(words.offers_none, &[&format::grouped(self.gpus()), &gpu, terms]);
        };
        let mut prices: Vec<f64> = holding.iter().map(|own| own.offer.usd_per_gpu_hour()).collect();
        ordered::sort(&mut prices, &f64::total_cmp);
        let [low, median, high] = words::spread(&prices).unwrap_or_default();
        let usd = format::usd(best.usd().unwrap_or_default());
        let count = holding.len().to_string();
        fill(
            words.offers_take,
            &[
                &count,
                &self.priced.len().to_string(),
                &low,
                &high,
                &median,
                words::provider(best.offer.provider(), self.lang),
                &usd,
            ],
        )
    }
}

/// The terms that the sheet shows: those chosen in it, or the answer's.
fn terms(asked: &Asked, ask: &Ask) -> OfferKind {
    let chosen = ask.state.get(TERMS).and_then(|word| OfferKind::of(word.as_str()?));
    let own = asked.found.answer.offer.as_ref().map(|own| own.kind);
    let market = asked.question.hardware.market.as_ref();
    let first = market.and_then(|market| market.kinds.as_ref()?.first().copied());
    chosen.or(own).or(first).unwrap_or(OfferKind::OnDemand)
}

/// The sheet; nothing of a GPU of one's own.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    let lang = ask.lang;
    let gpu = catalog::gpu(asked.question.hardware.gpu.as_str()?)?.id;
    let kind = terms(asked, ask);
    let scene = Scene { lang, asked, kind, priced: priced(&asked.question, gpu, kind) };
    let kinds = OfferKind::ALL
        .iter()
        .map(|kind| (kind.as_str().to_owned(), lang.word(kind.as_str()).to_owned()));
    let controls = Block::Controls(vec![Control {
        key: TERMS.to_owned(),
        name: lang.sheets().offer_terms.to_owned(),
        takes: Takes::One(kind.as_str().to_owned(), kinds.collect()),
    }]);
    let all = ask.on("all");
    let take = said(Kind::Take, scene.takeaway());
    let mut blocks = vec![take, said(Kind::Note, lang.sheets().offers_note), controls, scene.table(all)];
    blocks.extend(scene.more(all));
    Some(Section::block(ID, Purpose::Group, blocks))
}

#[cfg(test)]
mod tests {
    use super::{Asked, priced, sheet};
    use crate::protocol::blocks::{Block, Stands};
    use crate::sheets::asked::Ask;
    use crate::text::Lang;
    use serde_json::{Map, Value, json};
    use shardwise_core::catalog::{self, OfferKind};
    use shardwise_core::evaluate_alone;

    fn asked(hardware: &Value) -> Asked {
        let question = json!({"version": 1, "model": "qwen3-8b", "hardware": hardware,
            "workload": {"kind": "lora", "sequence_length": 2048, "global_batch": 64, "tokens": 1e9}});
        Asked::of(question)
    }

    fn shown(asked: &Asked, lang: Lang, state: &Value) -> Option<Block> {
        let state = state.as_object().cloned().unwrap_or_else(Map::new);
        sheet(asked, &Ask { lang, width: 0, state })
    }

    #[test]
    fn every_offer_has_a_place_and_its_own_answer() {
        let asked = asked(&json!({"gpu": "h100-sxm", "gpus": 16, "market": {}}));
        let all = priced(&asked.question, "h100-sxm", OfferKind::OnDemand);
        let known = catalog::offers()
            .iter()
            .filter(|offer| offer.kind == OfferKind::OnDemand && offer.gpu().is_some_and(|gpu| gpu.id == "h100-sxm"));
        assert_eq!(all.len(), known.count());
        let best = all.first().and_then(|own| own.usd());
        assert_eq!(best, asked.found.answer.run.and_then(|run| run.usd));
        for own in all.iter().filter(|own| own.answer.is_some()) {
            let mut question = asked.question.clone();
            question.hardware.market = None;
            question.hardware.offer = Some(own.offer.id());
            let alone = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}")).answer;
            let (alone, shown) = (alone.run.and_then(|run| run.usd), own.usd());
            let same = alone
                .zip(shown)
                .is_some_and(|(alone, shown)| (alone / shown - 1.0).abs() < 1e-9);
            assert!(same, "{}: {alone:?} {shown:?}", own.offer.id());
        }
    }

    #[test]
    fn the_table_marks_the_rented_one_and_says_why_others_are_not() {
        let asked = asked(&json!({"gpu": "h100-sxm", "gpus": 16, "market": {}}));
        for lang in [Lang::En, Lang::Zh] {
            let whole = shown(&asked, lang, &json!({"all": true}));
            let Some(Block::Section(section)) = whole else { panic!("the catalog has offers of it") };
            let text = json!(section).to_string();
            assert!(text.contains(lang.sheets().offer_unjoined) && !text.contains("NaN"), "{text}");
            let tables = section.blocks.iter().filter_map(|block| match block {
                Block::Table(table) => Some(table),
                _ => None,
            });
            let rows: Vec<_> = tables.flat_map(|table| &table.groups).flat_map(|(_, rows)| rows).collect();
            assert_eq!(rows.iter().filter(|row| row.stands == Stands::Own).count(), 1);
            assert!(rows.iter().any(|row| row.stands == Stands::Off));
            let first = shown(&asked, lang, &json!({})).map(|block| json!(block).to_string().len());
            assert!(first < Some(text.len()));
        }
    }

    #[test]
    fn a_row_of_ones_own_stands_among_them_and_can_be_taken() {
        let asked = asked(&json!({"gpu": "h100-sxm", "gpus": 16, "market": {"only_own": true, "own": [
            {"gpu": "h100-sxm", "usd_per_gpu_hour": 0.5, "count": 8},
            {"gpu": "h100-sxm", "usd_per_gpu_hour": 0.75, "provider": "Campus", "date": "2026-11-01"},
        ]}}));
        let listed = catalog::offers()
            .iter()
            .filter(|offer| offer.kind == OfferKind::OnDemand && offer.gpu().is_some_and(|gpu| gpu.id == "h100-sxm"));
        let all = priced(&asked.question, "h100-sxm", OfferKind::OnDemand);
        assert_eq!(all.len(), listed.count() + 2);
        assert_eq!(all[0].offer.id(), "own/2");
        assert!(all.iter().any(|own| own.offer.id() == "own/1" && own.answer.is_none()));
        for (lang, sheet) in [(Lang::En, "your price sheet"), (Lang::Zh, "你的价格表")] {
            let text = shown(&asked, lang, &json!({"all": true})).map(|block| json!(block).to_string());
            assert!(
                text.is_some_and(|text| text.contains("Campus") && text.contains("2026-11-01") && text.contains(sheet))
            );
        }
    }

    #[test]
    fn terms_without_offers_say_so_and_a_card_of_ones_own_has_none() {
        let asked = self::asked(&json!({"gpu": "gaudi3", "gpus": 8, "market": {}}));
        let text = shown(&asked, Lang::En, &json!({"terms": "spot"})).map(|block| json!(block).to_string());
        assert!(text.is_some_and(|text| text.contains("No offer of 8 × GAUDI3")), "it names them");
        let own = self::asked(&json!({"gpu": {"base": "h100-sxm", "memory_gib": 60}, "gpus": 8}));
        assert!(shown(&own, Lang::En, &json!({})).is_none());
    }
}
