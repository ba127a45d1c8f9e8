//! Entries as they stand in the TOML files.

use serde::Deserialize;

use super::offer::OfferRow;

/// Declares the lists that a file may have, by the names of one entry and of all.
macro_rules! lists {
    ($($(#[$about:meta])* $one:ident, $all:ident: $row:ident;)*) => {
        /// The entries of all files, each with its file's name.
        #[derive(Default)]
        pub(crate) struct Catalog {
            $($(#[$about])* pub(crate) $all: Vec<(String, $row)>,)*
        }

        /// One file: any of the lists.
        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct Lists {
            $($one: Vec<$row>,)*
        }

        impl Catalog {
            /// Adds the entries of a file.
            pub(crate) fn add(&mut self, file: &str, lists: Lists) {
                $(self.$all.extend(lists.$one.into_iter().map(|row| (file.to_owned(), row)));)*
            }
        }
    };
}

lists! {
    /// Generations of GPUs.
    generation, generations: GenerationRow;
    /// GPUs.
    gpu, gpus: GpuRow;
    /// Nodes and instances.
    node, nodes: NodeRow;
    /// Prices.
    price, prices: PriceRow;
    /// Offers.
    offer, offers: OfferRow;
    /// Models.
    model, models: ModelRow;
    /// Licences of models.
    license, licenses: LicenseRow;
    /// Publishers of recipes.
    publisher, publishers: PublisherRow;
    /// Recipes.
    recipe, recipes: RecipeRow;
}

impl Catalog {
    /// The GPU of this id.
    pub(crate) fn gpu(&self, id: &str) -> Option<&GpuRow> {
        self.gpus.iter().map(|(_, row)| row).find(|row| row.id == id)
    }

    /// The days on which the entries were read, and prices were asked.
    pub(crate) fn dates(&self) -> impl Iterator<Item = &str> {
        let generations = self.generations.iter().map(|(_, row)| &row.date);
        let gpus = self.gpus.iter().flat_map(|(_, row)| {
            [Some(&row.date), row.memory_date.as_ref(), row.board_w_date.as_ref()]
                .into_iter()
                .flatten()
        });
        let nodes = self.nodes.iter().flat_map(|(_, row)| {
            [Some(&row.date), Some(&row.price_date), row.host_ram_date.as_ref()]
                .into_iter()
                .flatten()
        });
        let prices = self.prices.iter().map(|(_, row)| &row.date);
        let offers = self.offers.iter().map(|(_, row)| &row.date);
        let models = self.models.iter().map(|(_, row)| &row.date);
        let licenses = self.licenses.iter().map(|(_, row)| &row.date);
        let publishers = self.publishers.iter().map(|(_, row)| &row.date);
        let machines = generations.chain(gpus).chain(nodes).chain(prices).chain(offers);
        machines.chain(models).chain(licenses).chain(publishers).map(String::as_str)
    }
}

/// A generation of GPUs. Keys are those of `catalog::Generation`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerationRow {
    pub(crate) name: String,
    pub(crate) compute_capability: Option<f64>,
    #[serde(default)]
    pub(crate) mesh: bool,
    #[serde(default)]
    pub(crate) flash_attention_2: bool,
    pub(crate) source: String,
    pub(crate) date: String,
}

/// A GPU. Keys and units are those of `catalog::Gpu`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GpuRow {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) vendor: String,
    pub(crate) architecture: String,
    pub(crate) memory_gb: f64,
    pub(crate) memory_gib: Option<f64>,
    pub(crate) memory_source: Option<String>,
    pub(crate) memory_date: Option<String>,
    pub(crate) memory_as: Option<String>,
    #[serde(default)]
    pub(crate) unified_memory: bool,
    pub(crate) hbm_gb_per_s: f64,
    pub(crate) bf16_dense_tflops: Option<f64>,
    pub(crate) fp16_dense_tflops: Option<f64>,
    pub(crate) fp8_dense_tflops: Option<f64>,
    pub(crate) fp4_dense_tflops: Option<f64>,
    pub(crate) gemm_bf16_tflops: Option<f64>,
    pub(crate) gemm_fp8_tflops: Option<f64>,
    pub(crate) mamf_bf16_tflops: Option<f64>,
    pub(crate) measured_hbm_gb_per_s: Option<f64>,
    pub(crate) nvlink_gb_per_s: f64,
    pub(crate) nvlink_domain: u32,
    pub(crate) pcie_gb_per_s: f64,
    pub(crate) gpus_per_node: u32,
    pub(crate) internode_gbit_per_s: f64,
    pub(crate) board_w: Option<f64>,
    pub(crate) board_w_source: Option<String>,
    pub(crate) board_w_date: Option<String>,
    pub(crate) source: String,
    pub(crate) date: String,
    #[serde(default)]
    pub(crate) notes: String,
}

/// A machine. Keys and units are those of `catalog::Node`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeRow {
    pub(crate) name: String,
    pub(crate) provider: String,
    pub(crate) gpu: String,
    pub(crate) gpus: u32,
    pub(crate) nvlink_domain: u32,
    pub(crate) network_gbit_per_s: Option<f64>,
    #[serde(default)]
    pub(crate) technology: String,
    pub(crate) host_ram_gib: Option<f64>,
    pub(crate) host_ram_source: Option<String>,
    pub(crate) host_ram_date: Option<String>,
    pub(crate) usd_per_hour: Option<f64>,
    #[serde(default)]
    pub(crate) price_kind: String,
    #[serde(default)]
    pub(crate) price_date: String,
    /// Where the price comes from, if not from `source`.
    pub(crate) price_source: Option<String>,
    pub(crate) source: String,
    pub(crate) date: String,
}

/// A price of an instance. Keys and units are those of `catalog::Price`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriceRow {
    pub(crate) instance: String,
    pub(crate) provider: String,
    pub(crate) gpu: String,
    pub(crate) gpus: u32,
    pub(crate) usd_per_hour: f64,
    /// `on-demand` and so on; only on-demand prices count towards a GPU's typical price.
    pub(crate) kind: String,
    pub(crate) source: String,
    pub(crate) date: String,
}

