/** The part of a response that is used. */
export interface DelegateResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Sends one request; the `fetch` of browsers and of Node is one. */
export type DelegateFetch = (
  url: string,
  request: {
    readonly method: "GET" | "POST";
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
  },
) => Promise<DelegateResponse>;
