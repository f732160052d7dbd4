import { loadJsonSchemaValidator } from "../../toolbox/one-tool.ts";
import { installModelContext } from "./install-model-context.ts";

/** Installs `document.modelContext` if the browser has none; a bundler resolves what it loads on demand. */
export function installPolyfill(): void {
  installModelContext({ validator: loadJsonSchemaValidator, formCall: () => import("./forms/form-call.ts") });
}
