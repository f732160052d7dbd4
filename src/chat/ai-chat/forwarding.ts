import { AiAgent, HtmlElement, getConfig } from "../../element/index.ts";

/** The properties and methods of `<ai-agent>`. */
type AgentMembers = Omit<AiAgent, keyof HTMLElement | `${string}Callback`>;

/** An element that holds an `<ai-agent>`, and has its properties and methods for its own. */
class Forwarding extends HtmlElement {
  /** The agent inside. */
  readonly agent = document.createElement(getConfig().tagNames.ai) as AiAgent;
}

for (const [name, { value }] of membersOf(AiAgent.prototype)) {
  const isMethod = typeof value === "function";
  Object.defineProperty(Forwarding.prototype, name, {
    configurable: true,
    enumerable: !isMethod,
    ...(isMethod ? { value: methodOf(name), writable: true } : propertyOf(name)),
  });
}

function methodOf(name: string) {
  return function (this: Forwarding, ...given: unknown[]): unknown {
    const method = Reflect.get(this.agent, name) as (...values: unknown[]) => unknown;
    return method.apply(this.agent, given);
  };
}

function propertyOf(name: string): PropertyDescriptor {
  return {
    get(this: Forwarding) {
      return Reflect.get(this.agent, name) as unknown;
    },
    set(this: Forwarding, value: unknown) {
      Reflect.set(this.agent, name, value);
    },
  };
}

/** The members of a class up to the one of all elements. */
function membersOf(prototype: object): [string, PropertyDescriptor][] {
  if (prototype === HtmlElement.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(
    ([name]) => !/^constructor$|Callback$/.test(name),
  );
  return [...membersOf(Object.getPrototypeOf(prototype) as object), ...own];
}

export const ForwardingElement = Forwarding as new () => HTMLElement & AgentMembers & Pick<Forwarding, "agent">;
