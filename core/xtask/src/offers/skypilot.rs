//! Price lists of SkyPilot's catalog, schema v8: `catalogs/v8/<vendor>/vms.csv` of skypilot-org/skypilot-catalog.
//!
//! A list renews the offers that we have of its vendor, region by region, and adds what we have none of where it is cheapest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::sheet::Row;

/// Vendors by the folders of their lists: our name, and the kind of what they call the price.
const VENDORS: [(&str, &str, &str); 19] = [
    ("alicloud", "Alibaba Cloud", "on-demand"),
    ("aws", "AWS", "on-demand"),
    ("azure", "Azure", "on-demand"),
    ("cudo", "Cudo", "on-demand"),
    ("do", "DigitalOcean", "on-demand"),
    ("fluidstack", "FluidStack", "on-demand"),
    ("gcp", "GCP", "on-demand"),
    ("hyperstack", "Hyperstack", "on-demand"),
    ("jarvislabs", "Jarvislabs", "on-demand"),
    ("lambda", "Lambda", "on-demand"),
    ("nebius", "Nebius", "on-demand"),
    ("oci", "OCI", "on-demand"),
    ("paperspace", "Paperspace", "on-demand"),
    ("runpod", "RunPod", "on-demand"),
    ("seeweb", "Seeweb", "on-demand"),
    ("tencentcloud", "Tencent Cloud", "on-demand"),
    ("vast", "Vast.ai", "market"),
    ("verda", "Verda", "on-demand"),
    ("yotta", "Yotta", "on-demand"),
];

/// What accelerators are called there, and the GPUs that each may be.
const ACCELERATORS: [(&str, &[&str]); 38] = [
    ("A10", &["a10"]),
    ("A100", &["a100-sxm-40g", "a100-pcie-40g"]),
    ("A100-80GB", &["a100-sxm-80g", "a100-pcie-80g"]),
    ("A100-80GB-SXM", &["a100-sxm-80g"]),
    ("A10G", &["a10g"]),
    ("A30", &["a30"]),
    ("A40", &["a40"]),
    ("A6000", &["rtx-a6000"]),
    ("A800", &["a800-sxm-80g", "a800-pcie-80g"]),
    ("B200", &["b200-sxm"]),
    ("B300", &["b300-sxm"]),
    ("GB200", &["gb200"]),
    ("GB300", &["gb300"]),
    ("GH200", &["gh200-96g"]),
    ("H100", &["h100-sxm", "h100-pcie", "h100-nvl"]),
    ("H100-80GB", &["h100-sxm", "h100-pcie"]),
    ("H100-MEGA-80GB", &["h100-sxm"]),
    ("H100-NVL", &["h100-nvl"]),
    ("H100-SXM", &["h100-sxm"]),
    ("H20", &["h20"]),
    ("H200", &["h200-sxm", "h200-nvl"]),
    ("H200-SXM", &["h200-sxm"]),
    ("H800", &["h800-sxm"]),
    ("L20", &["l20"]),
    ("L4", &["l4"]),
    ("L40", &["l40"]),
    ("L40S", &["l40s"]),
    ("MI300X", &["mi300x"]),
    ("MI325X", &["mi325x"]),
    ("MI355X", &["mi355x"]),
    ("RTX3090", &["rtx-3090"]),
    ("RTX4090", &["rtx-4090"]),
    ("RTX5090", &["rtx-5090"]),
    ("RTX6000-Ada", &["rtx-6000-ada"]),
    ("RTXA6000", &["rtx-a6000"]),
    ("T4", &["t4"]),
    ("V100", &["v100-sxm-16g", "v100-pcie-16g"]),
    ("V100-32GB", &["v100-sxm-32g", "v100-pcie-32g"]),
];

