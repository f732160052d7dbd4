"use client";

// `<AiChat>`: the element as a component of React 18 and 19, which sets its properties and listens to its events.
import { createElement, useEffect, useImperativeHandle, useRef } from "react";
import type { HTMLAttributes, ReactElement, Ref } from "react";
import type { AiAgentEventMap, AiAgentMarkup } from "../element/index.ts";
import { defineAiChat } from "./ai-chat/ai-chat.ts";
import type { AiChat as Element } from "./ai-chat/ai-chat.ts";

/** The properties of the element, and what becomes of its events. */
export interface AiChatProps
  extends
    Omit<AiAgentMarkup, `${string}-${string}` | "trigger">,
    Pick<HTMLAttributes<Element>, "id" | "className" | "style" | "children"> {
  readonly greeting?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly starters?: readonly string[] | undefined;
  readonly modelChoice?: string | undefined;
  readonly onMessages?: (messages: AiAgentEventMap["ai-agent:messages-changed"]["detail"]) => void;
  readonly onError?: (error: AiAgentEventMap["ai-agent:error"]["detail"]) => void;
  readonly onConnection?: (connection: AiAgentEventMap["ai-agent:connection-changed"]["detail"]) => void;
  /** The element, for its methods. */
  readonly chat?: Ref<Element>;
}

const events = {
  onMessages: "ai-agent:messages-changed",
  onError: "ai-agent:error",
  onConnection: "ai-agent:connection-changed",
} as const;

defineAiChat();

/** `<ai-chat>` as a component. `chat` is a ref to the element, for its methods. */
export function AiChat({ id, className, style, children, chat, ...props }: AiChatProps): ReactElement {
  const element = useRef<Element>(null);
  const newest = useRef(props);
  const given = useRef<ReadonlySet<string>>(new Set());
  useImperativeHandle(chat, () => element.current as Element);

  useEffect(() => {
    newest.current = props;
    const { current } = element;
    if (!current) return;
    const values = Object.entries(props).filter(([name]) => !(name in events));
    const names = new Set(values.map(([name]) => name));
    // A property that is no longer given is as it was without it.
    for (const name of given.current) if (!names.has(name)) Reflect.set(current, name, undefined);
    for (const [name, value] of values) if (Reflect.get(current, name) !== value) Reflect.set(current, name, value);
    given.current = names;
  });

  useEffect(() => {
    const { current } = element;
    const left = new AbortController();
    for (const [name, type] of Object.entries(events)) {
      const listener = (event: Event) => {
        const react = newest.current[name as keyof typeof events] as ((detail: unknown) => void) | undefined;
        react?.((event as CustomEvent).detail);
      };
      current?.addEventListener(type, listener, { signal: left.signal });
    }
    return () => left.abort();
  }, []);

  return createElement("ai-chat", { id, class: className, style, ref: element }, children);
}
