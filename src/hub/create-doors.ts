// The doors of a hub for calls, models and its own pages. Those for terminal views are mounted once the hub has its address.
import type { IncomingMessage } from "node:http";
import { createConsents } from "./approvals/consents.ts";
import type { Pins } from "./approvals/pins.ts";
import { createOpenAnswers } from "./doors/callers.ts";
import { createCoreDoor } from "./doors/core/core-door.ts";
import { createModelLists } from "./doors/core/model-list.ts";
import { sameForAll } from "./doors/core/model-source.ts";
import { createDelegateDoor } from "./doors/delegate/delegate-door.ts";
import { createTerminalsDoor } from "./doors/delegate/terminals-door.ts";
import type { Door } from "./doors/door.ts";
import { createHttpCallDoor } from "./doors/http-call.ts";
import { createMcpDoor } from "./doors/mcp/mcp-door.ts";
import { createModelDoor } from "./doors/model/model-door.ts";
import { createOwnDoor, describeHub } from "./doors/own/own-door.ts";
import { FindCalls } from "./doors/read/find-calls.ts";
import { createReadDoor } from "./doors/read/read-door.ts";
import { createRulesDoor } from "./doors/rules/rules-door.ts";
import { createWaitsDoor } from "./doors/waits/waits-door.ts";
import { createWindowDoor } from "./doors/window/window-door.ts";
import type { Credentials, Resting } from "./guard/credentials.ts";
import { isByLoopbackName } from "./guard/guard.ts";
import { parentOrigins } from "./http/content-policy.ts";
import type { ResolvedOptions } from "./options/options.ts";
import { withLoggedErrors } from "./options/with-logged-errors.ts";
import type { KeptPolicy } from "./reload/keep-policy.ts";
import type { HubClock } from "./serving/hub-clock.ts";
import type { Later, Store } from "./store/index.ts";
import type { Team } from "./team/team.ts";
import type { createTeamDoor } from "./doors/team/team-door.ts";

export interface DoorsOptions {
  readonly options: ResolvedOptions;
  readonly team: (Team & { readonly createDoor: typeof createTeamDoor }) | undefined;
  readonly store: Store;
  readonly later: Later;
  readonly clock: HubClock;
  readonly credentials: Credentials & Resting;
  readonly pins: Pins;
  readonly policy: KeptPolicy;
  /** Applies what has changed in the state. */
  readonly reviewState: () => void;
  readonly hubsKey: (() => string) | undefined;
  /** The demo's address, if it is served. */
  readonly demoUrl: string | undefined;
}

export function createDoors(door: Door, parts: DoorsOptions) {
  const { options, store, later, clock, credentials, pins, policy, demoUrl } = parts;
  const { allowedOrigins, settings } = options;
  const ai = options.ai && withLoggedErrors(options.ai, door.note);
  const { switchboard, limits, metrics, audit } = door;
  const { terminals, browsers } = credentials;
  const parents = () => parentOrigins(allowedOrigins());
  // The demo is served under loopback names only.
  const demo = (request: IncomingMessage) => (isByLoopbackName(request) ? demoUrl : undefined);
  const about = (request: IncomingMessage) => describeHub({ options, parents: parents(), demo: demo(request) });
  const httpCalls = createHttpCallDoor(door);
  const mcp = createMcpDoor(door, store, parts.hubsKey);
  const delegate = createDelegateDoor(door, { terminals, clock });
  const makeTerminals = createTerminalsDoor({ terminals, switchboard, limits });
  const windows = createWindowDoor(door, { clock, pins, allowedOrigins });
  const consents = createConsents({
    ...{ store, later, limits, now: Date.now, record: audit.record, onOver: metrics.overBudget },
    onNotSaved: () => metrics.notSaved("consent"),
  });
  const hasVisitors = !options.jwt;
  const models = parts.team?.models ?? sameForAll(ai);
  const listOf = createModelLists(Date.now);
  const core = createCoreDoor(door, {
    ...{ listOf, store, later, windows, consents, hasVisitors, quotas: parts.team?.quotas },
    models: ai || parts.team ? models : undefined,
    now: Date.now,
  });
  const signIn = parts.team?.signIn.createDoor(credentials.appSessions);
  const signOut = parts.team?.signIn.signOut;
  const own = createOwnDoor({ ...credentials, store, limits, consents, pins, about, models, signOut });
  const read = createReadDoor(door, { options, store, terminals, browsers, about, hubsKey: parts.hubsKey });
  const waits = createWaitsDoor(door, door.waits);
  const { record } = audit;
  const rules = createRulesDoor({
    ...{ options, limits, policy, record, organisations: parts.team?.organisations },
    review: parts.reviewState,
  });
  const model = createModelDoor({ ai, models, settings, limits, record, listOf, test: core.test, left: core.left });
  const team = parts.team?.createDoor({
    ...{ ...credentials, team: parts.team, limits, metrics, record, allowedOrigins },
    ...{ note: door.note, answers: createOpenAnswers(door) },
    ...{ policy: policy.calls, pins, consents, tokensLeft: core.left },
    calls: new FindCalls(store, options, parts.hubsKey),
  });
  const answering = [httpCalls, mcp, delegate, core, read, waits];
  return {
    ...{
      door,
      httpCalls,
      mcp,
      delegate,
      makeTerminals,
      windows,
      core,
      own,
      signIn,
      read,
      rules,
      model,
      waits,
      team,
      parents,
      demo,
    },
    /** Whether an answer is being sent, perhaps to a slow caller of a call that has ended. */
    isAnswering: () => answering.some(({ open }) => open > 0),
    /** Ends what a credential that is no longer valid has begun. */
    review() {
      httpCalls.review();
      mcp.review();
      delegate.review();
      read.review();
      waits.review();
      team?.review();
    },
  };
}
