/** In the command line of a process that the files of a test process share. */
export const sharedMark = '--shared-by-test-files'

let keeping = false
const ends: (() => Promise<void>)[] = []

/** From now on files share what can be shared. The caller calls `endShared` after the last. */
export function shareAmongFiles(): void {
  keeping = true
}

/** Answers whether it is ended after the last file of this process; else who has started it ends it. */
export function endsLast(end: () => Promise<void>): boolean {
  if (keeping) ends.push(end)
  return keeping
}

export async function endShared(): Promise<void> {
  keeping = false
  for (const end of ends.splice(0)) await end()
}
