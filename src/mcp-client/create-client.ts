import type { Client, ClientCapabilities, VersionNegotiationOptions } from "@modelcontextprotocol/client";
import type { AskMethod, JsonObject } from "../wire/index.ts";
import type { Sdk } from "./create-transport.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";

export interface ClientEvents {
  listChanged(list: "tools" | "resources" | "prompts"): void;
  resourceUpdated(uri: string): void;
  /** Answers a question that the server sends outside of a call's response. */
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
}

export interface ClientNeeds {
  readonly events: ClientEvents;
  /** How the SDK negotiates the server's revision. */
  readonly negotiation: VersionNegotiationOptions;
}

/** The SDK's client, with handlers for the server's notifications and requests. */
export function createClient(
  sdk: Sdk,
  { client: given, asks }: SessionOptions,
  { events, negotiation }: ClientNeeds,
): Client {
  const { name = "pagewire", version = "1" } = given ?? {};
  const client = new sdk.Client(
    { name, version },
    { capabilities: capabilitiesFor(asks), versionNegotiation: negotiation },
  );
  addHandlers(client, asks, events);
  return client;
}

function capabilitiesFor(asks: readonly AskMethod[]): ClientCapabilities {
  return {
    ...(asks.includes("elicitation/create") ? { elicitation: { form: {} } } : {}),
    ...(asks.includes("sampling/createMessage") ? { sampling: {} } : {}),
    ...(asks.includes("roots/list") ? { roots: {} } : {}),
  };
}

function addHandlers(client: Client, asks: readonly AskMethod[], events: ClientEvents): void {
  for (const method of asks) {
    client.setRequestHandler(method, async ({ params = {} }) => (await events.ask(method, params as never)) as never);
  }
  for (const list of ["tools", "resources", "prompts"] as const) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => events.listChanged(list));
  }
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => events.resourceUpdated(params.uri));
}
