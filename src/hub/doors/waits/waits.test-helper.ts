// A hub whose policy asks, its user in person, and what waits for them.
import { onTestFinished } from "vitest";
import { parsePolicy } from "../../../policy/index.ts";
import type { HubOptions } from "../../options/options.ts";
import type { HubDoor } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { makeKey } from "../../test-support/page-key.test-helper.ts";
import { plainResult } from "../../test-support/page.test-helper.ts";
import type { GivenCall, TestPage, TestPageOptions } from "../../test-support/page.test-helper.ts";

export const shellKey = "shell-key-of-this-test";

/** The option of a hub whose owner can act over HTTP. */
export const ownersKey = { key: () => shellKey, load: () => Promise.reject(new Error("There are no terminals.")) };

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** A hub that asks about every call of `work`. */
export function startAskingHub(options: Partial<HubOptions> = {}): Promise<TestHub> {
  const policy = parsePolicy('{"rules":[{"tool":"work","decision":"ask"}]}');
  return startHub({ ...(options.jwt ? {} : { shell: ownersKey }), policy: () => policy, ...options });
}

/** The waits, as the user sees them. */
export async function waitsOf(hub: Pick<HubDoor, "url">, token: string = shellKey): Promise<readonly Item[]> {
  const { status, body } = await askOwn(hub, "GET /api/waits", { token, origin: undefined });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body?.["waits"] as readonly Item[];
}

/** The only wait, once there is one. */
export async function onlyWait(hub: Pick<HubDoor, "url">, token: string = shellKey): Promise<Item> {
  for (;;) {
    const [first, ...more] = await waitsOf(hub, token);
    if (more.length > 0) throw new Error("There is more than one.");
    if (first) return first;
  }
}

/** The answering user, and the answer. */
interface Answering {
  readonly answer: object | string;
  readonly token?: string;
  readonly origin?: string | undefined;
}

export function answerWait(
  hub: Pick<HubDoor, "url">,
  { id }: Pick<Item, "id">,
  given: string | Answering,
): Promise<OwnAnswer> {
  const { answer, token = shellKey, origin }: Answering = typeof given === "string" ? { answer: given } : given;
  const body = JSON.stringify(typeof answer === "string" ? { answer } : answer);
  return askOwn(hub, `POST /api/waits/${id}`, { token, origin, body });
}

/** The bearer of a page that the hub's owner opened. */
export async function signInPerson(hub: Pick<HubDoor, "url">): Promise<string> {
  const { body } = await askOwn(hub, "POST /api/owner-codes", { token: shellKey, origin: undefined });
  return (await signInWith(hub, body?.["code"]))();
}

/** Signs a page in by a code, with a key of its own; each use of its token has a bearer of its own. */
export async function signInWith(hub: Pick<HubDoor, "url">, code: unknown): Promise<() => Promise<string>> {
  const key = await makeKey(hub);
  const signedIn = await askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code, key: key.key }) });
  return () => key.bearer(String(signedIn.body?.["token"]));
}

export const allowId = "pagewire/allow";

/** A page that asks the person in front of it, and does what the hub's user answers. */
export const askingPage: TestPageOptions = {
  approves: true,
  tools: ["work"],
  handle(call, page) {
    page.ack(call.id);
    askInPage(page, call);
    void takeAnswer(page, call);
  },
};

export function askInPage(page: TestPage, { id, ask = allowId, parameters = {} }: InPageQuestion): void {
  const frame = { type: "ask", id, ask, method: "elicitation/create", inPage: true };
  page.send(frame, JSON.stringify(parameters));
}

interface InPageQuestion extends Pick<GivenCall, "id"> {
  readonly ask?: string;
  readonly parameters?: object;
}

/** Takes the hub's answer as a page does, and ends the call with it. */
async function takeAnswer(page: TestPage, { id }: Pick<GivenCall, "id">): Promise<void> {
  const { payload } = await page.next("answer");
  page.send({ type: "answered", id, ask: allowId });
  if (payload.includes('"accept"')) return page.result(id, plainResult);
  page.send({ type: "failure", id, outcome: "rejected", ran: "no", code: "policy-declined", message: "No." });
}

/** The lists that a stream sends. */
export async function openWaitsStream(hub: Pick<HubDoor, "url">, token: string) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${hub.url}/api/waits/stream`, { headers, signal: end.signal });
  const lists: (readonly Item[])[] = [];
  const read = async () => {
    let text = "";
    for await (const part of (response.body ?? new ReadableStream<never>()).pipeThrough(new TextDecoderStream())) {
      text += part;
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const [, data] of messages.map((message) => /^data: (.*)$/m.exec(message) ?? []))
        if (data !== undefined) lists.push((JSON.parse(data) as { waits: readonly Item[] }).waits);
    }
  };
  const ended = read().catch(() => {});
  return { lists, ended, status: response.status };
}
