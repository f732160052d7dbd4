import { createSocketLink, systemClock } from "../../link/index.ts";
import type { PageEnvironment } from "./environment.ts";

/** How long a hub may take to answer. */
const openTime = 10_000;

/** What a page needs of this browser to find a hub. */
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
      // Browsers do not say why a socket failed.
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
        // Whatever a script put there must not keep the page from its hub.
        return;
      }
      isThere = true;
      listener();
    };
    look();
    // A script that stands in for the browser's comes later than this one, and may say so.
    for (const type of ["readystatechange", "modelcontext"]) document.addEventListener(type, look, { signal });
  },
};
