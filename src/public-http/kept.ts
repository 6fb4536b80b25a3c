import type { Agent } from 'node:http'

/** Has an agent keep so many connections for later, to all servers together: by itself it bounds those to each server alone. */
export function keepAtMost(agent: Agent, most: number): void {
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const kept = Object.values(agent.freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0)
    return kept < most && keep(socket)
  }
}
