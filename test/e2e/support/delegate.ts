// A program in a terminal, without the terminal: it brings the token that the shell's environment holds.

/** What was answered to a call. */
export interface DelegateAnswer {
  readonly status: number;
  /** The fields of the answer; of a stream, those of its last line. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The pieces of a stream. */
  readonly chunks: readonly string[];
}

export interface DelegateCallOptions {
  /** The id that it names; by default its own terminal's. */
  readonly browserId?: string;
  readonly stream?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

export type CallTab = (action: string, input?: object, options?: DelegateCallOptions) => Promise<DelegateAnswer>;

/** Calls with what a shell has in its environment. */
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
