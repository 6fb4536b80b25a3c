import { useEffect, useRef } from 'react'

/** Something that can be done where one is: the command palette lists it. */
export interface Command {
  readonly name: string
  /** The key that does the same. */
  readonly shortcut?: string
  readonly run: () => void
}

type Commands = readonly Command[]

/** Of each component that is shown, what it did render last. */
const offered = new Set<{ current: Commands }>()

/** The name of what the page that is gone to does as soon as it is there. */
let wanted: string | undefined

/** Offers commands to the palette, for as long as the component is shown. */
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

/** What can be done now, each name once. */
export function commandsNow(): Command[] {
  const all = [...offered].flatMap(({ current }) => current)
  return [...new Map(all.toReversed().map((command) => [command.name, command])).values()].reverse()
}

/** Has the page that offers it do this once it is there; undefined has none do anything. */
export function want(name: string | undefined): void {
  wanted = name
}
