// The state diagram as a model, tested with any order of events of users, windows and networks.
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import type { AgentBridge } from "./agent-bridge.ts";
import { nextState } from "./bridge-states.ts";
import type { ConnectionState } from "./bridge-states.ts";
import { specTable } from "../../test/support/spec-table.ts";
import { FakeTab } from "./fake-tab.test-helper.ts";

const states = ["disconnected", "connecting", "connected", "reconnecting"] as const;
const events = ["opening", "answered", "silent", "lost"] as const;
const ways = states.flatMap((from) => events.map((event) => [from, event, nextState(from, event)] as const));

test("BR3: the table of the contract", () => {
  const rows = events.map((event) => [event, ...states.map((state) => nextState(state, event) ?? "–")]);
  expect(rows).toEqual(specTable(new URL("SPEC.md", import.meta.url), "- **BR3**"));
});

/** The expected state. */
interface Model {
  state: ConnectionState;
  hasWindow: boolean;
  /** Whether the agent's page answers. */
  answers: boolean;
  /** Whether the tab remembers that it opened the window, which still exists. */
  canRecover: boolean;
  /** Whether the bridge may look for the window of the previous one. */
  wasLeft: boolean;
  blocksPopups: boolean;
}

interface Real {
  tab: FakeTab;
  bridge: AgentBridge;
  /** Reported by the callback and by the event. */
  changes: [ConnectionState, ConnectionState][];
  events: [ConnectionState, ConnectionState][];
}

type Command = fc.AsyncCommand<Model, Real>;

function command(
  name: string,
  isPossible: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void> | void,
): Command {
  return {
    check: isPossible,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      // Time for all messages on the way to arrive: less than any timeout.
      await real.tab.clock.advance(1000);
      expect(real.bridge.getConnectionState()).toBe(model.state);
      expect(real.bridge.isAgentOpen()).toBe(model.hasWindow);
      const allowed = ways.map(([from, , to]) => `${from} ${to}`);
      for (const [from, to] of real.changes) expect(allowed).toContain(`${from} ${to}`);
      expect(real.events).toEqual(real.changes);
    },
  };
}

const always = () => true;

function setAnswers(tab: FakeTab, answers: boolean): void {
  tab.agentsAnswer = answers;
  for (const agent of tab.windows.values()) agent.answers = answers;
}

function listen(real: Real): void {
  real.tab.page.addEventListener("agent-connection-state-changed", (event) => {
    const { previousState, currentState } = (event as CustomEvent<Record<string, ConnectionState>>).detail;
    if (previousState && currentState) real.events.push([previousState, currentState]);
  });
}

function startBridge(real: Real): void {
  real.bridge = real.tab.bridge({ onConnectionChange: (to, from) => void real.changes.push([from, to]) });
}

/** The state of a window right after a ping. */
const asked = (model: Model): ConnectionState => (model.answers ? "connected" : "connecting");

function closed(model: Model): void {
  Object.assign(model, { state: "disconnected", hasWindow: false, canRecover: false });
}

const commands = [
  command("open", always, (model, { bridge }) => {
    const opened = bridge.openAgent();
    if (model.hasWindow && model.state !== "disconnected") return;
    // A window with this name shows the agent again; only a new one can be blocked.
    if (model.blocksPopups && !model.hasWindow && !model.canRecover) return assert.isNull(opened);
    Object.assign(model, { state: asked(model), hasWindow: true, canRecover: true, wasLeft: false });
  }),
  command("block popups", always, (model, { tab }) => {
    tab.blocksPopups = model.blocksPopups = !model.blocksPopups;
  }),
  command(
    "user closes",
    ({ hasWindow }) => hasWindow,
    (model, { tab }) => {
      tab.agent.close();
      closed(model);
    },
  ),
  command("close", always, (model, { bridge }) => {
    bridge.closeAgent();
    if (model.hasWindow) closed(model);
  }),
  command(
    "agent is silent",
    ({ answers }) => answers,
    (model, { tab }) => {
      setAnswers(tab, (model.answers = false));
    },
  ),
  command(
    "agent answers again",
    ({ answers }) => !answers,
    async (model, { tab }) => {
      setAnswers(tab, (model.answers = true));
      await tab.clock.advance(5000);
      if (model.hasWindow) model.state = "connected";
    },
  ),
  command(
    "a long silence",
    ({ answers }) => !answers,
    async (model, { tab, bridge }) => {
      if (model.state === "connected") {
        await tab.clock.advance(20_000);
        assert.equal(bridge.getConnectionState(), "reconnecting");
      }
      await tab.clock.advance(60_000);
      model.state = "disconnected";
    },
  ),
  command(
    "a long time",
    ({ answers }) => answers,
    async (_model, { tab }) => {
      await tab.clock.advance(60_000);
    },
  ),
  command(
    "window says goodbye",
    ({ hasWindow }) => hasWindow,
    async (model, { tab }) => {
      tab.agent.say({ type: "agent_bye", payload: {} });
      if (model.answers || model.state !== "connected") return;
      await tab.clock.advance(4000);
      model.state = "reconnecting";
    },
  ),
  command(
    "another parent",
    ({ hasWindow }) => hasWindow,
    (model, { tab }) => {
      tab.agent.say({ type: "parent_replaced", payload: {} });
      closed(model);
      // It still exists under its name: opening shows it again.
      model.canRecover = true;
    },
  ),
  command(
    "a stranger speaks",
    ({ hasWindow }) => hasWindow,
    (_model, { tab }) => {
      tab.agent.say({ type: "agent_bye", payload: {} }, "https://agent.example.evil.example");
      tab.hear({ data: { type: "parent_replaced" }, origin: "https://agent.example", source: tab.agentNamed("x") });
    },
  ),
  command("reconnect", always, (model, { tab, bridge }) => {
    const isThere = model.hasWindow || (model.wasLeft && !tab.agent.closed);
    assert.equal(bridge.reconnect(), isThere);
    model.wasLeft = false;
    if (!isThere) return;
    model.hasWindow = true;
    if (model.state === "disconnected") model.state = "connecting";
    if (model.answers) model.state = "connected";
  }),
  command("refresh", always, (model, real) => {
    real.tab.reload();
    listen(real);
    startBridge(real);
    real.bridge.registerTools([]);
    const isFound = (model.hasWindow || model.wasLeft) && !real.tab.agent.closed;
    Object.assign(model, { hasWindow: isFound, wasLeft: false, state: isFound ? asked(model) : "disconnected" });
  }),
  command("destroy", always, (model, real) => {
    real.bridge.destroy();
    startBridge(real);
    Object.assign(model, { wasLeft: model.wasLeft || model.hasWindow, hasWindow: false, state: "disconnected" });
  }),
  command("inject", always, (_model, { bridge }) => {
    bridge.injectMessage("Hello");
  }),
];

test("BR3: in any order of events the bridge follows the diagram, and reports each change twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        commands.map((one) => fc.constant(one)),
        { maxCommands: 40, size: "max" },
      ),
      async (run) => {
        const setup = () => {
          const real = { tab: new FakeTab(), changes: [], events: [] } as unknown as Real;
          listen(real);
          startBridge(real);
          const model: Model = {
            state: "disconnected",
            hasWindow: false,
            answers: true,
            canRecover: false,
            wasLeft: false,
            blocksPopups: false,
          };
          return { model, real };
        };
        await fc.asyncModelRun(setup, run);
      },
    ),
    { numRuns: 40 },
  );
});