/// A line of a list. Numbers may be written as `8.0`.
#[derive(Clone, Debug, Deserialize)]
struct Listed {
    #[serde(rename = "InstanceType")]
    instance: String,
    #[serde(rename = "AcceleratorName")]
    accelerator: String,
    #[serde(rename = "AcceleratorCount")]
    count: Option<f64>,
    #[serde(rename = "vCPUs")]
    vcpus: Option<f64>,
    #[serde(rename = "MemoryGiB")]
    memory_gib: Option<f64>,
    #[serde(rename = "Price")]
    price: Option<f64>,
    #[serde(rename = "SpotPrice", default)]
    spot: Option<f64>,
    #[serde(rename = "Region")]
    region: String,
    #[serde(rename = "GpuInfo", default)]
    info: String,
}

impl Listed {
    /// Whole GPUs of the instance; none where it shares one or has none.
    fn gpus(&self) -> Option<u32> {
        let whole = |count: &f64| count.fract() == 0.0 && (1.0..=128.0).contains(count);
        self.count.filter(whole).and_then(|count| format!("{count:.0}").parse().ok())
    }

    /// Its price of a kind. A spot price that is not below the other one is a placeholder.
    fn usd(&self, kind: &str) -> Option<f64> {
        let price = self.price.filter(|usd| *usd > 0.0);
        match kind {
            "spot" => self.spot.filter(|usd| *usd > 0.0 && price.is_none_or(|price| *usd < price)),
            _ => price,
        }
    }

    /// The GPU that it has, among the catalog's; why none, where none or several could be meant.
    fn gpu(&self, known: &BTreeSet<String>) -> Result<&'static str, &'static str> {
        let named = ACCELERATORS
            .iter()
            .find(|(name, _)| self.accelerator.eq_ignore_ascii_case(name));
        let Some((_, ids)) = named else { return Err("its accelerator is not in the catalog") };
        // NVLink is said of cards of both forms.
        let said = format!("{} {}", self.instance, self.info).to_lowercase().replace("nvlink", "");
        let forms = ["sxm", "pcie", "nvl"].into_iter().filter(|form| said.contains(form));
        let forms: Vec<&str> = forms.collect();
        let of_form = |id: &&&str| forms.is_empty() || forms.iter().any(|form| id.contains(form));
        let fits: Vec<&&str> = if ids.len() == 1 { ids.iter().collect() } else { ids.iter().filter(of_form).collect() };
        match fits.as_slice() {
            [one] if known.contains(**one) => Ok(one),
            [_] => Err("its accelerator is not in the catalog"),
            _ => Err("SXM, PCIe or NVL is not stated"),
        }
    }
}

/// A vendor's list at a commit.
pub(super) struct Listing {
    provider: &'static str,
    /// The kind of its price.
    kind: &'static str,
    rows: Vec<Listed>,
    source: String,
    commit: String,
    date: String,
}

impl Listing {
    /// Reads `…/<vendor>/vms.csv` as it was at `commit`, of the day `date`.
    ///
    /// # Errors
    /// A vendor that is not known; what is no list of schema v8.
    pub(super) fn read(path: &Path, commit: &str, date: &str) -> Result<Self, String> {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let vendor = VENDORS.iter().find(|(name, ..)| *name == folder);
        let Some((vendor, provider, kind)) = vendor else {
            let known = VENDORS.map(|(name, ..)| name).join(", ");
            return Err(format!("{}: {folder} is no vendor that is known. Known: {known}.", path.display()));
        };
        let about = |error: csv::Error| format!("{}: {error}. Schema v8 is wanted.", path.display());
        let mut reader = csv::Reader::from_path(path).map_err(about)?;
        let rows = reader.deserialize().collect::<Result<_, _>>().map_err(about)?;
        let source =
            format!("https://github.com/skypilot-org/skypilot-catalog/blob/{commit}/catalogs/v8/{vendor}/vms.csv");
        Ok(Self { provider, kind, rows, source, commit: commit.chars().take(7).collect(), date: date.to_owned() })
    }

