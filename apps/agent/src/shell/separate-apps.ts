import type { SafeStorage } from "../../../common/src/safe-storage.ts";
import type { ShellParts } from "./shell-parts.ts";

export interface SeparateAppsParts extends ShellParts {
  /** Forgets when this window does. */
  readonly storage: SafeStorage;
}

const key = "pagewire.conversation-beside";

/**
 * Starts a new conversation when another app opens the window: the new app must not be able to ask for what was said
 * before. A conversation that the user opens from the list continues with any app.
 */
export function separateApps({ agent, parent, storage, signal }: SeparateAppsParts): void {
  function look(): void {
    const { conversation } = agent;
    const { state } = parent;
    if (conversation === null || state.kind !== "connected") return;
    const [before, origin] = storage.read(key)?.split(" ") ?? [];
    if (before === conversation && origin !== state.origin) agent.conversation = null;
    else storage.write(key, `${conversation} ${state.origin}`);
  }

  agent.addEventListener("ai-agent:conversation-changed", look, { signal });
  agent.addEventListener("ai-agent:connection-changed", look, { signal });
  signal.addEventListener("abort", parent.onState(look));
  look();
}
