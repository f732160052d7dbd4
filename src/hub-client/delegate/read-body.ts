import { DelegateError } from "./delegate.ts";

/** The bytes of a body as text, in chunks; the body is cancelled when the reader stops early. */
async function* readText(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // An open body is cancelled, which is how the hub notices the abort.
    reader.cancel().catch(() => {});
  }
}

export async function readAll(body: ReadableStream<Uint8Array> | null, max: number): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const part of readText(body)) {
    length += part.length;
    if (length > max) throw tooLarge(max);
    parts.push(part);
  }
  return parts.join("");
}

/** A body line by line, without empty lines. Lines are whole, however the bytes were split. */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  max: number,
  onPart: () => void,
): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  for await (const part of readText(body)) {
    onPart();
    const [first = "", ...more] = part.split("\n");
    rest.push(first);
    length += first.length;
    if (length > max || more.some((line) => line.length > max)) throw tooLarge(max);
    for (const next of more) {
      const line = rest.join("").trim();
      rest = [next];
      length = next.length;
      if (line !== "") yield line;
    }
  }
  const last = rest.join("").trim();
  if (last !== "") yield last;
}

function tooLarge(max: number): DelegateError {
  const message = `The hub's answer is larger than the limit frameBytes, ${max} bytes.`;
  return new DelegateError("result-too-large", message, { outcome: "outcome-unknown", ran: "maybe" });
}
