import { logError } from "../toolbox/one-tool.ts";
import { PagewireError, parseUrl } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { ConnectionReason, ConnectionState } from "./bridge-states.ts";
import type { ToolSource } from "./tool-shelf.ts";

export interface BridgeConfig {
  /** The exact origin of the agent's window, such as `http://127.0.0.1:7337`, for all messages from and to it. */
  readonly agentOrigin: string;
  /** The address of the agent's page; by default `agentOrigin`. Must have the same origin. */
  readonly agentUrl?: string;
  /** Milliseconds between two pings; 5000 by default. */
  readonly heartbeatInterval?: number;
  /** Milliseconds without an answer until the connection counts as lost; 15000 by default. */
  readonly heartbeatTimeout?: number;
  /** Whether the window is found again after this page was reloaded; true by default. */
  readonly autoRecover?: boolean;
  readonly onConnectionChange?: (
    state: ConnectionState,
    previousState: ConnectionState,
    reason: ConnectionReason | undefined,
  ) => void;
  /** Called when the window was closed, by the user or the page, or was cut off. */
  readonly onWindowClosed?: () => void;
  readonly onSessionRecovered?: (window: Window) => void;
  /** Its current tools are offered as well, so that a page with a toolbox declares its tools once. */
  readonly toolbox?: ToolSource;
  /** The window's name; by default unique to this tab. */
  readonly windowName?: string;
  /** What `openAgent` opens: by default a window beside the page, or a tab. */
  readonly open?: "popup" | "tab";
  /** The features of a popup, as for `window.open`; by default it is at the right edge of the page. Ignored for a tab. */
  readonly windowFeatures?: string;
  /** Called with errors of background work; by default they go to the console. */
  readonly onError?: OnError;
}

/** A configuration with its defaults. */
export interface CheckedConfig extends BridgeConfig {
  readonly agentUrl: string;
  readonly heartbeatInterval: number;
  readonly heartbeatTimeout: number;
  readonly autoRecover: boolean;
  readonly open: "popup" | "tab";
  readonly onError: OnError;
}

/** The configuration with its defaults; throws for an invalid option. */
export function checkConfig(config: BridgeConfig): CheckedConfig {
  const { heartbeatInterval = 5000, heartbeatTimeout = 15_000, autoRecover = true, open = "popup" } = config;
  const { windowName, windowFeatures = "", onError = logError } = config;
  const agentOrigin = readOrigin(config.agentOrigin);
  checkTime("heartbeatInterval", heartbeatInterval);
  checkTime("heartbeatTimeout", heartbeatTimeout);
  // A name that begins with "_" is a keyword, such as _blank.
  if (windowName !== undefined && !/^[^_]/.test(windowName)) {
    throw invalid("windowName", 'a name such as "assistant", that does not begin with "_"');
  }
  if (open !== "popup" && open !== "tab") throw invalid("open", '"popup" or "tab"');
  if (/noopener|noreferrer/i.test(windowFeatures)) {
    throw invalid("windowFeatures", "without noopener and noreferrer: the two windows could not speak to each other");
  }
  return {
    ...config,
    agentOrigin,
    agentUrl: readUrl(config.agentUrl ?? agentOrigin, agentOrigin),
    heartbeatInterval,
    heartbeatTimeout,
    autoRecover,
    open,
    onError: harmless(onError),
  };
}

/** Errors of this callback must not affect the bridge. */
function harmless(onError: OnError): OnError {
  return (error, context) => {
    try {
      onError(error, context);
    } catch (thrown) {
      logError(error, context);
      logError(thrown, { stage: "onError" });
    }
  };
}

/** An origin in the browser's form, without a trailing slash or a default port. */
function readOrigin(given: unknown): string {
  const url = typeof given === "string" ? parseUrl(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid("agentOrigin", 'an origin such as "http://127.0.0.1:7337"');
  if (url.href === `${url.origin}/` && !/[?#]/.test(String(given))) return url.origin;
  throw invalid("agentOrigin", `only the origin, "${url.origin}". What the window shows goes into "agentUrl"`);
}

function readUrl(given: string, origin: string): string {
  const url = parseUrl(given, origin);
  if (url?.origin === origin) return url.href;
  throw invalid("agentUrl", `an address of the agentOrigin, ${origin}`);
}

function checkTime(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value < Infinity) return;
  throw invalid(name, "a number of milliseconds above zero");
}

function invalid(name: string, form: string): PagewireError {
  return new PagewireError("options-invalid", `The option "${name}" must be ${form}.`);
}
