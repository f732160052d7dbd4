import { createSocketLink, systemClock } from "../link/index.ts";
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
  onWoken(listener) {
    addEventListener("focus", listener);
    addEventListener("online", listener);
    return () => {
      removeEventListener("focus", listener);
      removeEventListener("online", listener);
    };
  },
};
