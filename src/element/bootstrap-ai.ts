import { getConfig, setConfig } from "./config.ts";
import type { IWritableConfig } from "./config-types.ts";
import { registerComponents } from "./register-components.ts";

/** Takes the configuration, then defines `<ai-agent>` and `<ai-message>`. On a server it only takes the configuration. */
export function bootstrapAi(config: IWritableConfig = {}): void {
  const before = getConfig();
  setConfig(config);
  try {
    if (globalThis.customElements) registerComponents();
  } catch (error) {
    setConfig(before);
    throw error;
  }
}
