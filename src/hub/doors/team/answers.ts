// The common parts of this door's files.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { CallPolicy } from "../../../policy/index.ts";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import type { Consents } from "../../approvals/consents.ts";
import type { Pins } from "../../approvals/pins.ts";
import type { Audit } from "../../audit/audit.ts";
import type { TokensLeft } from "../../common/token-limit.ts";
import type { AppSessions } from "../../guard/app-sessions.ts";
import type { Note } from "../../common/log.ts";
import type { Metrics } from "../../common/metrics.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { OpenAnswers } from "../callers.ts";
import type { FindCalls } from "../read/find-calls.ts";
import type { Team } from "../../team/team.ts";

export interface TeamDoorOptions {
  readonly pins: Pick<Pins, "list" | "accept" | "remove">;
  readonly consents: Pick<Consents, "list" | "remove">;
  readonly calls: Pick<FindCalls, "ofAll" | "page" | "follow">;
  readonly team: Team;
  readonly appSessions: Pick<AppSessions, "good" | "remove">;
  readonly policy: Pick<CallPolicy, "judge">;
  readonly limits: Limits;
  readonly metrics: Pick<Metrics, "refused">;
  readonly note: Note;
  readonly answers: OpenAnswers;
  readonly tokensLeft: (principal: string) => Promise<readonly TokensLeft[]>;
  readonly record: Audit["record"];
  /** The origins of the company's apps. */
  readonly allowedOrigins: () => readonly string[];
}

export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  /** The admin's organisation. */
  readonly organisation: string;
  /** The path after the name of the part, decoded. */
  readonly rest: string;
  /** The body, a JSON object. `most` bytes are accepted, by default the limit `headerBytes`. */
  body(most?: number): Promise<JsonObject>;
}

/** By method and part, with a trailing "/" where the path names one thing. Resolves with the JSON answer; undefined for an empty success. */
export type Answers = Readonly<Record<string, (asked: Asked) => object | undefined | Promise<object | undefined>>>;

export function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
