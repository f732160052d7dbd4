import { actionRefused } from "../registration/action.ts";
import type { Action } from "../registration/action.ts";
import { askCredential } from "./ask-credential.ts";
import type { AskCredential } from "./ask-credential.ts";
import { createCredentialMemory } from "./credential-memory.ts";
import type { Credential, CredentialMemory } from "./credential-memory.ts";
import { operations, readRequest } from "./credential-request.ts";
import type { CredentialRequest } from "./credential-request.ts";

/** Max duration of a call: finding a token can take a while. */
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
 * Answers `pagewire git-credential`: asks the user of this tab for the username and password that git needs.
 * Credentials are remembered only in this tab's memory, and forgotten when the page is left.
 */
export function gitCredential(): Action {
  const memory = createCredentialMemory();
  const answer = createAnswer(memory, askCredential);
  return {
    name: "git_credential",
    async handler(input, { signal }) {
      const request = readRequest(input);
      // Entering the back/forward cache counts as leaving the page. Adding the same listener twice has no effect.
      addEventListener("pagehide", memory.clear);
      if (request.operation.startsWith("device_flow")) return await signIn(request, input, memory);
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

/** Returns at once: the program polls the host in the meantime. */
async function signIn(
  { operation, target, error }: CredentialRequest,
  input: Record<string, unknown>,
  memory: CredentialMemory,
): Promise<object> {
  const { endDeviceFlow, showDeviceCode } = await import("./device-flow.ts");
  if (operation === "device_flow_show") {
    showDeviceCode(target, input);
    memory.expect(target, false);
  } else if (operation === "device_flow_error") endDeviceFlow(target, error ?? "The sign-in failed.");
  // The token is known once git reports it as good.
  else if (endDeviceFlow(target)) memory.expect(target, true);
  return { status: "ok" };
}

/** Answers one request of git's helper. */
type AnswerRequest = (request: CredentialRequest, signal: AbortSignal) => unknown;

export function createAnswer(memory: CredentialMemory, ask: AskCredential): AnswerRequest {
  let last: Promise<unknown> = Promise.resolve();

  /** Queued requests check the memory again: the credential that was just entered may match them. */
  function inTurn(request: CredentialRequest, signal: AbortSignal): Promise<Credential> {
    const turn = last.then(() => memory.find(request.target) ?? askPerson(request, signal));
    last = turn.catch(() => undefined);
    return turn;
  }

  async function askPerson(request: CredentialRequest, signal: AbortSignal): Promise<Credential> {
    const { target } = request;
    memory.expect(target, false);
    const asked = await ask(request, { refused: memory.refusedAccount(target), signal });
    if (asked === undefined) throw actionRefused("cancelled");
    const { username, password, isRemembered } = asked;
    memory.accept(target, undefined);
    if (isRemembered) memory.remember(target, { username, password });
    return { username, password };
  }

  return (request, signal) => {
    const { operation, target, password } = request;
    // A remembered credential need not wait in the queue behind open dialogs.
    if (operation === "get") return memory.find(target) ?? inTurn(request, signal);
    if (operation === "peek") return memory.find(target) ?? {};
    // Only the user decides what is remembered: a program reporting success does not store a password.
    if (operation === "store") memory.accept(target, password);
    else memory.erase(target, password);
    return undefined;
  };
}