    /// What it lists of an instance at a price of a kind, by region.
    fn of(&self, instance: &str, kind: &str) -> Vec<(&Listed, f64)> {
        let own = self
            .rows
            .iter()
            .filter(|row| row.instance == instance && !row.accelerator.is_empty());
        own.filter_map(|row| Some((row, row.usd(kind)?))).collect()
    }

    /// Writes a price, and what a list says with it, into a row.
    fn put(&self, row: &mut Row, listed: &Listed, usd: f64) {
        let whole = |value: f64| format!("{value:.0}").parse().ok();
        row.usd_per_hour = usd;
        row.source.clone_from(&self.source);
        row.snapshot.clone_from(&self.commit);
        row.date.clone_from(&self.date);
        row.vcpus = listed.vcpus.and_then(whole).or(row.vcpus);
        row.host_ram_gib = listed.memory_gib.or(row.host_ram_gib);
        // What was said of an older list.
        let kept = row
            .notes
            .split("; ")
            .filter(|note| !note.starts_with("date of the commit not known"));
        row.notes = kept.collect::<Vec<_>>().join("; ");
    }
}

/// The cheapest of what is listed.
fn cheapest<'a>(listed: &[(&'a Listed, f64)]) -> Option<(&'a Listed, f64)> {
    listed.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Renews the rows of the list's vendor and adds the instances that it has beside them; says what it had to leave.
pub(super) fn renew(rows: &mut Vec<Row>, listing: &Listing, known: &BTreeSet<String>) -> Vec<String> {
    let mut said = Vec::new();
    for row in rows.iter_mut().filter(|row| row.provider == listing.provider) {
        let listed = listing.of(&row.instance, &row.kind);
        let same = listed
            .iter()
            .copied()
            .find(|(own, _)| own.region.eq_ignore_ascii_case(&row.region));
        // A region that the list does not name is one of our own words for several.
        let Some((own, usd)) = same.or_else(|| cheapest(&listed)) else {
            continue;
        };
        if own.gpus() == Some(row.gpus) {
            listing.put(row, own, usd);
        } else {
            said.push(format!("left as it is: {}, which the list gives another number of GPUs", row.id()));
        }
    }
    let have = |rows: &[Row], instance: &str, kind: &str| {
        let mut own = rows.iter().filter(|row| row.provider == listing.provider);
        own.any(|row| row.instance == instance && row.kind == kind)
    };
    let instances: BTreeSet<&str> = listing.rows.iter().map(|row| row.instance.as_str()).collect();
    let mut left: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for instance in instances {
        for kind in [listing.kind, "spot"] {
            if have(rows, instance, kind) {
                continue;
            }
            let Some((own, usd)) = cheapest(&listing.of(instance, kind)) else { continue };
            let Some(gpus) = own.gpus() else { continue };
            match own.gpu(known) {
                Ok(gpu) => {
                    let mut row = fresh(listing.provider, own, (gpu, gpus), kind);
                    listing.put(&mut row, own, usd);
                    rows.push(row);
                }
                Err(why) => *left.entry((&own.accelerator, why)).or_default() += 1,
            }
        }
    }
    said.extend(left.into_iter().map(|((accelerator, why), count)| {
        format!("not taken of {}: {accelerator}, {count} offers: {why}", listing.provider)
    }));
    said
}

/// A row of an instance that we had none of: what joins its GPUs is in no list.
fn fresh(provider: &str, listed: &Listed, (gpu, gpus): (&str, u32), kind: &str) -> Row {
    Row {
        provider: provider.to_owned(),
        instance: listed.instance.clone(),
        gpu: gpu.to_owned(),
        gpus,
        region: listed.region.clone(),
        kind: kind.to_owned(),
        usd_per_hour: 0.0,
        interconnect: "unknown".to_owned(),
        fabric: String::new(),
        network_gbit_per_s: None,
        vcpus: None,
        host_ram_gib: None,
        source: String::new(),
        snapshot: String::new(),
        date: String::new(),
        notes: String::new(),
    }
}
