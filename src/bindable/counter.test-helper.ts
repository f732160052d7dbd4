import type { WcBindableDeclaration } from "./declaration.ts";

export interface CounterValues {
  count: number;
}

export interface Counter extends HTMLElement, CounterValues {
  /** How many listen to it. */
  readonly listeners: number;
  add(more: number): void;
}

let defined = 0;

/** Defines a bindable element under a name of its own; `later` only makes the name. */
export function defineCounter({ tag = `test-counter-${++defined}`, later = false } = {}): string {
  if (!later) {
    customElements.define(
      tag,
      class extends HTMLElement implements Counter {
        static readonly wcBindable: WcBindableDeclaration = {
          protocol: "wc-bindable",
          version: 1,
          properties: [{ name: "count", event: "counter:count-changed" }],
        };
        count = 0;
        listeners = 0;

        add(more: number): void {
          this.count += more;
          this.dispatchEvent(new CustomEvent("counter:count-changed", { detail: this.count }));
        }

        override addEventListener(...args: Parameters<HTMLElement["addEventListener"]>): void {
          if (args[0] === "counter:count-changed") this.listeners++;
          super.addEventListener(...args);
        }

        override removeEventListener(...args: Parameters<HTMLElement["removeEventListener"]>): void {
          if (args[0] === "counter:count-changed") this.listeners--;
          super.removeEventListener(...args);
        }
      },
    );
  }
  return tag;
}
