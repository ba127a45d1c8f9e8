//! The GPUs: type, number, price, node and network; the figures of a GPU of one's own.

use std::cell::Cell;

use shardwise_core::catalog::{self, OfferKind};
use shardwise_core::job::owned;
use shardwise_core::market::NO_OFFER;
use shardwise_core::operations::PUE;

use super::prices::OwnPrices;
use crate::form::{CUSTOM_GPU, Field, Form, HOME};
use crate::look::Look;
use crate::money::{self, Currency, Money, YUAN, YUAN_DATE};
use crate::view::controls::{Choice, Input, More, Plain, Select};
use crate::view::fold;
use crate::view::prelude::*;
use crate::view::values::{found, used};
use crate::words::{day, gpu_label, offer};

/// The GPUs of the catalog by vendor, as options of a control.
#[component]
fn Types(page: Page, field: Field) -> impl IntoView {
    let vendors = [("nvidia", "NVIDIA"), ("amd", "AMD"), ("intel", "Intel"), ("huawei", "Huawei"), ("metax", "MetaX")];
    // Once for all options.
    let now = Memo::new(move |_| page.typed(field));
    let groups = vendors.map(|(vendor, label)| {
        let options = catalog::gpus().iter().filter(|gpu| gpu.vendor == vendor).map(|gpu| {
            let name = format!("{} {} GB", gpu_label(gpu.id), format::fixed(gpu.memory_gb, 0));
            view! { <option value=gpu.id prop:selected=move || now.with(|now| now == gpu.id)>{name}</option> }
        });
        view! { <optgroup label=label>{options.collect_view()}</optgroup> }
    });
    groups.collect_view()
}

#[component]
fn Type(page: Page, field: Field, id: &'static str, #[prop(into)] name: String) -> impl IntoView {
    view! { <option value=id prop:selected=move || page.typed(field) == id>{name}</option> }
}

/// A choice among GPU types; what is inside stands before those of the catalog.
#[component]
fn TypeChoice(page: Page, field: Field, #[prop(into)] act: Callback<String>, children: Children) -> impl IntoView {
    // An id that the catalog does not have stays visible until another is chosen.
    let is_unknown = |id: &String| !(id.is_empty() || id == CUSTOM_GPU || catalog::gpu(id).is_some());
    let unknown = move || Some(page.typed(field)).filter(is_unknown);
    view! {
        <Select page field act>
            {move || unknown().map(|id| view! { <option value=id prop:selected=true>{id.clone()}</option> })}
            {children()}
            <Types page field/>
        </Select>
    }
}

#[component]
pub(in crate::view) fn GpuChoice(page: Page) -> impl IntoView {
    view! {
        <TypeChoice page field=Field::Gpu act=move |id: String| page.change(|form| form.choose_gpu(&id))>
            <Type page field=Field::Gpu id=CUSTOM_GPU name=page.text().gpu_own/>
        </TypeChoice>
    }
}

/// The figures of a GPU of one's own: what is left empty is as in the type that it starts from.
#[component]
fn OwnGpu(page: Page) -> impl IntoView {
    view! {
        <div class="row own-gpu">
            <TypeChoice
                page
                field=Field::GpuBase
                act=move |id: String| page.change(|form| form.set(Field::GpuBase, id))
            >
                <Type page field=Field::GpuBase id="" name=page.text().gpu_scratch/>
            </TypeChoice>
            <Choice page field=Field::GpuArchitecture words=catalog::generation_names()/>
            <Input page field=Field::GpuMemory/>
            <Input page field=Field::GpuBandwidth/>
            <Input page field=Field::GpuBf16/>
            <Input page field=Field::GpuFp8/>
            <Input page field=Field::GpuNvlink/>
            <Input page field=Field::GpuDomain/>
            <Input page field=Field::GpuPcie/>
            <p class="hint">{page.text().gpu_own_hint}</p>
        </div>
    }
}

/// Where to rent: the terms on which the cheapest offer is taken, whose offers count, or the one that was chosen.
#[component]
fn Rent(page: Page) -> impl IntoView {
    let text = page.text();
    let terms = move |word: &'static str, name: String| {
        view! { <option value=word prop:selected=move || page.typed(Field::Terms) == word>{name}</option> }
    };
    let kinds = move || {
        let all = OfferKind::ALL.map(|kind| {
            let word = kind.as_str();
            terms(word, page.lang.word(word).to_owned())
        });
        all.collect_view()
    };
    let choose = move |word: String| page.change(|form| form.set(Field::Terms, word));
    move || {
        if page.typed(Field::Gpu) == CUSTOM_GPU {
            return None;
        }
        Some(if page.typed(Field::Offer).is_empty() {
            view! {
                <div class="row">
                    <Select page field=Field::Terms act=choose>
                        {kinds()}
                        {terms("", text.rent_list.to_owned())}
                    </Select>
                    <Input page field=Field::Providers placeholder=text.rent_none/>
                </div>
            }
        } else {
            view! {
                <div class="offer">
                    <Input page field=Field::Offer/>
                </div>
            }
        })
    }
}

