// A toolbox that joins this document's tools: of the browser's own model context, or of the polyfill's.
import { inject, onTestFinished } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../toolbox/index.ts";
import type { LocalToolbox } from "../../toolbox/index.ts";
import { joinBrowserTools } from "../join-browser-tools.ts";
import type { JoinOptions } from "../join-browser-tools.ts";
import type { ModelContext, ModelContextTool } from "../model-context.ts";
import { callEnvironment } from "./call-environment.test-helper.ts";

/** A call's outcome. */
export interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly structured?: unknown;
}

export interface JoinedToolbox {
  readonly toolbox: LocalToolbox;
  readonly errors: string[];
  names(): readonly string[];
  /** Rejects with the outcome if there is no result. */
  call(name: string, input?: object, signal?: AbortSignal): Promise<Said>;
  stop(): void;
  refresh(): void;
}

export function contextOf(there: Document = document): ModelContext {
  return (there as unknown as { readonly modelContext: ModelContext }).modelContext;
}

/** Registers a tool as a page's script does, until the test ends or its frame is removed. */
export async function stock(tool: Partial<ModelContextTool> & { readonly name: string }, there = document) {
  const removal = new AbortController();
  // Chromium 156 crashes if a registration ends after its frame was removed.
  if (there === document) onTestFinished(() => removal.abort());
  const definition = { description: "d", execute: () => `${tool.name} ran`, ...tool };
  await contextOf(there).registerTool(definition, { signal: removal.signal });
  return () => removal.abort();
}

/** Adds HTML to the document until the test ends. */
export function put<Found extends HTMLElement>(html: string): Found {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  document.body.append(holder);
  onTestFinished(() => holder.remove());
  return holder.firstElementChild as Found;
}

export type Frame = HTMLIFrameElement & { readonly contentDocument: Document; readonly contentWindow: Window };

/** A loaded frame with a document of this origin that has a model context. */
export async function frameOf(body = "", there = document): Promise<Frame> {
  const frame = there.createElement("iframe") as Frame;
  onTestFinished(() => frame.remove());
  await show(frame, body, () => there.body.append(frame));
  return frame;
}

/** Navigates a frame to another document whose model context works, and waits for it. */
export async function show(frame: HTMLIFrameElement, body: string, begin = () => {}): Promise<void> {
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  const polyfill = new URL("../polyfill/index.ts", import.meta.url).href;
  frame.srcdoc = `<!doctype html>${inject("native") ? "" : `<script type="module" src="${polyfill}"></script>`}${body}`;
  begin();
  await loaded;
  // Chromium 156 loses the model context of some frames that load: see docs/decisions/0035.
  if (inject("native") && !(await answers(frame.contentDocument))) await show(frame, body);
}

/** Whether the browser answers a document that asks for its tools. */
function answers(there: Document | null): Promise<boolean> {
  const asked = there ? contextOf(there).getTools() : Promise.resolve();
  return Promise.race([
    asked.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5000)),
  ]);
}

/** A toolbox that the document's tools join, until the test ends. */
export function joinedToolbox(options: Omit<JoinOptions, "onError"> = {}): JoinedToolbox {
  const errors: string[] = [];
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError: () => {} });
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const { close: stop, refresh } = joinBrowserTools(toolbox, { ...options, onError });
  onTestFinished(stop);
  return {
    toolbox,
    errors,
    stop,
    refresh,
    names: () => toolbox.offer().tools.map(({ name }) => name),
    async call(name, input = {}, signal = new AbortController().signal) {
      const outcome = await toolbox.callTool(name, input, callEnvironment(signal));
      if (outcome.kind !== "result") throw new Error(outcome.kind === "aborted" ? "aborted" : outcome.message);
      const { content, structuredContent } = JSON.parse(outcome.payload) as {
        readonly content: readonly { readonly text: string }[];
        readonly structuredContent?: unknown;
      };
      const text = content.map((block) => block.text).join("\n");
      return {
        text,
        isError: outcome.isError,
        ...(structuredContent !== undefined && { structured: structuredContent }),
      };
    },
  };
}
