// What an MCP request asks of a page, as the switchboard takes it.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { ClientCapabilities } from "@modelcontextprotocol/server";
import type { CallRequest } from "../../../switchboard/index.ts";
import { identifierPattern, isJsonObject } from "../../../wire/index.ts";
import type { AskMethod, CallMethod, JsonObject } from "../../../wire/index.ts";
import type { Parameters } from "./passing-server.ts";

/** The call that a request's parameters describe; throws MCP's error where they have the wrong form. */
export function callOf(method: CallMethod, parameters: Parameters): CallRequest {
  const key = keyOf(parameters);
  switch (method) {
    case "tools/call":
    case "prompts/get": {
      const given = parameters["arguments"] === undefined ? {} : objectIn(parameters, "arguments");
      return { method, name: textIn(parameters, "name"), arguments: JSON.stringify(given), key };
    }
    case "resources/read":
      return { method, name: textIn(parameters, "uri"), arguments: "{}", key };
    case "completion/complete": {
      const ref = objectIn(parameters, "ref");
      const argument = objectIn(parameters, "argument");
      const { context } = parameters;
      const name = textIn(ref, "name" in ref ? "name" : "uri");
      return { method, name, arguments: JSON.stringify({ ref, argument, context }) };
    }
  }
}

function textIn(parameters: Parameters, name: string): string {
  const { [name]: value } = parameters;
  if (typeof value !== "string") throw malformed(name, "a string");
  return value;
}

function objectIn(parameters: Parameters, name: string): JsonObject {
  const { [name]: value } = parameters;
  if (!isJsonObject(value)) throw malformed(name, "an object");
  return value;
}

/** What a request is answered with in which something has the wrong form. */
export function malformed(name: string, form: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: "${name}" must be ${form}.`);
}

/** The key under which a call runs once: in the form that is proposed for MCP, or as our own mark. */
function keyOf({ idempotencyKey, _meta }: Parameters): string | undefined {
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