thread_local! {
    /// Whether the page is drawn anew because a person chose what dollars are shown in.
    static CHOSEN: Cell<bool> = const { Cell::new(false) };
}

/// Shows dollars otherwise from now on: the page is another one then, in which the control `id` goes on.
fn reckon(look: Look, money: Money, id: &'static str) {
    CHOSEN.set(true);
    look.choose_money(money);
    browser::focus_next(id);
}

/// A rate to four places, as banks quote it.
fn rate_words(yuan: f64) -> String {
    format::trimmed((yuan * 1e4).round() / 1e4)
}

/// What dollars are shown in, by its name.
fn currency_name(currency: Currency, text: &Text) -> &'static str {
    match currency {
        Currency::Usd => text.money_usd,
        Currency::Cny => text.money_cny,
    }
}

/// What dollars are shown in.
#[component]
fn Shown(page: Page) -> impl IntoView {
    let text = page.text();
    let shown = Signal::derive(move || currency_name(page.look.money().currency, text).to_owned());
    view! {
        <More page at=Step::OwnMachine title=text.money id="money" open=CHOSEN.take() aside=shown>
            <Reckoning page/>
        </More>
    }
}

/// The choice of it, and the rate.
#[component]
fn Reckoning(page: Page) -> impl IntoView {
    let text = page.text();
    let look = page.look;
    let choices = Currency::ALL.map(|currency| {
        let chosen = move || look.money().currency == currency;
        view! { <option value=currency.word() prop:selected=chosen>{currency_name(currency, text)}</option> }
    });
    let choose = move |word: String| {
        if let Some(currency) = Currency::of_word(&word) {
            reckon(look, Money { currency, ..look.money() }, "currency");
        }
    };
    let typed = RwSignal::new(rate_words(look.money().yuan));
    let wrong = Signal::derive(move || money::rate_of(&typed.get()).is_none().then_some(text.money_wrong));
    let take = move |()| {
        if let Some(yuan) = money::rate_of(&typed.get_untracked()) {
            reckon(look, Money { yuan, ..look.money() }, "rate");
        }
    };
    view! {
            <div class="field">
                <label for="currency">{text.money}</label>
                <select id="currency" on:change=move |event| choose(event_target_value(&event))>
                    {choices.collect_view()}
                </select>
            </div>
            <Plain id="rate" label=text.money_rate typed wrong done=take/>
            <p class="hint">{fill(text.money_hint, &[&rate_words(YUAN), YUAN_DATE])}</p>
    }
}

/// The offer that is rented, or why there is none.
fn rent_hint(page: Page) -> Option<AnyView> {
    let text = page.text();
    let shown = page.answered()?;
    let Some(own) = &shown.found.answer.offer else {
        let asked = shown.question.hardware.market.is_some();
        let mut caveats = shown.found.answer.caveats.iter();
        let why = caveats.find(|own| own.id == NO_OFFER).filter(|_| asked)?;
        return Some(view! { <p class="hint" id="offer">{page.say(&why.text)}</p> });
    };
    let chosen = !page.typed(Field::Offer).is_empty();
    let back = move |_| {
        page.change(|form| {
            form.set(Field::Offer, "");
            form.rent();
        });
    };
    Some(view! {
        <p class="hint" id="offer">
            {offer(own, page.lang)}
            " "
            // One's own sheet has no page.
            {own.source.starts_with("https:").then(|| view! {
                <a href=own.source.to_string() rel="noopener" target="_blank">{text.price_source}</a>
                " "
            })}
            <button class="lnk" type="button" id="all-offers" on:click=move |_| fold::go(page, Fold::Offers.word())>
                {text.rent_all}
            </button>
            " "
            {chosen.then(|| view! {
                <button class="lnk" type="button" id="cheapest-offer" on:click=back>{text.rent_back}</button>
            })}
        </p>
    })
}

/// Whose offers are asked on a page in Chinese, and the way to ask all, or those in China first.
fn home_hint(page: Page) -> Option<AnyView> {
    let text = page.text();
    let rents = page
        .form
        .with(|form| !form.is_stated() && !form.get(Field::Terms).is_empty() && form.get(Field::Offer).is_empty());
    let own_alone = page
        .sheet_prices
        .with(|kept| kept.as_ref().is_some_and(|kept| kept.only_own == Some(true)));
    let providers = page.typed(Field::Providers);
    let any = page.form.with(Form::takes_any_seller);
    let (says, first) = match (providers.as_str(), any) {
        (HOME, _) => (fill(text.home_asked, &[&HOME.replace(", ", page.lang.of([", ", "、"]))]), false),
        ("", true) => (text.home_none.to_owned(), false),
        ("", false) => (text.home_all.to_owned(), true),
        _ => return None,
    };
    let choose = move |_| page.change(|form| form.choose_home(first));
    (rents && !own_alone && page.lang == Lang::Zh).then(|| {
        view! {
            <p class="hint" id="home">
                {says}
                " "
                {(first || providers == HOME).then(|| view! {
                    <button class="lnk" type="button" id="home-switch" on:click=choose>
                        {if first { text.home_first } else { text.home_every }}
                    </button>
                })}
            </p>
        }
    })
}

