// Clients of the revisions before 2026-07-28: each has a session, with a server of its own and an id to find it by.
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Server } from "@modelcontextprotocol/server";
import { systemClock } from "../../../link/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import type { AskMethod } from "../../../wire/index.ts";
import type { Admitted } from "../../guard/admitted.ts";
import type { AgentName } from "../callers.ts";
import { ofBusiestPrincipal } from "../of-busiest-principal.ts";
import { createRoster } from "../../roster.ts";
import type { Roster } from "../../roster.ts";
import type { Door } from "../door.ts";
import { createServer } from "./create-server.ts";
import { createEventStore } from "./event-store.ts";
import type { Holds } from "./holds.ts";
import { instructionsFor } from "./instructions.ts";
import { noteFailures } from "./note-failures.ts";
import { asksOf } from "./request.ts";
import type { RunningCall } from "./running-call.ts";
import { subscribeToUpdates } from "./subscriptions.ts";
import { watchOffer } from "./watch-offer.ts";
import type { ListKind } from "./watch-offer.ts";

export interface McpSession {
  /** Whose it is, as they were admitted last. */
  admitted: Admitted;
  readonly tab: string | undefined;
  readonly agent: AgentSession;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Calls of the fast lane, each with the JSON of its request's id. */
  readonly calls: Roster<{ readonly id: string; readonly call: RunningCall }>;
  /** The revision that was agreed on, once it was. */
  version(): string | undefined;
  /** What its client can be asked. */
  asks(): readonly AskMethod[];
  /** Whether its revision still had several messages in one. */
  takesBatches(): boolean;
  /** Whether no request of its client is being answered. */
  isIdle(): boolean;
  /** To be called with every request; the returned function when it was answered. */
  use(): () => void;
  /** A session whose beginning failed is nobody's. */
  closeUnlessInitialized(): void;
  close(): void;
}

export interface Opening {
  readonly admitted: Admitted;
  readonly tab: string | undefined;
  readonly client: AgentName;
}

export interface Sessions {
  /** A new session, known by an id once its client is initialized. */
  open(opening: Opening): Promise<McpSession>;
  /** The session with this id, if it was opened with this credential and at this address. */
  find(id: string, admitted: Admitted, tab: string | undefined): McpSession | undefined;
  /** Closes those whose credential no longer holds, and with them their calls. */
  review(): void;
  close(): void;
}

export function createSessions(door: Door, holds: Holds): Sessions {
  const { limits, switchboard } = door;
  const sessions = new Map<string, McpSession>();
  const onUntold = noteFailures(door.note, "notification");
  let lastUsed: McpSession | undefined;
  let isClosed = false;

  async function open({ admitted, tab, client }: Opening): Promise<McpSession> {
    const id = crypto.randomUUID();
    const { principal, credential } = admitted;
    const identity = JSON.stringify([credential, client.name, client.version, id]);
    const agent = switchboard.agent({ principal, identity, ...client });
    const server = createServer({ door, holds, agent, tab, hasSession: true }, instructionsFor(agent.tabs(), tab));
    const events = createEventStore({ limits, clock: systemClock, newId: () => crypto.randomUUID() });
    const stops = [
      events.close,
      subscribeToUpdates(server, { agent, tab, most: limits.mcpSubscriptions, onError: onUntold }),
      watchOffer(agent, tab, (list) => void tellOf[list](server).catch(onUntold)),
    ];
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => remember(id, session),
      onsessionclosed: () => session.close(),
      eventStore: events,
      maxRequestBodySize: limits.frameBytes,
    });
    const session = makeSession({ admitted, tab, agent, server, transport }, () => {
      sessions.delete(id);
      for (const stop of stops) stop();
    });
    await server.connect(transport);
    return session;
  }

  function remember(id: string, session: McpSession): void {
    sessions.set(id, session);
    // Somebody may come while a stopping hub says good-bye.
    if (isClosed) session.close();
    if (sessions.size > limits.mcpSessions) leastUsed()?.close();
  }

  /** One that is in use only where all are. */
  function leastUsed(): McpSession | undefined {
    const most = ofBusiestPrincipal([...sessions.values()], ({ admitted }) => admitted.principal);
    return most.find((session) => session.isIdle()) ?? most[0];
  }

  function makeSession(
    parts: Pick<McpSession, "admitted" | "tab" | "agent" | "server" | "transport">,
    forget: () => void,
  ): McpSession {
    let uses = 0;
    let isClosed = false;
    let idle: ReturnType<typeof setTimeout> | undefined;
    const calls: McpSession["calls"] = createRoster();
    return {
      ...parts,
      calls,
      isIdle: () => uses === 0,
      version: () => parts.server.getNegotiatedProtocolVersion(),
      asks: () => asksOf(parts.server.getClientCapabilities()),
      takesBatches: () => (parts.server.getNegotiatedProtocolVersion() ?? "") < batchesEnd,
      closeUnlessInitialized() {
        if (parts.transport.sessionId === undefined) this.close();
      },
      use() {
        uses++;
        clearTimeout(idle);
        return () => {
          if (--uses === 0 && !isClosed) idle = setTimeout(() => this.close(), limits.mcpSessionTime);
        };
      },
      close() {
        isClosed = true;
        clearTimeout(idle);
        forget();
        for (const { call } of calls.items()) call.cancel("The client's session ended.");
        void parts.server.close();
        parts.agent.close();
      },
    };
  }

  return {
    open,
    find(id, admitted, tab) {
      const { principal, credential } = admitted;
      const session = sessions.get(id);
      if (session?.tab !== tab || session?.admitted.principal !== principal) return undefined;
      if (session.admitted.credential !== credential) return undefined;
      session.admitted = admitted;
      // The one that was not used for longest is the first to go.
      if (session !== lastUsed) {
        sessions.delete(id);
        sessions.set(id, session);
      }
      lastUsed = session;
      return session;
    },
    review() {
      for (const session of sessions.values()) if (!door.credentials.isStillGood(session.admitted)) session.close();
    },
    close() {
      isClosed = true;
      for (const session of sessions.values()) session.close();
    },
  };
}

/** The first revision without batches. */
const batchesEnd = "2025-06-18";

const tellOf: Readonly<Record<ListKind, (server: Server) => Promise<void>>> = {
  tools: (server) => server.sendToolListChanged(),
  prompts: (server) => server.sendPromptListChanged(),
  resources: (server) => server.sendResourceListChanged(),
};
