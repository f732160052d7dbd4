// The life of the agent's window: pings and their answers give the state of the connection. Other messages are passed on,
// and only matter here if they end the window's life.
import type { PagewireError } from "../wire/index.ts";
import { createAgentChannel } from "./agent-channel.ts";
import type { AgentChannel, AgentReading, AgentSender } from "./agent-channel.ts";
import type { AgentPlace } from "./agent-place.ts";
import type { CheckedConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import { cutOff, notDelivered, unreachable } from "./bridge-errors.ts";
import { createStates } from "./bridge-states.ts";
import type { ConnectionReason, ConnectionStates, StateListener } from "./bridge-states.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { Heartbeat, HeartbeatPhase } from "./heartbeat.ts";
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import type { Outbox } from "./outbox.ts";
import { createWindowKeeper, createWindowSigns } from "./window-keeper.ts";
import type { WindowKeeper, WindowSigns } from "./window-keeper.ts";

type Message = Envelope<FromParent>;

export interface ConnectionOptions {
  readonly config: CheckedConfig;
  readonly environment: BridgeEnvironment;
  readonly changed: StateListener;
  /** The window was closed, or appears to be. */
  closed(): void;
  /** The window that was found again answers. */
  recovered(window: Window): void;
  /** The first message to the window whenever it may show a new page. */
  greeting(): Message;
  received(reading: AgentReading, sender: AgentSender): void;
  /** The window is gone: all work for it ends. */
  left(reason: ConnectionReason): void;
  /** The page is reloaded, left or closed. */
  leaving(): void;
}

export class WindowLife {
  readonly states: ConnectionStates;
  readonly keeper: WindowKeeper;
  readonly #options: ConnectionOptions;
  readonly #signs: WindowSigns;
  readonly #channel: AgentChannel;
  readonly #heartbeat: Heartbeat;
  readonly #outbox: Outbox;
  #isFound = false;
  /** Its page sent a goodbye, or this page was away. */
  #isParting = false;
  /** A regular ping is not answered yet. */
  #isBeating = false;
  /** The id of the page that our agent shows. */
  #page: string | undefined;

  constructor(options: ConnectionOptions) {
    const { config, environment } = options;
    this.#options = options;
    this.states = createStates(options.changed);
    this.keeper = createWindowKeeper({ config, environment, gone: (kind) => this.#gone(kind) });
    this.#signs = createWindowSigns(environment.self, config.agentOrigin);
    this.#channel = createAgentChannel({
      self: environment.self,
      origin: config.agentOrigin,
      target: this.keeper.target,
      received: (reading, sender) => this.#receive(reading, sender),
      navigatedAway: this.#signs.navigatedAway,
    });
    this.#heartbeat = createHeartbeat({
      clock: environment.clock,
      interval: config.heartbeatInterval,
      timeout: config.heartbeatTimeout,
      ping: (phase) => this.#pingIn(phase),
      failed: (phase) => this.#fail(phase),
    });
    this.#outbox = createOutbox((message) => {
      this.#channel.post(message);
      return this.#ping(this.#channel.post);
    });
  }

  /** A window was opened or found: it gets pings until it answers. */
  enter(wasFound: boolean): void {
    this.#isFound = wasFound;
    this.#signs.clear();
    this.#page = undefined;
    this.#channel.dropPort();
    const notify = this.states.move("opening");
    this.#heartbeat.start("greeting");
    notify();
  }

  /** Releases the window. */
  leave(why: ConnectionReason): void {
    this.#options.left(why);
    if (why === "destroyed") this.goAway();
    this.keeper.release();
    this.#isParting = false;
    this.#heartbeat.stop();
    this.#channel.dropPort();
    this.#outbox.shut();
    const lost = this.#outbox.clear();
    const notify = this.states.move("lost", why);
    if (lost > 0) this.#report(notDelivered(lost, why));
    notify();
  }

  /** The browser blocked the window. */
  blocked(): void {
    this.keeper.release();
    this.#heartbeat.stop();
    this.states.move("opening")();
    if (!this.keeper.place) this.states.move("lost", "popup-blocked")();
  }

  /** Sends a ping to the current window. */
  ask(): void {
    const notify = this.states.move("opening");
    if (this.states.now === "connected") this.#ping(this.#channel.post);
    else this.#heartbeat.start(this.states.now === "connecting" ? "greeting" : "retrying");
    notify();
  }

  /** Sends a message now, if the window answers. */
  post(message: Message): void {
    if (this.states.now === "connected" && !this.#isParting) this.#channel.post(message);
  }

  /** Sends a message as soon as the window answers. Throws if too many wait. */
  deliver(message: Message): void {
    this.#outbox.add(message);
  }

  /** This page is reloaded, left or closed, and may be back. */
  goAway(): void {
    this.#options.leaving();
    this.#channel.post({ type: "parent_bye", payload: {} });
    this.#channel.dropPort();
    this.keeper.leave();
  }

  comeBack(): void {
    this.keeper.back();
    this.#part();
  }

  close(): void {
    this.#channel.close();
  }

  #gone(kind: AgentPlace["kind"]): void {
    const why = kind === "frame" ? "closed" : this.#signs.isCutOff() ? "cut-off" : "closed-by-user";
    this.leave(why);
    if (why === "cut-off") this.#report(cutOff);
    this.#options.closed();
  }

  #receive(reading: AgentReading, sender: AgentSender): void {
    const message = reading.kind === "message" ? reading.message : undefined;
    if (message?.type === "agent_bye") return this.#part();
    if (message?.type === "parent_replaced") return this.leave("replaced");
    // The page must ask first.
    if (this.states.now === "disconnected" && !this.#options.config.autoRecover) return;
    if (message?.type === "pong") this.#outbox.confirm(message.payload.timestamp);
    if (message?.type === "agent_ready") this.#givePort(message.payload);
    this.#answered();
    if (this.states.now !== "connected") return;
    if (message?.type === "pong") this.#repeatTools();
    this.#options.received(reading, sender);
  }

  /** A page of another make that was reloaded between two pings gives no sign of it, and has no tools. */
  #repeatTools(): void {
    const mayBeNew = this.#isBeating && !this.#channel.hasPort;
    this.#isBeating = false;
    if (mayBeNew) this.post(this.#options.greeting());
  }

  /** Our agent asks for a port. */
  #givePort(agent: FromAgent["agent_ready"]): void {
    if (!this.#channel.givePort(agent)) return;
    if (this.#page !== undefined && agent.page !== this.#page) this.#outbox.repeat();
    this.#page = agent.page;
    this.#isParting = this.states.now === "connected";
  }

  #answered(): void {
    const { states, keeper } = this;
    this.#heartbeat.answered();
    this.#signs.answered();
    if (states.now === "disconnected") states.move("opening")();
    // A listener may have released the window.
    if (states.now === "disconnected" || (states.now === "connected" && !this.#isParting)) return;
    this.#isParting = false;
    const notify = states.move("answered");
    this.#heartbeat.start("beating");
    this.#channel.post(this.#options.greeting());
    this.#outbox.open();
    const recovered = this.#isFound ? keeper.target() : null;
    this.#isFound = false;
    notify();
    if (recovered && keeper.target()) this.#options.recovered(recovered);
  }

  /** The window's page, or this one, goes away or is back; a reload takes only a moment. */
  #part(): void {
    if (this.states.now !== "connected") return;
    this.#isParting = true;
    this.#channel.dropPort();
    this.#outbox.shut();
    this.#heartbeat.start("parting");
  }

  #pingIn(phase: HeartbeatPhase): void {
    const { post, postToWindow } = this.#channel;
    this.keeper.check();
    if (!this.#signs.mayShowAgent(this.keeper.target())) return;
    this.#isBeating = phase === "beating";
    this.#ping(this.#isBeating ? post : postToWindow);
  }

  #ping(post: (message: Message) => void): number {
    const timestamp = this.#options.environment.date();
    post({ type: "ping", payload: { timestamp } });
    return timestamp;
  }

  /** No answer within the timeout of this phase. */
  #fail(phase: HeartbeatPhase): void {
    const { config, environment } = this.#options;
    const { place } = this.keeper;
    this.keeper.check();
    if (this.keeper.place !== place) return;
    const isOver = phase === "greeting" || phase === "retrying";
    if (phase === "parting") this.#signs.navigatedAway();
    this.#isParting = false;
    this.#outbox.shut();
    if (isOver) this.#channel.dropPort();
    const notify = this.states.move(isOver ? "lost" : "silent", this.#signs.whySilent());
    if (!isOver) this.#heartbeat.start("retrying");
    else if (config.autoRecover) this.#heartbeat.start("lingering");
    if (phase === "greeting") this.#report(unreachable(config.agentOrigin, environment.self.origin));
    notify();
  }

  #report(error: PagewireError): void {
    this.#options.config.onError(error, { stage: "agent window" });
  }
}
