// The read API: what the hub knows of a principal's tabs, agents and calls, for the console and for programs; and a tab's
// end and return.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { addressIn, limitReading, pathOf, sendParts } from "../../http/exchange.ts";
import { respondNothing } from "../../http/respond.ts";
import type { ResolvedOptions } from "../../options/options.ts";
import type { Store } from "../../store/index.ts";
import type { Browsers } from "../../guard/browsers.ts";
import type { Terminals } from "../../terminals/terminals.ts";
import { createOpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import type { HubFacts } from "../own/own-door.ts";
import { allAgents, allHubs, answerOtherHubs } from "./all-hubs.ts";
import { changeTab } from "./change-tab.ts";
import { createCallStreams } from "./call-streams.ts";
import { describeStatus } from "./describe-status.ts";
import { FindCalls } from "./find-calls.ts";
import { listTabs } from "./list-tabs.ts";
import { readFilters } from "./read-filters.ts";

export interface ReadDoor {
  /** The number of unfinished answers, not counting streams. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Disconnects clients whose credential is no longer valid. */
  review(): void;
}

export interface ReadDoorOptions {
  readonly options: ResolvedOptions;
  readonly store: Pick<Store, "audit" | "health">;
  readonly terminals: Pick<Terminals, "list">;
  readonly browsers: Pick<Browsers, "list">;
  readonly hubsKey: (() => string) | undefined;
  readonly about: (request: IncomingMessage) => HubFacts;
}

const prefix = "/api/";
const callPrefix = "/api/calls/";

export function createReadDoor(door: Door, parts: ReadDoorOptions): ReadDoor {
  const { options, store, terminals, browsers, about, hubsKey } = parts;
  const { limits, switchboard } = door;
  const startedAt = new Date().toISOString();
  const answers = createOpenAnswers(door);
  const streams = createCallStreams(door, answers);
  const calls = new FindCalls(store, options, hubsKey);
  answerOtherHubs(door);

  async function answerTo(request: IncomingMessage, response: ServerResponse, { admitted }: Passed): Promise<string> {
    if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
    answers.add(response, admitted);
    const path = pathOf(request);
    const { principal } = admitted;
    const isOpen = () => !response.destroyed;
    if (path === `${callPrefix}summary`) return JSON.stringify(await calls.summary(principal, request, isOpen));
    if (path.startsWith(callPrefix)) {
      readFilters(request, []);
      return JSON.stringify(await calls.one(principal, path.slice(callPrefix.length)));
    }
    switch (path.slice(prefix.length)) {
      case "tabs":
        return listTabs(door, admitted, readFilters(request, ["limit", "cursor", "search"]));
      case "agents":
        readFilters(request, []);
        return JSON.stringify({ agents: await allAgents(door, principal) });
      case "clients":
        readFilters(request, []);
        // Others have no use for a command that starts a program on the hub's machine.
        return JSON.stringify({ mcp: `${addressIn(request)}/mcp`, clients: options.jwt ? [] : options.clients() });
      case "calls":
        return JSON.stringify(await calls.page(principal, request, isOpen));
      default:
        readFilters(request, []);
        return JSON.stringify(
          await describeStatus(admitted, {
            ...{ limits, options, startedAt, terminals, browsers },
            about: about(request),
            overview: switchboard.overview(principal),
            hubs: await allHubs(door, principal),
            isStoreOk: store.health().isOk,
          }),
        );
    }
  }

  return {
    get open() {
      return answers.passing;
    },
    async serve(request, response, passed) {
      if (request.method === "POST") {
        if (!passed.admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
        changeTab(request, passed.admitted, door);
        return respondNothing(response);
      }
      if (pathOf(request) === `${callPrefix}stream`) return streams.serve(request, response, passed);
      const text = await answerTo(request, response, passed);
      if (response.destroyed) return;
      sendParts(response, { status: 200, parts: [text] });
      answers.unread(response);
      limitReading(response, limits.requestTime);
    },
    review: answers.review,
  };
}
