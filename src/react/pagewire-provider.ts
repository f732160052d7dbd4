import { createElement, useEffect, useMemo, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import type { Page } from "../page/index.ts";
import { createCallRecord } from "./call-record.ts";
import { PlaceContext } from "./place.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { useOwnPage } from "./use-own-page.ts";

/** Options, from which the provider connects a page of its own, or a page that the app connected and closes itself. */
export type PagewireProviderProps = { readonly children?: ReactNode } & (
  | { readonly options: ProviderOptions | undefined; readonly page?: never }
  | { readonly page: Page | undefined; readonly options?: never }
);

/** Gives the hooks below it a page to offer tools with. Without options and without a page they offer nothing. */
export function PagewireProvider({ options, page: given, children }: PagewireProviderProps): ReactElement {
  const own = useOwnPage(options);
  const [record] = useState(createCallRecord);
  const page = given ?? own.page;
  useEffect(() => (page ? record.follow(page) : undefined), [page, record]);
  const { state, onError } = own;
  const place = useMemo(() => ({ page, state, record, onError }), [page, state, record, onError]);
  return createElement(PlaceContext.Provider, { value: place }, children);
}
