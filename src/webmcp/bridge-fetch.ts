import { unlessAborted } from "../toolbox/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import type { ServerSetting } from "./bridge-settings.ts";

/** The fetch for a server's requests, with what its `getHeaders` gives at the time. No other origin is sent that. */
export function bridgeFetch({ url, getHeaders, fetch: own }: ServerSetting): typeof fetch {
  const { origin } = new URL(url);
  // Looked up with each request: pages put others in its place.
  const send: typeof fetch = (input, init) => (own ?? fetch)(input, init);
  if (!getHeaders) return send;

  const headersNow = async (signal: AbortSignal | undefined): Promise<readonly (readonly [string, string])[]> => {
    try {
      return [...new Headers(await unlessAborted(Promise.resolve(getHeaders()), signal))];
    } catch (error) {
      if (signal?.aborted) throw error;
      const message = `getHeaders for the MCP server at ${origin} failed: ${messageOf(error)}`;
      throw new PagewireError("not-delivered", message, { cause: error });
    }
  };

  return async (input, init) => {
    if (new URL(input instanceof Request ? input.url : input).origin !== origin) return send(input, init);
    const first = await headersNow(init?.signal ?? undefined);
    const response = await send(input, withHeaders(init, first));
    if (response.status !== 401) return response;
    const next = await headersNow(init?.signal ?? undefined);
    if (JSON.stringify(next) === JSON.stringify(first)) return response;
    await response.body?.cancel();
    return send(input, withHeaders(init, next));
  };
}

function withHeaders(init: RequestInit | undefined, more: readonly (readonly [string, string])[]): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of more) headers.set(name, value);
  return { ...init, headers };
}
