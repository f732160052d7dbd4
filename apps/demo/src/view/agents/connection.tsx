import type { Page, PageState } from "pagewire/page";
import { render } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../../../common/src/ui/button.tsx";
import { CommandLine } from "../../../../common/src/ui/command-line.tsx";
import { now } from "../../../../common/src/ui/time.tsx";
import type { Announce } from "../announcer.ts";
import { byId } from "../dom.ts";

/** The state of the page's connection to its hub, and how to fix a failure. */
export function mountConnection(page: Page, announce: Announce): void {
  const section = byId("connection", HTMLElement);

  function draw(state: PageState): void {
    const command = state.status === "refused" ? state.command : undefined;
    const retryAt = state.status === "refused" || state.status === "reconnecting" ? state.retryAt : undefined;
    const text = retryAt === undefined ? state.message : withoutWait(state.message);
    render(
      <>
        <p class="connection-state">
          <StateDot state={state} />
          <span>{text}</span>
        </p>
        {command !== undefined && <CommandLine text={command} />}
        {retryAt !== undefined && (
          <div class="hint connection-retry">
            <Countdown to={retryAt} />
            <Button onClick={() => page.reconnect()}>Try now</Button>
          </div>
        )}
      </>,
      section,
    );
  }

  let { status } = page.state;
  draw(page.state);
  page.onState((state) => {
    draw(state);
    // Do not announce each further failed attempt.
    if (state.status !== status) announce(state.message);
    status = state.status;
  });
}

function Countdown({ to }: { readonly to: number }) {
  const [begun] = useState(() => Date.now());
  const seconds = Math.max(0, Math.ceil((to - Math.max(begun, now.value)) / 1000));
  return <span>{seconds === 0 ? "Trying again" : `Trying again in ${seconds} s`}</span>;
}

/** A state's message has the wait of its moment: beside the countdown it would be another number. */
function withoutWait(message: string): string {
  return message.replace(/ Trying again in \d+ s\.$/, "");
}

/** A dot in the colour of a state; its meaning is in the words beside it. */
export function StateDot({ state: { status } }: { readonly state: PageState }) {
  return <span class={`dot ${status}`} aria-hidden="true" />;
}

/** Shows why there are no agents on this page, and removes the elements for them. */
export function showHubProblem(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const notice = (
    <div class="notice">
      <p>{message}</p>
    </div>
  );
  render(notice, byId("assistant-notice", HTMLElement));
  byId("agents", HTMLElement).hidden = true;
  byId("agents-open", HTMLElement).hidden = true;
  byId("app", HTMLElement).classList.add("alone");
}
