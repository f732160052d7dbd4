// The extension's settings: this browser and its hub, the sites, and what this is.
import { useId, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { PairedHub } from "pagewire/extension";
import { Button } from "../../../common/src/ui/button.tsx";
import { Loading, Problem } from "../../../common/src/ui/states.tsx";
import { ThemeButton } from "../../../common/src/ui/theme-button.tsx";
import { HubStatus } from "../common/hub-status.tsx";
import { hubOf } from "../common/open-store.ts";
import type { Store } from "../common/open-store.ts";
import { PairForm } from "../common/pair-form.tsx";
import { ProblemLine } from "../common/problem-line.tsx";
import { storage } from "../common/show.ts";
import { useSending } from "../common/use-sending.ts";
import { Sites } from "./sites.tsx";

export function OptionsPage({ store }: { readonly store: Store }) {
  const settings = store.settings.value;
  const patterns = store.permitted.value;
  const problem = store.problem.value;
  return (
    <main class="stack">
      <header class="row">
        <h1>Pagewire in this browser</h1>
        <ThemeButton storage={storage} />
      </header>
      {problem !== undefined && <Problem title="The extension's settings could not be read." error={problem} />}
      {problem === undefined && (!settings || !patterns) && <Loading>Reading the settings</Loading>}
      {settings && patterns && (
        <>
          <Browser store={store} hub={settings.hub} />
          <Part title="Sites">
            <Sites {...{ store, settings, patterns }} />
          </Part>
        </>
      )}
      <About version={store.api.runtime.getManifest().version} />
    </main>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="stack box part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Browser({ store, hub }: { readonly store: Store; readonly hub: PairedHub | undefined }) {
  const [isPairing, setPairing] = useState(false);
  const { problem, isBusy, send } = useSending(store);
  if (!hub) {
    return (
      <section class="stack box part">
        <PairForm store={store} />
      </section>
    );
  }
  return (
    <Part title="This browser">
      <HubStatus hub={hub} shown={hubOf(store)} />
      <dl class="facts">
        <dt>Name</dt>
        <dd>{hub.browser}</dd>
        <dt>Hub</dt>
        <dd>{hub.address}</dd>
        {hub.pairedAt !== undefined && <Fact name="Paired since" at={hub.pairedAt} />}
        {hub.expiresAt !== undefined && <Fact name="Paired until" at={hub.expiresAt} />}
      </dl>
      <div class="row">
        <Button aria-expanded={isPairing} onClick={() => setPairing(!isPairing)}>
          Pair again or rename
        </Button>
        <Button kind="danger" busy={isBusy} onClick={() => void send({ type: "unpair" })}>
          Unpair
        </Button>
      </div>
      <p class="hint">
        Unpaired, this browser offers nothing until you pair it again. Your sites stay in the list below.
      </p>
      <ProblemLine text={problem} />
      {isPairing && <PairForm store={store} name={hub.browser} onPaired={() => setPairing(false)} />}
    </Part>
  );
}

function Fact({ name, at }: { readonly name: string; readonly at: number }) {
  const date = new Date(at);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <time dateTime={date.toISOString()}>{date.toLocaleString([], { dateStyle: "long", timeStyle: "short" })}</time>
      </dd>
    </>
  );
}

function About({ version }: { readonly version: string }) {
  return (
    <Part title="About">
      <p>
        Pagewire {version} lets your own agents use tools of the pages that you allow. Its guide is part of the project:
        docs/guide/your-own-browser.md.
      </p>
      <p>
        What pages and agents exchange goes to the hub that you paired, and nowhere else. The extension collects
        nothing, and keeps only your settings, in this browser.
      </p>
    </Part>
  );
}
