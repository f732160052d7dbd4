// Reads server-sent events from decoded text: push() each piece as it comes, end() when there is no more.
// Knows lines and fields, not what the data means. Each character is searched once, however the text is cut.

/** Max characters of one event. */
const sseEventLimit = 16 * 1024 * 1024;

interface SseParser {
  /** Throws where an event is larger than the limit. */
  push(text: string): void;
  /** The last event counts even where no blank line ended it. */
  end(): void;
}

/** `event` is undefined where the event has no name. */
export function createSseParser(
  onEvent: (event: string | undefined, data: string) => void,
  limit: number = sseEventLimit,
): SseParser {
  let atStart = true;
  let afterReturn = false;
  /** The beginning of a line that has not ended. */
  let rest = "";
  let name: string | undefined;
  let data: string | undefined;

  function readLine(line: string): void {
    if (line === "") {
      const [event, text] = [name, data];
      name = data = undefined;
      if (text !== undefined) onEvent(event || undefined, text);
      return;
    }
    const [, field, value = ""] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field) data = data === undefined ? value : `${data}\n${value}`;
  }

  function push(text: string): void {
    let piece = atStart && text.startsWith("\uFEFF") ? text.slice(1) : text;
    if (text !== "") atStart = false;
    if (afterReturn && piece !== "") {
      afterReturn = false;
      if (piece.startsWith("\n")) piece = piece.slice(1);
    }
    if (piece.includes("\r")) {
      afterReturn = piece.endsWith("\r");
      piece = piece.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    }
    let start = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", start)) {
      const line = piece.slice(start, end);
      start = end + 1;
      readLine(rest + line);
      rest = "";
    }
    if (start < piece.length) rest += piece.slice(start);
    if (rest.length + (data?.length ?? 0) > limit) {
      throw new Error(
        `An event of the stream has more than ${limit} characters (sseEventLimit); the stream was given up.`,
      );
    }
  }

  return {
    push,
    end() {
      if (rest !== "") readLine(rest);
      rest = "";
      readLine("");
    },
  };
}
