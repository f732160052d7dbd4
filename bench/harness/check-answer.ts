import { isDeepStrictEqual } from "node:util";
import { answerTo, argumentsFor } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";
import type { HttpConnection } from "./http-connection.ts";

const patience = 15_000;

/** Calls until a page answers, and throws when the answer is not the tool's. */
export async function checkAnswer(connect: () => Promise<HttpConnection>, size: SizeName): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    const connection = await connect();
    const { status, body } = await connection.call();
    connection.close();
    const text = Buffer.concat(body).toString();
    if (status === 200) {
      if (isRight(text, size)) return;
      throw new Error(`The answer is not the tool's: ${text.slice(0, 500)}`);
    }
    if (performance.now() > end) throw new Error(`No page answers. The hub said ${status}: ${text.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Pagewire's answer says how the call ended beside the result; the others' are the result. */
function isRight(text: string, size: SizeName): boolean {
  const answer = JSON.parse(text) as { readonly result?: unknown };
  return isDeepStrictEqual(answer.result ?? answer, answerTo(argumentsFor(size)));
}
