import { unlessAborted } from "../toolbox/index.ts";
import { parseJsonObject } from "../wire/index.ts";
import type { SessionOptions } from "./mcp-toolbox.ts";

/**
 * A fetch that ends a session of which the server tells when nobody waits for it any more: no one else would know of it.
 * So what asks for a session is not cut off with its signal; the server has a moment to answer.
 */
export function endLateSessions(
  fetch: typeof globalThis.fetch,
  { clock, limits }: Pick<SessionOptions, "clock" | "limits">,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { signal } = init;
    if (!signal || signal.aborted || !asksForSession(init)) return fetch(input, init);
    const cutting = new AbortController();
    const cut = () => cutting.abort(signal.reason);

    async function endLate(answer: Promise<Response>): Promise<void> {
      const stop = clock.after(limits.farewellTime, cut);
      try {
        const response = await answer;
        await response.body?.cancel();
        const session = response.headers.get("mcp-session-id");
        if (session === null) return;
        // The SDK gives a Headers object.
        const sent = init.headers as unknown as Iterable<[string, string]>;
        const { "content-type": _type, ...headers } = Object.fromEntries(sent);
        const { body: _body, ...rest } = init;
        await fetch(input, {
          ...rest,
          method: "DELETE",
          headers: { ...headers, "mcp-session-id": session },
          signal: cutting.signal,
        });
      } finally {
        stop();
      }
    }

    const answer = fetch(input, { ...init, signal: cutting.signal });
    try {
      const response = await unlessAborted(answer, signal);
      signal.throwIfAborted();
      signal.addEventListener("abort", cut);
      return response;
    } catch (error) {
      if (signal.aborted) endLate(answer).catch(() => {});
      throw error;
    }
  };
}

/** Whether a request is the one that begins a session. */
export function asksForSession({ body }: RequestInit): boolean {
  if (typeof body !== "string" || !body.includes('"initialize"')) return false;
  return parseJsonObject(body, deepest)?.["method"] === "initialize";
}

/** The client's own words nest no deeper. */
const deepest = 64;
