// The HTTP API by which admins govern their organisation, and its people see what they are. Each file here answers for one part.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, commandLineClient, commandLineClientPath, parseJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { checkJson, pathOf, readBody } from "../../http/exchange.ts";
import { respondNothing, respondText } from "../../http/respond.ts";
import { organisationOf } from "../../common/principals.ts";
import { malformed } from "./answers.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";
import { createAuditStream } from "./audit-stream.ts";
import { budgetAnswers } from "./budgets.ts";
import { callAnswers } from "./calls.ts";
import { keyAnswers } from "./keys.ts";
import { describeMe } from "./me.ts";
import { modelAnswers } from "./model.ts";
import { createPageTokens, pageTokensPath } from "./page-tokens.ts";
import { peopleAnswers } from "./people.ts";
import { quotaAnswers } from "./quotas.ts";
import { pinAnswers } from "./pins.ts";
import { policyAnswers } from "./policy.ts";
import { serviceAnswers } from "./services.ts";
import { sessionAnswers } from "./sessions.ts";

export interface TeamDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Disconnects clients whose credential is no longer valid. */
  review(): void;
}

const prefix = /^\/api\/(?:team\/)?/;
const maxDepth = 8;

export function createTeamDoor(options: TeamDoorOptions): TeamDoor {
  const answers: Answers = {
    "GET me": ({ admitted }) => describeMe(admitted, options.team.people),
    ...peopleAnswers(options),
    ...sessionAnswers(options),
    ...serviceAnswers(options),
    ...keyAnswers(options),
    ...quotaAnswers(options),
    ...modelAnswers(options),
    ...policyAnswers(options),
    ...pinAnswers(options),
    ...callAnswers(options.calls),
    ...budgetAnswers(options),
  };
  const { limits } = options;
  const pageTokens = createPageTokens(options);
  const streamAudit = createAuditStream(options);
  /** The document by whose address identity providers know `pagewire login`. */
  const commandLine = { client_id: options.team.url + commandLineClientPath, ...commandLineClient };

  async function readObject(request: IncomingMessage, most?: number): Promise<JsonObject> {
    checkJson(request, "What is asked for");
    const limit = most === undefined ? "headerBytes" : null;
    const bytes = await readBody(request, most ?? limits.headerBytes, { limit });
    const body = parseJsonObject(bytes.toString(), maxDepth);
    if (body) return body;
    throw malformed("The body must be a JSON object.");
  }

  return {
    async serve(request, response, passed) {
      const { admitted } = passed;
      if (pathOf(request) === pageTokensPath)
        return pageTokens({ request, response, passed, body: () => readObject(request) });
      if (pathOf(request) === commandLineClientPath) return respondJson(response, commandLine);
      const organisation = organisationOf(admitted?.principal ?? "");
      if (!admitted || organisation === undefined) throw new PagewireError("token-required", "Sign in first.");
      const path = pathOf(request).replace(prefix, "");
      if (path === "audit/stream")
        return streamAudit({ request, response, admitted, organisation, rest: "", body: () => readObject(request) });
      const [part = ""] = path.split("/", 1);
      const isOne = path.length > part.length;
      const method = request.method === "HEAD" ? "GET" : request.method;
      const answer = answers[`${method} ${part}${isOne ? "/" : ""}`];
      if (!answer) throw new PagewireError("route-not-found", "There is nothing here.");
      const rest = decode(path.slice(part.length + 1));
      const body = (most?: number) => readObject(request, most);
      const found = await answer({ request, response, admitted, organisation, rest, body });
      if (found === undefined) respondNothing(response);
      else respondJson(response, found);
    },
    review: options.answers.review,
  };
}

function respondJson(response: ServerResponse, value: object): void {
  respondText(response, { text: JSON.stringify(value), type: "application/json" });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed("The name in the path is not percent-encoded UTF-8.");
  }
}
