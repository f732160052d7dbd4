// A page's own toolbox: offers and runs what its program registers. It does not depend on the wire, tabs or documents.
import { PagewireError, fillInLimits, messageOf, pageLimits } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { Calls } from "./make-calls.ts";
import type { CallEnvironment } from "./context.ts";
import { readDefinition, readKey } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { logError } from "./listeners.ts";
import type {
  NoInput,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  SchemaTool,
  ToolDefinition,
} from "./definitions.ts";
import { createRegistry, createUpdates } from "./registry.ts";
import type { RegisterOptions, Registration } from "./registry.ts";
import { readSchema } from "./schema.ts";
import type { CallOutcome, Toolbox, ToolboxLimits } from "./toolbox.ts";
import type { LoadCalls } from "./load-calls.ts";
import type { LoadValidator } from "./validate-json.ts";

/** A toolbox that its own program fills. Registering a name again replaces its definition. */
export interface LocalToolbox extends Toolbox {
  registerTool<const Input extends object = NoInput, const Output extends object = object>(
    definition: SchemaTool<Input, Output>,
    options?: RegisterOptions,
  ): Registration;
  registerResource(definition: ResourceDefinition, options?: RegisterOptions): Registration;
  registerResourceTemplate(definition: ResourceTemplateDefinition, options?: RegisterOptions): Registration;
  registerPrompt(definition: PromptDefinition, options?: RegisterOptions): Registration;
  /** Notifies subscribers of a resource that its contents changed. A template may cover it. */
  resourceUpdated(uri: string): void;
  /** The definition of the tool that is registered under this name. */
  get(name: string): ToolDefinition | undefined;
  /** The definitions of the registered tools, with their handlers. */
  list(): readonly ToolDefinition[];
  /** Removes everything and ends all subscriptions. Can be called twice. */
  close(): void;
}

export interface ToolboxOptions {
  /** Loads the JSON Schema validator when a tool first needs it, such as `loadJsonSchemaValidator`. */
  readonly loadValidator: LoadValidator;
  /** Loads the code that runs calls with the first call, such as `loadCalls`. */
  readonly loadCalls: LoadCalls;
  /** Names that no tool may take. */
  readonly reserved?: readonly string[];
  readonly limits?: Partial<ToolboxLimits>;
  /** Called with errors of handlers and subscribers; they are logged to the console by default. */
  readonly onError?: OnError;
}

/** Makes an empty toolbox. */
export function createToolbox(options: ToolboxOptions): LocalToolbox {
  const { reserved = [], onError: tell = logError } = options;
  const limits: ToolboxLimits = fillInLimits(pageLimits, options.limits);
  /** An error in this callback must not change the outcome of a call. */
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
  let calls: Calls | undefined;
  const loadCalls = loadOnce(
    async () =>
      (calls = (await options.loadCalls())({ registered: registry, limits, loadValidator, loadOnce, onError })),
  );

  /** Runs a call that stops waiting when its signal aborts: both for the handler and for the code that runs it. */
  const caller = <Name extends keyof Calls>(name: Name): Calls[Name] => {
    const callIt = (...given: readonly unknown[]): Promise<CallOutcome> => {
      const environment = given.at(-1) as CallEnvironment;
      const outcome = calls
        ? (calls[name] as typeof callIt)(...given)
        : loadCalls().then(() => callIt(...given), refused);
      if (environment.isOver !== undefined) return outcome;
      return new Promise((resolve) => {
        const { signal } = environment;
        const abort = () => resolve({ kind: "aborted" });
        signal.addEventListener("abort", abort);
        if (signal.aborted) abort();
        void outcome.then(resolve).finally(() => signal.removeEventListener("abort", abort));
      });
    };
    return callIt;
  };

  return {
    subscribe,
    onResourceUpdated: updates.subscribe,
    resourceUpdated: (uri) => updates.add(readKey("resources", uri)),
    close() {
      registry.close();
      updates.close();
    },
    get: (name) => registry.get("tools", name)?.definition,
    list: () => all("tools").map(({ definition }) => definition),
    offer: () => ({
      tools: all("tools").map(itemOf),
      resources: all("resources").map(itemOf),
      resourceTemplates: all("resourceTemplates").map(itemOf),
      prompts: all("prompts").map(itemOf),
    }),

    registerTool(definition, given) {
      const { name, inputSchema = { type: "object", properties: {} }, outputSchema } = definition;
      if (reserved.includes(name)) {
        throw new PagewireError("name-taken", `"${name}" is the name of a built-in tool.`);
      }
      const input = readSchema(inputSchema, { tool: name, side: "input" }, limits);
      const output = outputSchema && readSchema(outputSchema, { tool: name, side: "output" }, limits);
      const schemas = { inputSchema: input.json, outputSchema: output?.json };
      return add({ ...readDefinition("tools", definition, { limits, schemas }), input, output }, given);
    },
    registerResource: (definition, given) => add(readDefinition("resources", definition, { limits }), given),
    registerResourceTemplate: (definition, given) =>
      add(readDefinition("resourceTemplates", definition, { limits }), given),
    registerPrompt: (definition, given) => add(readDefinition("prompts", definition, { limits }), given),

    callTool: caller("callTool"),
    readResource: caller("readResource"),
    getPrompt: caller("getPrompt"),
    complete: caller("complete"),
  };
}

function itemOf<Item>({ item }: { readonly item: Item }): Item {
  return item;
}

function refused({ code, message }: PagewireError): CallOutcome {
  return { kind: "refused", code, message };
}

/** Loads once for all calls; after a failure, the next call tries again. */
function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return async () => {
    try {
      return await (loading ??= load());
    } catch (error) {
      loading = undefined;
      // Short enough for a frame's header, even if JSON escapes every character.
      const message = `Part of Pagewire could not be loaded (${messageOf(error).slice(0, 999)}). Try again.`;
      throw new PagewireError("part-missing", message, { cause: error });
    }
  };
}
