// A program that reads the API of a hub, and the fields that docs/reference/http-api.md promises it.
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { signAgentToken } from "../../guard/tokens.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import type { HubDoor } from "../../test-support/http.test-helper.ts";

export const secret = "a-secret-of-at-least-32-characters";

export function tokenOf(subject: string, more: object = {}): Promise<string> {
  return signAgentToken({ secret, subject, ...more });
}

/** One of a list in an answer. */
export type Item = Readonly<Record<string, unknown>>;

/** Reads `/api/<what>` as a program. */
export function read(hub: HubDoor, what: string, token = hub.token): Promise<OwnAnswer> {
  return askOwn(hub, `GET /api/${what}`, { token, origin: undefined });
}

/** A list in the answer to `/api/<what>`. */
export async function listOf(hub: HubDoor, what: string, token = hub.token): Promise<readonly Item[]> {
  const { status, body } = await read(hub, what, token);
  if (status !== 200) throw new Error(`${what}: ${JSON.stringify(body)}`);
  const [name = ""] = what.split("?");
  return body?.[name] as readonly Item[];
}

/** The fields in the first column of a table of the reference, by the title of its section. */
export function documentedFields(title: string): readonly string[] {
  const text = readFileSync(new URL("../../../../docs/reference/http-api.md", import.meta.url), "utf8");
  const [, section = ""] = text.split(`\n## ${title}\n`);
  const [own = ""] = section.split("\n## ");
  return [...own.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
}

export interface TestStream {
  readonly events: readonly Record<string, unknown>[];
  /** Resolves when the hub ended the stream, or cut it off. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens the stream of calls, and resolves when it watches. */
export async function openStream(hub: HubDoor, token = hub.token): Promise<TestStream> {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${hub.url}/api/calls/stream`, { headers, signal: end.signal });
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  const events: Record<string, unknown>[] = [];
  let began = () => {};
  const watching = new Promise<void>((resolve) => (began = resolve));
  const ended = take(response.body.pipeThrough(new TextDecoderStream()), (event) => {
    events.push(event);
    began();
  }).catch(() => {});
  await watching;
  return { events, ended, close: () => end.abort() };
}

async function take(texts: AsyncIterable<string>, onEvent: (event: Record<string, unknown>) => void): Promise<void> {
  let waiting = "";
  for await (const text of texts) {
    const messages = (waiting + text).split("\n\n");
    waiting = messages.pop() ?? "";
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? [];
      if (data !== undefined) onEvent(JSON.parse(data) as Record<string, unknown>);
    }
  }
}
