// One request to a hub's HTTP door, by node:http: fetch refuses some ports unasked.
import { request as requestOverHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestOverHttps } from "node:https";
import { PagewireError, isErrorCode, isJsonObject, messageOf, parseJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";

export interface HubRequest {
  readonly url: string;
  readonly token: string;
  readonly method: "GET" | "POST";
  readonly path: string;
}

const ANSWER_TIME = 5000;
const LONGEST_ANSWER = 1024 * 1024;
const DEEPEST_ANSWER = 16;

/** What the hub answers; rejects with its own error, or with why there is no hub. */
export async function askHub(asked: HubRequest): Promise<JsonObject> {
  const base = addressOf(asked.url);
  const { status, text } = await send(base, asked).catch((error: unknown) => {
    const message = `No hub answers at ${base.origin}: ${messageOf(error)}. Start it with: npx pagewire`;
    throw new PagewireError("hub-unreachable", message, { cause: error });
  });
  const answer = parseJsonObject(text, DEEPEST_ANSWER);
  if (status === 200 && answer) return answer;
  const { code, message } = isJsonObject(answer?.["error"]) ? answer["error"] : {};
  if (isErrorCode(code) && typeof message === "string") throw new PagewireError(code, message);
  throw new PagewireError("hub-unreachable", `Something answers at ${base.origin}, but not as a hub.`);
}

/** The address of a hub, which may be written as that of its sockets. */
function addressOf(url: string): URL {
  const text = url.replace(/^ws/, "http");
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new PagewireError("options-invalid", `"${url}" is not the address of a hub.`);
}

async function send(base: URL, { token, method, path }: HubRequest): Promise<{ status: number; text: string }> {
  const request = base.protocol === "https:" ? requestOverHttps : requestOverHttp;
  const headers = { authorization: `Bearer ${token}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(new URL(path, base), { method, headers, timeout: ANSWER_TIME }, resolve);
    sent.on("timeout", () => sent.destroy(new Error(`nothing came within ${ANSWER_TIME / 1000} seconds`)));
    sent.on("error", reject);
    sent.end();
  });
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > LONGEST_ANSWER) throw new Error("the answer does not end");
  }
  return { status: response.statusCode ?? 0, text };
}
