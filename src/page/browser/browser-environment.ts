import { createSocketLink, systemClock } from "../../link/index.ts";
import type { PageEnvironment } from "./environment.ts";

/** Connect timeout, in milliseconds. */
const openTime = 10_000;

export const browserEnvironment: PageEnvironment = {
  clock: systemClock,
  date: Date.now,
  random: Math.random,
  via: () => ({ kind: "socket" }),
  openLink: (url, limits) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const stopTimer = systemClock.after(openTime, () => socket.close());
      socket.onopen = () => {
        stopTimer();
        resolve(createSocketLink(socket, { limits }));
      };
      // Browsers do not expose why a socket failed.
      socket.onclose = () => reject(new Error("there was no answer"));
    }),
  onWoken(listener, signal) {
    for (const type of ["focus", "online"]) addEventListener(type, listener, { signal });
  },
  onModelContext(listener, signal) {
    let isThere = false;
    const look = () => {
      try {
        if (isThere || !(document as { readonly modelContext?: object }).modelContext) return;
      } catch {
        // A getter that some script defined may throw: connect to the hub anyway.
        return;
      }
      isThere = true;
      listener();
    };
    look();
    // A polyfill may load after this script, and announces itself with an event.
    for (const type of ["readystatechange", "modelcontext"]) document.addEventListener(type, look, { signal });
  },
};
