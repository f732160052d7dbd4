// The console of a signed-in user: its views, the way between them, and whether the hub is there.
import { effect, useComputed } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveSession } from "../../common/src/session/open-session.ts";
import { Toasts } from "../../common/src/ui/index.ts";
import { Navigation } from "./frame/navigation.tsx";
import { Questions } from "./questions/questions.tsx";
import { createRouter, goTo, href } from "./frame/route.ts";
import { ViewPlace } from "./frame/view-place.tsx";
import type { View } from "./frame/view.ts";
import { createHub } from "./hub/hub.ts";
import type { Hub } from "./hub/hub.ts";
import { inboxOf } from "./waits/inbox.ts";
import { notifyOf } from "./waits/notify.tsx";

/** In the order of the navigation; the first is where the console begins. */
const allViews: readonly [View, ...View[]] = [
  {
    path: "now",
    title: "Now",
    icon: "M2.5 3.500h11v9h-11zM2.500 6.500h11M5 9.500h3",
    load: async () => (await import("./now/now.tsx")).Now,
  },
  {
    path: "try",
    title: "Try it",
    icon: "M5 3.500v9l7-4.500z",
    load: async () => (await import("./try/try.tsx")).Try,
  },
  {
    path: "calls",
    title: "Timeline",
    icon: "M2.500 4h7M5 8h8.500M3.500 12h5",
    load: async () => (await import("./timeline/timeline.tsx")).Timeline,
  },
  {
    path: "waits",
    title: "Waits for you",
    icon: "M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5v4h11v-4l-2-6h-7z",
    load: async () => (await import("./waits/waits.tsx")).Waits,
    badge: ({ waiting }) => waiting,
  },
  {
    path: "rules",
    title: "Rules",
    icon: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM6 8l1.500 1.500L10.500 6.500",
    load: async () => (await import("./rules/rules.tsx")).Rules,
  },
  {
    path: "connect",
    title: "Connect",
    icon: "M6.500 9.500l3-3M7 4.500l1-1a2.800 2.800 0 0 1 4 4l-1 1M9 11.500l-1 1a2.800 2.800 0 0 1-4-4l1-1",
    load: async () => (await import("./connect/connect.tsx")).Connect,
  },
  {
    path: "models",
    title: "Models",
    icon: "M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14",
    load: async () => (await import("./models/models.tsx")).Models,
  },
  {
    path: "organisation",
    title: "Organisation",
    icon: "M5.500 7.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4M2 12.500c0-2 1.500-3 3.500-3s3.500 1 3.500 3M10.500 8a1.700 1.700 0 1 0 0-3.400M11 9.700c1.800 0 3 1 3 2.800",
    load: async () => (await import("./organisation/organisation.tsx")).Organisation,
    isFor: ({ info }) => info.me !== undefined,
  },
  { path: "parts", title: "Parts", load: async () => (await import("./parts/parts.tsx")).Parts },
];

export function Console({ session }: { readonly session: LiveSession }) {
  const [{ hub, router }] = useState(() => ({ hub: createHub({ session }), router: createRouter(allViews[0].path) }));
  const route = router.route.value;
  const views = allViews.filter(({ isFor }) => isFor?.(session) ?? true);
  const known = views.find(({ path }) => path === route.path[0]);
  const view = known ?? allViews[0];
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);

  useEffect(
    () => () => {
      router.close();
      hub.close();
    },
    [],
  );
  useEffect(() => {
    if (shown.current !== view) main.current?.focus();
    shown.current = view;
  }, [view]);
  useEffect(() => {
    if (!known) goTo(href([view.path]), true);
  }, [known]);
  useEffect(() => {
    const inbox = inboxOf(hub, session);
    const stop = notifyOf(inbox);
    return () => {
      stop();
      inbox.close();
    };
  }, [hub]);
  useTitle(hub, view);

  return (
    <>
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <div class="console">
        <Navigation {...{ session, hub, views }} current={view} />
        <main id="main" ref={main} tabIndex={-1} aria-labelledby="view-title">
          <AwayBanner hub={hub} />
          <Questions hub={hub} />
          <div class="stack view">
            <h1 id="view-title">{view.title}</h1>
            <ViewPlace {...{ session, hub, route, view }} />
          </div>
        </main>
      </div>
      <Toasts />
    </>
  );
}

/** The page's title, with how much waits for the user. */
function useTitle(hub: Hub, view: View): void {
  useEffect(() => effect(() => void (document.title = titleOf(hub.waiting.value, view))), [hub, view]);
}

function titleOf(waiting: number, { title }: View): string {
  return `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Pagewire`;
}

function AwayBanner({ hub }: { readonly hub: Hub }) {
  const away = useComputed(() => (hub.connection.value.state === "away" ? hub.connection.value.message : undefined));
  return (
    <div role="status">
      {away.value !== undefined && (
        <div class="row away-banner">
          <p>
            <strong>The hub is away.</strong> What you see is from before. {away.value}
          </p>
          <button type="button" class="button small" onClick={hub.reconnect}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}
