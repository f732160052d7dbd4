// Handles each request: checks the host, finds the route, passes the guard, and calls the route's door.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { OwnDoor } from "../doors/own/own-door.ts";
import type { ModelDoor } from "../doors/model/model-door.ts";
import type { ReadDoor } from "../doors/read/read-door.ts";
import type { RulesDoor } from "../doors/rules/rules-door.ts";
import type { TeamDoor } from "../doors/team/team-door.ts";
import type { WaitsDoor } from "../doors/waits/waits-door.ts";
import type { DelegateDoor } from "../doors/delegate/delegate-door.ts";
import type { TerminalsDoor } from "../doors/delegate/terminals-door.ts";
import { createShellRequests } from "../doors/shell/shell-requests.ts";
import type { HttpCallDoor } from "../doors/http-call.ts";
import type { McpDoor } from "../doors/mcp/mcp-door.ts";
import { noteRefusedPage } from "../guard/guard.ts";
import type { Passed } from "../guard/guard.ts";
import type { HubProofs } from "../identity/hub-proofs.ts";
import { respondError, respondText } from "../http/respond.ts";
import type { TextAnswer } from "../http/respond.ts";
import { pathOf } from "../http/exchange.ts";
import type { StaticFiles } from "../http/static-files.ts";
import { findRoute, isDelegatePath } from "../http/routes.ts";
import type { ServedByRequest } from "../http/routes.ts";
import type { KeptPolicy } from "../reload/keep-policy.ts";
import { reasonWords } from "../store/index.ts";
import type { Store, StoreHealth } from "../store/index.ts";
import type { KnownRequest } from "../common/report.ts";
import { serveUpgrades } from "./upgrades.ts";
import type { UpgradeOptions } from "./upgrades.ts";

export interface ServeOptions extends UpgradeOptions {
  readonly proofs: HubProofs;
  readonly store: Pick<Store, "health">;
  readonly httpCalls: HttpCallDoor;
  readonly mcp: McpDoor;
  readonly delegate: DelegateDoor;
  readonly makeTerminals: TerminalsDoor;
  readonly own: OwnDoor;
  /** In team mode. */
  /** Of team mode. */
  readonly signIn: { readonly serve: Answer } | undefined;
  readonly read: ReadDoor;
  readonly rules: RulesDoor;
  readonly model: ModelDoor;
  readonly waits: WaitsDoor;
  /** Undefined in other modes than team mode. */
  readonly team: TeamDoor | undefined;
  readonly files: StaticFiles;
  /** The origins whose pages may currently open the agent's window. */
  readonly parents: () => readonly string[];
  /** The demo's address for this client, if it is served. */
  readonly demo: (request: IncomingMessage) => string | undefined;
  readonly policy: Pick<KeptPolicy, "problem">;
  /** The hub's metadata as a protected resource; undefined in other modes than that of a team. */
  readonly describeResource: ((request: IncomingMessage) => JsonObject) | undefined;
  /** The server of `metricsPort`. */
  readonly monitor: Server | undefined;
}

type Answer = (request: IncomingMessage, response: ServerResponse, passed: Passed) => void | Promise<void>;

const monitored: readonly ServedByRequest[] = ["health", "readiness", "metrics"];

/** Serves the hub's health and numbers to a network that only its operator reaches: for any host, and without a token. */
function serveMonitor(server: Server, answers: Record<ServedByRequest, Answer>): void {
  server.removeAllListeners("request").on("request", (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { serves, path } = findRoute(request);
      if (!monitored.includes(serves)) throw new PagewireError("route-not-found", `${path} is at the hub's own port.`);
      void answers[serves](request, response, { origin: undefined });
    } catch (error) {
      respondError(response, error);
    }
  });
}

