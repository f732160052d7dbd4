import { get as getOverHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import { get as getOverHttps } from "node:https";
import { messageOf } from "../../wire/index.ts";

const ANSWER_TIME = 3000;
const LONGEST_ANSWER = 1024;
const absent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** Who answers at an address: a hub, nobody, or else what it said. Not by fetch, which refuses some ports unasked. */
export function askHealth(url: string): Promise<string> {
  const target = new URL("healthz", url.replace(/^ws/, "http").replace(/\/?$/, "/"));
  const get = target.protocol === "https:" ? getOverHttps : getOverHttp;
  return new Promise((resolve) => {
    const request = get(target, { timeout: ANSWER_TIME }, (response) => {
      readStart(response).then(
        (text) =>
          resolve(
            response.statusCode === 200 && text.trim() === "ok" ? "hub" : `It answered with ${response.statusCode}.`,
          ),
        (error: unknown) => resolve(`Its answer broke off: ${messageOf(error)}.`),
      );
    });
    request.on("timeout", () => request.destroy(new Error(`nothing came within ${ANSWER_TIME / 1000} seconds`)));
    request.on("error", (error: NodeJS.ErrnoException) => {
      resolve(absent.includes(error.code ?? "") ? "nobody" : `It did not answer as a hub does: ${error.message}.`);
    });
  });
}

async function readStart(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > LONGEST_ANSWER) break;
  }
  return text;
}
