import type { Action } from "../action.ts";
import { askCredential } from "./ask-credential.ts";
import { createAnswer } from "./create-answer.ts";
import { createCredentialMemory } from "./credential-memory.ts";
import { readRequest } from "./credential-request.ts";

/** As long as a person may take to find a token: as long as any call may. */
const callTime = 15 * 60_000;

const inputSchema = {
  type: "object",
  properties: {
    operation: { enum: ["get", "store", "erase"] },
    protocol: { type: "string" },
    host: { type: "string" },
    path: { type: "string" },
    username: { type: "string" },
    password: { type: "string" },
    command: { type: "string", description: "The command that git runs for." },
    repository: { type: "string", description: "The repository that it runs in." },
  },
  required: ["operation", "protocol", "host"],
} as const;

/**
 * Answers `pagewire git-credential`: asks the person in front of this tab for the username and password that git needs.
 * What they choose to have remembered lies in this tab's memory only, and is forgotten when the page is left.
 */
export function gitCredential(): Action {
  const memory = createCredentialMemory();
  const answer = createAnswer(memory, askCredential);
  return {
    name: "git_credential",
    handler(input, { signal }) {
      // A page that waits in the back/forward cache has been left too. Added again, the same listener stays one.
      addEventListener("pagehide", memory.clear);
      return answer(readRequest(input), signal);
    },
    options: {
      title: "Git credentials",
      description: "Asks the person in front of the tab for a username and password that git needs.",
      inputSchema,
      callTime,
      agents: "terminal",
    },
  };
}
