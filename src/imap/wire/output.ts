/** Where responses go. */
export interface Output {
  /** Sends part of a response, in the order of calls. Resolves when the client has taken so much that more can be sent without
   *  keeping it in memory; undefined if that is so already. A caller awaits it before it makes the next piece. Throws if the
   *  client is gone or does not read. */
  write(piece: string | Buffer): Promise<void> | undefined
}
