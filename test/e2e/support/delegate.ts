// A program in a terminal, without the terminal: it sends the token from the shell's environment.

export interface DelegateAnswer {
  readonly status: number;
  /** The fields of the answer; for a stream, those of its last line. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The chunks of a stream. */
  readonly chunks: readonly string[];
}

export interface DelegateCallOptions {
  /** The id in the request; by default its own terminal's. */
  readonly browserId?: string;
  readonly stream?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

export type CallTab = (action: string, input?: object, options?: DelegateCallOptions) => Promise<DelegateAnswer>;

/** Calls with the variables of a shell's environment. */
export function createCallTab(environment: Readonly<Record<string, string>>): CallTab {
  const { PAGEWIRE_URL: url, PAGEWIRE_TERMINAL: id, PAGEWIRE_TERMINAL_TOKEN: token } = environment;
  return async (action, input = {}, { browserId = id, stream = false, timeout, key, signal } = {}) => {
    const response = await fetch(`${url}/api/browser-delegate${stream ? "/stream" : ""}`, {
      method: "POST",
      body: JSON.stringify({ ...input, action, browser_id: browserId }),
      signal: signal ?? null,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(timeout === undefined ? {} : { "pagewire-timeout": String(timeout) }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
    });
    const lines = (await response.text()).trim().split("\n");
    const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return {
      status: response.status,
      body: objects.at(-1) ?? {},
      chunks: objects.slice(0, -1).map(({ delta }) => String(delta)),
    };
  };
}
