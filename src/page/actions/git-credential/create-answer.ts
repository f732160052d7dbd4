// What the tab answers to git's three operations: from its memory, or by asking the person, one request after the other.
import { PagewireError } from "../../../wire/index.ts";
import type { AskCredential } from "./ask-credential.ts";
import type { Credential, CredentialMemory } from "./credential-memory.ts";
import type { CredentialRequest } from "./credential-request.ts";

/** Answers one request of git's helper. */
export type AnswerRequest = (request: CredentialRequest, signal: AbortSignal) => unknown;

export function createAnswer(memory: CredentialMemory, ask: AskCredential): AnswerRequest {
  let last: Promise<unknown> = Promise.resolve();

  /** Whoever waited may find that what was just entered is for them too. */
  function inTurn(request: CredentialRequest, signal: AbortSignal): Promise<Credential> {
    const turn = last.then(() => memory.find(request.target) ?? askPerson(request, signal));
    last = turn.catch(() => undefined);
    return turn;
  }

  async function askPerson(request: CredentialRequest, signal: AbortSignal): Promise<Credential> {
    const { target } = request;
    const asked = await ask(request, { refused: memory.refusedAccount(target), signal });
    if (asked === undefined) throw new PagewireError("action-refused", "cancelled");
    const { username, password, isRemembered } = asked;
    memory.forgive(target);
    if (isRemembered) memory.remember(target, { username, password });
    return { username, password };
  }

  return (request, signal) => {
    const { operation, target, password } = request;
    // What is remembered need not wait until somebody has answered about something else.
    if (operation === "get") return memory.find(target) ?? inTurn(request, signal);
    // What is remembered is for the person to say, so a password that worked is not kept because a program says so.
    if (operation === "store") memory.forgive(target);
    else memory.erase(target, password);
    return undefined;
  };
}
