import { useState } from "preact/hooks";
import type { FromOwnPage, Reply } from "pagewire/extension";
import type { Store } from "./open-store.ts";

export interface Sending {
  readonly isBusy: boolean;
  /** The last message's failure, in a sentence. */
  readonly problem: string | undefined;
  send(message: FromOwnPage): Promise<Reply>;
  fail(message: string): void;
}

/** Messages to the worker, and how the last one went. */
export function useSending({ send }: Pick<Store, "send">): Sending {
  const [isBusy, setBusy] = useState(false);
  const [problem, fail] = useState<string>();
  return {
    ...{ isBusy, problem, fail },
    async send(message) {
      setBusy(true);
      fail(undefined);
      const reply = await send(message);
      setBusy(false);
      if (!reply.ok) fail(reply.message);
      return reply;
    },
  };
}
