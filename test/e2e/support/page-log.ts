// A page's log: its console, the browser's own entries about it, and its uncaught errors.
import type { CdpSession } from "./cdp.ts";

/** One line of a page's console. `type` is the console's method, or `browser-<level>` for the browser's own entries. */
interface ConsoleMessage {
  readonly type: string;
  readonly text: string;
}

/** A page's log since it was opened, in order. */
export interface PageLog {
  readonly messages: ConsoleMessage[];
  /** Uncaught errors and unhandled rejections, with their stack. */
  readonly errors: string[];
  /** Follows a new session, without the entries that it repeats from an earlier one. */
  follow(session: CdpSession): Promise<void>;
}

/** How Chromium describes a value of the page. */
export interface RemoteValue {
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
}

/** How Chromium describes something thrown in the page. */
export interface ExceptionDetails {
  readonly text: string;
  readonly exception?: RemoteValue;
}

/** A thrown value, as the page's developer would read it. */
export function describeException({ text, exception }: ExceptionDetails): string {
  if (exception === undefined) return text;
  return exception.description ?? `${text} ${describeValue(exception)}`;
}

function describeValue({ value, unserializableValue, description }: RemoteValue): string {
  if (typeof value === "string") return value;
  return unserializableValue ?? description ?? JSON.stringify(value) ?? "undefined";
}

/** An empty log; `follow` fills it. */
export function createPageLog(): PageLog {
  const messages: ConsoleMessage[] = [];
  const errors: string[] = [];
  let latest = 0;
  let repeatedUntil = 0;

  function isNew(timestamp: number): boolean {
    latest = Math.max(latest, timestamp);
    return timestamp > repeatedUntil;
  }

  async function follow(session: CdpSession): Promise<void> {
    repeatedUntil = latest;
    session.on<{ type: string; timestamp: number; args: RemoteValue[] }>("Runtime.consoleAPICalled", (event) => {
      if (isNew(event.timestamp)) messages.push({ type: event.type, text: event.args.map(describeValue).join(" ") });
    });
    session.on<{ timestamp: number; exceptionDetails: ExceptionDetails }>("Runtime.exceptionThrown", (event) => {
      if (isNew(event.timestamp)) errors.push(describeException(event.exceptionDetails));
    });
    session.on<{ entry: { level: string; text: string; url?: string; timestamp: number } }>(
      "Log.entryAdded",
      ({ entry }) => {
        if (!isNew(entry.timestamp)) return;
        messages.push({
          type: `browser-${entry.level}`,
          text: entry.url === undefined ? entry.text : `${entry.text} (${entry.url})`,
        });
      },
    );
    await Promise.all([session.send("Runtime.enable"), session.send("Log.enable")]);
  }

  return { messages, errors, follow };
}
