// Why nothing answers at a hub's address, and what to do next.
import { PagewireError, messageOf } from "../../wire/index.ts";
import { isLoopback } from "./find-hub.ts";
import { certificateProblem } from "./send-over-http.ts";

const onThisMachine = "Start it with: npx pagewire";
const elsewhere =
  "Check the address, and that this machine reaches its network. If both are right, ask those who run the hub.";

/** `next` is what to do, if a connection failed for another reason than the hub's certificate. */
export function noAnswer(url: string, cause: unknown, next?: string): PagewireError {
  const problem = certificateProblem(cause);
  const advice = next ?? (isLoopback(url) ? onThisMachine : elsewhere);
  const message =
    problem === undefined
      ? `No hub answers at ${url}: ${messageOf(firstCause(cause))}. ${advice}`
      : `Something answers at ${url}. ${problem}`;
  return new PagewireError("hub-unreachable", message, { cause });
}

function firstCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? firstCause(error.cause) : error;
}
