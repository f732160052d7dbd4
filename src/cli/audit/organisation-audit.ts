// The audit of an organisation, as a hub of a team shows it to its admins: the latest records, or those that are written from
// now on.
import { text } from "node:stream/consumers";
import { createParser } from "eventsource-parser";
import { isTokenRefused } from "../contexts/context-token.ts";
import type { AccessedHub } from "../reach-hub/access-hub.ts";
import { askHub, refusalIn } from "../reach-hub/ask-hub.ts";
import { sendOverHttp } from "../reach-hub/send-over-http.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import { createInterrupts } from "../console/interrupts.ts";
import type { Io } from "../common/io.ts";
import { oneLine } from "../common/plain-text.ts";
import type { Printer } from "../common/printer.ts";
import { PagewireError, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { ErrorCode, JsonObject } from "../../wire/index.ts";

export interface OrganisationAuditOptions {
  readonly hub: AccessedHub;
  readonly io: Io;
  readonly printer: Printer;
  /** Whether it goes on with what happens from now on. */
  readonly follow: boolean;
}

const path = "/api/team/audit";
const maxDepth = 16;
/** How long it waits before it connects again, in milliseconds. */
const againTime = 1000;
/** The hub sends something each fifteen seconds. */
const silentTime = 60_000;

export async function showOrganisationAudit({ hub, io, printer, follow }: OrganisationAuditOptions): Promise<void> {
  const print = (record: JsonObject) => (printer.json ? printer.data(record) : printer.line(lineOf(record)));
  const { calls, after } = await askHub({ ...hub, method: "GET", path });
  for (const record of Array.isArray(calls) ? calls.toReversed() : []) if (isJsonObject(record)) print(record);
  if (!follow) return;
  const interrupts = createInterrupts(io);
  const { signal } = interrupts;
  let last = typeof after === "string" ? after : undefined;
  let { token } = hub;
  while (!signal.aborted) {
    try {
      last = await followFrom({ ...hub, token }, { last, print, signal });
    } catch (error) {
      if (signal.aborted) break;
      token = await tokenAfter(error, token, hub.renewed);
    }
    await pause(againTime, signal);
  }
  interrupts.stop();
}

/** The token to go on with. Throws for a refusal that does not pass by itself: a hub or an identity provider may be away for a while. */
async function tokenAfter(error: unknown, token: string, renewed?: AccessedHub["renewed"]): Promise<string> {
  if (!PagewireError.isInstance(error) || passing.includes(error.code)) return token;
  if (!renewed || !isTokenRefused(error.code)) throw error;
  return renewed(token).catch((problem: unknown) => tokenAfter(problem, token));
}

const passing: readonly ErrorCode[] = [
  ...(["hub-unreachable", "identity-unavailable", "going-away", "requests-too-many"] as const),
  ...(["not-saved", "bus-unavailable", "internal-error"] as const),
];

interface Following {
  /** The last known record. */
  readonly last: string | undefined;
  readonly print: (record: JsonObject) => void;
  readonly signal: AbortSignal;
}

/** Resolves with the last record when the stream has ended. */
async function followFrom(hub: ProvenHub, { last, print, signal }: Following): Promise<string | undefined> {
  let known = last;
  const headers = { authorization: `Bearer ${hub.token}`, ...(last !== undefined && { "last-event-id": last }) };
  const response = await sendOverHttp(`${hub.url}${path}/stream`, { headers, signal, timeout: silentTime });
  if (response.statusCode !== 200) {
    const refusal = refusalIn(parseJsonObject(await text(response), maxDepth));
    throw refusal ?? new Error(`The hub answers ${response.statusCode}.`);
  }
  const parser = createParser({
    onEvent({ id, data }) {
      const record = parseJsonObject(data, maxDepth);
      if (record) print(record);
      known = id ?? known;
    },
  });
  try {
    for await (const piece of response.setEncoding("utf8") as AsyncIterable<string>) parser.feed(piece);
  } catch {
    // The next stream begins after the last record.
  }
  return known;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

function lineOf({ at, kind, name, outcome, principal, code }: JsonObject): string {
  const whose = typeof principal === "string" ? `for ${principal}` : undefined;
  const parts = [at, kind, name, outcome, code === outcome ? undefined : code, whose];
  const texts = parts.filter((part): part is string => typeof part === "string" && part !== "");
  return oneLine(texts.join("  "), 300);
}
