// Owns the file `model.json`: the model that the hub's owner chose of each provider, {"models":{"openai":"gpt-5.4-mini"}}.
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../wire/index.ts";
import { readText, replaceFile } from "./write-file.ts";

export interface ModelFile {
  /** Undefined if none was chosen of this provider. */
  read(provider: string): string | undefined;
  write(provider: string, model: string): void;
}

export function createModelFile(directory: string): ModelFile {
  const path = join(directory, "model.json");
  // A choice that cannot be read is made again in a moment.
  const read = () => {
    const models = parseJsonObject(readText(path) ?? "", 2)?.["models"];
    return isJsonObject(models) ? models : {};
  };
  return {
    read(provider) {
      const found = read();
      const model = Object.hasOwn(found, provider) ? found[provider] : undefined;
      return typeof model === "string" && model !== "" ? model : undefined;
    },
    write(provider, model) {
      replaceFile(path, `${JSON.stringify({ models: { ...read(), [provider]: model } }, null, 2)}\n`);
    },
  };
}
