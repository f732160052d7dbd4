import type { HubInfo } from "../../state/index.ts";
import { PagewireError } from "../../wire/index.ts";

/** The hub that refused, and the one that runs on this machine. */
export interface Refusing {
  readonly hub: string;
  readonly running: HubInfo | undefined;
  readonly platform: string;
}

/** Why a hub makes no code for terminals, in the words of whoever wanted one: with exactly what to do. */
export function explainRefusal(error: unknown, refusing: Refusing): unknown {
  if (!PagewireError.isInstance(error)) return error;
  const explained = explanation(error, refusing);
  return explained === undefined ? error : new PagewireError(error.code, explained, { cause: error });
}

function explanation(
  { code, message, cause }: PagewireError,
  { hub, running, platform }: Refusing,
): string | undefined {
  const process = running?.url === hub ? running.pid : undefined;
  const kill = platform === "win32" ? `taskkill /PID ${process}` : `kill ${process}`;
  const end =
    process === undefined
      ? "Have it started again with: npx pagewire hub --terminal"
      : `End it, with Ctrl-C where it runs or with: ${kill}. Then run this again, which starts one with terminals.`;
  if (code === "terminal-unavailable") return `The hub at ${hub} runs without terminals. ${end}`;
  // An older one knows no such path.
  if (code === "route-not-found") return `The hub at ${hub} is of a version that has no terminals. ${end}`;
  if (code === "hub-not-proven") return `${message} ${otherKeys}`;
  // What was found out about the user's own hub says more.
  if (code !== "token-invalid" || PagewireError.isInstance(cause)) return undefined;
  return `The hub at ${hub} does not take this shell key. ${otherKeys}`;
}

const otherKeys =
  "A hub that was started with another PAGEWIRE_HOME has another shell key, and one in jwt mode takes a token for the audience pagewire:terminal: put what it takes into PAGEWIRE_SHELL_KEY.";
