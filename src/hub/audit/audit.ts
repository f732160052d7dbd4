// The audit of a hub: one record for each security-relevant event. This module makes records and reports lost ones; the store
// keeps them in a hash chain.
import { createHmac } from "node:crypto";
import type { Clock } from "../../link/index.ts";
import type { OnEnded, OnQuestion } from "../../switchboard/index.ts";
import type { ErrorCode, JsonObject, Limits } from "../../wire/index.ts";
import { collapseRepeats } from "../common/log.ts";
import type { Note } from "../common/log.ts";
import type { AuditRecord, Store, AuditKind } from "../store/index.ts";
import { createCallRecords } from "./call-records.ts";
import type { AuditContents, OtherCall } from "./call-records.ts";
import { createRecorder, gap } from "./recorder.ts";

export interface Audit {
  record(event: Omit<AuditRecord, "at">): void;
  /** The switchboard's events: a call has ended; a page's question has. */
  readonly onEnded: OnEnded;
  readonly onQuestion: OnQuestion;
  /** Records a call that did not go through the hub's switchboard. */
  call(call: OtherCall): void;
  refused(code: ErrorCode): void;
  /** Records that the hub stops. Resolves when all records are written, or cannot be. */
  close(): Promise<void>;
}

export interface CreateAuditOptions {
  readonly store: Pick<Store, "addAudit" | "audit">;
  readonly limits: Limits;
  readonly note: Note;
  /** Called for each lost record. */
  readonly onLost: () => void;
  /** The switchboard's clock. */
  readonly clock: Pick<Clock, "now">;
  /** The HMAC key of digests. */
  readonly key: string;
  readonly contents: AuditContents;
  /** Details for the record of the start. */
  readonly about: JsonObject;
}

export function createAudit(options: CreateAuditOptions): Audit {
  const { store, limits, note, onLost, clock, key, contents, about } = options;
  const { now } = clock;
  const isoNow = createIsoNow();
  const records = createCallRecords({ limits, contents, isoNow, now });
  const startedAt = isoNow();
  const hub = { kind: "hub", principal: "" } as const;
  const started = {
    ...hub,
    at: startedAt,
    outcome: "started",
    details: { ...about, digestKey: createHmac("sha256", key).digest("hex") },
  };

  /** If the last record of the earlier run is not its stop, that run was killed, and unwritten records are missing. */
  async function first(): Promise<readonly AuditRecord[]> {
    const [last] = await store.audit({ isOwn: true, limit: 1 });
    if (!last || (last.kind === "hub" && last.outcome === "stopped")) return [started];
    return [gap(startedAt, "killed", { from: last.at, until: startedAt }), started];
  }

  const recorder = createRecorder({ store, limits, note, key, onLost, first });
  const refusals = createRefusals((kind, code, count) =>
    record({ kind, principal: "", outcome: "refused", code, details: { count } }),
  );

  function record(event: Omit<AuditRecord, "at">): void {
    recorder.add({ at: isoNow(), ...event });
  }

  return {
    record,
    onEnded(asked, outcome, call) {
      const given = call?.aim.arguments ?? asked.request.arguments;
      const digest = recorder.makeRoom(isoNow(), given, outcome.payload, asked.request.key);
      if (digest) recorder.push(records.of([asked, outcome, call], digest));
      if (outcome.inputRequired && call) for (const question of records.asked(call, outcome)) recorder.add(question);
    },
    onQuestion: (...question) => recorder.add(records.ofQuestion(...question)),
    call(call) {
      const digest = recorder.makeRoom(isoNow(), call.given, call.result);
      if (digest) recorder.push(records.ofOther(call, digest));
    },
    refused: refusals.add,
    close() {
      refusals.close();
      record({ ...hub, outcome: "stopped" });
      return recorder.close();
    },
  };
}

/** The time as ISO text, cached for a millisecond. */
function createIsoNow(): () => string {
  let at = 0;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== at) [at, text] = [now, new Date(now).toISOString()];
    return text;
  };
}

/** The error codes of refused credentials, with the kind of their record. */
const kinds: Partial<Record<ErrorCode, AuditKind>> = {
  "token-required": "token",
  "token-invalid": "token",
  "token-expired": "token",
  "origin-not-allowed": "token",
  "host-refused": "token",
  "code-invalid": "sign-in",
  "terminal-unavailable": "terminal",
};

/** Records refused credentials: the first with a code at once, repeats of it once a minute with their count. */
export function createRefusals(record: (kind: AuditKind, code: ErrorCode, count: number) => void) {
  const { add, close } = collapseRepeats<readonly [AuditKind, ErrorCode]>((one, count = 1) => record(...one, count));
  return {
    add(code: ErrorCode): void {
      const kind = kinds[code];
      if (kind) add(code, [kind, code]);
    },
    close,
  };
}
