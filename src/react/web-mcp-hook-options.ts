import type { WebMcpOptions, WebMcpServersOptions } from "../webmcp/index.ts";

/**
 * What `registerWebMcp` takes; the component's life is its `signal`. An instance of a class, such as an `authProvider`, is
 * the same only as itself: it is to be made once, not in each render.
 */
export type UseWebMcpOptions = (Omit<WebMcpOptions, "signal"> | Omit<WebMcpServersOptions, "signal">) & {
  /** Whose tools these are, such as an id, where a function gives the headers: another is another person. With null or "" nobody is signed in. */
  readonly user?: string | null;
};

/** What makes a bridge another one; undefined where there is to be none. What only listens can change while it is there. */
export function contentOf(options: UseWebMcpOptions | null | undefined | false) {
  if (!options || options.user === null || options.user === "") return undefined;
  const { onSync: _onSync, onError: _onError, onProgress: _onProgress, ...content } = options;
  return content;
}

export type Content = NonNullable<ReturnType<typeof contentOf>>;
