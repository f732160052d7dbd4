import type { AiRequestOptions, AiTool } from "../ai/index.ts";
import { PagewireError } from "../wire/index.ts";

declare const process: { readonly env: { readonly NODE_ENV?: string } };

const credentials = ["apiKey", "baseUrl", "apiVersion", "headers"] as const;

/** A request's options for the server: no functions, and no credentials unless they are forwarded. */
export function wireOptions(options: AiRequestOptions, areForwarded: boolean): Partial<AiRequestOptions> {
  for (const name of ["fetch", "mcp"] as const) {
    if (!options[name]) continue;
    const message = `<ai-agent>: "${name}" cannot be used in remote mode: the server makes the requests. Set it there.`;
    throw new PagewireError("options-invalid", message);
  }
  const { approve: _, prices: _own, keepModel: _kept, model, tools, ...sent } = options;
  if (!areForwarded) for (const name of credentials) delete sent[name];
  return {
    ...(model && { model }),
    ...(tools && { tools: typeof tools === "string" ? tools : tools.map(declarationOf) }),
    ...sent,
  };
}

function declarationOf(tool: AiTool | "page"): AiTool | "page" {
  if (typeof tool === "string") return tool;
  const { handler: _, needsApproval, ...declaration } = tool;
  // Only the page could know which arguments need it, so all do.
  return {
    ...declaration,
    ...(needsApproval && { needsApproval: needsApproval === "each-call" ? needsApproval : true }),
  };
}

const noticed = new WeakSet<object>();

/** Warns on the console, once per element, about the use of its key. */
export function noticeKey(element: object, isForwarded: boolean): void {
  if (noticed.has(element)) return;
  noticed.add(element);
  if (!isForwarded) {
    console.error(
      "<ai-agent>: `api-key` is not sent to the server in remote mode. " +
        'Remove it, or set `forward-credentials="true"` if the server is to use it.',
    );
  } else if (isDevelopment()) {
    console.warn("<ai-agent>: `forward-credentials` sends the key in `api-key` to the server.");
  }
}

function isDevelopment(): boolean {
  try {
    // Exactly this expression, because bundlers replace it.
    return process.env.NODE_ENV !== "production";
  } catch {
    return false;
  }
}
