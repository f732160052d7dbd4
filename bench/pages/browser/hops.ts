// A page that loads the package's modules one by one, as `dist/` has them.
import type * as PagewirePage from "pagewire/page";
import { answerTo } from "../answers.ts";
import type { ToolArguments } from "../answers.ts";
import { offeredTools } from "../offered-tools.ts";
import { query } from "./query.ts";

const modules = "/dist/page/index.js";
const { connectPage } = (await import(modules)) as typeof PagewirePage;
const page = await connectPage({ app: "bench", hub: `http://127.0.0.1:${query.get("hub")}` });
const [tool] = offeredTools(1) as readonly { readonly name: string; readonly description: string }[];
if (tool) page.registerTool({ ...tool, execute: (input) => answerTo(input as ToolArguments) });

let remove = () => {};

/** Registers a tool of this name, and takes away the one before. */
function registerLate(name: string): void {
  remove();
  ({ remove } = page.registerTool({ name, description: "Came late.", execute: () => "here" }));
}

Object.assign(window, { registerLate });
