import type { AiHttpError } from "./types.ts";

/** How long, and how much, is read of what an error says of itself. */
const patience = 2000;
const mostCharacters = 65_536;

/** What an HTTP answer that is not a success says. */
export async function readHttpError(response: Response): Promise<AiHttpError> {
  const { status, statusText, headers } = response;
  const body = await readStart(response.body?.getReader());
  const retryAfter = secondsUntil(headers.get("retry-after") ?? "");
  return { status, statusText, body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** As much of a body as comes in time. */
async function readStart(reader?: ReturnType<NonNullable<Response["body"]>["getReader"]>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const leave = () => void reader?.cancel().catch(() => {});
  const timer = setTimeout(leave, patience);
  try {
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done || text.length > mostCharacters) break;
      text += decoder.decode(piece.value, { stream: true });
    }
  } catch {
    // What came before the connection broke is said all the same.
  }
  clearTimeout(timer);
  leave();
  return text;
}

export function isHttpError(error: unknown): error is AiHttpError {
  return typeof (error as AiHttpError | null | undefined)?.status === "number";
}

/** Reads Retry-After, which is a number of seconds or a date. */
function secondsUntil(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? seconds : undefined;
}
