// The callers of a door whose agents have no connection of their own: equal credential, name and version mean one
// caller.
import type { ServerResponse } from "node:http";
import type { AgentIdentity, AgentSession, Switchboard } from "../../switchboard/index.ts";
import { agentOf, beyondExpiry } from "../identity/admitted.ts";
import type { Admitted } from "../identity/admitted.ts";
import { isGranted } from "../identity/scopes.ts";
import { PagewireError } from "../../wire/index.ts";
import type { Outcome } from "../../wire/index.ts";
import { ScopeNeeded } from "../http/challenge.ts";
import { createTransientSet, onEnd } from "../http/exchange.ts";
import { readBytesOf, ofBusiestPrincipal } from "../backpressure/queue-budget.ts";
import type { Queue } from "../backpressure/queue-budget.ts";
import type { Door } from "./door.ts";

/** The agent's name and version. */
export interface AgentName {
  readonly name: string;
  readonly version?: string | undefined;
}

export interface Callers {
  of(admitted: Admitted, agent: AgentName): AgentSession;
}

interface Known {
  readonly admitted: Admitted;
  readonly agent: AgentName;
  readonly session: AgentSession;
}

export interface CallersOptions extends Pick<AgentIdentity, "revision"> {
  readonly door: string;
  /** Remembers up to a max number. Evicts the least recently used caller of the principal with the most. */
  readonly max: number;
}

export function createCallers(switchboard: Pick<Switchboard, "agent">, options: CallersOptions): Callers {
  const { door, revision, max } = options;
  const sessions = new Map<string, { readonly principal: string; readonly session: AgentSession }>();
  /** The most recently used caller: it needs neither a lookup nor a move to the end. */
  let latest: Known | undefined;

  function find(admitted: Admitted, { name, version }: AgentName): AgentSession {
    const { principal, credential, allowed, scopes } = admitted;
    const identity = JSON.stringify([credential, name, version]);
    const key = `${principal} ${identity} ${allowed || scopes ? JSON.stringify([allowed, scopes]) : ""}`;
    const known = sessions.get(key) ?? {
      principal,
      session: switchboard.agent({ ...agentOf(admitted), identity, name, version, door, revision }),
    };
    sessions.delete(key);
    if (sessions.size >= max) forgetOne();
    sessions.set(key, known);
    return known.session;
  }

  function forgetOne(): void {
    const [oldest] = ofBusiestPrincipal([...sessions], ([, { principal }]) => principal);
    if (!oldest) return;
    const [key, { session }] = oldest;
    sessions.delete(key);
    session.close();
  }

  return {
    of(admitted, agent) {
      const isLatest =
        latest?.admitted.principal === admitted.principal &&
        latest.admitted.credential === admitted.credential &&
        latest.admitted.allowed === admitted.allowed &&
        latest.admitted.scopes === admitted.scopes &&
        latest.agent.name === agent.name &&
        latest.agent.version === agent.version;
      if (!latest || !isLatest) latest = { admitted, agent, session: find(admitted, agent) };
      latest.session.seen();
      return latest.session;
    },
  };
}

/** The header for a call that was refused because its token may not be used for its tool; undefined for other outcomes. */
export function challengeOf(
  { challenge }: Pick<Door, "challenge">,
  { code }: Pick<Outcome, "code">,
  { principal, scopes }: Admitted,
): Readonly<Record<string, string>> | undefined {
  // A page can give this code, too.
  if (code !== "scope-needed" || isGranted(scopes, "tools:destructive")) return undefined;
  return challenge(new ScopeNeeded("tools:destructive", principal));
}

/** The unfinished responses. */
export interface OpenAnswers {
  /** The number of responses that will end by themselves. */
  readonly passing: number;
  /** The number of this principal's responses that stay open until the client disconnects. */
  standingOf(principal: string): number;
  /** Calls `ended` once, with whether the whole response was sent. */
  add(response: ServerResponse, admitted: Admitted, ended?: (isSent: boolean) => void): void;
  /** Must be called after a write to one of them. */
  unread(response: ServerResponse): void;
  /** Marks a response that is meant to stay open, until its client's token expires. Throws for a token that has, and for one too many. */
  stand(response: ServerResponse): void;
  /** Resolve when all responses of the two kinds have ended. */
  passingEnded(): Promise<void>;
  standingEnded(): Promise<void>;
  /** Disconnects all clients whose credential was revoked. */
  review(): void;
}

interface OpenAnswer {
  readonly response: ServerResponse;
  readonly admitted: Admitted;
}

/** A client that reads has less unread than this, and is not checked further. */
const mostUnread = 65_536;

type Parts = Pick<Door, "credentials" | "queues" | "enterShare">;

export function createOpenAnswers({ credentials, queues, enterShare }: Parts): OpenAnswers {
  const open = createTransientSet<OpenAnswer>();
  const queueOf = new Map<ServerResponse, Queue>();
  const standing = new Map<ServerResponse, Admitted>();

  function beginQueue(response: ServerResponse, { principal, allowed }: Admitted): Queue {
    const queue: Queue = {
      get bytes() {
        return response.writableLength;
      },
      get read() {
        return readBytesOf(response.socket);
      },
      principal,
      max: allowed?.queuedBytesPerPrincipal,
      cut: () => response.destroy(),
    };
    queueOf.set(response, queue);
    onEnd(response, () => {
      queueOf.delete(response);
      queues.left(queue);
    });
    return queue;
  }

  return {
    get passing() {
      return open.size - standing.size;
    },
    standingOf(principal) {
      let count = 0;
      for (const admitted of standing.values()) if (admitted.principal === principal) count++;
      return count;
    },
    add(response, admitted, ended) {
      const leave = open.add({ response, admitted });
      // The client may have disconnected while its credential was checked.
      onEnd(response, (isSent) => {
        leave();
        ended?.(isSent);
      });
    },
    unread(response) {
      if (response.writableLength <= mostUnread || response.destroyed) return;
      const { admitted } = open.items().find((one) => one.response === response) ?? {};
      if (!admitted) return;
      const queue = queueOf.get(response) ?? beginQueue(response, admitted);
      queues.grew(queue);
    },
    stand(response) {
      const { admitted } = open.items().find((one) => one.response === response) ?? {};
      if (!admitted) return;
      const { expiresAt } = admitted;
      // For a single request it may be good a little longer. The client would come back with it again and again.
      if (expiresAt !== undefined && expiresAt <= Date.now())
        throw new PagewireError("token-expired", "The token has expired. Get a new one.");
      const leaveShare = enterShare?.(admitted.principal, "streams");
      standing.set(response, admitted);
      onEnd(response, () => {
        leaveShare?.();
        standing.delete(response);
      });
      if (expiresAt === undefined) return;
      const timer = setTimeout(() => response.destroy(), Math.min(expiresAt - Date.now(), 2 ** 31 - 1));
      onEnd(response, () => clearTimeout(timer));
    },
    passingEnded: () => allEnded(open.items().flatMap(({ response }) => (standing.has(response) ? [] : [response]))),
    standingEnded: () => allEnded([...standing.keys()]),
    review() {
      for (const { response, admitted } of open.items()) {
        // At its expiry a standing response ends by its timer, and any other by itself.
        if (!credentials.isStillGood(beyondExpiry(admitted))) response.destroy();
      }
    },
  };
}

async function allEnded(responses: readonly ServerResponse[]): Promise<void> {
  await Promise.all(responses.map((response) => new Promise<void>((resolve) => void onEnd(response, () => resolve()))));
}