/// A licence of models of the same file.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LicenseRow {
    /// Its SPDX identifier, or the name that its owner gives it.
    pub(crate) name: String,
    /// The models it holds for; absent for all of the file.
    pub(crate) models: Option<Vec<String>>,
    pub(crate) source: String,
    pub(crate) date: String,
}

impl LicenseRow {
    /// Whether it holds for a model of its file.
    pub(crate) fn covers(&self, model: &ModelRow) -> bool {
        self.models.as_ref().is_none_or(|models| models.contains(&model.id))
    }
}

/// A framework that publishes recipes. Keys are those of `recipes::Publisher`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublisherRow {
    pub(crate) name: String,
    /// The folder that the recipes' files are in, at a commit.
    pub(crate) source: String,
    pub(crate) date: String,
}

/// A published layout. Keys are those of `recipes::Recipe`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecipeRow {
    pub(crate) model: String,
    pub(crate) kind: String,
    pub(crate) publisher: String,
    pub(crate) gpu: Option<String>,
    pub(crate) gpus: Option<u32>,
    pub(crate) sequence_length: Option<u64>,
    pub(crate) sizes: SizesRow,
    pub(crate) file: String,
}

/// What a recipe states, under its short names.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SizesRow {
    #[serde(rename = "tp")]
    pub(crate) tensor_parallel: Option<u32>,
    #[serde(rename = "pp")]
    pub(crate) pipeline_parallel: Option<u32>,
    #[serde(rename = "vpp")]
    pub(crate) virtual_pipeline: Option<u32>,
    #[serde(rename = "cp")]
    pub(crate) context_parallel: Option<u32>,
    #[serde(rename = "ep")]
    pub(crate) expert_parallel: Option<u32>,
    #[serde(rename = "etp")]
    pub(crate) expert_tensor_parallel: Option<u32>,
}

