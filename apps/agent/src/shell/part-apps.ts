import type { SafeStorage } from "../../../common/src/safe-storage.ts";
import type { ShellParts } from "./shell-parts.ts";

export interface PartAppsParts extends ShellParts {
  /** Forgets when this window does. */
  readonly storage: SafeStorage;
}

const key = "pagewire.conversation-beside";

/**
 * Begins another conversation when another app has the window: what was said beside the one before is not the next one's
 * to ask for. A conversation that the user opens from the list goes on beside whichever app is there.
 */
export function partApps({ agent, parent, storage, signal }: PartAppsParts): void {
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
