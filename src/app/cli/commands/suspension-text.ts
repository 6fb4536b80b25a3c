/** The result of a suspension or its end. */
export function suspensionText(name: string, before: boolean, suspended: boolean): string {
  const state = suspended ? 'suspended' : 'not suspended'
  return before === suspended ? `${name} was already ${state}.` : `${name} is now ${state}.`
}
