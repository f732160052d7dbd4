import type { IncomingMessage } from "node:http";
import { messageOf } from "../../wire/index.ts";
import { sendOverHttp, certificateProblem } from "./send-over-http.ts";

const maxHealthLength = 1024;

/** Reads only the start of a response: any program may be listening there. */
export async function readStart(response: IncomingMessage, longest = maxHealthLength): Promise<string> {
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > longest) break;
  }
  return text;
}

const answerTimeout = 3000;
const absent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** Probes an address. Returns "hub", "nothing" if no program listens, or a sentence about any other response. */
export async function askHealth(url: string): Promise<string> {
  const target = new URL("healthz", url.replace(/^ws/, "http").replace(/\/?$/, "/"));
  try {
    return await readHealth(await sendOverHttp(target, { timeout: answerTimeout }));
  } catch (error) {
    const problem = certificateProblem(error);
    if (problem) return problem;
    const isAbsent = absent.includes((error as NodeJS.ErrnoException).code ?? "");
    return isAbsent ? "nothing" : `It did not answer as a hub does: ${messageOf(error)}.`;
  }
}

async function readHealth(response: IncomingMessage): Promise<string> {
  try {
    const text = await readStart(response);
    const isHub = response.statusCode === 200 && text.trim() === "ok";
    return isHub ? "hub" : `It answered with ${response.statusCode}.`;
  } catch (error) {
    return `Its answer broke off: ${messageOf(error)}.`;
  }
}
