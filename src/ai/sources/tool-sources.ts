// The sources of a request's tools besides its own handlers: the page of this document, and remote MCP servers. Their
// handlers are not in the registries, so that registered names cannot conflict with them.
import { getPageToolbox } from "../../toolbox/index.ts";
import type { CallOutcome, Toolbox } from "../../toolbox/index.ts";
import type { AiMcpSource, AiRequestOptions, AiTool, AiToolContext } from "../types.ts";
import { createMcpPool } from "./mcp-pool.ts";
import type { McpPool } from "./mcp-pool.ts";
import { isForTerminals, parseUrl } from "../../wire/index.ts";
import { environmentOf, modelToolOf, textOfResult } from "./model-tool.ts";

interface ToolboxNeeds {
  readonly toolTimeout: number | undefined;
  readonly prefix?: string;
  /** Their origin, if it is not the asking page's own. */
  readonly origin?: string;
  /** Only these, by the toolbox's own names. */
  readonly only?: readonly string[] | undefined;
}

/** A toolbox's tools for a model, without those that only terminals may use. */
function toolsOf(toolbox: Toolbox, { prefix = "", origin, only, toolTimeout }: ToolboxNeeds): AiTool[] {
  return toolbox
    .offer()
    .tools.filter((tool) => !isForTerminals(tool) && (only?.includes(tool.name) ?? true))
    .map((tool) => ({
      ...modelToolOf(tool),
      name: `${prefix}${tool.name}`,
      ...(origin !== undefined && { origin }),
      async handler(args: unknown, context: AiToolContext) {
        return textOf(await toolbox.callTool(tool.name, args, environmentOf(context, toolTimeout)), context.signal);
      },
    }));
}

/** The result for the model; a failed result is thrown. */
function textOf(outcome: CallOutcome, signal: AbortSignal): string {
  if (outcome.kind === "aborted") throw signal.reason;
  if (outcome.kind !== "result") throw new Error(outcome.message);
  const text = textOfResult(JSON.parse(outcome.payload));
  if (outcome.isError) throw new Error(text || "The tool failed without a word.");
  return text;
}

export interface ToolSources {
  readonly tools: AiTool[];
  /** Ends the request: connections may be closed. Can be called twice. */
  close(): void;
}

/** The connections of each owner, for its next request. */
const pools = new WeakMap<object, McpPool>();

/**
 * Gathers the tools of a request. Rejects if a source fails or two tools have one name. Connections with an `owner` are
 * kept for its next request; without an owner they end with this one.
 */
export async function loadToolSources(
  options: AiRequestOptions,
  signal: AbortSignal,
  owner: object = options,
): Promise<ToolSources> {
  const pool = pools.get(owner) ?? createMcpPool();
  pools.set(owner, pool);
  const stops: (() => void)[] = [];
  let isOver = false;
  const close = () => {
    isOver = true;
    for (const stop of stops.splice(0)) stop();
    if (owner === options) pool.close();
  };
  const environment = { toolTimeout: options.toolTimeout };
  try {
    const found: Found[] = [];
    for (const tool of [options.tools ?? []].flat()) {
      if (tool === "page") found.push(...named("the page", toolsOf(pageToolbox(), environment)));
      else found.push({ tool, source: "the request" });
    }
    const servers = await Promise.all((options.mcp ?? []).map(sourceOf).map((source) => open(source)));
    for (const server of servers) found.push(...server);
    refuseClashes(found);
    return { tools: found.map(({ tool }) => tool), close };
  } catch (error) {
    close();
    throw error;
  }

  async function open(source: Required<Pick<AiMcpSource, "url" | "name">> & AiMcpSource): Promise<Found[]> {
    // A query string often has a secret.
    const server = `the MCP server at ${source.url.replace(/[?#].*$/s, "")}`;
    const { toolbox, release } = await pool.take(source, signal);
    // Another source may have failed in the meantime.
    if (isOver) release();
    else stops.push(release);
    const missing = source.tools?.find((name) => !toolbox.offer().tools.some((tool) => tool.name === name));
    if (missing !== undefined) throw new Error(`There is no tool "${missing}" at ${server}.`);
    const { origin } = new URL(source.url);
    const tools = toolsOf(toolbox, { ...environment, prefix: `${source.name}_`, origin, only: source.tools });
    return named(server, tools);
  }
}

interface Found {
  readonly tool: AiTool;
  readonly source: string;
}

function named(source: string, tools: readonly AiTool[]): Found[] {
  return tools.map((tool) => ({ tool, source }));
}

function pageToolbox() {
  const toolbox = getPageToolbox();
  if (toolbox) return toolbox;
  throw new Error(
    'The tools of the "page" were asked for, and this document has none: call connectPage(…) of pagewire/page first.',
  );
}

/** A server that is given only by its address is named after its host. */
function sourceOf(given: string | AiMcpSource) {
  const source = typeof given === "string" ? { url: given } : given;
  const { url, name } = source;
  if (!parseUrl(url)) throw new Error(`The address of the MCP server "${name ?? url}" must be a URL.`);
  return { ...source, name: name ?? new URL(url).hostname.replace(/[^\w-]+/g, "_") };
}

function refuseClashes(found: readonly Found[]): void {
  const sources = new Map<string, string>();
  for (const { tool, source } of found) {
    const other = sources.get(tool.name);
    if (other !== undefined) {
      throw new Error(
        `Two tools are called "${tool.name}": one of ${other}, and one of ${source}. Rename one, or give the MCP server another name.`,
      );
    }
    sources.set(tool.name, source);
  }
}
