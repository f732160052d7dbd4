// One request to a hub's HTTP door.
import { PagewireError, isErrorCode, isJsonObject, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { certificateProblem } from "./certificate-problem.ts";
import { hubAddress } from "./hub-address.ts";
import { sendOverHttp } from "./send-over-http.ts";

export interface HubRequest {
  readonly url: string;
  readonly token: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: JsonObject;
}

const answerTimeout = 5000;
const maxAnswerLength = 1024 * 1024;
const maxAnswerDepth = 16;

/** Resolves with the hub's response; rejects with the hub's error, or with why there is no hub. */
export async function askHub(asked: HubRequest): Promise<JsonObject> {
  const base = hubAddress(asked.url);
  const { status, text } = await send(base, asked).catch((error: unknown) => {
    const problem = certificateProblem(error);
    const message = problem
      ? `Something answers at ${base}. ${problem}`
      : `No hub answers at ${base}: ${messageOf(error)}. Start it with: npx pagewire`;
    throw new PagewireError("hub-unreachable", message, { cause: error });
  });
  const answer = status === 204 ? {} : parseJsonObject(text, maxAnswerDepth);
  if (status >= 200 && status < 300 && answer) return answer;
  const { code, message } = isJsonObject(answer?.["error"]) ? answer["error"] : {};
  if (isErrorCode(code) && typeof message === "string") throw new PagewireError(code, message);
  throw new PagewireError("hub-unreachable", `Something answers at ${base}, but not as a hub.`);
}

async function send(
  base: string,
  { token, method, path, body }: HubRequest,
): Promise<{ status: number; text: string }> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await sendOverHttp(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type },
    body: body && JSON.stringify(body),
    timeout: answerTimeout,
  });
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > maxAnswerLength) throw new Error("the answer does not end");
  }
  return { status: response.statusCode ?? 0, text };
}
