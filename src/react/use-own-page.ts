import { useEffect, useInsertionEffect, useState } from "react";
import { connectPage } from "../page/index.ts";
import type { Page, PageState } from "../page/index.ts";
import { messageOf } from "../wire/index.ts";
import type { Place } from "./place.ts";
import { checkUser, contentOf } from "./provider-options.ts";
import type { Content, ProviderOptions } from "./provider-options.ts";
import { useNewest } from "./use-newest.ts";
import { useReport } from "./use-report.ts";
import { useSame } from "./use-same.ts";
import { useToken } from "./use-token.ts";

const starting: PageState = { status: "connecting", message: "The page is about to look for its hub." };
const off: PageState = { status: "closed", message: "This page offers no tools." };

interface Own {
  readonly page: Page;
  readonly content: Content;
}

/**
 * Connects a page for as long as there are options. Written anew with the same content they are the same options, and
 * with another person's token the page is that person's; with other content they are another page's.
 */
export function useOwnPage(options: ProviderOptions | undefined): Omit<Place, "record"> {
  const [own, setOwn] = useState<Own>();
  const [failure, setFailure] = useState<PageState>();
  const newest = useNewest(options);
  const token = useToken(options, newest);
  const newestToken = useNewest(token);
  const content = useSame(options && contentOf(options));

  const onError = useReport(newest);

  useEffect(() => {
    if (!content) return undefined;
    let isOver = false;
    let page: Page | undefined;

    async function connect(given: Content): Promise<void> {
      // The first effect of StrictMode is over by then, and nothing was connected for it.
      await Promise.resolve();
      if (isOver) return;
      checkUser(given);
      const { current } = newestToken;
      page = await connectPage({ ...given.options, ...(current === undefined ? {} : { token: current }), onError });
      if (isOver) page.close();
      else setOwn({ page, content: given });
    }

    connect(content).catch((error: unknown) => {
      onError(error, { stage: "PagewireProvider" });
      if (!isOver) setFailure({ status: "closed", message: messageOf(error) });
    });
    return () => {
      isOver = true;
      page?.close();
      setOwn(undefined);
      setFailure(undefined);
    };
  }, [content, newestToken, onError]);

  // Other effects may run a moment later. No call of the last person's agents may come in between.
  useInsertionEffect(() => {
    if (own) queueMicrotask(() => follow(own, content, token));
  }, [own, content, token]);

  const page = own?.content === content ? own?.page : undefined;
  return { page, state: failure ?? (options ? starting : off), onError };
}

/** Has a page follow the options: they are still its own, and say for whom it acts, or they are another's. */
function follow({ page, content }: Own, newest: Content | undefined, token: ProviderOptions["token"]): void {
  if (content !== newest) page.close();
  else if (token !== undefined) page.setToken(token);
}
