import { showInvisible } from "pagewire/wire";
import type { TabInfo } from "pagewire/wire";
import { icons } from "../../../common/src/icons.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { Dot } from "../../../common/src/ui/badge.tsx";
import { Icon } from "../../../common/src/ui/icon.tsx";
import type { OtherTabs } from "../settings/other-tabs.ts";
import type { HomeTabs } from "./home-tabs.ts";
import { HowToConnect } from "./how-to-connect.tsx";

export interface HomeProps {
  readonly session: Pick<Session, "info">;
  readonly tabs: Pick<HomeTabs, "pages" | "problem">;
}

/** The hub's home page without its conversation: the connected tabs, and how to connect more. */
export function Home({ session, tabs }: HomeProps) {
  const { demo, terminals } = session.info;
  return (
    <section class="home" id="home" aria-labelledby="home-title" tabIndex={-1}>
      <div class="home-head">
        <h2 id="home-title">
          Connected pages <span class="count">{tabs.pages.value?.length}</span>
        </h2>
        {demo !== null && (
          <a class="button" href={demo} target="_blank" rel="noopener">
            <Icon path={icons.out} />
            Open the demo
          </a>
        )}
      </div>
      <ConnectedTabs {...tabs} demo={demo} />
      <HowToConnect origin={location.origin} hasTerminals={terminals} />
    </section>
  );
}

export interface ConnectedTabsProps extends Pick<HomeTabs, "pages" | "problem"> {
  /** Null where the hub serves none. */
  readonly demo: string | null;
}

/** The live list of the tabs that are connected to the hub. */
export function ConnectedTabs({ pages: { value: pages }, problem: { value: problem }, demo }: ConnectedTabsProps) {
  return (
    <div class={`stack tabs-live${problem === undefined ? "" : " stale"}`}>
      <p class="problem" role="status">
        {problem}
      </p>
      {pages?.length === 0 && (
        <p class="hint">
          No page is connected yet. {demo === null ? "Connect" : "Open the demo, or connect"} one of yours.
        </p>
      )}
      {pages && pages.length > 0 && (
        <ul class="stack">
          {pages.map((tab) => (
            <TabItem key={tab.tabId} {...tab} />
          ))}
        </ul>
      )}
    </div>
  );
}

const states: Readonly<Record<TabInfo["state"], string>> = {
  connected: "",
  away: "reloading",
  suspended: "suspended by the browser",
  silent: "does not answer",
};

function TabItem({ app, origin, title, state, isActive, tools, tabId }: TabInfo) {
  const standing = states[state] || (isActive ? "in use" : "");
  return (
    <li class={`box tab ${state}`} data-tab={tabId}>
      <p class="tab-title">
        <Dot tone={state === "connected" ? "ok" : "wait"} />
        <strong>{title || app}</strong>
      </p>
      <p class="hint">{[app, origin, standing].filter((text) => text !== "").join(" · ")}</p>
      {tools.length === 0 ? (
        <p class="hint">No tools</p>
      ) : (
        <details>
          <summary>{tools.length === 1 ? "1 tool" : `${tools.length} tools`}</summary>
          <ul class="tool-names">
            {tools.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** No id of a tab has a space. */
const all = "all pages";
const none = "no page";

export interface PageChoiceProps {
  readonly otherTabs: Pick<OtherTabs, "shown" | "choose">;
  readonly pages: HomeTabs["pages"];
}

/** Which connected page a question is about. With several, the model may choose. */
export function PageChoice({ otherTabs: { shown, choose }, pages: { value: pages = [] } }: PageChoiceProps) {
  const choice = shown.value;
  return (
    <div class="page-choice" hidden={pages.length === 0 && choice === true}>
      <label for="pages">About</label>
      <select
        id="pages"
        value={typeof choice === "string" ? choice : choice ? all : none}
        onChange={({ currentTarget: { value } }) => choose(value === all || value === none ? value === all : value)}
      >
        {optionsOf(pages, choice).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function optionsOf(pages: readonly TabInfo[], choice: boolean | string): readonly (readonly [string, string])[] {
  const [first, ...others] = pages;
  const titles = new Map<string, number>();
  const titleOf = ({ title, app }: TabInfo) => {
    const text = showInvisible(title || app).slice(0, 80);
    const count = (titles.get(text) ?? 0) + 1;
    titles.set(text, count);
    return count === 1 ? text : `${text} (${count})`;
  };
  const isGone = typeof choice === "string" && !pages.some(({ tabId }) => tabId === choice);
  const isSingle = first !== undefined && others.length === 0 && typeof choice !== "string";
  return [
    [all, isSingle ? titleOf(first) : `All connected pages (${pages.length})`],
    ...(isSingle ? [] : pages.map((page) => [page.tabId, titleOf(page)] as const)),
    ...(isGone ? [[choice, "A page that is closed"] as const] : []),
    [none, "No page"],
  ];
}
