// The rehearsal model behind a plain HTTP server that asks for a token as the hub does.
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { PagewireError, defaultLimits } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { createRehearsal } from "./create-rehearsal.ts";
import type { Rehearsal, RehearsalOptions } from "./create-rehearsal.ts";
import { createRehearsalDoor } from "./rehearsal-door.ts";
import type { RehearsalDoor, RehearsalDoorParts } from "./rehearsal-door.ts";

export const token = "agents-token-of-this-test";
/** A Wednesday noon. */
export const now = Date.parse("2026-03-11T12:00:00Z");

export interface TestRehearsal {
  readonly url: string;
  readonly door: RehearsalDoor;
  /** The requests that came, as `METHOD /path`. */
  readonly asked: readonly string[];
}

/** The model in its thread, until the test ends. */
export function startModel(options: Partial<RehearsalOptions> = {}): Rehearsal {
  const rehearsal = createRehearsal({ share: defaultLimits.rehearsalTime, ...options });
  onTestFinished(() => rehearsal.close());
  return rehearsal;
}

export async function startRehearsal(
  options: Partial<RehearsalOptions> & Partial<RehearsalDoorParts> & { readonly delay?: number } = {},
): Promise<TestRehearsal> {
  const { refusal = () => undefined, limits = defaultLimits, credentials = agentsOnly, note = () => {} } = options;
  const rehearsal = startModel({ share: limits.rehearsalTime, ...options });
  const { delay = 0 } = options;
  const door = createRehearsalDoor({ refusal, limits, credentials, note }, { rehearsal, delay, now: () => now });
  const asked: string[] = [];
  const url = await listen((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    try {
      void door.serve(request, response, pass(request));
    } catch (error) {
      door.refuse(request, response, error);
    }
  });
  return { url: `${url}/rehearsal`, door, asked };
}

/** Listens on a free port until the test ends. */
async function listen(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const admitted = { principal: "local", credential: "agent" };

const agentsOnly: RehearsalDoorParts["credentials"] = { isStillGood: () => true };

function pass({ headers }: IncomingMessage): Passed {
  const keys = [headers["x-api-key"], headers["api-key"], headers["x-goog-api-key"], headers.authorization];
  if (!keys.some((key) => key === token || key === `Bearer ${token}`))
    throw new PagewireError("token-invalid", "This is not the hub's token.");
  return { origin: headers.origin, admitted };
}

/** The weather, as every vendor's tools are tried with it. */
export const weather = {
  name: "get_weather",
  description: "The weather of a city.",
  schema: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
    required: ["city"],
  },
} as const;

export const sentence = "What is the weather in New York for 3 days?";
export const expectedArguments = { city: "New York", days: 3 };
export const result = JSON.stringify({ sky: "clear", degrees: 21 });
export const reported = /`get_weather`.*Sky\*\*: clear.*Degrees\*\*: 21.*Pagewire's built-in rehearsal model/s;
export const aboutIt = /Pagewire's built-in rehearsal model, not a language model/;
/** One pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** All that comes, as a list. */
export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
