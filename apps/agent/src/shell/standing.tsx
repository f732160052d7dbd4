// The state of the model, the hub and the app, with a remedy for each problem.
import { signal as signalOf } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { LiveSession } from "../../../common/src/session/open-session.ts";
import { Dot } from "../../../common/src/ui/badge.tsx";
import { Button } from "../../../common/src/ui/button.tsx";
import { CommandLine } from "../../../common/src/ui/command-line.tsx";
import { reconnect } from "./create-agent.ts";
import { leastOf, quotaNotice, quotaStanding } from "./quota-texts.ts";
import type { Quota } from "./quota-texts.ts";
import type { ShellParts } from "./shell-parts.ts";
import {
  hubNotice,
  hubStanding,
  modelNotice,
  modelStanding,
  parentNotice,
  parentStanding,
  titleFor,
} from "./status-texts.ts";
import type { Notice, Standing } from "./status-texts.ts";

export interface StandingParts extends ShellParts {
  readonly session: Pick<LiveSession, "info" | "refresh" | "isKept" | "request">;
  /** Takes the conversation from another window. */
  takeOver(): void;
}

export interface ShownStanding {
  readonly states: ReadonlySignal<readonly Standing[]>;
  /** By their matter. */
  readonly notices: ReadonlySignal<Readonly<Record<string, Notice | undefined>>>;
}

export function createStanding(parts: StandingParts): ShownStanding & { begin(): void } {
  const { agent, parent, session, takeOver, signal } = parts;
  const states = signalOf<readonly Standing[]>([]);
  const notices = signalOf<Readonly<Record<string, Notice | undefined>>>({});

  let quota: Quota | undefined;

  function draw(): void {
    if (signal.aborted) return;
    const { model } = session.info;
    const { connection, error } = agent;
    const hub = model ? hubNotice(connection, error) : undefined;
    const action = isForgotten(error)
      ? { label: "New conversation", run: () => void (agent.conversation = null) }
      : { label: "Try again", run: () => reconnect(agent) };
    states.value = [
      parentStanding(parent.state),
      modelStanding(model),
      quotaStanding(quota),
      hubStanding(connection, model),
    ].filter((standing) => standing !== undefined);
    notices.value = {
      storage: session.isKept ? undefined : { tone: "info", text: notKept },
      model: modelNotice(session.info),
      hub: hub && { ...hub, ...(connection === "closed" && { action }) },
      quota: quotaNotice(quota),
      parent: parentNotice(parent.state, { checkAgain: check, takeOver }),
    };
    document.title = titleFor(parent.state);
  }

  /** The hub may have signed this user out, changed its model, or allowed another origin. */
  function check(): void {
    // The session itself signs out a refused user; the agent reports a hub that is down.
    session.refresh().then(draw, draw);
  }

  async function askQuota(): Promise<void> {
    quota = leastOf(await session.request("GET", "/api/quota"));
    draw();
  }

  /** Each answer uses some of it. */
  const followQuota = () => {
    if (!agent.loading && !agent.streaming) askQuota().catch(() => {});
  };

  return {
    states,
    notices,
    begin() {
      const follow = () => {
        draw();
        if (agent.connection !== "connecting") check();
      };
      agent.addEventListener("ai-agent:connection-changed", follow, { signal });
      agent.addEventListener("ai-agent:error", draw, { signal });
      for (const change of ["loading", "streaming"])
        agent.addEventListener(`ai-agent:${change}-changed`, followQuota, { signal });
      addEventListener("focus", check, { signal });
      addEventListener("focus", followQuota, { signal });
      followQuota();
      signal.addEventListener("abort", parent.onState(draw));
      draw();
    },
  };
}

/** Each dot only repeats its text as a colour. */
export function Status({ states }: Pick<ShownStanding, "states">) {
  return (
    <ul class="status" aria-label="Status">
      {states.value.map(({ text, tone }, index) => (
        <li key={index} title={text}>
          <Dot tone={tone} />
          <span class="cut">{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** The notices above the conversation, each announced to screen readers. */
export function Notices({ notices }: Pick<ShownStanding, "notices">) {
  return (
    <div class="notices" role="status">
      {Object.entries(notices.value).map(
        ([matter, notice]) =>
          notice && (
            <div key={matter} class={`notice ${notice.tone}`}>
              <p>{notice.text}</p>
              {notice.command !== undefined && <CommandLine text={notice.command} />}
              {notice.action && <Button onClick={notice.action.run}>{notice.action.label}</Button>}
            </div>
          ),
      )}
    </div>
  );
}

const notKept = "This browser keeps nothing for this page: you are signed in until it is reloaded or closed.";

function isForgotten(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { code } = Object(cause ?? error) as { readonly code?: unknown };
  return code === "conversation-not-found";
}
