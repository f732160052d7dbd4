import type { ErrorCode } from "./errors.ts";

/** WebSocket close codes of our own; those below 4000 are the protocol's. */
export const closeCodes = {
  normal: 1000,
  "going-away": 1001,
  "frame-malformed": 4000,
  "frame-too-large": 4001,
  "version-unsupported": 4002,
  "hello-expected": 4003,
  "hello-late": 4004,
  "sockets-too-many": 4005,
  "channels-too-many": 4006,
  "origin-not-allowed": 4010,
  "token-required": 4011,
  "token-invalid": 4012,
  "token-expired": 4013,
  "tab-replaced": 4020,
  "too-slow": 4021,
  "heartbeat-missed": 4022,
  "offers-too-many": 4030,
  "schema-invalid": 4031,
  "schema-too-large": 4032,
  "name-invalid": 4033,
  "name-taken": 4034,
  "internal-error": 4099,
} as const satisfies Partial<Record<ErrorCode | "normal", number>>;

export type CloseName = keyof typeof closeCodes;

/** Why a link ended. `code` is a WebSocket close code; 1006 means cut without a word. */
export interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

/** The close reason with this name. */
export function closeReason(name: CloseName, detail: string = name): CloseReason {
  return { code: closeCodes[name], reason: detail };
}

/** A link that ended without a close message. */
export const cutOff: CloseReason = { code: 1006, reason: "cut off" };

/** The name behind a close code, where it is one of ours. */
export function closeNameOf(code: number): CloseName | undefined {
  for (const [name, value] of Object.entries(closeCodes)) {
    if (value === code) return name as CloseName;
  }
  return undefined;
}
