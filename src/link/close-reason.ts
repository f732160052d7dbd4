import { isJsonObject } from "../wire/index.ts";
import type { CloseReason } from "../wire/index.ts";

/** As much as a WebSocket's close message holds. Every carrier keeps to it, so that both sides hear the same words. */
const REASON_BYTES = 123;

/** The reason, cut to the whole characters that fit a close message. */
export function fitReason({ code, reason }: CloseReason): CloseReason {
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(REASON_BYTES));
  return { code, reason: reason.slice(0, read) };
}

/** Reads a close reason that a peer sent; undefined when it is none. */
export function parseCloseReason(value: unknown): CloseReason | undefined {
  if (!isJsonObject(value)) return undefined;
  const { code, reason } = value;
  if (typeof code !== "number" || !Number.isInteger(code) || code < 1000 || code > 4999) return undefined;
  return typeof reason === "string" ? fitReason({ code, reason }) : undefined;
}
