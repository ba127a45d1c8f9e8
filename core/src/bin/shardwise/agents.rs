//! `shardwise mcp`: the calculator as a tool of coding agents, by the Model Context Protocol over standard input and output
//! (<https://modelcontextprotocol.io/specification/>).

#[path = "agents/arguments.rs"]
mod arguments;
#[path = "agents/question.rs"]
mod question;
#[path = "agents/short.rs"]
mod short;
#[path = "agents/tools.rs"]
mod tools;

use std::io;
use std::sync::Arc;

use clap::{Args, ValueHint};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use super::arguments::IDENTITY;
use tools::TOOLS;

/// What an agent is told first.
const INSTRUCTIONS: &str = "\
Shardwise estimates memory, speed and cost of fine-tuning and RL-training language models, finds the best layout, and writes flags for \
veRL, ChatLearn, DeepSpeed, TRL, OpenRLHF, slime, NeMo-RL, SkyRL, Megatron-LM, torchtitan, LLaMA-Factory, axolotl, ms-swift and Unsloth. \
Everything is computed here; nothing is sent anywhere. A question names a model, GPUs, a workload and, as far as it is decided, a plan: leave the plan out and the \
best one is found. Ids of models, GPUs and offers are in `catalog` and `offers`; fields that `estimate` does not list are in `schema`. \
A refused question says which field is wrong and what would be right: change that and ask again. Figures come with an interval; \
`fits` is a decision at 95 % unless `confidence` says otherwise. Pass a script to `read` or `check` rather than transcribe it.";

/// Where the links of answers lead.
#[derive(Args)]
pub(crate) struct Options {
    /// Address of the page, for the links of answers; without it they are the part from # on.
    #[arg(long, default_value = "", value_hint = ValueHint::Url)]
    page: String,
}

/// Answers until standard input ends.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    let server = Server { page: options.page.as_str().into() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let service = server.serve(rmcp::transport::stdio()).await.map_err(io::Error::other)?;
        service.waiting().await.map_err(io::Error::other)?;
        Ok(())
    })
}

#[derive(Clone)]
struct Server {
    page: Arc<str>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let own = Implementation::new("shardwise", IDENTITY.version).with_description(IDENTITY.long());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(own.with_title("Shardwise"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let says = format!("There is no tool {:?}. There are {}.", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(says, None));
        };
        let (page, arguments) = (Arc::clone(&self.page), request.arguments.unwrap_or_default());
        // A search computes for a second; who pings meanwhile is answered.
        let answered = tokio::task::spawn_blocking(move || (tool.run)(arguments, &page)).await;
        let result = match answered {
            Ok(Ok(document)) => CallToolResult::structured(document),
            Ok(Err(refused)) => CallToolResult::structured_error(refused),
            Err(_) => {
                CallToolResult::structured_error(json!({"error": "The tool failed. Please report the question."}))
            }
        };
        Ok(result.into())
    }
}

/// A tool as it is listed: it reads and computes, and changes nothing.
fn described(tool: &tools::Tool) -> Tool {
    let schema: Map<String, Value> = (tool.takes)();
    Tool::new(tool.name, tool.description, schema)
        .with_title(tool.title)
        .with_annotations(
            ToolAnnotations::new()
                .read_only(true)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        )
}
