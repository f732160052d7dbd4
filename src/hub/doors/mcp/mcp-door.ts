// The door for MCP clients, of every revision, at one address. A plain call takes the fast lane; all else is the SDK's.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server";
import { PagewireError, parseJson } from "../../../wire/index.ts";
import type { Json } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { readBody } from "../../http/body.ts";
import { pathOf } from "../../http/respond.ts";
import type { Door } from "../door.ts";
import { createHolds } from "./holds.ts";
import type { Exchange } from "./lane.ts";
import { createOpenAnswers } from "../open-answers.ts";
import { refusals, respondRpcError } from "./rpc-error.ts";
import { tabOfPath } from "./scope.ts";
import { createSessionLane } from "./session-lane.ts";
import { createStatelessLane } from "./stateless-lane.ts";
import { toWebRequest } from "./web-exchange.ts";

export interface McpDoor {
  /** How many requests have not been answered to their end, without those that are meant to stay open. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Hangs up on clients whose credential no longer holds. */
  review(): void;
  /**
   * To be called when all calls have ended. Answers them, and tells everybody who listens that this is the end; resolves
   * when they were told, or when they take too long.
   */
  close(): Promise<void>;
}

/** How long a stopping hub waits for clients to read that their streams end, in milliseconds. */
const farewellTime = 500;

export function createMcpDoor(door: Door): McpDoor {
  const holds = createHolds(door.limits, door.newId);
  const answers = createOpenAnswers(door.credentials);
  const sessionLane = createSessionLane({ door, holds, answers });
  const statelessLane = createStatelessLane({ door, holds, answers });

  async function serve(request: IncomingMessage, response: ServerResponse, { admitted }: Passed): Promise<void> {
    if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
    const tab = tabOfPath(pathOf(request));
    if (tab !== undefined && !door.switchboard.hasTab(admitted.principal, tab)) {
      throw new PagewireError("tab-not-found", `There is no tab "${tab}".`);
    }
    answers.add(response, admitted);
    const exchange = { request, response, admitted, tab };
    if (request.method !== "POST") return sessionLane.serve(exchange, undefined);
    if (!isJsonContentType(request.headers["content-type"] ?? null)) {
      return respondRpcError(response, refusals.notJsonType);
    }
    const bytes = await readBody(request, door.limits.frameBytes);
    const body = parseJson(bytes.toString(), door.limits.jsonDepth);
    if (body === undefined) return respondRpcError(response, refusals.notJson);
    if (await isServedFast(exchange, body)) return;
    const isOfSessions = await isLegacyRequest(toWebRequest(request, response), body);
    return (isOfSessions ? sessionLane : statelessLane).serve(exchange, body);
  }

  const isServedFast = async (exchange: Exchange, body: Json) =>
    (await statelessLane.serveFast(exchange, body)) || (await sessionLane.serveFast(exchange, body));

  return {
    get open() {
      return answers.passing;
    },
    serve,
    review() {
      answers.review();
      sessionLane.review();
    },
    async close() {
      statelessLane.close();
      // Every call has ended. The answers to them need their sessions.
      await atMost(farewellTime, answers.passingEnded());
      sessionLane.close();
      holds.close();
      await atMost(farewellTime, answers.standingEnded());
    },
  };
}

/** Resolves when this does, or when the time is over. */
function atMost(milliseconds: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
