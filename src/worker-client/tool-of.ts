// A tool as the worker-proxy's API takes it, in the toolbox's form.
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { LocalToolbox, SchemaTool, ToolDefinition } from "../toolbox/index.ts";
import { builtInToolNames } from "../wire/index.ts";
import type { Meta } from "../wire/index.ts";
import { checkExecution } from "./stand-ins.ts";
import type { ToolExecution } from "./stand-ins.ts";
import { structuredFromText } from "./structured-from-text.ts";
import type { Execute } from "./structured-from-text.ts";

/** Runs in the page's main thread; returns an MCP result, or any other value that a tool may return. */
export type ToolHandler<Input extends object = object, Output extends object = object> = SchemaTool<
  Input,
  Output
>["execute"];

/** A tool's metadata besides name, description and input. */
export interface ToolOptions<Output extends object = object> extends Pick<
  SchemaTool<object, Output>,
  "title" | "outputSchema" | "annotations" | "icons"
> {
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly execution?: ToolExecution;
}

interface Described {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: object | undefined;
}

/** Throws for a tool that could only run as a task. */
export function toolOf<Input extends object, Output extends object>(
  { name, description, inputSchema }: Described,
  handler: ToolHandler<Input, Output>,
  { title, outputSchema, annotations, icons, _meta, execution }: ToolOptions<Output>,
): ToolDefinition {
  checkExecution(name, execution);
  const given = { description, inputSchema, title, outputSchema, annotations, icons, _meta };
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const execute = outputSchema ? structuredFromText(handler as Execute) : (handler as Execute);
  return { ...(said as { readonly _meta?: Meta }), name, execute };
}

/** Validates tools and runs them, without a page. */
export function toolboxWithoutPage(): LocalToolbox {
  return createToolbox({ loadValidator: loadJsonSchemaValidator, loadCalls, reserved: builtInToolNames });
}
