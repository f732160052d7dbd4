import type { ErrorCode } from "../../wire/index.ts";
import type { AuditKind } from "../store/index.ts";

/** What somebody is refused for by what they bring, and the kind of record that this is. */
const kinds: Partial<Record<ErrorCode, AuditKind>> = {
  "token-required": "token",
  "token-invalid": "token",
  "token-expired": "token",
  "origin-not-allowed": "token",
  "host-refused": "token",
  "code-invalid": "sign-in",
  "terminal-unavailable": "terminal",
};

const minute = 60_000;

export interface Refusals {
  /** Takes note of a refusal, if it is one of a credential. */
  add(code: ErrorCode): void;
  /** Says at once what was counted by now. */
  close(): void;
}

/**
 * Tells of refused credentials: at once of the first of a kind in a minute, and of those that follow how many they were, at
 * the end of it. However many strangers try however often, that makes a few records a minute.
 */
export function createRefusals(tell: (kind: AuditKind, code: ErrorCode, count: number) => void): Refusals {
  const counts = new Map<ErrorCode, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tellOf(code: ErrorCode, count: number): void {
    const kind = kinds[code];
    if (kind) tell(kind, code, count);
  }

  function tellAll(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [code, count] of counts) if (count > 0) tellOf(code, count);
    counts.clear();
  }

  return {
    add(code) {
      if (!(code in kinds)) return;
      const count = counts.get(code);
      if (count === undefined) tellOf(code, 1);
      counts.set(code, count === undefined ? 0 : count + 1);
      timer ??= setTimeout(tellAll, minute).unref();
    },
    close: tellAll,
  };
}
