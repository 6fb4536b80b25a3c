/** The environment of a service whose modules a hook of this folder replaces, so that it runs from these and not joined. */
export function replacedBy(hook: string): Record<string, string> {
  return { NODE_OPTIONS: `--import ${new URL(hook, import.meta.url)}`, TEST_PROGRAM: '' }
}