/// Gated `DeltaNet` layers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinearRow {
    pub(crate) num_key_heads: u64,
    pub(crate) num_value_heads: u64,
    pub(crate) key_head_dim: u64,
    pub(crate) value_head_dim: u64,
    pub(crate) conv_kernel: u64,
    #[serde(default)]
    pub(crate) decay_rank: u64,
    #[serde(default)]
    pub(crate) gate_rank: u64,
}

/// Mamba-2 layers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MambaRow {
    pub(crate) num_heads: u64,
    pub(crate) head_dim: u64,
    pub(crate) n_groups: u64,
    pub(crate) state_size: u64,
    pub(crate) conv_kernel: u64,
}

/// A vision tower.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisionRow {
    pub(crate) kind: String,
    pub(crate) layers: u64,
    pub(crate) hidden: u64,
    pub(crate) intermediate: u64,
    pub(crate) heads: u64,
    pub(crate) patch: u64,
    pub(crate) merge: u64,
    pub(crate) out: u64,
    #[serde(default)]
    pub(crate) deepstack: u64,
    #[serde(default)]
    pub(crate) window: u64,
    #[serde(default)]
    pub(crate) full_blocks: u64,
    #[serde(default)]
    pub(crate) projector: u64,
}

/// A model: what identifies it, then its shape; absent keys are those of `Shape::EMPTY`.
macro_rules! model_row {
    (numbers: $($number:ident),* ; flags: $($flag:ident),*) => {
        /// A model. Keys are those of `catalog::ModelEntry` and `model::Shape`.
        #[derive(Clone, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct ModelRow {
            pub(crate) id: String,
            pub(crate) name: String,
            #[serde(default)]
            pub(crate) hf_repo: String,
            /// Other repositories of weights of this shape.
            #[serde(default)]
            pub(crate) also: Vec<String>,
            pub(crate) family: String,
            pub(crate) model_type: String,
            #[serde(default)]
            pub(crate) stated_parameters: u64,
            #[serde(default)]
            pub(crate) stated_active_parameters: u64,
            #[serde(default)]
            pub(crate) hybrid: bool,
            pub(crate) source: String,
            pub(crate) date: String,
            $(pub(crate) $number: Option<u64>,)*
            $(pub(crate) $flag: Option<bool>,)*
            pub(crate) qk_norm: Option<String>,
            pub(crate) norm: Option<String>,
            pub(crate) layer_pattern: Option<String>,
            pub(crate) linear: Option<LinearRow>,
            pub(crate) mamba: Option<MambaRow>,
            pub(crate) vision: Option<VisionRow>,
        }

        impl ModelRow {
            /// Numbers of the shape that the entry gives.
            #[must_use]
            pub(crate) fn numbers(&self) -> Vec<(&'static str, u64)> {
                let mut given = Vec::new();
                $(if let Some(value) = self.$number { given.push((stringify!($number), value)); })*
                given
            }

            /// Flags of the shape that the entry gives.
            #[must_use]
            pub(crate) fn flags(&self) -> Vec<(&'static str, bool)> {
                let mut given = Vec::new();
                $(if let Some(value) = self.$flag { given.push((stringify!($flag), value)); })*
                given
            }
        }
    };
}

model_row! {
    numbers: hidden_size, intermediate_size, num_hidden_layers, num_attention_heads, num_key_value_heads,
        head_dim, vocab_size, max_position_embeddings, norms_per_layer, learned_positions,
        word_embed_proj_dim, hidden_size_per_layer_input, sliding_window, num_experts, num_experts_per_tok, zero_experts,
        expert_groups, expert_groups_per_tok, moe_intermediate_size,
        shared_expert_intermediate_size, first_k_dense_replace, moe_layer_freq, moe_layer_offset,
        moe_latent_size, q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim,
        indexer_heads, indexer_head_dim;
    flags: tie_word_embeddings, gated_mlp, attention_bias, attention_out_bias, mlp_bias, lm_head_bias,
        no_final_norm, embed_norm, chunked_attention, attn_output_gate, attn_sinks, mxfp4_experts,
        shared_expert_gate,
        router_bias, router_linear_bias, expert_bias
}
