import type { ErrorCode } from "./errors.ts";
import { linkCloseCodes } from "./link-close-codes.ts";
import type { CloseReason } from "./link-close-codes.ts";

/** Our WebSocket close codes; those below 4000 are the protocol's. */
export const closeCodes = {
  ...linkCloseCodes,
  "going-away": 1001,
  "version-unsupported": 4002,
  "hello-expected": 4003,
  "hello-late": 4004,
  "sockets-too-many": 4005,
  "origin-not-allowed": 4010,
  "token-required": 4011,
  "token-invalid": 4012,
  "token-expired": 4013,
  "tab-replaced": 4020,
  "tabs-too-many": 4023,
  "tab-disconnected": 4024,
  "offers-too-many": 4030,
  "schema-invalid": 4031,
  "schema-too-large": 4032,
  "name-invalid": 4033,
  "name-taken": 4034,
  "offers-too-large": 4035,
  "model-missing": 4040,
  "session-not-found": 4041,
  "terminal-not-found": 4050,
  "terminal-unavailable": 4051,
} as const satisfies Partial<Record<ErrorCode | "normal", number>>;

export type CloseName = keyof typeof closeCodes;

export function closeReason(name: CloseName, detail: string = name): CloseReason {
  return { code: closeCodes[name], reason: detail };
}

export function closeNameOf(code: number): CloseName | undefined {
  for (const [name, value] of Object.entries(closeCodes)) {
    if (value === code) return name as CloseName;
  }
  return undefined;
}
