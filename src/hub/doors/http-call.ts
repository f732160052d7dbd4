// The plainest door: one POST is one call. `POST /api/call/<tool>`, the arguments as its body.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { CallRequest } from "../../switchboard/index.ts";
import type { Passed } from "../guard/guard.ts";
import { checkJson, readBody } from "../http/body.ts";
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
  const callers = createCallers(door.switchboard, door.limits.mcpSessions);
  const answers = createOpenAnswers(door.credentials);

  return {
    get open() {
      return answers.passing;
    },
    async serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      const call = readCall(request);
      answers.add(response, admitted);
      const body = await readBody(request, door.limits.frameBytes);
      const session = callers.of(admitted, { name: call.agent });
      await new Promise<void>((resolve) => {
        const handle = session.call(
          {
            method: "tools/call",
            arguments: body.length <= mostText ? body.toString() : body,
            refusal: door.refusal(),
            ...call.aim,
          },
          {
            ended(outcome) {
              answerCall(response, outcome);
              resolve();
            },
          },
        );
        response.on("close", () => {
          // After a reset Node calls an answer finished that nobody read.
          if (request.socket.errored || !response.writableFinished) handle.cut();
          else handle.received();
          resolve();
        });
      });
      limitReading(response, door.limits.requestTime);
    },
    review: answers.review,
  };
}

const prefix = "/api/call/";

/** Small arguments are passed on as text, which takes a third of the time to put into a frame; larger ones are not copied. */
const mostText = 16_384;

interface HttpCall {
  readonly agent: string;
  readonly aim: Pick<CallRequest, "name" | "tab" | "key" | "left">;
}

function readCall({ url = "", headers }: IncomingMessage): HttpCall {
  checkJson({ headers }, "The arguments of a call");
  const path = url.split("?", 1)[0] ?? "";
  const name = decode(path.slice(prefix.length));
  const tab = headerOf(headers, "Pagewire-Tab");
  const key = headerOf(headers, "Idempotency-Key");
  return {
    agent: (headers["user-agent"] ?? "http").slice(0, 128),
    aim: { name, tab, key, left: timeOf(headers) },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PagewireError("request-malformed", "The tool's name in the path is not percent-encoded UTF-8.");
  }
}
