// The life of the agent's window: pings and their answers give the state of the connection. Other messages are passed on,
// and only matter here if they end the window's life.
import type { PagewireError } from "../wire/index.ts";
import { createAgentChannel } from "./agent-channel.ts";
import type { AgentSaid, AgentSender } from "./agent-channel.ts";
import type { AgentPlace } from "./agent-place.ts";
import type { CheckedConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import { cutOff, notDelivered, unreachable } from "./bridge-errors.ts";
import { bridgeLimits } from "./bridge-limits.ts";
import { createStates } from "./bridge-states.ts";
import type { ConnectionReason, ConnectionStates, StateListener } from "./bridge-states.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { HeartbeatPhase } from "./heartbeat.ts";
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import type { Outbox } from "./outbox.ts";
import { createWindowKeeper } from "./window-keeper.ts";
import type { WindowKeeper } from "./window-keeper.ts";
import { createWindowSigns } from "./window-signs.ts";

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
  greeting(): Envelope<FromParent>;
  heard(said: AgentSaid, sender: AgentSender): void;
  /** The window is gone: all work for it ends. */
  left(reason: ConnectionReason): void;
  /** The page is reloaded, left or closed. */
  leaving(): void;
}

export interface WindowLife {
  readonly states: ConnectionStates;
  readonly keeper: WindowKeeper;
  /** Sends messages as soon as the window answers. */
  readonly deliver: Outbox["add"];
  /** A window was opened or found: it gets pings until it answers. */
  enter(wasFound: boolean): void;
  /** Releases the window. */
  leave(why: ConnectionReason): void;
  /** The browser blocked the window. */
  blocked(): void;
  /** Sends a ping to the current window. */
  ask(): void;
  /** Sends a message now, if the window answers. */
  post(message: Message): void;
  /** This page is reloaded, left or closed, and may be back. */
  goAway(): void;
  comeBack(): void;
  close(): void;
}

export function createWindowLife(options: ConnectionOptions): WindowLife {
  const { config, environment } = options;
  const { clock, date, self } = environment;
  const tellError = (error: PagewireError) => config.onError(error, { stage: "agent window" });

  let isFound = false;
  /** Its page sent a goodbye, or this page was away. */
  let isParting = false;
  /** The id of the page that our agent shows. */
  let page: string | undefined;

  const states = createStates(options.changed);
  const { move } = states;
  const keeper = createWindowKeeper({ ...options, gone });
  const signs = createWindowSigns(self, config.agentOrigin);
  const channel = createAgentChannel({
    self,
    origin: config.agentOrigin,
    target: keeper.target,
    heard,
    strayed: signs.strayed,
  });
  const heartbeat = createHeartbeat({
    clock,
    interval: config.heartbeatInterval,
    timeout: config.heartbeatTimeout,
    ping: pingIn,
    failed,
  });
  const outbox = createOutbox({
    most: bridgeLimits.waitingMessages,
    post(message) {
      channel.post(message);
      return ping(channel.post);
    },
  });
  function enter(wasFound: boolean): void {
    isFound = wasFound;
    signs.clear();
    page = undefined;
    channel.dropPort();
    const tell = move("opening");
    heartbeat.start("greeting");
    tell();
  }

  function leave(why: ConnectionReason): void {
    options.left(why);
    if (why === "destroyed") goAway();
    keeper.release();
    isParting = false;
    heartbeat.stop();
    channel.dropPort();
    outbox.shut();
    const lost = outbox.clear();
    const tell = move("lost", why);
    if (lost > 0) tellError(notDelivered(lost, why));
    tell();
  }

  function gone(kind: AgentPlace["kind"]): void {
    const why = kind === "frame" ? "closed" : signs.isCutOff() ? "cut-off" : "closed-by-user";
    leave(why);
    if (why === "cut-off") tellError(cutOff);
    options.closed();
  }

  function heard(said: AgentSaid, sender: AgentSender): void {
    const message = said.kind === "message" ? said.message : undefined;
    if (message?.type === "agent_bye") return part();
    if (message?.type === "parent_replaced") return leave("replaced");
    // The page must ask first.
    if (states.now === "disconnected" && !config.autoRecover) return;
    if (message?.type === "pong") outbox.confirm(message.payload.timestamp);
    if (message?.type === "agent_ready") ready(message.payload);
    answered();
    if (states.now === "connected") options.heard(said, sender);
  }

  /** Our agent asks for a port. */
  function ready(agent: FromAgent["agent_ready"]): void {
    const { page: now } = agent;
    if (!channel.givePort(agent)) return;
    if (page !== undefined && now !== page) outbox.repeat();
    page = now;
    isParting = states.now === "connected";
  }

  /** The window answered. */
  function answered(): void {
    heartbeat.heard();
    signs.answered();
    if (states.now === "disconnected") move("opening")();
    // A listener may have released the window.
    if (states.now === "disconnected" || (states.now === "connected" && !isParting)) return;
    isParting = false;
    const tell = move("answered");
    heartbeat.start("beating");
    channel.post(options.greeting());
    outbox.open();
    const recovered = isFound ? keeper.target() : null;
    isFound = false;
    tell();
    if (recovered && keeper.target()) options.recovered(recovered);
  }

  /** The window's page, or this one, goes away or is back; a reload takes only a moment. */
  function part(): void {
    if (states.now !== "connected") return;
    isParting = true;
    channel.dropPort();
    outbox.shut();
    heartbeat.start("parting");
  }

  function pingIn(phase: HeartbeatPhase): void {
    keeper.look();
    if (signs.look(keeper.target())) ping(phase === "beating" ? channel.post : channel.postToWindow);
  }

  function ping(post: (message: Message) => void): number {
    const timestamp = date();
    post({ type: "ping", payload: { timestamp } });
    return timestamp;
  }

  function failed(phase: HeartbeatPhase): void {
    const { place } = keeper;
    keeper.look();
    if (keeper.place !== place) return;
    const isOver = phase === "greeting" || phase === "retrying";
    if (phase === "parting") signs.strayed();
    isParting = false;
    outbox.shut();
    if (isOver) channel.dropPort();
    const tell = move(isOver ? "lost" : "silent", signs.whySilent());
    if (!isOver) heartbeat.start("retrying");
    else if (config.autoRecover) heartbeat.start("lingering");
    if (phase === "greeting") tellError(unreachable(config.agentOrigin, self.origin));
    tell();
  }

  function goAway(): void {
    options.leaving();
    channel.post({ type: "parent_bye", payload: {} });
    channel.dropPort();
    keeper.leave();
  }

  function comeBack(): void {
    keeper.back();
    part();
  }

  return {
    states,
    keeper,
    deliver: outbox.add,
    enter,
    leave,
    blocked() {
      keeper.release();
      heartbeat.stop();
      move("opening")();
      if (!keeper.place) move("lost", "popup-blocked")();
    },
    ask() {
      const tell = move("opening");
      if (states.now === "connected") ping(channel.post);
      else heartbeat.start(states.now === "connecting" ? "greeting" : "retrying");
      tell();
    },
    post(message) {
      if (states.now === "connected" && !isParting) channel.post(message);
    },
    goAway,
    comeBack,
    close: channel.close,
  };
}
