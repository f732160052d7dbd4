import { useCallback, useEffect, useState } from "react";
import { connectPage } from "../page/index.ts";
import type { Page, PageOptions, PageState } from "../page/index.ts";
import { messageOf } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { Place } from "./place.ts";
import { useNewest } from "./use-newest.ts";

/** What `connectPage` takes, but for the tools: those come from `useTool`. */
export type ProviderOptions = Omit<PageOptions, "tools">;

const starting: PageState = { status: "connecting", message: "The page is about to look for its hub." };
const off: PageState = { status: "closed", message: "This page offers no tools." };

/**
 * Connects a page for as long as there are options. Written anew with the same content they are the same options, and
 * another token is the page's new one; with other content they are another page's.
 */
export function useOwnPage(options: ProviderOptions | undefined): Omit<Place, "record"> {
  const [page, setPage] = useState<Page>();
  const [failure, setFailure] = useState<PageState>();
  const newest = useNewest(options);
  const onError = useCallback<OnError>(
    (error, context) => (newest.current?.onError ?? logError)(error, context),
    [newest],
  );
  const token = options?.token;
  // Functions have no content: the newest of them is called.
  const content = options && JSON.stringify({ ...options, token: isText(token) ? "text" : typeof token });

  useEffect(() => {
    if (content === undefined) return undefined;
    let isOver = false;
    let own: Page | undefined;

    async function connect(): Promise<void> {
      // The first effect of StrictMode is over by then, and nothing was connected for it.
      await Promise.resolve();
      const given = newest.current;
      if (isOver || !given) return;
      own = await connectPage({ ...given, ...withNewestToken(given, () => newest.current), onError });
      if (isOver) own.close();
      else setPage(own);
    }

    connect().catch((error: unknown) => {
      onError(error, { stage: "PagewireProvider" });
      if (!isOver) setFailure({ status: "closed", message: messageOf(error) });
    });
    return () => {
      isOver = true;
      own?.close();
      setPage(undefined);
      setFailure(undefined);
    };
  }, [content, newest, onError]);

  useEffect(() => {
    if (isText(token)) page?.setToken(token);
  }, [page, token]);

  return { page, state: failure ?? (options ? starting : off), onError };
}

/** A token that is there or that nobody has, unlike one that has to be fetched. */
function isText(token: ProviderOptions["token"]): token is string | null {
  return typeof token === "string" || token === null;
}

/** A function that fetches tokens may close over what a later render knows better. */
function withNewestToken({ token }: ProviderOptions, newest: () => ProviderOptions | undefined) {
  if (typeof token !== "function") return {};
  return {
    token() {
      const now = newest()?.token;
      return typeof now === "function" ? now() : token();
    },
  };
}

const logError: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);
