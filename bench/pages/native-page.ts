// The bench's requests to its page with ten tools, half of them Pagewire's and half of them a script's.

/** Whose tool it is: the page registered it with Pagewire, or a script of it with the browser. */
export type Kind = "own" | "script";

/** The tools that are called. */
export const answerTools: Readonly<Record<Kind, string>> = { own: "answer", script: "answer_of_script" };

/** Which tool the page calls by executeTool, and how often it takes the time. */
export interface FloorArguments {
  readonly tool: string;
  readonly batches: number;
}

/** How long one call took, in milliseconds, for each batch. */
export interface FloorAnswer {
  readonly times: readonly number[];
}

/** The tool to register; without a name the last one is taken away. */
export interface ChangeArguments {
  readonly kind: Kind;
  readonly name?: string;
}

/** When it was done, in milliseconds since 1970. */
export interface ChangeAnswer {
  readonly at: number;
}

/** The MCP server whose tools are put into the browser, and brought up to date so often. */
export interface RefreshArguments {
  readonly server: string;
  readonly times: number;
}

/** How often the browser said that its tools have changed, for each time. */
export interface RefreshAnswer {
  readonly tools: number;
  readonly adapter: number;
  /** Taking all away and registering all again, by hand. */
  readonly anew: number;
}
