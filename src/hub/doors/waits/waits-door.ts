// The inbox over HTTP: what waits for the user, as a list and as a stream, and the user's answers. Agents may look; only the
// user in person answers.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, isJsonObject, parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { checkJson, onEnd, pathOf, readBody, sendParts } from "../../http/exchange.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { shortened } from "../../waits/shorten.ts";
import type { OpenWait, WaitAnswer, Waits } from "../../waits/wait.ts";
import { createOpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import { openEventStream } from "../event-stream.ts";

export interface WaitsDoor {
  /** The number of unfinished answers, not counting streams. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Disconnects clients whose credential is no longer valid. */
  review(): void;
}

const prefix = "/api/waits/";
/** Changes of this many milliseconds are one event. */
const gatherTime = 50;

export function createWaitsDoor(door: Door, waits: Waits): WaitsDoor {
  const { limits, metrics, note, cluster } = door;
  const answers = createOpenAnswers(door);

  async function listFor({ principal, ...admitted }: Admitted): Promise<string> {
    const inPerson = admitted.inPerson === true;
    const { waits: all, ...rest } = await waits.list(principal);
    return JSON.stringify({
      waits: all.map((wait) => shortened(shownTo(wait, inPerson))),
      ...rest,
      mayAnswer: inPerson,
    });
  }

  async function one({ principal, inPerson }: Admitted, id: string): Promise<string> {
    const wait = await waits.find(principal, id);
    if (wait) return JSON.stringify(shownTo(wait, inPerson === true));
    throw new PagewireError("route-not-found", "Nothing waits for you by this id. It may have been answered.");
  }

  async function answer(request: IncomingMessage, admitted: Admitted, id: string): Promise<string> {
    const { principal, inPerson, session } = admitted;
    if (!inPerson) throw new PagewireError("option-refused", session === undefined ? notByAgents : notByThisSignIn);
    const given = await readAnswer(request, limits);
    await waits.answer(principal, { id, answer: given, by: session === undefined ? "command" : "console" });
    return JSON.stringify({ id, answer: given.allow ? "allow" : "refuse" });
  }

  function follow(request: IncomingMessage, response: ServerResponse, admitted: Admitted): void {
    const { principal, allowed } = admitted;
    const { mcpStreamsPerPrincipal: max } = { ...limits, ...allowed };
    if (answers.standingOf(principal) >= max) {
      metrics.overBudget("mcpStreamsPerPrincipal");
      const message = `${max} streams of one user are open already (limit mcpStreamsPerPrincipal). End some of them.`;
      throw new PagewireError("requests-too-many", message);
    }
    const onSlow = () => {
      metrics.refused("too-slow");
      note("warn", "request-refused", { code: "too-slow" });
    };
    answers.stand(response);
    const stream = openEventStream(response, { limits, onSlow, onUnread: answers.unread });
    if (request.method === "HEAD") return stream.end();
    let timer: NodeJS.Timeout | undefined;
    let isListing = false;
    const send = async () => {
      timer = undefined;
      // A slow reader gets the newest list, and none in between; of two lists of many hubs the later might come first.
      if (stream.unread > 0 || isListing) return later();
      isListing = true;
      stream.send(await listFor(admitted).finally(() => (isListing = false)));
    };
    const later = () => {
      timer ??= setTimeout(() => void send(), gatherTime);
    };
    const leave = waits.watch(principal, later);
    onEnd(response, () => {
      leave();
      clearTimeout(timer);
    });
    void send();
  }

  return {
    get open() {
      return answers.passing;
    },
    async serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      const id = pathOf(request).slice(prefix.length);
      const hub = cluster?.others.hubOf(id);
      if (hub !== undefined && cluster?.others.has(hub)) return cluster.others.pass(hub, { request, response });
      answers.add(response, admitted);
      if (id === "stream") return follow(request, response, admitted);
      const isAnswer = request.method === "POST";
      const text = isAnswer ? await answer(request, admitted, id) : await (id ? one(admitted, id) : listFor(admitted));
      if (!response.destroyed) sendParts(response, { status: 200, parts: [text] });
    },
    review: answers.review,
  };
}

const notByAgents = "Agents may not answer for their user. Answer in the console, or with: npx pagewire waits";
const notByThisSignIn =
  "This sign-in may look and not answer: it was made with the agents' token. Sign in again with: npx pagewire open";

function shownTo(wait: OpenWait, inPerson: boolean): OpenWait {
  return wait.isSecret && !inPerson ? { ...wait, arguments: undefined } : wait;
}

async function readAnswer(request: IncomingMessage, { frameBytes, jsonDepth }: Limits): Promise<WaitAnswer> {
  checkJson(request, "The answer");
  const body = await readBody(request, Math.min(frameBytes, maxAnswer), { limit: "frameBytes" });
  const { answer, scope, content, ...rest } = parseJsonObject(body.toString(), jsonDepth) ?? {};
  const isScope = scope === undefined || scope === "session" || scope === "always";
  const isContent = content === undefined || (isJsonObject(content) && answer === "allow");
  const isKnown = answer === "allow" || answer === "refuse";
  if (isKnown && isScope && isContent && Object.keys(rest).length === 0)
    return { allow: answer === "allow", scope, content };
  throw new PagewireError("request-malformed", form);
}

/** Max bytes of an answer. */
const maxAnswer = 256 * 1024;

const form =
  'The body must be a JSON object: { "answer": "allow" } or "refuse", perhaps with "scope": "session" or "always", and for a tool\'s question with "content", the fields of the answer.';
