// A setting that admins change as a whole.
import { useAnswer } from "../../../common/src/session/use-answer.ts";
import type { HubAnswer } from "../../../common/src/session/use-answer.ts";
import type { Session } from "../../../common/src/session/session.ts";

export interface Setting<Value> extends Omit<HubAnswer<Value>, "take"> {
  /** Rejects if another admin has changed it since it was read, and reads it again then. */
  set(body: object): Promise<void>;
}

export function useSetting<Value extends { readonly digest: string }>(
  session: Pick<Session, "request">,
  path: string,
): Setting<Value> {
  const { take, ...answer } = useAnswer<Value>(session, path);
  const { value, read } = answer;
  return {
    ...answer,
    async set(body) {
      try {
        take((await session.request("PUT", `${path}?replaces=${value?.digest ?? ""}`, body)) as Value);
      } catch (error) {
        read();
        throw error;
      }
    },
  };
}
