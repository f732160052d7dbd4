// What an MCP request asks of a page, as the switchboard takes it.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { ClientCapabilities } from "@modelcontextprotocol/server";
import type { CallRequest } from "../../../switchboard/index.ts";
import { identifierPattern, isJsonObject } from "../../../wire/index.ts";
import type { AskMethod, CallMethod } from "../../../wire/index.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** The call that a request's parameters describe. */
export function callOf(method: CallMethod, parameters: Parameters): CallRequest {
  const key = keyOf(parameters);
  const { arguments: given = {} } = parameters;
  switch (method) {
    case "tools/call":
    case "prompts/get":
      return { method, name: textIn(parameters["name"]), arguments: JSON.stringify(given), key };
    case "resources/read":
      return { method, name: textIn(parameters["uri"]), arguments: "{}", key };
    case "completion/complete": {
      const { ref, argument, context } = parameters;
      const { name, uri = "" } = isJsonObject(ref) ? ref : {};
      return { method, name: textIn(name ?? uri), arguments: JSON.stringify({ ref, argument, context }) };
    }
  }
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The key under which a call runs once: in the form that is proposed for MCP, or as our own mark. */
export function keyOf({ idempotencyKey, _meta }: Parameters): string | undefined {
  const key = idempotencyKey ?? (isJsonObject(_meta) ? _meta["pagewire/idempotencyKey"] : undefined);
  if (key === undefined || (typeof key === "string" && identifierPattern.test(key))) return key;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "The idempotency key must be 1 to 128 printable characters without spaces.",
  );
}

/** What a client with these capabilities can be asked. */
export function asksOf(capabilities: ClientCapabilities | undefined): readonly AskMethod[] {
  const { elicitation, sampling, roots } = capabilities ?? {};
  const asks: AskMethod[] = [];
  // Before there were modes, an empty object meant forms.
  if (elicitation && (elicitation.form || !elicitation.url)) asks.push("elicitation/create");
  if (sampling) asks.push("sampling/createMessage");
  if (roots) asks.push("roots/list");
  return asks;
}
