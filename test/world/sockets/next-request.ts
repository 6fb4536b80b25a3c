import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

const channel = 'http.server.request.start'

/** The answer to the next request that a server of this process gets, once that has come. */
export function nextRequest(): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  const came = (message: unknown) => {
    unsubscribe(channel, came)
    resolve((message as { response: ServerResponse }).response)
  }
  subscribe(channel, came)
  return promise
}
