import { base64Of } from "./base64.ts";
import { refusal } from "./refusal.ts";

/** A body as JSON can hold it: as text where it is UTF-8, which is then the very same bytes. */
export interface ReadBody {
  readonly body: string;
  readonly encoding: "utf8" | "base64";
  readonly size: number;
}

/** Reads an answer as it comes; one that is larger than it may be is read no further. */
export async function readBody(response: Response, most: number): Promise<ReadBody> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    size += read.value.length;
    parts.push(read.value);
    if (size <= most) continue;
    await reader?.cancel();
    throw refusal("maxResponseBytes", `the answer has more than ${most} bytes.`);
  }
  const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  try {
    const body = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { body, encoding: "utf8", size };
  } catch {
    return { body: base64Of(bytes), encoding: "base64", size };
  }
}
