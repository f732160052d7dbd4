// The context that the hooks below one provider share.
import { createContext, useContext } from "react";
import type { Page, PageState } from "../page/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { CallRecord } from "./call-record.ts";

export interface Place {
  /** The page that offers the tools, once there is one. */
  readonly page: Page | undefined;
  readonly state: PageState;
  readonly record: CallRecord;
  readonly onError: OnError;
}

export const PlaceContext = createContext<Place | undefined>(undefined);

export function usePlace(hook: string): Place {
  const place = useContext(PlaceContext);
  if (place) return place;
  throw noProvider(hook);
}

export function noProvider(what: string): PagewireError {
  return new PagewireError("options-invalid", `${what} has no <PagewireProvider> around it. Put one around your app.`);
}

/** The page of the enclosing provider, once there is one: for uses without a hook, such as `page.reconnect()`. */
export function usePage(): Page | undefined {
  return usePlace("usePage").page;
}
