import type { Json } from "../../../wire/index.ts";

export interface Reply {
  readonly status: number;
  readonly type: string;
  /** Headers of a refusal that says when to come back. */
  readonly headers?: Readonly<Record<string, number>>;
  /** One piece, or those of a stream. */
  readonly parts: readonly string[];
}

export function jsonReply(body: Json, status = 200): Reply {
  return { status, type: "application/json", parts: [JSON.stringify(body)] };
}
