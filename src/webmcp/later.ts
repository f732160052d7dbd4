// Tasks, one after the other in the order they were asked for: what a browser does after the script that runs now and
// its promises. Not timers, which a hidden page has once a second.

const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

/** Runs something in a task of its own. */
export function later(run: () => void): void {
  waiting.push(run);
  channel ??= openChannel();
  channel.port2.postMessage(0);
}

function openChannel(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.onmessage = () => waiting.shift()?.();
  return opened;
}
