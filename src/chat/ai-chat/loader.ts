// The one script tag: <script src="http://127.0.0.1:7337/ai-chat.js"></script>. Any page may run this script, but only one
// whose origin the hub allows may import the element: this says so in the element's place.
import { notAllowed } from "./why-unreachable.ts";

const script = document.currentScript ?? document.querySelector("script[src*='/ai-chat.js']");
const { src } = script as HTMLScriptElement;
const element = new URL("pagewire/ai-chat.js", src).href;

import(/* @vite-ignore */ element).catch(() => {
  class Unloaded extends HTMLElement {
    connectedCallback(): void {
      const text = document.createElement("p");
      text.setAttribute("role", "alert");
      text.textContent = `${notAllowed(new URL(src).host, location.origin)} (and then reload this page)`;
      (this.shadowRoot ?? this.attachShadow({ mode: "open" })).replaceChildren(text);
    }
  }
  if (!customElements.get("ai-chat")) customElements.define("ai-chat", Unloaded);
});
