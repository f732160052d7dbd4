/** The names of the two elements. */
export interface ITagNames {
  readonly ai: string;
  readonly aiMessage: string;
}

export interface IRemoteConfig {
  /** Whether the elements' cores run on a server. Read when an element is created. */
  readonly enableRemote: boolean;
  /**
   * `config` uses `remoteCoreUrl`; `env` uses AI_REMOTE_CORE_URL from the environment, or a global variable of that
   * name.
   */
  readonly remoteSettingType: "config" | "env";
  readonly remoteCoreUrl: string;
  /** Sent as the WebSocket subprotocol `pagewire.bearer.<token>`; a function is called for each connection. */
  readonly token?: RemoteToken;
  /** The storage of conversations: per tab, per browser, or none. */
  readonly keepConversation: "session" | "local" | "none";
}

export type RemoteToken = string | (() => string | Promise<string>);

export interface IConfig {
  /** Whether a click on an element with `triggerAttribute` sends. */
  readonly autoTrigger: boolean;
  readonly triggerAttribute: string;
  readonly tagNames: ITagNames;
  readonly remote: IRemoteConfig;
}

export type IWritableTagNames = { -readonly [Name in keyof ITagNames]?: ITagNames[Name] };

export type IWritableRemoteConfig = { -readonly [Name in keyof IRemoteConfig]?: IRemoteConfig[Name] };

/** The argument of `bootstrapAi`: settings that are left out do not change. */
export interface IWritableConfig {
  autoTrigger?: boolean;
  triggerAttribute?: string;
  tagNames?: IWritableTagNames;
  remote?: IWritableRemoteConfig;
}
