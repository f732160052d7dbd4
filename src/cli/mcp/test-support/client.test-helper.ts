// A client of one `pagewire mcp` that runs in this process, or of any streams that one speaks on.
import { createInterface } from "node:readline";
import type { PassThrough, Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { createTestIo } from "../../test-support/test-io.test-helper.ts";
import { mcpAddress } from "../../reach-hub/find-hub.ts";
import type { HubSource } from "../upstream/hub-source.ts";
import { serveClient } from "../serve-client.ts";
import { systemWaiting } from "../upstream/wait.ts";

export interface LineClient {
  /** Every received message, in order. */
  readonly messages: readonly JsonObject[];
  send(...messages: readonly (JsonObject | string)[]): void;
  /** Resolves with the first matching message, already received or still to come. */
  said(fits: (message: JsonObject) => boolean): Promise<JsonObject>;
  answer(id: string | number | null): Promise<JsonObject>;
  /** Resolves with the first notification, or question, of this method. */
  told(method: string): Promise<JsonObject>;
}

/** Exchanges messages line by line; every received line must be a message. */
export function speakOn(input: Writable, output: Readable): LineClient {
  const messages: JsonObject[] = [];
  const looks = new Set<() => void>();
  createInterface({ input: output }).on("line", (line) => {
    const value: unknown = JSON.parse(line);
    if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") throw new Error(`Not a message: ${line}`);
    messages.push(value);
    for (const look of [...looks]) look();
  });
  const said = (fits: (message: JsonObject) => boolean) =>
    new Promise<JsonObject>((resolve) => {
      const look = () => {
        const found = messages.find(fits);
        if (found === undefined) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      look();
    });
  return {
    messages,
    send(...given) {
      for (const each of given) input.write(`${typeof each === "string" ? each : JSON.stringify(each)}\n`);
    },
    said,
    answer: (id) => said((message) => message["id"] === id && message["method"] === undefined),
    told: (method) => said((message) => message["method"] === method),
  };
}

export interface ServedClient extends LineClient {
  /** The messages for the user. */
  notes(): string;
  /** Stops reading, and reads on. */
  pause(): void;
  resume(): void;
  /** Number of bytes that it has not read. */
  unread(): number;
  /** Ends the client's output; resolves when it is served no more. */
  end(): Promise<string>;
}

export interface ServedClientOptions {
  readonly tab?: string;
  /** The hub to use, if it is not the default one. */
  readonly source?: HubSource;
}

/** Serves a client in this process, with the hub at this address. */
export function serveTestClient(url: string, { tab, source }: ServedClientOptions = {}): ServedClient {
  const { io, endInput, close } = createTestIo();
  const notes: string[] = [];
  const address = { hub: url, endpoint: mcpAddress(url, tab), token: "token-of-the-test" };
  const served = serveClient({
    io,
    source: source ?? { find: async () => address, lost: () => {} },
    waiting: systemWaiting,
    parentId: () => process.pid,
    note: (text) => notes.push(text),
  });
  const end = () => {
    endInput();
    return served;
  };
  onTestFinished(async () => {
    await end();
    close();
  });
  const [input, output] = [io.stdin as PassThrough, io.stdout as PassThrough];
  return {
    ...speakOn(input, output),
    notes: () => notes.join("\n"),
    pause: () => void output.pause(),
    resume: () => void output.resume(),
    unread: () => output.writableLength + output.readableLength,
    end,
  };
}
