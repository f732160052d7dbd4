// The messages of the bridge between a page's own world and the extension's, as structured clones.

/** To the page's own world. */
export type ToMainWorld =
  | { readonly type: "list"; readonly id: number }
  /** `input` is JSON. */
  | { readonly type: "execute"; readonly id: number; readonly tool: string; readonly input: string }
  | { readonly type: "cancel"; readonly id: number };

/** From the page's own world. All of it is unchecked: the page's scripts may send it. */
export type FromMainWorld =
  | { readonly type: "change" }
  | { readonly type: "tools"; readonly id: number; readonly tools: readonly SentTool[] }
  | { readonly type: "result"; readonly id: number; readonly result: unknown }
  | { readonly type: "error"; readonly id: number; readonly name: string; readonly message: string };

/** A tool of the page's model context. */
export interface SentTool {
  /** Names it in calls. */
  readonly key: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** JSON. */
  readonly inputSchema?: string | undefined;
  readonly annotations?: Readonly<Record<string, boolean>> | undefined;
  /** The way from the top window to the frame that has the tool, by numbers of frames; empty for the top document. */
  readonly frame: readonly number[];
}
