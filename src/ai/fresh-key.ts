// Keys that end, such as a cloud's tokens: asked for with each request, and once more where one is refused.
import { unlessAborted } from "../toolbox/index.ts";
import { isHttpError } from "./answer.ts";
import type { Ask } from "./run.ts";
import type { AiRequestOptions } from "./types.ts";

type GetApiKey = NonNullable<AiRequestOptions["getApiKey"]>;

/** Runs a request with a key; where that is refused and there is another one, once more. */
export async function withFreshKey<Answer>(
  getApiKey: GetApiKey,
  signal: AbortSignal,
  request: (apiKey: string) => Promise<Answer>,
): Promise<Answer> {
  const get = async (refused?: string): Promise<string> => {
    const key: unknown = await unlessAborted(Promise.resolve(getApiKey(refused)), signal);
    if (typeof key !== "string" || key === "") throw noKey(key);
    return key;
  };
  const key = await get();
  try {
    return await request(key);
  } catch (failure) {
    // AWS answers an expired session with 403.
    const isRefused = isHttpError(failure) && (failure.status === 401 || failure.status === 403);
    const fresh = isRefused ? await get(key) : key;
    if (fresh === key) throw failure;
    return await request(fresh);
  }
}

function noKey(given: unknown): Error {
  const returned = given === "" ? "an empty text" : given === null ? "null" : typeof given;
  return new Error(`getApiKey returned ${returned}: it must return a key, or throw with the reason.`);
}

/** Asks with the keys of the option `getApiKey`. */
export function askingWithFreshKey(ask: Ask, getApiKey: GetApiKey, signal: AbortSignal): Ask {
  return ({ options, ...asked }) =>
    withFreshKey(getApiKey, signal, (apiKey) => ask({ ...asked, options: { ...options, apiKey } }));
}
