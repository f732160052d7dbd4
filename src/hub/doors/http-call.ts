// The plainest door: one POST is one call. `POST /api/call/<tool>`, the arguments as its body.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { CallHandle, CallRequest } from "../../switchboard/index.ts";
import type { Passed } from "../guard/guard.ts";
import { checkJson, readBody } from "../http/body.ts";
import { pathOf } from "../http/respond.ts";
import { limitReading } from "../http/send-parts.ts";
import { createCallers } from "./callers.ts";
import { headerOf, timeOf } from "./call-headers.ts";
import type { Door } from "./door.ts";
import { answerCall } from "./http-answer.ts";
import { createOpenAnswers } from "./open-answers.ts";

/** Agents that come by this door have no session: those of one credential and name are one. */
export interface HttpCallDoor {
  /** How many calls have not been answered to their end. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Hangs up on callers whose credential no longer holds. */
  review(): void;
}

export function createHttpCallDoor(door: Door): HttpCallDoor {
  const { limits } = door;
  const callers = createCallers(door.switchboard, limits.mcpSessions);
  const answers = createOpenAnswers(door.credentials);

  return {
    get open() {
      return answers.passing;
    },
    serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      const { agent, ...aim } = readCall(request);
      let handle: CallHandle | undefined;
      answers.add(response, admitted, (isSent) => (isSent ? handle?.received() : handle?.cut()));
      return readBody(request, limits.frameBytes).then((body) => {
        const given = body.length <= mostText ? body.toString() : body;
        handle = callers.of(admitted, { name: agent }).call(
          { method: "tools/call", arguments: given, refusal: door.refusal(), ...aim },
          {
            ended(outcome) {
              answerCall(response, outcome);
              limitReading(response, limits.requestTime);
            },
          },
        );
        if (response.closed) handle.cut();
      });
    },
    review: answers.review,
  };
}

const prefix = "/api/call/";

/** Small arguments are passed on as text, which takes a third of the time to put into a frame; larger ones are not copied. */
const mostText = 16_384;

interface HttpCall extends Pick<CallRequest, "name" | "tab" | "key" | "left"> {
  readonly agent: string;
}

function readCall(request: IncomingMessage): HttpCall {
  const { headers } = request;
  checkJson(request, "The arguments of a call");
  return {
    agent: (headers["user-agent"] ?? "http").slice(0, 128),
    name: decode(pathOf(request).slice(prefix.length)),
    tab: headerOf(headers, "Pagewire-Tab"),
    key: headerOf(headers, "Idempotency-Key"),
    left: timeOf(headers),
  };
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PagewireError("request-malformed", "The tool's name in the path is not percent-encoded UTF-8.");
  }
}
