import { useEffect, useRef } from 'react'

/** An action of the current page, for the command palette. */
export interface Command {
  readonly name: string
  /** The key with the same effect. */
  readonly shortcut?: string
  readonly run: () => void
}

type Commands = readonly Command[]

/** The last rendered commands of each visible component. */
const offered = new Set<{ current: Commands }>()

/** The command that a page runs once it is open. */
let wanted: string | undefined

/** Offers commands to the palette while the component is visible. */
export function useCommands(commands: Commands): void {
  const latest = useRef(commands)
  latest.current = commands
  useEffect(() => {
    const found = commands.find(({ name }) => name === wanted)
    if (!found) return
    wanted = undefined
    found.run()
  })
  useEffect(() => {
    offered.add(latest)
    return () => void offered.delete(latest)
  }, [])
}

/** The available commands, each name once. */
export function commandsNow(): Command[] {
  const all = [...offered].flatMap(({ current }) => current)
  return [...new Map(all.toReversed().map((command) => [command.name, command])).values()].reverse()
}

/** The page that offers this command runs it once it is open; undefined for none. */
export function want(name: string | undefined): void {
  wanted = name
}
