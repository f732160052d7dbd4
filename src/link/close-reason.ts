import { isJsonObject } from "../wire/index.ts";
import type { CloseReason } from "../wire/index.ts";

/** The max size of the reason in a WebSocket's close frame. All carriers use it, so that both sides get the same text. */
const REASON_BYTES = 123;

/** The reason, cut to the whole characters that fit into a close message. */
export function fitReason({ code, reason }: CloseReason): CloseReason {
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(REASON_BYTES));
  return { code, reason: reason.slice(0, read) };
}

/** Parses a peer's close reason; undefined if it is invalid. */
export function parseCloseReason(value: unknown): CloseReason | undefined {
  if (!isJsonObject(value)) return undefined;
  const { code, reason } = value;
  if (typeof code !== "number" || !Number.isInteger(code) || code < 1000 || code > 4999) return undefined;
  return typeof reason === "string" ? fitReason({ code, reason }) : undefined;
}
