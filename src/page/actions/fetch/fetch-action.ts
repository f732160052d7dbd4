import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Action } from "../registration/action.ts";
import type { FetchInput } from "./check-request.ts";
import { forgetUntilLeft } from "./consents.ts";
import { readFetchPolicy } from "./fetch-policy.ts";
import type { FetchPolicy } from "./fetch-policy.ts";
import type { FetchPowers } from "./run-fetch.ts";

/** How long the user has to allow a request before its call ends, in milliseconds. */
const timeToAsk = 60_000;

/**
 * Lets programs fetch through the page, with its session, as far as a policy allows. `powers` default to the browser's.
 */
export function fetchAction(policy: FetchPolicy = {}, powers?: FetchPowers): Action {
  const rules = readFetchPolicy(policy);
  return {
    name: "fetch",
    async handler(input, context) {
      const { runFetch } = await import("./run-fetch.ts");
      return runFetch(input as unknown as FetchInput, context, { rules, powers: powers ?? browserPowers() });
    },
    options: {
      title: "Fetch",
      description:
        "Sends an HTTP request from this page, with the cookies of its own origin, and gives status, headers and body.",
      inputSchema,
      annotations: { openWorldHint: true, untrustedContentHint: true },
      callTime: rules.timeout + timeToAsk,
      agents: rules.agents,
    },
  };
}

function browserPowers(): FetchPowers {
  // Entering the back/forward cache counts as leaving the page. Adding the same listener twice has no effect.
  addEventListener("pagehide", forgetUntilLeft);
  return { fetch: (url, init) => fetch(url, init), location, ask: askInDialog };
}

const askInDialog: FetchPowers["ask"] = async (question, signal) => {
  let askPerson;
  try {
    ({ askPerson } = await import("./ask-person.ts"));
  } catch (error) {
    throw new PagewireError("action-unavailable", `Nobody could be asked to allow it: ${messageOf(error)}`);
  }
  return askPerson(question, signal);
};

const textOrNull = { type: ["string", "null"] };

const inputSchema = {
  type: "object",
  properties: {
    url: { type: "string", description: "An address, which may be relative to the page's." },
    method: { ...textOrNull, description: "GET by default." },
    headers: { type: ["object", "null"], additionalProperties: { type: "string" } },
    body: textOrNull,
    bodyEncoding: { enum: ["utf8", "base64"], description: "base64 where the body is bytes; utf8 by default." },
    credentials: { enum: ["omit", "same-origin", "include"] },
  },
  required: ["url"],
};
