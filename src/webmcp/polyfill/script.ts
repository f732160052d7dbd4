// The hub's /webmcp-polyfill.js, for a script tag. Its chunks are in the same place as those of the page's script.
import type { ValidateJson } from "../../toolbox/index.ts";
import { reportToolErrors } from "../report-tool-errors.ts";
import { installModelContext } from "./install-model-context.ts";

const script = document.currentScript as HTMLScriptElement | null;

/**
 * A cross-origin script cannot find its own address later; a module has no such address here, but always knows its own.
 */
const address = script?.src;

function load<Part>(name: string): Promise<Part> {
  const path = `./pagewire/${name}.js`;
  return import(/* @vite-ignore */ address ? new URL(path, address).href : path) as Promise<Part>;
}

installModelContext({
  validator: async () => (await load<{ readonly jsonSchemaValidator: ValidateJson }>("validator")).jsonSchemaValidator,
  formCall: () => load("form-call"),
});

// As all boolean attributes of script tags: "false" is off.
if ((script?.dataset.toolErrors ?? "false") !== "false") reportToolErrors();
