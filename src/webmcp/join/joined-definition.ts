import type { ToolDefinition } from "../../toolbox/index.ts";
import { fromBrowser } from "../../wire/index.ts";
import { annotationsFromBrowser } from "../browser-annotations.ts";
import type { NamedTool } from "./name-tools.ts";
import type { ListedTool } from "./read-model-context.ts";
import { pathOf } from "./windows.ts";

/** What agents are told of a browser's tool: a definition without its handler. */
export type JoinedDefinition = Omit<ToolDefinition, "execute">;

/** A frame of another origin, whose inside cannot be reached. */
export function isStranger(window: Window): boolean {
  return pathOf(window) === undefined;
}

/** How much a page of another origin may say of its tool. */
const strangersWords = 2000;

/** The definition of a browser's tool, for the document of a window. */
export function joinedDefinition({ name, listed }: NamedTool, own: Window): JoinedDefinition {
  const { inputSchema } = listed;
  const { title, description, annotations, _meta } =
    listed.window === own ? { ...listed, _meta: {} } : fromFrame(listed);
  const hints = annotationsFromBrowser(annotations);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== "" && { description }),
    ...(inputSchema !== undefined && { inputSchema: inputSchema as object }),
    ...(hints && { annotations: hints }),
    _meta: { ...fromBrowser, ..._meta },
  };
}

/** What a frame's page says of its tool, and where that is from. A stranger's words are few, and not to be trusted. */
function fromFrame({ title, description, annotations, window, origin }: ListedTool) {
  const isOther = isStranger(window);
  const most = isOther ? strangersWords : Infinity;
  const frame = `${origin}${pathOf(window) ?? ""}`;
  return {
    title: title?.slice(0, most),
    description: `${description.slice(0, most)}\n(From a frame of this page: ${frame})`,
    annotations: { ...annotations, ...(isOther && { untrustedContentHint: true }) },
    _meta: { "pagewire/frame": frame },
  };
}
