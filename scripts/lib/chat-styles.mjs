// The style sheets of src/chat/styles as one module, for the element that has them in its shadow root.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

// Later styles win: the element's own base, then the talk's parts, as the agent's window has them.
const own = ["history", "markdown", "talk", "talk-calls", "talk-composer", "host"].map(
  (name) => `src/chat/styles/${name}.css`,
);
const sheets = ["apps/common/styles/code.css", "apps/common/styles/entries.css", ...own];

/** The text of the module that src/chat/ai-chat/styles.d.ts describes. */
export async function chatStylesModule() {
  // Loaded here because this module is also imported before the dependencies are installed.
  const { transform } = await import("esbuild");
  const text = sheets.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  const { code } = await transform(text, { loader: "css", minify: true });
  return `export const styles = ${JSON.stringify(code.trim())};\n`;
}
