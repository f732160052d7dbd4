// Parses the browser's list of tools. A page's scripts may have replaced `document.modelContext` by anything, and
// frames control their names and descriptions.
import { isJsonObject, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { ModelContext, ModelContextAnnotations, RegisteredTool } from "../model-context.ts";

export type ReadableContext = Pick<ModelContext, "getTools" | "executeTool">;

export interface ListedTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  /** Unchecked: the toolbox validates it. */
  readonly inputSchema: unknown;
  readonly annotations: ModelContextAnnotations | undefined;
  readonly window: Window;
  readonly origin: string;
  /** The browser's original object, and the context to call it with. */
  readonly given: RegisteredTool;
  readonly context: ReadableContext;
}

/** The scope of a query. */
export interface ReadFrom {
  /** The window of the document that queries. */
  readonly own: Window;
  /** Other origins whose frames' tools are included. */
  readonly fromOrigins: readonly string[];
}

/** All tools that the browser lists, and the reasons why some are missing. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly problems: readonly Error[];
}

/** Queries the tools of this document and of its frames. Never rejects. */
export async function readModelContext(context: unknown, from: ReadFrom): Promise<Listing> {
  if (context === undefined || context === null) return { tools: [], problems: [] };
  const { fromOrigins } = from;
  try {
    if (!isReadable(context)) {
      return { tools: [], problems: [new Error("document.modelContext cannot list its tools: it has no getTools.")] };
    }
    if (fromOrigins.length === 0) return await list(context, from);
    return await list(context, from).catch(async (error: unknown) => {
      const { tools, problems } = await list(context, { ...from, fromOrigins: [] });
      const problem = new Error(`No tools of ${fromOrigins.join(" or ")} join: ${messageOf(error)}`);
      return { tools, problems: [problem, ...problems] };
    });
  } catch (error) {
    return { tools: [], problems: [new Error(whyUnreadable(error))] };
  }
}

function isReadable(context: object): context is ReadableContext {
  const { getTools, executeTool } = context as Partial<ReadableContext>;
  return typeof getTools === "function" && typeof executeTool === "function";
}

async function list(context: ReadableContext, { own, fromOrigins }: ReadFrom): Promise<Listing> {
  const given: unknown = await context.getTools(...(fromOrigins.length > 0 ? [{ fromOrigins }] : []));
  if (!Array.isArray(given)) throw new TypeError("getTools gave no list.");
  const tools = given.map((each: unknown) => readTool(each, { own, context })).filter((tool) => tool !== undefined);
  const lost = given.length - tools.length;
  return {
    tools,
    problems: lost > 0 ? [new Error(`${lost} of the browser's tools do not join: they have no name.`)] : [],
  };
}

function readTool(
  given: unknown,
  { own, context }: { readonly own: Window; readonly context: ReadableContext },
): ListedTool | undefined {
  if (!isJsonObject(given)) return undefined;
  const { name, title, description, annotations, window, origin } = given as Partial<RegisteredTool>;
  const { inputSchema } = given as { readonly inputSchema?: unknown };
  if (typeof name !== "string") return undefined;
  return {
    name,
    title: typeof title === "string" && title !== "" ? title : undefined,
    description: typeof description === "string" ? description : "",
    // The format of earlier browsers.
    inputSchema: (typeof inputSchema === "string" && parseJsonObject(inputSchema, 64)) || inputSchema,
    annotations: isJsonObject(annotations) ? annotations : undefined,
    window: window ?? own,
    origin: typeof origin === "string" ? origin : "null",
    given: given as unknown as RegisteredTool,
    context,
  };
}

function whyUnreadable(error: unknown): string {
  const { name } = Object(error) as { readonly name?: unknown };
  const next =
    name === "NotAllowedError"
      ? ' Send the header "Permissions-Policy: tools=(self)"; a frame of another origin needs the attribute allow="tools".'
      : name === "SecurityError"
        ? ' The page must be origin-keyed: its server must not send "Origin-Agent-Cluster: ?0".'
        : "";
  return `The browser does not list the tools of this page's scripts and forms: ${messageOf(error)}${next}`;
}
