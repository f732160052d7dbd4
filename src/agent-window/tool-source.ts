import type { Toolbox } from "../toolbox/index.ts";

/** What a bridge uses of a toolbox: its tools. */
export type ToolSource = Pick<Toolbox, "offer" | "subscribe" | "callTool">;
