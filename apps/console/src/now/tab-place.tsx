// One page: what it is, what it offers, and what its user can do with it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { showInvisible } from "pagewire/wire";
import { icons } from "../../../common/src/icons.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { Badge, Button, CopyButton, Dialog, Empty, Time } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { HubTab } from "../hub/facts.ts";
import type { Hub } from "../hub/hub.ts";
import { changeTab } from "./change-tab.ts";
import { stateOf, viaTexts } from "./describe.ts";
import { Fact } from "./fact.tsx";

export interface TabPlaceProps {
  readonly hub: Hub;
  readonly session: Pick<Session, "request">;
  readonly tabId: string;
}

export function TabPlace({ hub, session, tabId }: TabPlaceProps) {
  const tab = hub.tabs.value?.find((each) => each.tabId === tabId);
  const [isAsking, ask] = useState(false);
  if (!tab)
    return (
      <Empty title="This page is not connected" action={<a href={href(["now"])}>What is connected</a>}>
        It was closed, went elsewhere, or was disconnected.
      </Empty>
    );
  const disconnect = async () => {
    ask(false);
    if (await changeTab({ hub, session }, tabId, "disconnect")) goTo(href(["now"]));
  };
  return (
    <div class="stack tab-place">
      <p>
        <a href={href(["now"])}>All that is connected</a>
      </p>
      <header class="row place-head">
        <h2>{showInvisible(tab.title || tab.app)}</h2>
        <Badge tone={stateOf(tab).tone}>{stateOf(tab).text}</Badge>
        <span class="row place-actions">
          <CopyButton what="the page's address" text={tab.url} />
          <a class="button small" href={href(["calls"], { tab: tabId })}>
            Its calls
          </a>
          <Button small kind="danger" onClick={() => ask(true)}>
            Disconnect
          </Button>
        </span>
      </header>
      <AboutTab tab={tab} />
      <Offers tab={tab} />
      {isAsking && (
        <Dialog
          title="Disconnect this page?"
          onClose={() => ask(false)}
          actions={
            <>
              <Button onClick={() => ask(false)}>Keep it</Button>
              <Button kind="danger" onClick={() => void disconnect()}>
                Disconnect
              </Button>
            </>
          }
        >
          <p>
            No agent can use “{showInvisible(tab.title || tab.app)}” then, and calls that run in it end. It stays away
            until it is loaded again, or you let it back here.
          </p>
        </Dialog>
      )}
    </div>
  );
}

function AboutTab({ tab }: { readonly tab: HubTab }) {
  return (
    <dl class="box panel about-facts">
      <Fact name="App">{showInvisible(tab.app)}</Fact>
      <Fact name="Address">{showInvisible(tab.url)}</Fact>
      <Fact name="Connected by">
        {tab.browser === undefined ? (viaTexts[tab.via] ?? tab.via) : `the extension of ${showInvisible(tab.browser)}`}
      </Fact>
      {tab.hub !== undefined && <Fact name="Hub">{tab.hub}</Fact>}
      <Fact name="Since">
        <Time at={Date.parse(tab.since)} />
      </Fact>
      <Fact name="Last sign of life">
        <Time at={Date.parse(tab.lastSeen)} />
      </Fact>
      <Fact name="Id">
        <code>{tab.tabId}</code>
      </Fact>
    </dl>
  );
}

interface Offered {
  readonly key: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly to: string;
  readonly marks?: ComponentChildren;
}

function Offers({ tab }: { readonly tab: HubTab }) {
  const { tabId, tools, resources, resourceTemplates, prompts } = tab;
  const lists: readonly (readonly [string, readonly Offered[]])[] = [
    [
      "Tools",
      tools.map(({ name, title, description, annotations }) => ({
        ...{ key: name, name, title, description, to: href(["try", tabId, name]) },
        marks: (
          <>
            {annotations?.readOnlyHint && <Badge title="By its own word">only reads</Badge>}
            {annotations?.destructiveHint && <Badge tone="bad">destructive</Badge>}
          </>
        ),
      })),
    ],
    [
      "Resources",
      resources.map(({ uri, title, name, description }) => ({
        ...{
          key: uri,
          name: uri,
          title: title ?? name,
          description,
          to: href(["try", tabId, uri], { kind: "resource" }),
        },
      })),
    ],
    [
      "Resource templates",
      resourceTemplates.map(({ uriTemplate, title, name, description }) => ({
        ...{ key: uriTemplate, name: uriTemplate, title: title ?? name, description },
        to: href(["try", tabId, uriTemplate], { kind: "template" }),
      })),
    ],
    [
      "Prompts",
      prompts.map(({ name, title, description }) => ({
        ...{ key: name, name, title, description, to: href(["try", tabId, name], { kind: "prompt" }) },
      })),
    ],
  ];
  const filled = lists.filter(([, items]) => items.length > 0);
  if (filled.length === 0)
    return <Empty title="This page offers nothing">It may not have registered its tools yet.</Empty>;
  return (
    <>
      {filled.map(([title, items]) => (
        <OfferList key={title} title={title} items={items} />
      ))}
    </>
  );
}

const shownAtFirst = 100;

function OfferList({ title, items }: { readonly title: string; readonly items: readonly Offered[] }) {
  const [most, setMost] = useState(shownAtFirst);
  return (
    <section>
      <h3>
        {title} <span class="total">{items.length}</span>
      </h3>
      <ul class="box panel offers">
        {items.slice(0, most).map(({ key, name, title: label, description, to, marks }) => (
          <li key={key}>
            <div>
              <p class="offer-name">
                <strong>{showInvisible(label ?? name)}</strong>{" "}
                {label !== undefined && <code>{showInvisible(name)}</code>} {marks}
              </p>
              {description !== undefined && <p class="hint clamped">{showInvisible(description)}</p>}
            </div>
            <a class="button small" href={to} aria-label={`Try ${name}`}>
              Try
            </a>
          </li>
        ))}
      </ul>
      {items.length > most && (
        <Button small icon={icons.down} onClick={() => setMost(most + shownAtFirst)}>
          Show {Math.min(shownAtFirst, items.length - most)} more
        </Button>
      )}
    </section>
  );
}
