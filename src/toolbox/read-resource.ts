import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { CallContext } from "./context.ts";
import type { OfferHandler, Registered } from "./calls.ts";
import type { ResourceAnswer } from "./offer-definitions.ts";
import type { MaybePromise } from "./tool-definition.ts";
import { unsendable } from "./unsendable.ts";
import { matchUriTemplate } from "./uri-template.ts";

interface Reader {
  readonly mimeType: string | undefined;
  read(context: CallContext): MaybePromise<ResourceAnswer>;
}

/** Reads a resource, by its own URI or by the first template that describes it. */
export function readResource(uri: string, registered: Registered): OfferHandler {
  const name = `resource "${uri}"`;
  const reader = readerOf(uri, registered);
  if (!reader) throw new PagewireError("offer-not-found", `There is no ${name} here.`);
  return {
    execute: (context) => reader.read(context),
    resultOf(answer) {
      const content = typeof answer === "string" ? { text: answer } : answer;
      if (!isJsonObject(content)) throw unsendable(name, "it is neither text nor an object.");
      const { contents, text, blob } = content;
      if (Array.isArray(contents)) return content;
      if (typeof (text ?? blob) !== "string") throw unsendable(name, "it has no text, no blob and no contents.");
      return { contents: [{ uri, mimeType: reader.mimeType, ...content }] };
    },
  };
}

function readerOf(uri: string, registered: Registered): Reader | undefined {
  const resource = registered.get("resources", uri);
  if (resource) {
    return { mimeType: resource.item.mimeType, read: (context) => resource.definition.read(uri, context) };
  }
  for (const { item, definition } of registered.all("resourceTemplates")) {
    const variables = matchUriTemplate(item.uriTemplate, uri);
    if (variables) return { mimeType: item.mimeType, read: (context) => definition.read(uri, variables, context) };
  }
  return undefined;
}
