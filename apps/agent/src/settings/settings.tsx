import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Consents } from "../../../common/src/session/consents.tsx";
import type { LiveSession } from "../../../common/src/session/open-session.ts";
import { nameOf } from "../../../common/src/session/session.ts";
import { Button } from "../../../common/src/ui/button.tsx";
import { Dialog } from "../../../common/src/ui/dialog.tsx";
import { Switch } from "../../../common/src/ui/fields.tsx";
import type { OtherTabs } from "./other-tabs.ts";

export interface SettingsProps {
  readonly session: LiveSession;
  /** Given beside an app. */
  readonly otherTabs: OtherTabs | undefined;
  /** Saves the conversation that is shown as a file. */
  readonly save: (format: "markdown" | "json") => void;
  readonly onClose: () => void;
}

/** The dialog for the user's lasting decisions and account. */
export function Settings({ session, otherTabs, save, onClose }: SettingsProps) {
  const { mode, version } = session.info;
  return (
    <Dialog title="Settings" onClose={onClose}>
      {otherTabs && (window.top === window ? <TabsSwitch otherTabs={otherTabs} /> : <p class="hint">{notInFrame}</p>)}
      <Setting title="Decided for always">
        <Consents session={session} none={<p class="hint">You are asked each time.</p>} />
      </Setting>
      <Setting title="This conversation">
        <div class="row">
          <Button onClick={() => save("markdown")}>Save as Markdown</Button>
          <Button onClick={() => save("json")}>Save as JSON</Button>
        </div>
      </Setting>
      <Setting title="Signed in">
        <p>
          {mode === "local" ? "To the hub of this machine" : `As ${nameOf(session.info)}`}, Pagewire {version}.
          {!session.isKept && " This browser keeps nothing for this page: a reload signs you out."}
        </p>
        <div class="row">
          <Button onClick={() => void session.signOut()}>Sign out</Button>
          <p class="hint">In all tabs of this browser.</p>
        </div>
      </Setting>
    </Dialog>
  );
}

/** There, the surrounding page could cover the switch. */
const notInFrame = "In a window of its own, the assistant may also use your other tabs.";

function Setting({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="stack setting" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/** In an app's window: whether the assistant may use the user's other tabs beside the app's tools. */
export function TabsSwitch({ otherTabs: { shown, choose } }: { readonly otherTabs: OtherTabs }) {
  return (
    <Switch
      label="May also use my other tabs"
      hint="For this conversation only. You are asked before a tool changes anything."
      checked={shown.value !== false}
      onChange={choose}
    />
  );
}
