// Many links over one. It knows channels by their names and never reads their messages; an error or overload of one channel
// closes at most that channel.
import { PagewireError, linkCloseReason, switchboardLimits, messageOf, sizeOf, textOf } from "../wire/index.ts";
import type { CloseReason, SwitchboardLimits, Message, OnError } from "../wire/index.ts";
import { createCarriedLink } from "./carried-link.ts";
import type { CarriedLink } from "./carried-link.ts";
import { addPrefix, splitPrefix } from "./channel-prefix.ts";
import type { ChannelName } from "./channel-prefix.ts";
import { parseCloseReason } from "./close-reason.ts";
import type { Link } from "./link.ts";
import { createSharedQueue } from "./queue-share.ts";

export interface ChannelsOptions {
  readonly limits?: Pick<SwitchboardLimits, "channelsPerLink" | "queuedBytes" | "sharedBytes">;
  /** Called with each channel that the peer opens; starts it or closes it. */
  onChannel(channel: Link): void;
  /** Receives invalid messages of the peer, and errors that `onChannel` threw. */
  readonly onError?: OnError;
}

export interface Channels {
  readonly count: number;
  /** Opens a channel; a refusal arrives as its `closed`. */
  open(): Link;
  /** Closes the link and all its channels. */
  close(reason?: CloseReason): void;
}

/**
 * Transports many links over one, which it starts. The peer must do the same. A link that closes itself when its peer is
 * slow must allow `sharedBytes` in its queue, or one channel could close all others.
 */
export function createChannels(link: Link, options: ChannelsOptions): Channels {
  const { limits = switchboardLimits, onChannel, onError } = options;
  const channels = new Map<ChannelName, CarriedLink>();
  const queue = createSharedQueue(() => link.queuedBytes, limits);
  const tooMany = linkCloseReason("channels-too-many");
  let lastOpened = 0;
  let lastAccepted = 0;
  let ended: CloseReason | undefined;

  function createChannel(name: ChannelName): CarriedLink {
    const share = queue.openShare();
    const channel = createCarriedLink({
      get queuedBytes() {
        return share.waitingBytes;
      },
      send(message) {
        if (!share.hasRoom(sizeOf(message))) return channel.link.close(linkCloseReason("too-slow"));
        share.write(() => link.send(addPrefix("message", name, message)));
      },
      close(reason) {
        channels.delete(name);
        sendClose(name, reason);
      },
    });
    return channel;
  }

  function sendClose(name: ChannelName, reason: CloseReason): void {
    link.send(addPrefix("close", name, JSON.stringify(reason)));
  }

  function report(message: string): void {
    onError?.(new PagewireError("frame-malformed", message), { stage: "channels" });
  }

  function open(): Link {
    const name: ChannelName = `+${lastOpened + 1}`;
    const channel = createChannel(name);
    const refusal = ended ?? (channels.size >= limits.channelsPerLink ? tooMany : undefined);
    if (refusal !== undefined) {
      channel.end(refusal);
    } else {
      lastOpened += 1;
      channels.set(name, channel);
      link.send(addPrefix("open", name, ""));
    }
    return channel.link;
  }

  function accept(name: ChannelName, number: number): void {
    if (number <= lastAccepted) {
      channels.get(name)?.link.close(linkCloseReason("frame-malformed", "The channel was opened twice."));
      return report(`The peer opened its channel ${number} again. Numbers of channels must go up.`);
    }
    lastAccepted = number;
    if (channels.size >= limits.channelsPerLink) return sendClose(name, tooMany);
    const channel = createChannel(name);
    channels.set(name, channel);
    try {
      onChannel(channel.link);
    } catch (error) {
      channel.link.close(linkCloseReason("internal-error"));
      onError?.(error, { stage: "channels" });
    }
  }

  function receive(message: Message): void {
    const parts = splitPrefix(message);
    if (parts === undefined) return report("The peer sent a message that names no channel. It was ignored.");
    const { kind, name, number, payload } = parts;
    if (kind === "open") return accept(name, number);
    // No channel: it was closed here while the message was on its way.
    const channel = channels.get(name);
    if (kind === "message") return channel?.receive(payload);
    channels.delete(name);
    channel?.end(readReason(payload));
  }

  function closed(reason: CloseReason): void {
    ended = reason;
    for (const channel of channels.values()) channel.end(reason);
    channels.clear();
  }

  link.start({ message: receive, closed });

  return {
    get count() {
      return channels.size;
    },
    open,
    close: (reason) => link.close(reason),
  };
}

function readReason(payload: Message): CloseReason {
  try {
    const reason = parseCloseReason(JSON.parse(textOf(payload)));
    return reason ?? linkCloseReason("frame-malformed", "The channel was closed without a reason that can be read.");
  } catch (error) {
    return linkCloseReason("frame-malformed", `The channel was closed without a reason: ${messageOf(error)}`);
  }
}
