// All parts of the hub's pages, each in its states: to look at, and for the tests of their accessibility.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { PagewireError } from "pagewire/wire";
import { icons } from "../../../common/src/icons.ts";
import {
  Badge,
  Button,
  Code,
  CopyButton,
  Dialog,
  Dot,
  Drawer,
  Empty,
  Icon,
  JsonTree,
  Loading,
  Problem,
  Time,
  durationText,
  now,
  toast,
} from "../../../common/src/ui/index.ts";
import type { Tone } from "../../../common/src/ui/index.ts";
import { Charts } from "./charts.tsx";
import { Forms } from "./forms.tsx";
import { ManyRows } from "./many-rows.tsx";

const tones: readonly Tone[] = ["plain", "info", "ok", "wait", "bad"];
const kinds = ["plain", "strong", "quiet", "danger"] as const;

export function Parts() {
  return (
    <div class="stack parts" id="parts">
      <Section title="Buttons">
        {kinds.map((kind) => (
          <p key={kind}>
            <Button kind={kind}>{kind}</Button>{" "}
            <Button kind={kind} icon={icons.plus}>
              With an icon
            </Button>{" "}
            <Button kind={kind} small>
              Small
            </Button>{" "}
            <Button kind={kind} icon={icons.bin} label={`Delete, ${kind}`} />{" "}
            <Button kind={kind} busy>
              Busy
            </Button>{" "}
            <Button kind={kind} disabled>
              Disabled
            </Button>
          </p>
        ))}
        <p>
          <CopyButton what="the address" text={() => location.href} />
          {Object.entries(icons).map(([name, path]) => (
            <Icon key={name} path={path} />
          ))}
        </p>
      </Section>
      <Section title="Badges, dots and times">
        <p>
          {tones.map((tone) => (
            <span key={tone}>
              <Badge tone={tone}>{tone}</Badge> <Dot tone={tone} label={tone} />{" "}
            </span>
          ))}
        </p>
        <p>
          <Time at={Date.now() - 3000} />, <Time at={Date.now() - 90_000} />, <Time at={Date.now() - 9e9} />;{" "}
          {[0.4, 38, 3100, 75_000, 9e6].map(durationText).join(", ")}; open for{" "}
          {durationText(now.value - performance.timeOrigin)}
        </p>
      </Section>
      <Section title="Forms">
        <Forms />
      </Section>
      <Section title="Charts">
        <Charts />
      </Section>
      <Section title="Dialogs and toasts">
        <Overlays />
      </Section>
      <Section title="Table of 10,000 rows">
        <ManyRows />
      </Section>
      <Section title="Code">
        <Code label="JSON" language="json" text={JSON.stringify(order, undefined, 2)} />
        <Code label="Shell" language="bash" text={`npx pagewire call add_note text="Ship tea" # with a note`} />
        <Code
          label="TypeScript"
          language="typescript"
          text={`const note = await hub.call("add_note", { text: "Ship tea" });`}
        />
        <Code label="Text" wraps text={"A text without a language. ".repeat(12)} />
      </Section>
      <Section title="JSON">
        <JsonTree label="An order" value={order} />
        <JsonTree label="A long list" depth={0} value={Array.from({ length: 250 }, (_, index) => index * index)} />
      </Section>
      <Section title="States">
        <Empty title="No calls yet" icon={icons.mark} action={<Button kind="strong">Try a tool</Button>}>
          Calls of agents appear here as they happen. Connect one, or try a tool yourself.
        </Empty>
        <Loading />
        <Problem
          title="The tabs could not be listed"
          error={new PagewireError("hub-unreachable", "The hub did not answer: is it running?")}
          onRetry={() => toast("Tried again")}
        />
      </Section>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="stack parts-section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Overlays() {
  const [open, setOpen] = useState<"dialog" | "drawer">();
  const close = (): void => setOpen(undefined);
  const actions = (
    <>
      <Button onClick={close}>Keep it</Button>
      <Button kind="danger" onClick={close}>
        Delete it
      </Button>
    </>
  );
  return (
    <p>
      <Button onClick={() => setOpen("dialog")}>Dialog</Button>{" "}
      <Button onClick={() => setOpen("drawer")}>Drawer</Button>{" "}
      <Button onClick={() => toast({ text: "The note was added.", tone: "ok" })}>Toast</Button>{" "}
      <Button
        onClick={() =>
          toast({ text: "The call failed.", tone: "bad", action: { label: "Again", run: () => toast("Called again") } })
        }
      >
        Toast that stays
      </Button>
      {open === "dialog" && (
        <Dialog title="Delete this note?" asks onClose={close} actions={actions}>
          <p>“Ship tea” is removed from the page, and cannot be brought back.</p>
        </Dialog>
      )}
      {open === "drawer" && (
        <Drawer title="add_note" onClose={close} actions={actions}>
          <JsonTree label="Arguments" value={order} />
        </Drawer>
      )}
    </p>
  );
}

const order = {
  id: "ord-2041",
  paid: true,
  total: 48.5,
  note: null,
  buyer: { name: "Ada Lovelace", name_with_a_trap: "pay\u202Eeelosnoc\u202C" },
  lines: [
    { product: "Ceylon tea", count: 3 },
    { product: "Teapot", count: 1 },
  ],
  long: "Once more with feeling. ".repeat(40),
  empty: {},
};