/// The price on record for the chosen type, with its source; and the way back to it.
fn price_hint(page: Page) -> AnyView {
    let text = page.text();
    let typed = !page.typed(Field::Price).trim().is_empty();
    if let Some(hint) = rent_hint(page).filter(|_| !typed) {
        return hint;
    }
    if page.form.with(Form::is_owned) {
        return view! { <p class="hint">{text.rent_stated}</p> };
    }
    let mut id = page.typed(Field::Gpu);
    if id == CUSTOM_GPU {
        id = page.typed(Field::GpuBase);
    }
    // What an offer of so many GPUs asks, where no typical price is of them.
    let own = page.answered().filter(|shown| shown.gpu() == Some(id.as_str()));
    let offer = own.and_then(|shown| shown.found.job.hardware.priced_by);
    let typical = || catalog::gpu(&id).and_then(|gpu| gpu.usd_per_gpu_hour.zip(gpu.price_source));
    let price = offer.map(|offer| (offer.usd_per_gpu_hour(), offer.source())).or_else(typical);
    let Some((usd, source)) = price else {
        return view! { <p class="hint">{text.price_none}</p> };
    };
    let day = day(Some(source.date).filter(|date| !date.is_empty()), offer, page.lang);
    let stated = page.form.with(|form| form.is_stated() && !form.get(Field::Terms).is_empty());
    let back = move |_| page.change(|form| form.set(Field::Price, ""));
    view! {
        <p class="hint">
            {stated.then_some(text.rent_stated)}
            " "
            {fill(text.price_hint, &[&money::as_typed(usd), &day])}
            " "
            <a href=source.url rel="noopener" target="_blank">{text.price_source}</a>
            " "
            {typed.then(|| view! {
                <button class="lnk" type="button" id="catalog-price" on:click=back>{text.price_back}</button>
            })}
        </p>
    }
}

/// Machines of one's own: what a GPU of them cost, and what an hour of it comes to.
#[component]
fn OwnMachines(page: Page) -> impl IntoView {
    let text = page.text();
    let hour = found(page, |shown, lang| {
        let own = shown.found.job.hardware.owned;
        own.map(|own| {
            let parts = [own.usd_per_gpu_hour(), own.usd_of_machine(), own.usd_of_power()].map(format::price);
            fill(lang.text().own_hour, &[&parts[0], &parts[1], &parts[2]])
        })
        .unwrap_or_default()
    });
    let price = found(page, |shown, _| {
        let own = shown.found.job.hardware.owned;
        own.map(|own| format::price(own.usd_per_gpu_hour())).unwrap_or_default()
    });
    let hint = move || {
        let hour = hour.get();
        if hour.is_empty() { text.own_note.to_owned() } else { hour }
    };
    view! {
        <More page at=Step::OwnMachine title=text.own_machines id="own-machines" aside=price>
            <Input page field=Field::OwnedPrice/>
            <Input page field=Field::OwnedYears placeholder=format::trimmed(owned::YEARS)/>
            <Input page field=Field::OwnedUse placeholder=format::trimmed(owned::WORKING)/>
            <Input page field=Field::OwnedWatts/>
            <Input page field=Field::OwnedPue placeholder=format::trimmed(PUE)/>
            <Input page field=Field::OwnedKwh placeholder=format::trimmed(owned::USD_PER_KWH)/>
            <p class="hint">{hint}</p>
        </More>
    }
}

#[component]
pub(super) fn Gpus(page: Page) -> impl IntoView {
    let text = page.text();
    let [per_node, network] = [Field::GpusPerNode, Field::Network].map(|field| used(page, field));
    let nodes = found(page, |shown, _| {
        let hardware = &shown.found.job.hardware;
        let (gpus, own) = (hardware.gpus, hardware.gpus_per_node.max(1));
        if gpus > own && gpus.is_multiple_of(own) { format::grouped((gpus / own).into()) } else { String::new() }
    });
    let summary = Signal::derive(move || {
        let nodes = nodes.get();
        let sentence = if nodes.is_empty() { text.node_summary } else { text.nodes_summary };
        fill(sentence, &[&per_node.get(), &network.get(), &nodes])
    });
    view! {
        <fieldset class="group">
            <legend class="vh">{text.gpus}</legend>
            <div class="row row-gpu">
                <Input page field=Field::Gpus/>
                <GpuChoice page/>
                <Input page field=Field::Price/>
            </div>
            {move || (page.typed(Field::Gpu) == CUSTOM_GPU).then(|| view! { <OwnGpu page/> })}
            <Rent page/>
            {move || price_hint(page)}
            {move || home_hint(page)}
            <More page at=Step::OwnMachine title=text.node_network aside=summary>
                <Input page field=Field::GpusPerNode/>
                <Input page field=Field::Network/>
                <p class="hint">{text.nodes_hint}</p>
            </More>
            <Shown page/>
            <OwnMachines page/>
            // Inside another site nobody's prices are asked or kept.
            {(!page.embedded).then(|| view! { <OwnPrices page/> })}
        </fieldset>
    }
}