export function serve(server: Server, options: ServeOptions): void {
  const { guard, report, delegate, monitor } = options;
  const answers = answersOf(options);
  if (monitor) serveMonitor(monitor, answers);

  /** Programs that were written for another bridge read errors in its form. */
  function respondFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const isOurHost = !PagewireError.isInstance(error) || error.code !== "host-refused";
    if (isOurHost && isDelegatePath(pathOf(request))) return delegate.refuse(response, error);
    respondError(response, error, options.door.challenge);
  }

  server.removeAllListeners("request").on("request", (request, response) => {
    const about: KnownRequest = { request };
    // The client's next connection may reach another hub.
    if (options.isStopping()) response.shouldKeepAlive = false;
    const fail = (error: unknown) => {
      report(error, about);
      respondFailure(request, response, error);
    };
    try {
      guard.checkHost(request);
      const route = findRoute(request);
      about.route = route.path;
      const answer = (found: Passed) => {
        about.admitted = found.admitted;
        return answers[route.serves](request, response, found);
      };
      const passed = guard.pass(request, route);
      // A promise only if something has to be awaited.
      const answered = passed instanceof Promise ? passed.then(answer) : answer(passed);
      answered?.catch(fail);
    } catch (error) {
      fail(error);
    }
  });
  serveUpgrades(server, options);
  server.on("clientError", (_, socket) => socket.destroy());
}

function answersOf(options: ServeOptions): Record<ServedByRequest, Answer> {
  const { door, files, httpCalls, mcp, core, own, signIn, windows, parents, demo, isStopping, shells } = options;
  const { delegate, makeTerminals, read, rules, model, waits, store, proofs, policy, describeResource } = options;
  const { credentials, metrics, switchboard } = door;
  return {
    files: (request, response) =>
      files.serve(request, response, {
        parents,
        demo: demo(request),
        hasTerminals: shells.isOn,
        mayImport(origin) {
          if (!credentials.isHopeless(origin)) return true;
          noteRefusedPage(door, "origin-not-allowed", origin);
          return false;
        },
      }),
    health: (_, response) => respondText(response, { text: "ok\n" }),
    readiness: (request, response) =>
      respondText(
        response,
        readiness(request, {
          isStopping: isStopping(),
          health: store.health(),
          isPolicyRefused: policy.problem !== "",
        }),
      ),
    metrics: (_, response) =>
      respondText(response, {
        text: metrics.text({
          ...switchboard.counts(),
          conversations: core.conversations,
          answers: core.open,
          isStoreOk: store.health().isOk,
          cluster: door.cluster?.counts(),
        }),
        type: "text/plain; version=0.0.4",
      }),
    proof: async (request, response) =>
      respondText(response, { text: JSON.stringify(await proofs.answer(request)), type: "application/json" }),
    resource(request, response) {
      if (!describeResource) throw new PagewireError("route-not-found", `There is nothing at ${pathOf(request)}.`);
      respondText(response, { text: JSON.stringify(describeResource(request)), type: "application/json" });
    },
    call: httpCalls.serve,
    own: own.serve,
    "sign-in": signIn?.serve ?? noTeam,
    read: read.serve,
    rules: rules.serve,
    model: model.serve,
    waits: waits.serve,
    team: options.team?.serve ?? noTeam,
    "window-tools": windows.serveTools,
    mcp: mcp.serve,
    delegate: delegate.serve,
    terminals: makeTerminals.serve,
    shells: createShellRequests(shells).serve,
  };
}

function noTeam(): never {
  throw new PagewireError("route-not-found", "There are people and organisations at a hub in team mode only.");
}

interface HubStanding {
  readonly isStopping: boolean;
  readonly health: StoreHealth;
  readonly isPolicyRefused: boolean;
}

/**
 * Whether calls are accepted. A hub that cannot save still accepts them, and adds a line about it; with `?store` it
 * then counts as not ready. A hub with an invalid policy file continues with the previous policy.
 */
function readiness(
  request: IncomingMessage,
  { isStopping, health: { isOk, reason }, isPolicyRefused }: HubStanding,
): TextAnswer {
  if (isStopping) return { text: "stopping\n", status: 503 };
  const unsaved = isOk ? "" : `nothing can be saved${reasonWords(reason)}\n`;
  const policy = isPolicyRefused ? "the policy file cannot be used: the policy before it holds\n" : "";
  const needsStore = !isOk && new URL(request.url ?? "/", "http://hub").searchParams.has("store");
  const answer = { text: `${needsStore ? "not ready" : "ready"}\n${unsaved}${policy}` };
  return needsStore ? { ...answer, status: 503 } : answer;
}
