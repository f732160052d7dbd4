import type { WebMcpOptions, WebMcpServersOptions } from "../webmcp/index.ts";

/**
 * The options of `registerWebMcp`; the component's lifetime is its `signal`. Instances of a class, such as an
 * `authProvider`, are compared by identity: create them once, not in each render.
 */
export type UseWebMcpOptions = (Omit<WebMcpOptions, "signal"> | Omit<WebMcpServersOptions, "signal">) & {
  /** The user of these tools, such as an id, if a function returns the headers. Null or "" means signed out. */
  readonly user?: string | null;
};

/** The options that need a new bridge; undefined for none. Callbacks can change while it lives. */
export function contentOf(options: UseWebMcpOptions | null | undefined | false) {
  if (!options || options.user === null || options.user === "") return undefined;
  const { onSync: _onSync, onError: _onError, onProgress: _onProgress, ...content } = options;
  return content;
}

export type Content = NonNullable<ReturnType<typeof contentOf>>;
