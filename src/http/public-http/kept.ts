import type { Agent } from 'node:http'

/** Limits the idle connections of an agent to all servers. By itself it limits only those to each server. */
export function keepAtMost(agent: Agent, most: number): void {
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const kept = Object.values(agent.freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0)
    return kept < most && keep(socket)
  }
}
