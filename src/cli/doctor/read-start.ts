import type { IncomingMessage } from "node:http";

const longest = 1024;

/** The beginning of an answer: whoever answers at an address may be anybody. */
export async function readStart(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > longest) break;
  }
  return text;
}
