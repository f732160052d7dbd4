// Queues tasks that run in order, after the current script and its promises. Not with timers, which run once a second
// in a hidden page.

const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

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
