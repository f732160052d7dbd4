import { createElement, useEffect, useMemo, useState, useInsertionEffect, useCallback } from "react";
import type { ReactElement, ReactNode, RefObject } from "react";
import { connectPage } from "../page/index.ts";
import type { Page, PageState, PageOptions } from "../page/index.ts";
import { createCallRecord } from "./call-record.ts";
import { PlaceContext } from "./place.ts";
import type { Place } from "./place.ts";
import { messageOf, PagewireError } from "../wire/index.ts";
import { useNewest, useReport } from "./use-newest.ts";
import { useSame } from "./describes-same.ts";

const starting: PageState = { status: "connecting", message: "The page is about to look for its hub." };
const off: PageState = { status: "closed", message: "This page offers no tools." };

interface Own {
  readonly page: Page;
  readonly content: Content;
}

/**
 * Connects a page while there are options, which are compared by content. Another user's token moves the page to that
 * user; other options make another page.
 */
function useOwnPage(options: ProviderOptions | undefined): Omit<Place, "record"> {
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

  // Other effects may run later. No call from the previous user's agents may arrive in between.
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

/** For whom the page acts: the same text, or the same function, for as long as it is the same person. */
function useToken(
  options: ProviderOptions | undefined,
  newest: RefObject<ProviderOptions | undefined>,
): PageOptions["token"] {
  const { token, user } = options ?? { token: null };
  // A function that gets tokens may close over values of a later render, but it remains this user's.
  const ask = useCallback(() => {
    const now = newest.current;
    if (typeof now?.token === "function" && now.user === user) return now.token();
    throw new PagewireError("token-required", "Somebody else has signed in, or nobody.");
  }, [newest, user]);
  if (user === null || user === "") return null;
  return typeof token === "function" ? ask : token;
}

/** Options, from which the provider connects a page of its own, or a page that the app connected and closes itself. */
export type PagewireProviderProps = { readonly children?: ReactNode } & (
  | { readonly options: ProviderOptions | undefined; readonly page?: never }
  | { readonly page: Page | undefined; readonly options?: never }
);

/** Provides a page to the hooks below it, for their tools. Without options and without a page they offer nothing. */
export function PagewireProvider({ options, page: given, children }: PagewireProviderProps): ReactElement {
  const own = useOwnPage(options);
  const [record] = useState(createCallRecord);
  const page = given ?? own.page;
  useEffect(() => (page ? record.follow(page) : undefined), [page, record]);
  const { state, onError } = own;
  const place = useMemo(() => ({ page, state, record, onError }), [page, state, record, onError]);
  return createElement(PlaceContext.Provider, { value: place }, children);
}

/**
 * The options of `connectPage`, without the tools, which come from `useTool`; a function that gets tokens needs a
 * `user`.
 */
export type ProviderOptions = Omit<PageOptions, "tools" | "token"> & (WithToken | WithUser);

interface WithToken {
  /** A token that the app's own server signed. Null or "" means signed out: nothing is offered. */
  readonly token?: string | null;
  readonly user?: never;
}

interface WithUser {
  /** A token of this user's, or how to get a fresh one whenever one is needed. */
  readonly token: Exclude<PageOptions["token"], undefined>;
  /** The user of these tokens, such as an id: another value is another user. Null or "" means signed out. */
  readonly user: string | null;
}

/** The options that need a new page. The others can change while it is connected. */
interface Content {
  readonly options: Omit<PageOptions, "tools" | "token" | "onError">;
  readonly hasToken: boolean;
  /** Without it, one person's agents could be given the next person's page. */
  readonly lacksUser: boolean;
}

function contentOf({ token, user, onError: _onError, ...options }: ProviderOptions): Content {
  return { options, hasToken: token !== undefined, lacksUser: typeof token === "function" && user === undefined };
}

/** Throws where tokens come from a function and `user` is missing. */
function checkUser({ lacksUser }: Content): void {
  if (!lacksUser) return;
  throw new PagewireError(
    "options-invalid",
    'The option "user" must say whose tokens the function gets, such as user.id. Without it the page could not know when another person signs in.',
  );
}
