import type { Action } from "../action.ts";
import { askCredential } from "./ask-credential.ts";
import { createAnswer } from "./create-answer.ts";
import { createCredentialMemory } from "./credential-memory.ts";
import { operations, readRequest } from "./credential-request.ts";
import type { CredentialRequest } from "./credential-request.ts";

/** As long as a person may take to find a token: as long as any call may. */
const callTime = 15 * 60_000;

const inputSchema = {
  type: "object",
  properties: {
    operation: { enum: operations },
    protocol: { type: "string" },
    host: { type: "string" },
    path: { type: "string" },
    username: { type: "string" },
    password: { type: "string" },
    command: { type: "string", description: "The command that git runs for." },
    repository: { type: "string", description: "The repository that it runs in." },
    user_code: { type: "string", description: "The code to sign in with, of device_flow_show." },
    verification_uri: { type: "string", description: "The page to enter it at." },
    expires_in: { type: "number", description: "Seconds for which it is good." },
    error: { type: "string", description: "Why there is no sign-in, of device_flow_error." },
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
    async handler(input, { signal }) {
      const request = readRequest(input);
      if (request.operation.startsWith("device_flow")) return await signIn(request, input);
      // A page that waits in the back/forward cache has been left too. Added again, the same listener stays one.
      addEventListener("pagehide", memory.clear);
      return await answer(request, signal);
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

/** Answers at once: the program polls the host meanwhile. */
async function signIn(
  { operation, target, error }: CredentialRequest,
  input: Record<string, unknown>,
): Promise<object> {
  const { endDeviceFlow, showDeviceCode } = await import("./device-flow.ts");
  if (operation === "device_flow_show") showDeviceCode(target, input);
  else endDeviceFlow(target, operation === "device_flow_error" ? (error ?? "The sign-in failed.") : undefined);
  return { status: "ok" };
}
