// A page's own toolbox: what its program registers, offered and run. It knows nothing of wires, tabs or documents.
import { PagewireError, fillInLimits, messageOf, pageLimits } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { Calls, LoadCalls } from "./calls.ts";
import type { CallEnvironment } from "./context.ts";
import { readDefinition, readKey } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { logError } from "./log-error.ts";
import type { PromptDefinition, ResourceDefinition, ResourceTemplateDefinition } from "./offer-definitions.ts";
import { createRegistry } from "./registry.ts";
import type { RegisterOptions, Registration } from "./registry.ts";
import { readSchema } from "./schema.ts";
import type { NoInput, SchemaTool, ToolDefinition } from "./tool-definition.ts";
import type { CallOutcome, Toolbox } from "./toolbox.ts";
import type { ToolboxLimits } from "./toolbox-limits.ts";
import { createUpdates } from "./updates.ts";
import type { LoadValidator } from "./validate-json.ts";

/** A toolbox that its own program fills. Registering a name again replaces what it stood for. */
export interface LocalToolbox extends Toolbox {
  registerTool<const Input extends object = NoInput, const Output extends object = object>(
    definition: SchemaTool<Input, Output>,
    options?: RegisterOptions,
  ): Registration;
  registerResource(definition: ResourceDefinition, options?: RegisterOptions): Registration;
  registerResourceTemplate(definition: ResourceTemplateDefinition, options?: RegisterOptions): Registration;
  registerPrompt(definition: PromptDefinition, options?: RegisterOptions): Registration;
  /** Says that a resource has new contents, for those who follow it. It may be one that a template describes. */
  resourceUpdated(uri: string): void;
  /** The definitions of the registered tools, with their handlers. */
  list(): readonly ToolDefinition[];
  /** Takes everything away and tells subscribers nothing more. Can be called twice. */
  close(): void;
}

export interface ToolboxOptions {
  /** Gets the validator of JSON Schemas when a tool first needs it, such as `loadJsonSchemaValidator`. */
  readonly loadValidator: LoadValidator;
  /** Gets what runs calls when the first one comes, such as `loadCalls`. */
  readonly loadCalls: LoadCalls;
  /** Names that no tool may take. */
  readonly reserved?: readonly string[];
  readonly limits?: Partial<ToolboxLimits>;
  /** Hears of errors of handlers and subscribers; they go to the console by default. */
  readonly onError?: OnError;
}

/** Makes an empty toolbox. */
export function createToolbox(options: ToolboxOptions): LocalToolbox {
  const { reserved = [], onError: tell = logError } = options;
  const limits: ToolboxLimits = fillInLimits(pageLimits, options.limits);
  /** What it throws must not change what became of a call. */
  const onError: OnError = (error, context) => {
    try {
      tell(error, context);
    } catch (own) {
      console.error(own);
    }
  };
  const registry = createRegistry<Entry>(limits.offersPerPage, onError);
  const { add, all, subscribe } = registry;
  const updates = createUpdates(onError);
  const loadValidator = loadOnce(options.loadValidator);
  const loadCalls = loadOnce(async () =>
    (await options.loadCalls())({ registered: registry, limits, loadValidator, onError }),
  );

  /** Runs a call, but waits for nothing once its signal aborts: neither for a handler nor for the code to run it. */
  function call({ signal }: CallEnvironment, run: (calls: Calls) => Promise<CallOutcome>): Promise<CallOutcome> {
    return new Promise((resolve, reject) => {
      const abort = () => resolve({ kind: "aborted" });
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
      const done = () => signal.removeEventListener("abort", abort);
      loadCalls().then(run, refused).finally(done).then(resolve, reject);
    });
  }

  return {
    subscribe,
    onResourceUpdated: updates.subscribe,
    resourceUpdated: (uri) => updates.add(readKey("resources", uri)),
    close() {
      registry.close();
      updates.close();
    },
    list: () => all("tools").map(({ definition }) => definition),
    offer: () => ({
      tools: all("tools").map(itemOf),
      resources: all("resources").map(itemOf),
      resourceTemplates: all("resourceTemplates").map(itemOf),
      prompts: all("prompts").map(itemOf),
    }),

    registerTool(definition, { signal } = {}) {
      const { name, inputSchema = { type: "object", properties: {} }, outputSchema } = definition;
      if (reserved.includes(name)) {
        throw new PagewireError("name-taken", `"${name}" is the name of a built-in tool. Choose another.`);
      }
      const input = readSchema(inputSchema, { tool: name, side: "input" }, limits);
      const output = outputSchema && readSchema(outputSchema, { tool: name, side: "output" }, limits);
      const schemas = { inputSchema: input.json, outputSchema: output?.json };
      return add({ ...readDefinition("tools", definition, { limits, schemas }), input, output }, signal);
    },
    registerResource: (definition, { signal } = {}) => add(readDefinition("resources", definition, { limits }), signal),
    registerResourceTemplate: (definition, { signal } = {}) =>
      add(readDefinition("resourceTemplates", definition, { limits }), signal),
    registerPrompt: (definition, { signal } = {}) => add(readDefinition("prompts", definition, { limits }), signal),

    callTool: (name, input, environment) => call(environment, ({ callTool }) => callTool(name, input, environment)),
    readResource: (uri, environment) => call(environment, ({ readResource }) => readResource(uri, environment)),
    getPrompt: (name, input, environment) => call(environment, ({ getPrompt }) => getPrompt(name, input, environment)),
    complete: (parameters, environment) => call(environment, ({ complete }) => complete(parameters, environment)),
  };
}

function itemOf<Item>({ item }: { readonly item: Item }): Item {
  return item;
}

function refused({ code, message }: PagewireError): CallOutcome {
  return { kind: "refused", code, message };
}

/** Loads once for all calls; what could not be loaded is tried again by the next. */
function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return async () => {
    try {
      return await (loading ??= load());
    } catch (error) {
      loading = undefined;
      // So short that it fits a frame's header, whatever its characters.
      const message = `A part of Pagewire could not be loaded (${messageOf(error).slice(0, 999)}). Try again.`;
      throw new PagewireError("part-missing", message, { cause: error });
    }
  };
}
