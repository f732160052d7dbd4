import type { ComponentType } from "preact";
import type { ReadonlySignal } from "@preact/signals";
import type { Session } from "../../../common/src/session/session.ts";
import type { Hub } from "../hub/hub.ts";
import type { Route } from "./route.ts";

export interface ViewProps {
  readonly session: Session;
  readonly hub: Hub;
  readonly route: Route;
}

/** One line of the console's table of views. */
export interface View {
  /** The first segment of its routes. */
  readonly path: string;
  readonly title: string;
  /** A path on a field of 16 by 16; a view without one is not in the navigation. */
  readonly icon?: string;
  load(): Promise<ComponentType<ViewProps>>;
  /** Missing for everybody. */
  readonly isFor?: (session: Pick<Session, "info">) => boolean;
  /** A number beside its title. */
  readonly badge?: (hub: Hub) => ReadonlySignal<number>;
}
