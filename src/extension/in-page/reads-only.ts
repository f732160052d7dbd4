import type { ToolAnnotations } from "../../wire/index.ts";

/** Whether a tool changes nothing, by its own word. One that also says that it may destroy something is not believed. */
export function readsOnly({ annotations }: { readonly annotations?: ToolAnnotations | undefined }): boolean {
  return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}
