// The connection of a page with the agent's window: asks the window for signs of life, and says how it stands. What the
// messages of the agent mean is not its business, as long as they do not end the connection.
import type { PagewireError } from "../wire/index.ts";
import { createAgentChannel } from "./agent-channel.ts";
import type { AgentSaid, AgentSender } from "./agent-channel.ts";
import { isGone, mountFrame, placeInFrame } from "./agent-place.ts";
import type { AgentPlace } from "./agent-place.ts";
import { cutOff, notDelivered, unreachable } from "./bridge-errors.ts";
import { bridgeLimits } from "./bridge-limits.ts";
import { nextState } from "./bridge-states.ts";
import type { ConnectionEvent, ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { Connection, ConnectionOptions } from "./connection.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { HeartbeatPhase } from "./heartbeat.ts";
import type { Envelope, FromAgent, FromParent } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import { watchPage } from "./watch-page.ts";
import { createWindowKeeper } from "./window-keeper.ts";
import { createWindowSigns } from "./window-signs.ts";

type Message = Envelope<FromParent>;

export function createConnection(options: ConnectionOptions): Connection {
  const { config, environment } = options;
  const { clock, date, self } = environment;
  const tellError = (error: PagewireError) => config.onError(error, { stage: "agent window" });

  let state: ConnectionState = "disconnected";
  let reason: ConnectionReason | undefined;
  let isFound = false;
  /** Its page said that it goes, or this page was away. */
  let isParting = false;
  /** Which page of an agent of ours it shows. */
  let page: string | undefined;

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
  const stopPage = watchPage(self, { leaving: goAway, back: comeBack });

  /** Moves on. Whoever hears of it may do anything with the bridge: what it returns is to be called last. */
  function move(event: ConnectionEvent, why?: ConnectionReason): () => void {
    const next = nextState(state, event);
    if (!next) return () => {};
    const previous = state;
    state = next;
    reason = why;
    return () => options.changed(next, previous, why);
  }

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
    // The page asks first.
    if (state === "disconnected" && !config.autoRecover) return;
    if (message?.type === "pong") outbox.confirm(message.payload.timestamp);
    if (message?.type === "agent_ready") ready(message.payload);
    answered();
    if (state === "connected") options.heard(said, sender);
  }

  /** An agent of ours would have a port. */
  function ready({ nonce, page: now }: FromAgent["agent_ready"]): void {
    if (!channel.givePort(nonce)) return;
    if (page !== undefined && now !== page) outbox.repeat();
    page = now;
    isParting = state === "connected";
  }

  /** There was a sign of life. */
  function answered(): void {
    heartbeat.heard();
    signs.answered();
    if (state === "disconnected") move("opening")();
    // Who heard of that may have let go of the window.
    if (state === "disconnected" || (state === "connected" && !isParting)) return;
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

  /** The window's page, or this one, goes away or is back; a reload is over in a moment. */
  function part(): void {
    if (state !== "connected") return;
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

  function recover(): boolean {
    keeper.look();
    if (keeper.place) return true;
    if (!keeper.find()) return false;
    enter(true);
    return true;
  }

  function open(): Window | null {
    keeper.look();
    if (keeper.place && state !== "disconnected") {
      keeper.place.focus();
      return keeper.target();
    }
    // A frame that was given up makes room.
    if (keeper.place?.kind === "frame") closeWindow();
    if (keeper.open()) {
      enter(false);
      return keeper.target();
    }
    keeper.release();
    heartbeat.stop();
    move("opening")();
    if (!keeper.place) move("lost", "popup-blocked")();
    return null;
  }

  function mount(element: Element): HTMLIFrameElement {
    keeper.look();
    const frame = mountFrame(element, config.agentUrl, keeper.name);
    const isSame = keeper.place !== undefined && keeper.target() === frame.contentWindow;
    if (isSame && state !== "disconnected") return frame;
    // What was given up is loaded again.
    if (isSame) frame.src = config.agentUrl;
    else closeWindow();
    keeper.keep(placeInFrame(frame));
    enter(false);
    return frame;
  }

  function closeWindow(): void {
    if (!keeper.place) return;
    keeper.place.close();
    leave("closed");
    options.closed();
  }

  return {
    get state() {
      return state;
    },
    get reason() {
      return reason;
    },
    get isOpen() {
      return keeper.place !== undefined && !isGone(keeper.place);
    },
    open,
    mount,
    recover,
    closeWindow,
    reconnect() {
      keeper.look();
      if (!keeper.place) return recover();
      const tell = move("opening");
      if (state === "connected") ping(channel.post);
      else heartbeat.start(state === "connecting" ? "greeting" : "retrying");
      tell();
      return true;
    },
    post(message) {
      if (state === "connected" && !isParting) channel.post(message);
    },
    deliver: outbox.add,
    close() {
      leave("destroyed");
      stopPage();
      channel.close();
    },
  };
}
